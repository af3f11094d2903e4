/** The state at an offset, as a tree. What the last change wrote is marked. */
import { useMemo, useState } from "preact/hooks";
import type { WireJson } from "@throughline/client";
import { useLoaded } from "../../base/page-service.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { EmptyState, Failure, Left } from "../../parts/notice.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { texts } from "../../base/page-texts.ts";
import { lineText } from "../../parts/event-line.ts";
import { changesBetween, type JsonRow, rowsOf } from "../../parts/json-rows.ts";
import { type FieldFacts, fieldOf, lifecycleOf, useFieldFacts, writerOf } from "./field-facts.ts";
import { lookAt } from "./session-keys.ts";
import type { TabProps } from "./live-session.ts";
import { stateScope, stateWithLast } from "../../base/states.ts";

export function StateTab({ session, at }: TabProps) {
  const { value: pair, error } = useLoaded(`${session.id} ${at}`, (signal) => stateWithLast(session.id, at, signal));
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [path, setPath] = useState<string | undefined>(undefined);
  const changed = useMemo(
    () => new Set(pair === undefined || pair.before === undefined ? [] : changesBetween(pair.before.state, pair.after.state).map((one) => one.path)),
    [pair],
  );
  const facts = useFieldFacts(session, pair?.after.state_offset);
  const rows = useMemo(() => (pair === undefined ? [] : rowsOf(pair.after.state, opened)), [pair, opened]);
  if (error !== undefined) return <Failure error={error} />;
  if (pair === undefined) return <p class="waiting">{texts.loading}</p>;
  const { state_offset } = pair.after;
  const selected = rows.findIndex((row) => row.path === path);
  const row = rows[selected];
  const choose = (index: number): void => {
    const chosen = rows[index];
    if (chosen === undefined) return;
    setPath(chosen.path);
    if (chosen.size !== undefined && chosen.size > 0) setOpened(new Map(opened).set(chosen.path, !chosen.open));
  };
  return (
    <>
      <div class="pane-tools">
        <LastChange session={session} at={at} of={state_offset} />
        <Left needs={stateScope} />
        <CopyButton label={texts.state.copy} text={() => JSON.stringify(pair.after.state, null, 2)} />
      </div>
      {rows.length === 0 ? (
        <EmptyState title={texts.state.none.title} text={texts.state.none.text} />
      ) : (
        <VirtualList
          id="state"
          label={texts.session.tabs.state}
          count={rows.length}
          selected={selected}
          row={(index) => <StateRow row={rows[index]} changed={changed} facts={facts} />}
          rowClass={(index) => (isChanged(rows[index], changed) ? "changed" : "")}
          onSelect={choose}
        />
      )}
      <Absent facts={facts} present={pair.after.state} />
      {row === undefined ? undefined : <Value row={row} facts={facts} />}
    </>
  );
}

/** Whether a row, or something inside it, is new. */
const isChanged = (row: JsonRow | undefined, changed: ReadonlySet<string>): boolean => {
  if (row === undefined) return false;
  for (const path of changed) if (path === row.path || path.startsWith(`${row.path}/`) || row.path.startsWith(`${path}/`)) return true;
  return false;
};

function LastChange({ session, at, of }: TabProps & { readonly of: number }) {
  void session.log.version.value;
  const line = session.log.at(session.log.indexOf(of));
  const known = line !== undefined && line.offset === of && line.kind === "state" ? lineText(line) : undefined;
  return (
    <p class="last-change">
      <button type="button" class="link" onClick={() => lookAt(of)} disabled={at === of}>
        {texts.state.changedAt(of)}
      </button>
      {known === undefined ? undefined : <bdi class="faint">{oneLine(known, 120)}</bdi>}
    </p>
  );
}

/** A value as it stands in a row. */
const shownValue = (value: WireJson, size: number | undefined): string =>
  size === undefined ? oneLine(JSON.stringify(value)) : Array.isArray(value) ? texts.state.items(size) : texts.state.members(size);

const typeOf = (value: WireJson): string => (value === null ? "null" : Array.isArray(value) ? "list" : typeof value);

interface StateRowProps {
  readonly row: JsonRow | undefined;
  readonly changed: ReadonlySet<string>;
  readonly facts: FieldFacts;
}

function StateRow({ row, changed, facts }: StateRowProps) {
  if (row === undefined) return null;
  const { name, depth, value, size, open } = row;
  const lifecycle = depth === 0 ? lifecycleOf(facts, name) : undefined;
  const writer = depth === 0 ? writerOf(facts, name) : undefined;
  return (
    <>
      <span class={`depth-${Math.min(depth, 8)} twist`} aria-hidden="true">
        {size === undefined || size === 0 ? "" : open ? "▾" : "▸"}
      </span>
      <bdi class="name">{oneLine(name, 120)}</bdi>
      <bdi class={`value ${typeOf(value)}`}>{shownValue(value, size)}</bdi>
      {isChanged(row, changed) ? <span class="mark">{texts.state.changed}</span> : undefined}
      {writer === undefined ? undefined : (
        <bdi class="owner">
          {oneLine(writer.text, 60)} #{writer.offset}
        </bdi>
      )}
      {lifecycle === undefined ? undefined : <span class={`badge lifecycle ${lifecycle}`}>{texts.state.lifecycles[lifecycle]}</span>}
    </>
  );
}

/** The most fields that are named without being asked for. More would take the place of the state. */
const fewFields = 6;

/** The fields that have no value at the offset. */
function Absent({ facts, present }: { readonly facts: FieldFacts; readonly present: Readonly<Record<string, WireJson>> }) {
  const absent = Object.entries(facts.fields).filter(([name]) => !Object.hasOwn(present, name));
  if (absent.length === 0) return null;
  return (
    <details class="absent" open={absent.length <= fewFields}>
      <summary>{texts.state.absent(absent.length)}</summary>
      <p>
        {absent.map(([name, { lifecycle }]) => (
          <span key={name} class="absent-field">
            <bdi>{oneLine(name, 60)}</bdi> <span class={`badge lifecycle ${lifecycle}`}>{texts.state.lifecycles[lifecycle]}</span>
          </span>
        ))}
      </p>
    </details>
  );
}

function Value({ row: { path, value }, facts }: { readonly row: JsonRow; readonly facts: FieldFacts }) {
  const writer = writerOf(facts, fieldOf(path));
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <section class="value-pane" aria-label={texts.state.value}>
      <div class="pane-tools">
        <bdi class="path">{oneLine(path)}</bdi>
        {writer === undefined ? undefined : (
          <button type="button" class="link" onClick={() => lookAt(writer.offset)}>
            <bdi>{texts.state.writtenBy(oneLine(writer.text, 60), writer.offset)}</bdi>
          </button>
        )}
        <CopyButton label={texts.state.copyPath} text={() => path} />
        <CopyButton label={texts.state.copyValue} text={() => text} />
      </div>
      <LongText text={text} code />
    </section>
  );
}
