/**
 * The data of the reference model: sessions, owners and records as plain values, and the logs of sessions. A fork's log consists of parts of its
 * ancestors' logs, each up to an offset, and its own events.
 */
import { eventIdOf, type OwnerId, type SessionId, turnIdOf, turnNumberOf } from "../../kernel/id.ts";
import { deepFreeze, type JsonObject } from "../../kernel/json.ts";
import {
  type AppendRow,
  type AppendsPage,
  type AppendsRequest,
  type Committed,
  deepestFork,
  type EntryRow,
  type Erased,
  type NewSession,
  type RecordRow,
  type Refusal,
  type SessionRow,
  type StoredEvent,
  type TurnRow,
} from "../port.ts";

/** The result of the session part of a commit. */
export type CommittedSession = NonNullable<Committed["session"]>;

/** A session in the model. */
export interface SessionRecord {
  /** Sequence number of the session's creation. */
  readonly key: number;
  readonly openKey: string | undefined;
  row: SessionRow;
  /** Id of its state. Absent in a fork that has not changed the state. */
  stateId?: string;
  /** Without a worker: released, and not claimable before `until`. */
  lease: { readonly worker: string | undefined; readonly until: number } | undefined;
  /** The session that it was forked from. */
  readonly origin: { readonly session: SessionRecord; readonly at: number } | undefined;
  /** The parts of its log, in order. The last one is its own. */
  segments: readonly Segment[];
  /** The events written in it. */
  readonly events: StoredEvent[];
  /** Encoded states by offset. */
  readonly checkpoints: Map<number, string>;
  /** The turns queued in it. */
  readonly turns: TurnRow[];
  /** Number of its turns, from the first on, that are known to have ended. None of them opens again. */
  ended: number;
  waiting: readonly { readonly offset: number; readonly turn?: number }[];
  readonly withdrawn: { readonly from: number; readonly at: number }[];
  readonly keys: Map<string, { readonly offset: number; readonly body_hash: string }>;
  readonly commits: Map<string, CommittedSession>;
}

/** A value of a variable. */
export interface StoredVariable {
  readonly name: string;
  /** The version that set it. */
  readonly version: number;
  /** Encoded; null if the variable was unset. */
  readonly value: string | null;
  readonly set_at: number;
  readonly checked_at: number;
  readonly stale: boolean;
}

/** An owner in the model. */
export interface OwnerRecord {
  readonly key: number;
  readonly owner_id: OwnerId;
  readonly customer_id: string | undefined;
  readonly created_at: number;
  name: string | null;
  metadata: string;
  version: number;
  variablesVersion: number;
  /** The current value of each variable. */
  readonly variables: Map<string, StoredVariable>;
  /** Replaced values. */
  readonly replaced: StoredVariable[];
  /** By version. The newest is always present. */
  entries: readonly EntryRow[];
  readonly commits: Set<string>;
}

/** A record in the model. `data` is null if it was removed. */
export interface StoredRecord extends Omit<RecordRow, "data"> {
  readonly data: JsonObject | null;
  readonly owner_id?: OwnerId;
  readonly session_id?: SessionId;
  /** The id of the last commit that wrote it. */
  readonly commit: string;
}

/** A receipt as kept. */
export interface StoredErasure {
  /** Its place in the list. */
  readonly key: number;
  readonly receipt: Erased;
  readonly expires_at?: number;
}

/** Whether a receipt is still kept. */
export const isKept = ({ expires_at = Infinity }: StoredErasure, now: number): boolean => expires_at > now;

/** All data of the model. */
export interface Book {
  readonly sessions: Map<SessionId, SessionRecord>;
  readonly owners: Map<OwnerId, OwnerRecord>;
  erasures: readonly StoredErasure[];
  /** The receipts of erased owners. */
  readonly erasedOwners: Map<OwnerId, StoredErasure>;
  /** By kind and key. */
  readonly records: Map<string, StoredRecord>;
  /** The commits of existing sessions that appended events, by position. */
  appends: AppendRow[];
  lastPosition: number;
  lastKey: number;
}

/** Returns a frozen private copy of a JSON value. */
export const copyOf = <Value>(value: Value): Value => deepFreeze(JSON.parse(JSON.stringify(value)) as Value);

/** Returns a turn that was queued in a session, by its number. The numbers have no gaps. */
export const turnNumbered = ({ turns }: SessionRecord, number: number | undefined): TurnRow | undefined =>
  number === undefined ? undefined : turns[number - (turns[0]?.number ?? number)];

/** Returns the running and the queued turn. Checks only turns after the known ended ones, however many those are. */
export function openTurns(session: SessionRecord): readonly TurnRow[] {
  while (session.turns[session.ended]?.status === "ended") session.ended += 1;
  return session.turns.slice(session.ended).filter((turn) => turn.status !== "ended");
}

/** Returns the turn that a lease is for: the running one, or else the queued one. */
export const leasedTurn = (session: SessionRecord): TurnRow | undefined => openTurns(session)[0];

/** Replaces a turn by its new version. */
export function putTurn(session: SessionRecord, turn: TurnRow): void {
  if (turnNumbered(session, turn.number) !== undefined) session.turns[turn.number - (session.turns[0]?.number ?? 0)] = turn;
}

/** Returns the session that was opened with `key`. */
export const sessionByKey = (book: Book, key: string): SessionRecord | undefined =>
  [...book.sessions.values()].find((session) => session.openKey === key);

/** The events from `first` to `upto` belong to `session`. */
interface Segment {
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

/** Returns the index of the first of some items in order that is not before a place. */
export function firstFrom<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns commits of all sessions by position. */
export function appendsOf({ appends, lastPosition }: Book, { after = 0, limit = 100 }: AppendsRequest): AppendsPage {
  const from = firstFrom(appends, ({ position }) => position <= after);
  return { appends: appends.slice(from, from + limit), last: lastPosition };
}

/** Returns the index of the first event from `offset` on. `events` are in order. */
export const placeOf = (events: readonly StoredEvent[], offset: number): number => firstFrom(events, (event) => event.offset < offset);

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
