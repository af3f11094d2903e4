/** The list of customers, page by page: to open a customer, or the memory of one. */
import { useState } from "preact/hooks";
import type { ResultOf } from "@throughline/client";
import { client, useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, go, place } from "../../base/router.ts";
import { oneLine } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { Ago } from "../../parts/time.tsx";

const own = texts.customers;
/** Customers of a page. */
const pageSize = 50;

export const CustomersView = () => <CustomerList title={own.title} placeOf={(id) => `customers/${encodeURIComponent(id)}`} />;

/** Where a person begins who looks for a memory: whose it is. */
export const MemoriesView = () => (
  <CustomerList title={texts.memories.title} hint={texts.memories.text} placeOf={(id) => `customers/${encodeURIComponent(id)}/memory`} />
);

interface CustomerListProps {
  readonly title: string;
  readonly hint?: string;
  /** Where a customer leads. */
  readonly placeOf: (id: string) => string;
}

function CustomerList({ title, hint, placeOf }: CustomerListProps) {
  const { cursor } = place.value.query;
  const { value: page, error } = useLoaded(`customers ${cursor ?? ""}`, (signal) =>
    client().customers.list({ limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }, { signal }),
  );
  return (
    <div class="screen customers">
      <header class="screen-head">
        <h1>{title}</h1>
      </header>
      {hint === undefined ? undefined : <p class="hint note">{hint}</p>}
      <OpenCustomer placeOf={placeOf} />
      {error === undefined ? undefined : <Failure error={error} />}
      {page === undefined ? (
        error === undefined ? (
          <p class="waiting">{texts.loading}</p>
        ) : undefined
      ) : (
        <Page page={page} title={title} placeOf={placeOf} />
      )}
    </div>
  );
}

/** Opens a customer by the id. */
function OpenCustomer({ placeOf }: Pick<CustomerListProps, "placeOf">) {
  const [id, setId] = useState("");
  return (
    <form
      class="filter-bar"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") go(placeOf(id.trim()));
      }}
    >
      <label class="filter">
        <span class="unseen">{own.open}</span>
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={own.open}
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        {own.go}
      </button>
    </form>
  );
}

function Page({ page: { items, next_cursor }, title, placeOf }: CustomerListProps & { readonly page: ResultOf<"listCustomers"> }) {
  if (items.length === 0) return <EmptyState title={own.none.title} text={own.none.text} />;
  return (
    <div class="customer-list" tabIndex={0} role="region" aria-label={title}>
      <ul>
        {items.map(({ id, name, created_at }) => (
          <li key={id}>
            <a href={addressOf(placeOf(id))}>
              <bdi>{oneLine(id, 120)}</bdi>
            </a>
            {name === null ? undefined : <bdi class="faint">{oneLine(name, 120)}</bdi>}
            <Ago at={created_at} />
          </li>
        ))}
      </ul>
      {next_cursor === null ? undefined : (
        <button type="button" class="button" onClick={() => changeQuery({ cursor: next_cursor })}>
          {own.more}
        </button>
      )}
    </div>
  );
}
