/** What a list says of each session besides its header: what it waits for, and its last message. A page costs one read, or two. */
import type { SessionId } from "../../kernel/id.ts";
import { present } from "../../kernel/json.ts";
import { decodeEvent } from "../../session/fold.ts";
import { decisionsOf, undecided } from "../../session/pending-calls.ts";
import { reachesCustomer, textOf } from "../../session/session-messages.ts";
import type { EventSource, ListQuery, Page, SessionRow, SessionTail, StoredEvent } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** What a paused turn waits for: an approval of a call, or an answer to a question. */
export type WaitsFor = "approval" | "answer";

/** The last message that the customer may see. */
export interface LastMessage {
  readonly offset: number;
  readonly source: EventSource;
  readonly at: number;
  /** Its beginning on one line: at most 80 characters as people count them. */
  readonly text: string;
}

/** The end of a session, as a list shows it. */
export interface SessionEnd {
  /** What its turn waits for. Absent if it waits for no decision. */
  readonly waits_for?: readonly WaitsFor[];
  /** Absent if none of its last messages can be shown. */
  readonly last_message?: LastMessage;
}

/** Number of last messages that are read: first of every session, then of those whose last one is not for the customer. */
const messagesRead = [1, 20] as const;
/** Maximum length of a preview in characters as people count them, and in UTF-16 units, because such a character can have any number of those. */
const longest = { characters: 80, units: 320 };
/** Maximum number of pages that a search for waiting sessions reads. */
const mostPages = 10;

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns the beginning of a text on one line, without splitting a character as people count them. */
export function beginningOf(text: string): string {
  const read = text.slice(0, longest.units * 4);
  const line = read.replaceAll(/\s+/g, " ").trim();
  // Of a text that was not read to its end, the last character may be incomplete.
  const segments = [...characters.segment(line)];
  const whole = read.length < text.length ? segments.slice(0, -1) : segments;
  let kept = whole.slice(0, longest.characters);
  while ((kept.at(-1)?.index ?? 0) + (kept.at(-1)?.segment.length ?? 0) > longest.units) kept = kept.slice(0, -1);
  const beginning = kept.map(({ segment }) => segment).join("");
  return kept.length === segments.length ? beginning : `${beginning.trimEnd()}…`;
}

function shownOf(stored: StoredEvent): LastMessage | undefined {
  const event = decodeEvent(stored);
  if (event.kind !== "message" || event.data.redacted === true || !reachesCustomer(event)) return undefined;
  const text = beginningOf(textOf(event.data.parts));
  return text === "" ? undefined : { offset: event.offset, source: event.source, at: event.created_at, text };
}

/** Returns the last message of a session that can be shown. */
function lastOf(messages: readonly StoredEvent[]): LastMessage | undefined {
  for (const stored of messages.toReversed()) {
    const last = shownOf(stored);
    if (last !== undefined) return last;
  }
  return undefined;
}

function waitsOf({ journal }: SessionTail, now: number): readonly WaitsFor[] | undefined {
  const open = undecided(
    decisionsOf(
      journal.map((stored) => decodeEvent(stored)),
      { now },
    ),
  );
  const waits = new Set(open.map(({ call }): WaitsFor => (call.kind === "approval" ? "approval" : "answer")));
  return waits.size === 0 ? undefined : [...waits].toSorted();
}

type Reading = Pick<RuntimeContext, "store" | "clock">;

/** Returns the ends of sessions, at most 100. */
export async function endsOf({ store, clock }: Reading, sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, SessionEnd>> {
  const ends = new Map<SessionId, SessionEnd>();
  const now = clock.now();
  let rest = sessions;
  for (const messages of messagesRead) {
    if (rest.length === 0) break;
    const { items } = await store.list({ of: "tails", session_ids: rest, messages });
    const further: SessionId[] = [];
    for (const tail of items) {
      const last_message = lastOf(tail.messages);
      ends.set(tail.session_id, present({ waits_for: waitsOf(tail, now), last_message }));
      if (last_message === undefined && tail.messages.length === messages) further.push(tail.session_id);
    }
    rest = further;
  }
  return ends;
}

type Query = Extract<ListQuery, { readonly of: "sessions" }>;

/** Returns a page of the sessions that wait for a decision. It may be short, and the next one continues. `total` counts the sessions whose turn runs. */
export async function waitingSessions(
  reading: Reading,
  query: Query,
  waits: WaitsFor,
): Promise<Page<{ readonly row: SessionRow; readonly end: SessionEnd }>> {
  const { limit = 100 } = query;
  const items: { readonly row: SessionRow; readonly end: SessionEnd }[] = [];
  let { cursor } = query;
  for (let pages = 1; ; pages++) {
    const page = await reading.store.list({ ...query, running: true, limit: limit - items.length, ...present({ cursor }) });
    const ends = await endsOf(
      reading,
      page.items.map(({ session_id }) => session_id),
    );
    for (const row of page.items) {
      const end = ends.get(row.session_id);
      if (end?.waits_for?.includes(waits) === true) items.push({ row, end });
    }
    if (page.next_cursor === null || items.length >= limit || pages === mostPages) return { items, next_cursor: page.next_cursor, total: page.total };
    cursor = page.next_cursor;
  }
}
