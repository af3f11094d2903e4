/** The reference model's logs: a fork's is that of the sessions that it goes back to, each up to an offset, and then its own. */
import { eventIdOf, turnIdOf, turnNumberOf } from "../../kernel/id.ts";
import type { Book, SessionRecord } from "./book.ts";
import { type NewSession, type Refusal, type StoredEvent, type TurnRow, deepestFork } from "../port.ts";

/** The events from `first` to `upto` are those of `session`. */
export interface Segment {
  readonly session: SessionRecord;
  readonly first: number;
  readonly upto: number;
}

/** Why a session cannot be forked there. */
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

/** The segments of a new session: those of the one that it is forked from, up to `at`, and its own. */
export function segmentsOf(session: SessionRecord, parent: SessionRecord | undefined, at: number): readonly Segment[] {
  const shared = (parent?.segments ?? []).filter(({ first }) => first <= at).map((segment) => ({ ...segment, upto: Math.min(segment.upto, at) }));
  return [...shared, { session, first: at + 1, upto: Number.POSITIVE_INFINITY }];
}

const isThere = (book: Book, session: SessionRecord): boolean => book.sessions.get(session.row.session_id) === session;

/** The id of a session that another one goes back to; null if it was deleted. */
export const originOf = (book: Book, session: SessionRecord): SessionRecord["row"]["session_id"] | null =>
  isThere(book, session) ? session.row.session_id : null;

/** Where in `events`, which are in order, those from `offset` on begin. */
export function placeOf(events: readonly StoredEvent[], offset: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.offset ?? Infinity) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The events that a session itself wrote from one offset to another. */
const written = ({ events }: SessionRecord, from: number, to: number): readonly StoredEvent[] =>
  events.slice(placeOf(events, from), placeOf(events, to + 1));

/** A session's log, or a part of it: what others wrote has this session's ids, and says whose it was. */
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

/** Whether an event is withdrawn in a view of the log up to `at`: by the session itself, or by another in the part that it shares. */
export const isHidden = ({ segments }: SessionRecord, { offset }: StoredEvent, at: number): boolean =>
  segments.some(({ session, upto }) =>
    session.withdrawn.some((range) => range.from <= offset && offset < range.at && range.at <= Math.min(upto, at)),
  );

/** The newest checkpoint at or before `at`. One may stand before a segment: where the session was forked, or its log cut. */
export function checkpointAt({ segments }: SessionRecord, at: number): { readonly offset: number; readonly text: string } | undefined {
  for (const { session, first, upto } of segments.toReversed()) {
    const offsets = [...session.checkpoints.keys()].filter((offset) => first - 1 <= offset && offset <= Math.min(upto, at));
    const offset = Math.max(...offsets);
    const text = session.checkpoints.get(offset);
    if (text !== undefined) return { offset, text };
  }
  return undefined;
}

/** A session's turns, in order: its own, and those that had begun in the part of the log that it shares, which have ended for it. */
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

/** Every event that some session shows, each once: what is left of all logs. */
export const eventsLeft = (book: Book): ReadonlySet<StoredEvent> =>
  new Set(
    [...book.sessions.values()].flatMap(({ segments }) =>
      segments.flatMap(({ session, first, upto }) => session.events.filter(({ offset }) => first <= offset && offset <= upto)),
    ),
  );
