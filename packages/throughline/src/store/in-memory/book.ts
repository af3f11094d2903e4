/** What the reference model holds: sessions and owners as plain records, and the few steps that all of it takes. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { deepFreeze } from "../../kernel/json.ts";
import type { Segment } from "./fork.ts";
import type { StoredRecord } from "./records.ts";
import type { StoredVariable } from "./variables.ts";
import type { Committed, EntryRow, Erased, SessionRow, StoredEvent, TurnRow } from "../port.ts";

/** What the session part of a commit came to. */
export type CommittedSession = NonNullable<Committed["session"]>;

/** A session as the model keeps it. */
export interface SessionRecord {
  /** Counts the sessions in the order of their creation. */
  readonly key: number;
  readonly openKey: string | undefined;
  row: SessionRow;
  /** Names its state; absent in a fork that has not changed it. */
  stateId?: string;
  /** No worker: released, and not claimable before `until`. */
  lease: { readonly worker: string | undefined; readonly until: number } | undefined;
  /** What it was forked from. */
  readonly origin: { readonly session: SessionRecord; readonly at: number } | undefined;
  /** Where its log is, in order; the last one is its own. */
  segments: readonly Segment[];
  /** The events that were written in it. */
  readonly events: StoredEvent[];
  /** Encoded states by offset. */
  readonly checkpoints: Map<number, string>;
  /** The turns that were queued in it. */
  readonly turns: TurnRow[];
  /** How many of its turns, from the first on, are known to have ended: none of them opens again. */
  ended: number;
  waiting: readonly { readonly offset: number; readonly turn?: number }[];
  readonly withdrawn: { readonly from: number; readonly at: number }[];
  readonly keys: Map<string, { readonly offset: number; readonly body_hash: string }>;
  readonly commits: Map<string, CommittedSession>;
}

/** An owner as the model keeps it. */
export interface OwnerRecord {
  readonly key: number;
  readonly owner_id: OwnerId;
  readonly customer_id: string | undefined;
  readonly created_at: number;
  name: string | null;
  metadata: string;
  version: number;
  variablesVersion: number;
  /** The last value of each variable. */
  readonly variables: Map<string, StoredVariable>;
  /** Values that others have replaced. */
  readonly replaced: StoredVariable[];
  /** By version; the newest is always there. */
  entries: readonly EntryRow[];
  readonly commits: Set<string>;
}

/** Everything the model holds. */
export interface Book {
  readonly sessions: Map<SessionId, SessionRecord>;
  readonly owners: Map<OwnerId, OwnerRecord>;
  readonly erasures: Erased[];
  /** By kind and key. */
  readonly records: Map<string, StoredRecord>;
  lastKey: number;
}

/** A private copy of a JSON value, frozen. */
export const copyOf = <Value>(value: Value): Value => deepFreeze(JSON.parse(JSON.stringify(value)) as Value);

/** A turn that was queued in a session, by its number: they are counted without a gap. */
export const turnNumbered = ({ turns }: SessionRecord, number: number | undefined): TurnRow | undefined =>
  number === undefined ? undefined : turns[number - (turns[0]?.number ?? number)];

/** The running and the queued turn. Looks at those only that were queued after the last that ended in order, however many there were. */
export function openTurns(session: SessionRecord): readonly TurnRow[] {
  while (session.turns[session.ended]?.status === "ended") session.ended += 1;
  return session.turns.slice(session.ended).filter((turn) => turn.status !== "ended");
}

/** The turn that a lease is for: the running one, else the queued one. */
export const leasedTurn = (session: SessionRecord): TurnRow | undefined => openTurns(session)[0];

/** Replaces a turn by what has become of it. */
export function putTurn(session: SessionRecord, turn: TurnRow): void {
  if (turnNumbered(session, turn.number) !== undefined) session.turns[turn.number - (session.turns[0]?.number ?? 0)] = turn;
}

/** The session that was opened with `key`. */
export const sessionByKey = (book: Book, key: string): SessionRecord | undefined =>
  [...book.sessions.values()].find((session) => session.openKey === key);
