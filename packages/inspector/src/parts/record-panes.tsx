/** A list of records on the left; the facts of the chosen one, and what can be done with it, on the right. The address holds the choice. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { announce } from "../base/overlays.ts";
import { actionFailure } from "../base/page-actions.ts";
import type { PagedItems } from "../base/paged-items.ts";
import { texts } from "../base/page-texts.ts";
import { changeQuery, place } from "../base/router.ts";
import { EmptyState, Failure } from "./notice.tsx";
import { VirtualList } from "./virtual-list.tsx";

/** The ids of the list on the screen. */
const listed = signal<readonly string[]>([]);

/** The id in the address. */
const chosenId = (): string | undefined => place.value.query["item"];

/** Chooses a record. Steps replace each other in the history. */
export function chooseRecord(id: string | undefined): void {
  actionFailure.value = undefined;
  changeQuery({ item: id }, { replace: true });
}

/** Moves the choice by records. */
export function moveChoice(by: number): void {
  const ids = listed.peek();
  const at = ids.indexOf(chosenId() ?? "");
  const id = ids[Math.max(0, Math.min(ids.length - 1, at < 0 ? 0 : at + by))];
  if (id !== undefined) chooseRecord(id);
}

/** A name and a value. */
export type Fact = readonly [name: string, value: ComponentChildren] | undefined;

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="event-facts">
    {facts.map((fact) =>
      fact === undefined ? undefined : (
        <div key={fact[0]}>
          <dt>{fact[0]}</dt>
          <dd>
            <bdi>{fact[1]}</bdi>
          </dd>
        </div>
      ),
    )}
  </dl>
);

interface RecordPanesProps<Item> {
  /** Unique on the page; the class of the rows' columns. */
  readonly id: string;
  readonly label: string;
  readonly list: PagedItems<Item>;
  readonly more: () => void;
  readonly idOf: (item: Item) => string;
  /** Titles of the columns, by class. */
  readonly columns: readonly (readonly [name: string, title: string])[];
  /** The cells of a row, in the order of the columns. */
  readonly cells: (item: Item) => readonly ComponentChildren[];
  readonly none: { readonly title: string; readonly text: string };
  /** What stands on the right for the chosen record. */
  readonly details: (item: Item) => ComponentChildren;
  /** What stands on the right in place of a record. */
  readonly instead?: ComponentChildren;
}

export function RecordPanes<Item>(props: RecordPanesProps<Item>) {
  const { id, label, list, more, idOf, columns, cells, none, details, instead } = props;
  const { value: items } = list.items;
  const { value: error } = list.error;
  const { value: ready } = list.ready;
  const selected = items.findIndex((item) => idOf(item) === chosenId());
  const chosen = items[selected];
  const { value: failure } = actionFailure;
  useLayoutEffect(() => void (listed.value = items.map(idOf)), [items]);
  useLayoutEffect(() => () => void (listed.value = []), []);
  useEffect(() => {
    if (ready) announce("records", texts.records.count(items.length, list.next.peek() !== null));
  }, [ready, items.length]);
  return (
    <div class="panes records">
      <section class="pane" aria-label={label}>
        {error === undefined ? undefined : <Failure error={error} />}
        {list.paused.value ? (
          <button type="button" class="button" onClick={more}>
            {texts.records.readOn}
          </button>
        ) : undefined}
        {items.length > 0 ? (
          <VirtualList
            id={id}
            kind="grid"
            label={texts.records.list(label)}
            count={items.length}
            selected={selected}
            header={columns.map(([name, title]) => (
              <span key={name} role="columnheader" class={`cell ${name}`}>
                {title}
              </span>
            ))}
            row={(index) => {
              const item = items[index];
              if (item === undefined) return null;
              const shown = cells(item);
              return columns.map(([name], column) => (
                <span key={name} role="gridcell" class={`cell ${name}`}>
                  {shown[column]}
                </span>
              ));
            }}
            onSelect={(index) => {
              const item = items[index];
              if (item !== undefined) chooseRecord(idOf(item));
            }}
            onEnd={more}
          />
        ) : ready ? (
          <EmptyState title={none.title} text={none.text} />
        ) : error === undefined ? (
          <p class="waiting">{texts.loading}</p>
        ) : undefined}
      </section>
      <section class="pane" aria-label={texts.records.details}>
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.records.record}>
          {failure === undefined ? undefined : <Failure error={failure} />}
          {instead ?? (chosen === undefined ? <EmptyState title={texts.records.none.title} text={texts.records.none.text} /> : details(chosen))}
        </div>
      </section>
    </div>
  );
}
