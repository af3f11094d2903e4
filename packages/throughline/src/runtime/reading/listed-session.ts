/** What a list says of each session besides its header: what it waits for, and its last message. A page costs one read, and one more for every four sessions whose last message is not for the customer. */
import type { SessionId } from "../../kernel/id.ts";
import { present } from "../../kernel/json.ts";
import { decodeEvent } from "../../session/fold.ts";
import { decisionsOf, undecided } from "../../session/pending-calls.ts";
import { reachesCustomer, textOf } from "../../session/session-messages.ts";
import type { EventSource, ListQuery, Page, SessionRow, SessionTail, StoredEvent, TailQuery } from "../../store/port.ts";
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

/** How sessions whose last message is not for the customer are read: so many messages, of so many sessions at a time, until a page has read so many bytes. */
const further = { messages: 10, sessions: 4, bytes: 2 ** 21 } as const;
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

/** Returns what is read from a log. If that fails, because a newer version or another program wrote it, its place is recorded as damaged. */
export function readable<Value>(place: string, damaged: string[], read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    damaged.push(place);
    return undefined;
  }
}

/** The ends of sessions. */
export interface SessionEnds {
  readonly of: ReadonlyMap<SessionId, SessionEnd>;
  /** What cannot be read, and is missing in the ends. */
  readonly damaged: readonly string[];
}

/** Returns the ends of sessions, at most 100. What cannot be read in one log hides nothing of the others. */
export async function endsOf({ store, clock }: Reading, sessions: readonly SessionId[]): Promise<SessionEnds> {
  const [ends, damaged, rest] = [new Map<SessionId, SessionEnd>(), [] as string[], [] as SessionId[]];
  const tailsOf = async (query: Omit<TailQuery, "of">): Promise<readonly SessionTail[]> => {
    const page = await store.list({ of: "tails", ...query });
    damaged.push(...(page.damaged ?? []));
    return page.items;
  };
  const lastIn = ({ session_id, messages }: SessionTail) =>
    readable(`the last message of session ${session_id}`, damaged, () => ({ last: lastOf(messages) }));
  const now = clock.now();
  for (const tail of sessions.length === 0 ? [] : await tailsOf({ session_ids: sessions, messages: 1 })) {
    const { session_id, messages } = tail;
    const found = lastIn(tail);
    const waits_for = readable(`the running turn of session ${session_id}`, damaged, () => waitsOf(tail, now));
    ends.set(session_id, present({ waits_for, last_message: found?.last }));
    if (found !== undefined && found.last === undefined && messages.length > 0) rest.push(session_id);
  }
  let bytes = 0;
  for (let from = 0; from < rest.length && bytes < further.bytes; from += further.sessions) {
    const session_ids = rest.slice(from, from + further.sessions);
    for (const tail of await tailsOf({ session_ids, messages: further.messages, messages_only: true })) {
      bytes += JSON.stringify(tail.messages).length;
      ends.set(tail.session_id, { ...ends.get(tail.session_id), ...present({ last_message: lastIn(tail)?.last }) });
    }
  }
  return { of: ends, damaged };
}

/** Returns what cannot be read in the parts of a page, as its property. */
export function damagedIn(...parts: readonly Pick<Page<unknown>, "damaged">[]): Pick<Page<unknown>, "damaged"> {
  const damaged = parts.flatMap((part) => part.damaged ?? []);
  return damaged.length === 0 ? {} : { damaged };
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
  let damaged: Pick<Page<unknown>, "damaged"> = {};
  for (let pages = 1; ; pages++) {
    const {
      items: rows,
      next_cursor,
      total,
      ...page
    } = await reading.store.list({ ...query, running: true, limit: limit - items.length, ...present({ cursor }) });
    const ends = await endsOf(
      reading,
      rows.map(({ session_id }) => session_id),
    );
    damaged = damagedIn(damaged, page, ends);
    for (const row of rows) {
      const end = ends.of.get(row.session_id);
      if (end?.waits_for?.includes(waits) === true) items.push({ row, end });
    }
    if (next_cursor === null || items.length >= limit || pages === mostPages) return { items, next_cursor, total, ...damaged };
    cursor = next_cursor;
  }
}
