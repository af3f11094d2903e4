/** Logs of the reference model. A fork's log consists of parts of its ancestors' logs, each up to an offset, and its own events. */
import { eventIdOf, turnIdOf, turnNumberOf } from "../../kernel/id.ts";
import type { Book, SessionRecord } from "./book.ts";
import { type NewSession, type Refusal, type StoredEvent, type TurnRow, deepestFork } from "../port.ts";

/** The events from `first` to `upto` belong to `session`. */
export interface Segment {
  readonly session: SessionRecord;
  readonly first: number;
  readonly upto: number;
}

/** Returns why a session cannot be forked there. */
export function forkRefusal(book: Book, { fork, owner_id }: NewSession): Refusal | undefined {
  if (fork === undefined) return undefined;
  const parent = book.sessions.get(fork.session_id);
  if (parent === undefined) return { reason: "origin_missing" };
  const { first_offset, head } = parent.row;
  if (fork.at < first_offset || fork.at > head) return { reason: "origin_out_of_range", first_offset, head };
  if (parent.row.owner_id !== owner_id) return { reason: "stale_owner", owner_id: parent.row.owner_id };
  const sharers = parent.segments.filter(({ first }) => first <= fork.at).length;
  return sharers > deepestFork ? { reason: "fork_too_deep", depth: sharers - 1 } : undefined;
}

/** Returns the segments of a new session: those of its origin up to `at`, and its own. */
export function segmentsOf(session: SessionRecord, parent: SessionRecord | undefined, at: number): readonly Segment[] {
  const shared = (parent?.segments ?? []).filter(({ first }) => first <= at).map((segment) => ({ ...segment, upto: Math.min(segment.upto, at) }));
  return [...shared, { session, first: at + 1, upto: Number.POSITIVE_INFINITY }];
}

const isThere = (book: Book, session: SessionRecord): boolean => book.sessions.get(session.row.session_id) === session;

/** Returns the id of a session's ancestor, or null if it was deleted. */
export const originOf = (book: Book, session: SessionRecord): SessionRecord["row"]["session_id"] | null =>
  isThere(book, session) ? session.row.session_id : null;

/** Returns the index of the first event from `offset` on. `events` are in order. */
export function placeOf(events: readonly StoredEvent[], offset: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.offset ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the events that a session itself wrote between two offsets. */
const written = ({ events }: SessionRecord, from: number, to: number): readonly StoredEvent[] =>
  events.slice(placeOf(events, from), placeOf(events, to + 1));

/** Returns a session's log or a part of it. Shared events get this session's ids and name their origin. */
export function logOf(
  book: Book,
  { row: { session_id }, segments }: SessionRecord,
  { from = 0, to = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly to?: number } = {},
): readonly StoredEvent[] {
  return segments.flatMap(({ session, first, upto }) => {
    const events = written(session, Math.max(first, from), Math.min(upto, to));
    if (session.row.session_id === session_id) return events;
    const origin = originOf(book, session);
    return events.map((event) => ({
      ...event,
      session_id,
      origin,
      id: eventIdOf(session_id, event.offset),
      ...(event.turn_id === undefined ? {} : { turn_id: turnIdOf(session_id, turnNumberOf(event.turn_id)) }),
    }));
  });
}

/** Whether an event is withdrawn in a view of the log up to `at`, by the session itself or by another in the shared part. */
export const isHidden = ({ segments }: SessionRecord, { offset }: StoredEvent, at: number): boolean =>
  segments.some(({ session, upto }) =>
    session.withdrawn.some((range) => range.from <= offset && offset < range.at && range.at <= Math.min(upto, at)),
  );

/** Returns the newest checkpoint at or before `at`. One may be before a segment, where the session was forked or its log cut. */
export function checkpointAt({ segments }: SessionRecord, at: number): { readonly offset: number; readonly text: string } | undefined {
  for (const { session, first, upto } of segments.toReversed()) {
    const offsets = [...session.checkpoints.keys()].filter((offset) => first - 1 <= offset && offset <= Math.min(upto, at));
    const offset = Math.max(...offsets);
    const text = session.checkpoints.get(offset);
    if (text !== undefined) return { offset, text };
  }
  return undefined;
}

/** Returns a session's turns in order: its own, and those that had started in the shared part of the log, which have ended for it. */
export function turnsOf({ row: { session_id }, segments }: SessionRecord): readonly TurnRow[] {
  return segments.flatMap(({ session, first, upto }) => {
    const kept = session.turns.filter(({ ended_offset }) => ended_offset === undefined || ended_offset >= first);
    if (session.row.session_id === session_id) return kept;
    return kept
      .filter(({ started_offset }) => started_offset !== undefined && started_offset <= upto)
      .map((turn): TurnRow => {
        const { number, ended_offset } = turn;
        const ended = ended_offset !== undefined && ended_offset <= upto ? ended_offset : upto + 1;
        return { ...turn, session_id, turn_id: turnIdOf(session_id, number), status: "ended", ended_offset: ended };
      });
  });
}

/** Returns every event that any session shows, each once. */
export const eventsLeft = (book: Book): ReadonlySet<StoredEvent> =>
  new Set(
    [...book.sessions.values()].flatMap(({ segments }) =>
      segments.flatMap(({ session, first, upto }) => session.events.filter(({ offset }) => first <= offset && offset <= upto)),
    ),
  );
