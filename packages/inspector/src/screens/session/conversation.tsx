/** The log as a conversation: messages, calls, handovers, and the reply that is being written. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WireEvent } from "@throughline/client";
import { Icon } from "../../parts/icon.tsx";
import { LongText, oneLine } from "../../parts/long-text.tsx";
import { messageText } from "../../parts/message-text.ts";
import { EmptyState } from "../../parts/notice.tsx";
import { Said } from "../../parts/time.tsx";
import { texts } from "../../base/page-texts.ts";
import { changeQuery } from "../../base/router.ts";
import { detailOf, resultText, type ReturnedResult } from "../../parts/event-detail.ts";
import { isEntry, type Line, lineText } from "../../parts/event-line.ts";
import { lookAt, shown } from "./session-keys.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogPages } from "./log-pages.ts";
import { rowsOf } from "./log-rows.ts";
import { useWhole } from "./turn-at.ts";

/** Entries that are shown at once, and that come with one more click. */
const windowSize = 40;

/** Entries of the conversation around an offset. */
interface Window {
  readonly entries: readonly Line[];
  /** The last entry at or before the offset; -1 if it is not among the entries. */
  readonly selected: number;
  readonly earlier: boolean;
  readonly later: boolean;
}

/** Up to `most` entries from a row on in one direction. What is not loaded is wanted, and ends them. `more` says whether others may follow. */
function entriesFrom(log: LogPages, row: number, by: 1 | -1, most: number): { readonly found: readonly Line[]; readonly more: boolean } {
  const found: Line[] = [];
  for (let index = row; index >= 0 && index < log.count; index += by) {
    const line = log.at(index);
    if (line === undefined) log.want(index);
    if (line === undefined || (isEntry(line) && found.length === most)) return { found, more: true };
    if (isEntry(line)) found.push(line);
  }
  return { found, more: false };
}

/** Entries up to a row of the log, and a few after it. */
function windowAt(log: LogPages, row: number, before: number, after: number): Window {
  const upTo = entriesFrom(log, row, -1, before);
  const next = entriesFrom(log, row + 1, 1, after);
  return { entries: [...upTo.found.toReversed(), ...next.found], selected: upTo.found.length - 1, earlier: upTo.more, later: next.more };
}

/** Lines after the last entry that are searched for results of its calls. */
const linesAfter = 40;

/** The loaded lines of results between the first entry and a few lines after the last, in their order. */
function resultLines(log: LogPages, entries: readonly Line[]): readonly Line[] {
  const found: Line[] = [];
  const last = log.indexOf(entries.at(-1)?.offset ?? -1) + linesAfter;
  for (let index = Math.max(0, log.indexOf(entries[0]?.offset ?? 0)); index <= last && index < log.count; index++) {
    const line = log.at(index);
    if (line?.kind === "tool" && line.type === "returned") found.push(line);
  }
  return found;
}

/** The results of calls among some events, by the id of the call. */
function resultsOf(events: readonly WireEvent[]): ReadonlyMap<string, ReturnedResult> {
  const results = new Map<string, ReturnedResult>();
  for (const { kind, data } of events) if (kind === "tool" && data.type === "returned") results.set(data.call_id, data.result);
  return results;
}

/** Lines from the end of the log that are searched for what was taken back. */
const searched = 3_000;

/** Whether an offset was taken back, as far as the loaded lines say. */
function withdrawnIn(log: LogPages): (offset: number) => boolean {
  const ranges: { readonly from: number; readonly until: number }[] = [];
  for (let index = log.count - 1; index >= Math.max(0, log.count - searched); index--) {
    const { kind, type, preview, offset = 0 } = log.at(index) ?? {};
    const [, from] = kind === "session" && type === "withdrawn" ? (/^from (\d+)$/.exec(preview ?? "") ?? []) : [];
    if (from !== undefined) ranges.push({ from: Number(from), until: offset });
  }
  return (offset) => ranges.some(({ from, until }) => offset >= from && offset < until);
}

interface ConversationProps {
  readonly view: LiveSession;
  readonly at: number;
  readonly follows: boolean;
}

export function Conversation({ view, at, follows }: ConversationProps) {
  const { log } = view;
  const { value: version } = log.version;
  const isWithdrawn = useMemo(() => withdrawnIn(log), [log, version]);
  const [more, setMore] = useState(0);
  const row = follows ? log.count - 1 : log.indexOf(at);
  const { entries, selected, earlier, later } = useMemo(
    () => windowAt(log, row, windowSize + more, follows ? 0 : windowSize / 4),
    [log, version, row, more, follows],
  );
  useLayoutEffect(() => void (shown.value = rowsOf(entries)), [entries]);
  const results = useMemo(() => resultLines(log, entries), [log, version, entries]);
  const { events } = useWhole(
    view,
    [...entries, ...results].toSorted((one, other) => one.offset - other.offset),
  );
  const resultByCall = resultsOf(events);
  const whole = new Map(events.map((event) => [event.offset, event]));
  const box = useRef<HTMLDivElement>(null);
  const { value: drafts } = view.drafts;
  const current = entries[selected]?.offset;
  useLayoutEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    if (follows) element.scrollTop = element.scrollHeight;
    else element.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [current, follows, drafts, events.length, follows ? entries.length : 0]);
  if (entries.length === 0 && drafts.length === 0)
    return earlier || later ? <p class="waiting">{texts.loading}</p> : <EmptyState title={texts.session.none.title} text={texts.session.none.text} />;
  return (
    <div class="conversation" ref={box} tabIndex={0} role="region" aria-label={texts.session.conversation}>
      {earlier ? (
        <button type="button" class="button" onClick={() => setMore(more + windowSize)}>
          {texts.session.earlier}
        </button>
      ) : undefined}
      <ol>
        {entries.map((line, index) => {
          const event = whole.get(line.offset);
          return (
            <Entry
              key={line.offset}
              line={line}
              event={event}
              result={event?.kind === "tool" ? resultByCall.get(event.data.call_id) : undefined}
              isCurrent={index === selected && !follows}
              isWithdrawn={isWithdrawn(line.offset)}
            />
          );
        })}
        {follows
          ? drafts.map(({ turn_id, text }) => (
              <li key={turn_id} class="entry message assistant draft" aria-busy="true">
                <div class="entry-head">
                  <span class="author">{texts.session.writing}</span>
                </div>
                <LongText text={text} />
              </li>
            ))
          : undefined}
      </ol>
      {later ? <p class="more">{texts.session.later}</p> : undefined}
    </div>
  );
}

interface EntryProps {
  readonly line: Line;
  /** The whole event; undefined until it is read. */
  readonly event: WireEvent | undefined;
  /** The result of the call that the entry is, as far as it is known. */
  readonly result: ReturnedResult | undefined;
  readonly isCurrent: boolean;
  readonly isWithdrawn: boolean;
}

function Entry({ line, event, result, isCurrent, isWithdrawn }: EntryProps) {
  const { kind, offset, type = "" } = line;
  const frame = (name: string, author: ComponentChildren, content: ComponentChildren) => (
    <li class={`entry ${name} ${isWithdrawn ? "withdrawn" : ""}`} aria-current={isCurrent ? "true" : undefined} data-as-offset={offset}>
      <div class="entry-head">
        <span class="author">{author}</span>
        {isWithdrawn ? <span class="badge skipped">{texts.actions.withdraw.mark}</span> : undefined}
        <button type="button" class="offset-link" onClick={() => lookAt(offset)} aria-label={texts.session.lookAt(offset)}>
          #{offset}
        </button>
        <Said at={line.at} />
      </div>
      {content}
    </li>
  );
  if (kind === "message") {
    if (event?.kind !== "message") return frame(`message ${type}`, texts.sources[line.source], <p class="waiting">{texts.loading}</p>);
    const { data, source } = event;
    const name = data.participant?.display_name;
    const text = data.redacted === true ? texts.session.redacted : messageText(data);
    const author = name === undefined ? texts.sources[source] : <bdi>{name}</bdi>;
    return frame(
      `message ${data.role}`,
      author,
      <>
        {text === "" ? undefined : <LongText text={text} />}
        {(data.calls ?? []).map((call) => (
          <p key={call.call_id} class="call">
            <Icon name="tool" />
            <bdi>{call.name}</bdi>
          </p>
        ))}
      </>,
    );
  }
  return frame(
    `note ${kind} ${kind === "turn" && line.preview === "failed" ? "failed" : ""}`,
    <>
      <Icon name={kind} />
      {texts.kinds[kind]}
    </>,
    <>
      <p class="note-text">
        <bdi>{event === undefined ? lineText(line) : detailOf(event)}</bdi>
      </p>
      {result === undefined ? undefined : (
        <p class="note-text">
          {texts.tools.results[result.type]}: <bdi>{oneLine(resultText(result))}</bdi>
        </p>
      )}
      {kind !== "turn" ? undefined : (
        <button type="button" class="link" onClick={() => changeQuery({ at: offset, tab: "log" })}>
          {texts.session.showEvent}
        </button>
      )}
    </>,
  );
}
