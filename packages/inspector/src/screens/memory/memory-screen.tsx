/** What is remembered of a customer, what it rests on, and what a message would bring up. */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { announce } from "../../base/overlays.ts";
import { actionFailure } from "../../base/page-actions.ts";
import { useLoaded } from "../../base/page-service.ts";
import { texts } from "../../base/page-texts.ts";
import { addressOf, changeQuery, place } from "../../base/router.ts";
import type { PathParts } from "../../base/screen-shape.ts";
import { useTyped } from "../../base/typed-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { oneLine } from "../../parts/long-text.tsx";
import { EmptyState, Failure } from "../../parts/notice.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { EntryPane } from "./entry-pane.tsx";
import { categoryOf, entryKinds, isHidden, isPinned, type MemoryEntry, mostEntries, readEntries } from "./memory-entries.ts";
import { choose, chosen, closeForms, forgotten, listed, owner, reads } from "./memory-keys.ts";
import { RecallPane } from "./recall-pane.tsx";

const own = texts.memory;

export function MemoryView({ parts: { customer = "" } }: { readonly parts: PathParts }) {
  const { query } = place.value;
  const kind = entryKinds.find((one) => one === query["kind"]);
  const filter = { kind, words: query["q"] ?? "", all: query["all"] !== undefined };
  const { value, error, fresh } = useLoaded(`${customer} ${JSON.stringify(filter)} ${reads.value}`, (signal) =>
    readEntries(customer, filter, signal),
  );
  useLayoutEffect(() => {
    owner.value = customer;
    return () => {
      closeForms();
      listed.value = [];
      chosen.value = undefined;
      forgotten.value = undefined;
      actionFailure.value = undefined;
    };
  }, [customer]);
  useLayoutEffect(() => void (listed.value = value ?? []), [value]);
  useEffect(() => {
    if (value !== undefined && fresh) announce("memory", own.count(value.length));
  }, [value]);
  const entries = value ?? [];
  const selected = entries.findIndex(({ entry_id }) => entry_id === query["entry"]);
  const isFiltered = filter.words !== "" || kind !== undefined;
  return (
    <div class="screen memory">
      <header class="screen-head">
        <nav aria-label={texts.breadcrumb} class="breadcrumb">
          <a href={addressOf("customers")}>{texts.customers.title}</a>
          <Icon name="forward" />
          <a href={addressOf(`customers/${encodeURIComponent(customer)}`)}>
            <bdi>{oneLine(customer, 40)}</bdi>
          </a>
          <Icon name="forward" />
        </nav>
        <h1>{own.heading}</h1>
        <span class="count">{value === undefined ? "" : entries.length === mostEntries ? own.first(mostEntries) : own.count(entries.length)}</span>
      </header>
      <Filters words={filter.words} kind={kind} all={filter.all} />
      {error === undefined ? undefined : <Failure error={error} />}
      <div class="panes">
        <section class="pane" aria-label={own.entries}>
          {entries.length > 0 ? (
            <VirtualList
              id="entries"
              label={own.entries}
              count={entries.length}
              selected={selected}
              row={(index) => <Row entry={entries[index]} />}
              rowClass={(index) => (entries[index]?.in_force === false ? "retired" : "")}
              onSelect={(index) => choose(entries[index]?.entry_id)}
            />
          ) : value === undefined ? undefined : isFiltered ? (
            <EmptyState title={own.none.filtered} text={own.none.filteredText} />
          ) : (
            <EmptyState title={own.none.title} text={own.none.text} />
          )}
        </section>
        <section class="pane" aria-label={own.details}>
          <div class="pane-head">
            <div class="switch" role="group" aria-label={own.details}>
              <button type="button" aria-pressed={query["view"] !== "recall"} onClick={() => changeQuery({ view: undefined })}>
                {own.entry}
              </button>
              <button type="button" aria-pressed={query["view"] === "recall"} onClick={() => changeQuery({ view: "recall" })}>
                {own.tester}
              </button>
            </div>
          </div>
          {query["view"] === "recall" ? <RecallPane customer={customer} /> : <EntryPane customer={customer} id={query["entry"]} />}
        </section>
      </div>
    </div>
  );
}

interface FiltersProps {
  readonly words: string;
  readonly kind: string | undefined;
  readonly all: boolean;
}

function Filters({ words, kind, all }: FiltersProps) {
  const [typed, setTyped] = useTyped(words, (q) => changeQuery({ q }, { replace: true }));
  return (
    <div class="filter-bar">
      <label class="filter">
        <Icon name="search" />
        <span class="unseen">{own.search}</span>
        <input
          id="memory-words"
          type="search"
          autocomplete="off"
          placeholder={own.search}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <ul class="views" aria-label={own.kindsLabel}>
        {[undefined, ...entryKinds].map((one) => (
          <li key={one ?? "all"}>
            <button type="button" class="chip" aria-pressed={one === kind} onClick={() => changeQuery({ kind: one })}>
              {own.kinds[one ?? "all"]}
            </button>
          </li>
        ))}
        <li>
          <button type="button" class="chip" aria-pressed={all} onClick={() => changeQuery({ all: all ? undefined : 1 })}>
            {own.history}
          </button>
        </li>
      </ul>
    </div>
  );
}

function Row({ entry }: { readonly entry: MemoryEntry | undefined }) {
  if (entry === undefined) return null;
  const { kind, text, in_force } = entry;
  return (
    <>
      <span class="badge">{categoryOf(entry) ?? own.kind[kind]}</span>
      <bdi>{oneLine(text)}</bdi>
      {isPinned(entry) ? <span class="badge ok">{own.pinned}</span> : undefined}
      {isHidden(entry) ? <span class="badge blocked">{own.hidden}</span> : undefined}
      {in_force ? undefined : <span class="badge skipped">{own.retired}</span>}
    </>
  );
}
