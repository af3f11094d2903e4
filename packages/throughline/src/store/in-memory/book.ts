/** The data of the reference model: sessions and owners as plain records, with the shared operations on them. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { deepFreeze } from "../../kernel/json.ts";
import type { Segment } from "./fork.ts";
import type { StoredRecord } from "./records.ts";
import type { StoredVariable } from "./variables.ts";
import type { Committed, EntryRow, Erased, SessionRow, StoredEvent, TurnRow } from "../port.ts";

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

/** All data of the model. */
export interface Book {
  readonly sessions: Map<SessionId, SessionRecord>;
  readonly owners: Map<OwnerId, OwnerRecord>;
  readonly erasures: Erased[];
  /** By kind and key. */
  readonly records: Map<string, StoredRecord>;
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
