/**
 * The store port: the database operations that Throughline needs. A store handles rows and values without knowing their meaning: it does not import
 * the session, the state or the runtime. All methods are required. Times are integer milliseconds, data is JSON.
 */
import type { EventId, OwnerId, SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { Json, JsonObject } from "../kernel/json.ts";

/** The kinds of event, in the order of their integers in a database. Append only. */
export const eventKinds = ["message", "tool", "status", "custom", "state", "turn", "session", "assessment"] as const;
/** The kind of an event. */
export type EventKind = (typeof eventKinds)[number];

/** The sources of events, in the order of their integers in a database. Append only. */
export const eventSources = ["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "ai_agent", "system"] as const;
/** The source of an event. */
export type EventSource = (typeof eventSources)[number];

/** The causes of turns, in the order of their integers in a database. Append only. */
export const turnCauses = ["message", "greeting", "resume", "trigger", "approval", "schedule", "retry"] as const;
/** The cause of a turn. */
export type TurnCause = (typeof turnCauses)[number];

/** The status of a turn: waiting for a worker, claimed by one, or over. */
export const turnStatuses = ["queued", "running", "ended"] as const;
/** The status of a turn. */
export type TurnStatus = (typeof turnStatuses)[number];
/** The answering party: the agent (`auto`), or operators (`manual`). */
export const sessionModes = ["auto", "manual"] as const;
/** The answering party: the agent (`auto`), or operators (`manual`). */
export type SessionMode = (typeof sessionModes)[number];

/** An event as stored, with data that is not upcast yet. An event never changes, except that its data may be redacted. */
export interface StoredEvent {
  readonly session_id: SessionId;
  /** The session that wrote the event, if this session was forked from it later. `null` if that session has been deleted. */
  readonly origin?: SessionId | null;
  readonly offset: number;
  /** Derived from session and offset. */
  readonly id: EventId;
  readonly kind: EventKind;
  readonly source: EventSource;
  readonly trace_id: TraceId;
  readonly turn_id?: TurnId;
  readonly created_at: number;
  /** Version of the payload's shape. */
  readonly version: number;
  readonly data: JsonObject;
  /** The integration's data about the event. It never appears in a prompt. */
  readonly metadata?: JsonObject;
}

/** An event that a commit appends. The commit assigns its offset. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly source: EventSource;
  readonly data: JsonObject;
  readonly metadata?: JsonObject;
  /** Version of the payload's shape. Defaults to 1. */
  readonly version?: number;
  /** Number of its turn. `"queued"` is the turn that this commit's `queue` queues or finds queued. */
  readonly turn?: number | "queued";
  /** For an event outside a turn, of a turn that was not queued, or of a turn that ran in this session's origin. */
  readonly trace_id?: TraceId;
  /** Whether this is a customer's message that needs an answer. It waits until the turn that took it ends. */
  readonly waiting?: boolean;
}

/** The status of a handover: waiting, assigned to an operator, or resolved. */
export const handoverStatuses = ["waiting", "assigned", "resolved"] as const;
/** The status of a handover. */
export type HandoverStatus = (typeof handoverStatuses)[number];

/** The last handover of a session to operators. */
export interface Handover {
  readonly status: HandoverStatus;
  /** Time at which it was handed over. */
  readonly since: number;
  /** The operator who has taken it, or had it: the integration's id, 1 to 200 characters. */
  readonly operator?: string;
  /** The reason, for the operator: at most 500 characters. */
  readonly reason?: string;
  /** Level of a safety alert, 1 to 1,000. Alerts precede all other waiting sessions. */
  readonly alert?: number;
}

/** The header of a session, without its log. */
export interface SessionRow {
  readonly session_id: SessionId;
  readonly owner_id: OwnerId;
  /** Increases with each change of the owner's data: name, metadata, variables, entries. */
  readonly owner_version: number;
  /** The customer's id from the integration. Absent for an anonymous session. */
  readonly customer_id?: string;
  /** The customer's display name, if there is one. */
  readonly customer_name?: string;
  /** The session that it was forked from, and the last shared offset. `session_id` is null if that session has been deleted. */
  readonly origin?: { readonly session_id: SessionId | null; readonly at: number };
  readonly agent: string;
  /** Version of the agent's definition that wrote the current state. */
  readonly agent_version: number;
  readonly mode: SessionMode;
  /** Absent if it was never handed over. */
  readonly handover?: Handover;
  readonly title: string | null;
  readonly metadata: JsonObject;
  readonly labels: readonly string[];
  /** Offsets of named consumers. */
  readonly consumers: Readonly<Record<string, number>>;
  readonly created_at: number;
  /** Time of the last commit that appended an event. */
  readonly updated_at: number;
  /** Offset of the last event. */
  readonly head: number;
  /** Offset of the first event that is kept. 0 unless retention has cut the log. */
  readonly first_offset: number;
  /** Offset of the last event that holds state: a `state` event, or 0 for the `session` event that created it. */
  readonly state_offset: number;
  /** Increases with each claim and each interruption. A turn's commit names it. */
  readonly epoch: number;
  /** Increases with each change of this header by a caller (mode, title, metadata, labels, consumers). */
  readonly version: number;
  /** Number of the current episode, from 1. */
  readonly episode: number;
  /** Number of the last turn. 0 if there was none. */
  readonly last_turn: number;
}

/** A turn's row: its place in the queue. The log has its events. */
export interface TurnRow {
  /** Counts from 1 within the session. */
  readonly number: number;
  readonly turn_id: TurnId;
  readonly session_id: SessionId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  readonly status: TurnStatus;
  /** Number of claims. It counts from 1 again after progress (`progress`), and from 0 after the turn was parked. */
  readonly attempts: number;
  readonly created_at: number;
  /** Whether it is claimed before all turns that are not urgent. */
  readonly urgent?: true;
  /** Offset of its `turn.started` event, once committed. */
  readonly started_offset?: number;
  /** Offset of the last event of the commit that ended it. */
  readonly ended_offset?: number;
}

/** The open turn of a session, and its lease. */
export interface OpenTurnRow extends TurnRow {
  readonly agent: string;
  /** The worker that holds the session. Absent for a turn that waits. */
  readonly worker?: string;
  /** Time when the lease, or the wait of a released turn, ends. Absent for a turn that can be claimed now. */
  readonly until?: number;
}

/** Variables of an owner at one version. */
export interface VariablesRow {
  /** 0 before the first write. Increases by one with each change of a value. */
  readonly version: number;
  readonly values: JsonObject;
  /** Time when each value was last set or confirmed, for each of `values`. */
  readonly checked: Readonly<Record<string, number>>;
  /** Names whose last refresh failed, in the order of `values`. */
  readonly stale: readonly string[];
}

/**
 * Returns the owner of the data of one session alone, independent of its customer. Its id is derived, and the first write creates its row. A commit that
 * writes to it is rejected with `session_missing` unless the session exists or the commit creates it. It is erased with the session.
 */
export const sessionOwnerId = (session: SessionId): OwnerId => `own:${session}` as OwnerId;

/** Returns the session that an owner's id is derived from. Undefined for any other owner. */
export const sessionOfOwner = (owner: OwnerId | string): SessionId | undefined =>
  /^own:(ses_[0-9a-z]{26})$/.exec(owner)?.[1] as SessionId | undefined;

/** Returns the owner of the data that all sessions of an agent share. */
export const agentOwnerId = (agent: string): OwnerId => `own:${agent}` as OwnerId;

/** A customer, as stored. */
export interface CustomerRow {
  readonly owner_id: OwnerId;
  readonly customer_id: string;
  readonly name: string | null;
  readonly metadata: JsonObject;
  readonly variables: VariablesRow;
  readonly created_at: number;
  /** Increases with each change of name, metadata, variables or entries. */
  readonly version: number;
}

/** A long-term memory entry, one row per version. `data` null: it was removed, and has no earlier row. */
export interface EntryRow {
  readonly version: number;
  readonly entry_id: string;
  readonly kind: string;
  readonly data: JsonObject | null;
  readonly created_at: number;
}

/** Selects memory entries of an owner. Without `kinds` and `entry_id`, selects every version of every entry that was not removed. */
export interface EntriesRequest {
  readonly owner_id: OwnerId;
  /** First version to return. Defaults to 1. */
  readonly min_version?: number;
  /** Last version to return. Defaults to the newest. */
  readonly max_version?: number;
  /** Only versions of this entry. */
  readonly entry_id?: string;
  /** Only entries of these kinds. */
  readonly kinds?: readonly string[];
  /**
   * Maximum number of rows. Defaults to 1,000, at most 10,000. Fewer rows than the limit mean that there are no more. Reading 1,000 blocks the
   * process for some milliseconds.
   */
  readonly limit?: number;
  /** Returns the last rows instead of the first, still by version ascending. */
  readonly newest?: true;
}

/** The preconditions of a session commit. If one does not hold, the commit is rejected and writes nothing. */
export interface SessionDepends {
  /** The session's epoch, for fencing. */
  readonly epoch?: number;
  /** The session's `state_offset` that a patch was computed on. */
  readonly base?: number;
  /** The session's head. For a decision that depends on the whole log, such as one that ends turns and records their answered messages. */
  readonly head?: number;
  /** The header's version. */
  readonly version?: number;
  readonly episode?: number;
  /** The session's `owner_version`, for a decision that depends on the owner's data. A mismatch is rejected with `stale_version`. */
  readonly owner_version?: number;
}

/** Maximum length of a chain of forks. */
export const deepestFork = 64;

/** A session to create. */
export interface NewSession {
  readonly owner_id: OwnerId;
  readonly agent: string;
  readonly agent_version: number;
  /** Unique in the store. A second creation with the same key is rejected with `session_exists`. */
  readonly open_key?: string;
  /**
   * Forks another session at offset `at`. The new session shares the events up to there, and its own start at `at + 1`. Both must have the same
   * owner. It does not inherit waiting messages, open turns, keys or the header, except for the values in `header`. A turn that was open at `at` is
   * listed as ended with the fork's first event. The fork's turn numbers continue those of its origin.
   */
  readonly fork?: { readonly session_id: SessionId; readonly at: number };
}

/** New values of the header. Absent members stay unchanged. */
export interface HeaderChange {
  readonly agent_version?: number;
  readonly mode?: SessionMode;
  readonly title?: string | null;
  readonly metadata?: JsonObject;
  readonly labels?: readonly string[];
  readonly consumers?: Readonly<Record<string, number>>;
  readonly episode?: number;
  readonly handover?: Handover;
}

/** The part of a commit for one session. It is written completely or not at all. */
export interface SessionChange {
  readonly session_id: SessionId;
  /** Creates the session: its first event is `session` created, at offset 0. */
  readonly create?: NewSession;
  readonly depends?: SessionDepends;
  readonly events?: readonly NewEvent[];
  /**
   * Unique per session for the life of the log. A second commit with the key is rejected with `key_used` and the offset of the first one's last
   * event. If that commit appended none, it is the offset of the head at that time. `queued_turn` is the turn that the first commit queued or found
   * queued. Both are kept when retention deletes the event. The key is checked before the preconditions.
   */
  readonly idempotency?: { readonly key: string; readonly body_hash: string };
  /**
   * Queues a turn. In manual mode none is queued, and the messages keep waiting. If a turn is already queued, the messages join it. All waiting
   * messages without a turn are assigned to the queued turn. `limit`: rejects with `too_many_waiting` if this many messages wait in turns. Messages
   * to operators wait in no turn. `urgent`: makes the session's open turns urgent, including the one that runs before the queued one.
   */
  readonly queue?: { readonly cause: TurnCause; readonly trace_id: TraceId; readonly limit?: number; readonly urgent?: true };
  /**
   * The event at this index of `events` is the started event of turn `number`. The turn then runs, or ends with this commit. `"queued"`: the turn
   * that `end_turns` names so.
   */
  readonly start_turn?: { readonly number: number | "queued"; readonly event: number };
  /**
   * Turns that end with this commit. Their messages no longer wait, and their lease is released. An ended one stays unchanged. `"queued"`: the turn
   * that this commit's `queue` queues or finds queued.
   */
  readonly end_turns?: readonly (number | "queued")[];
  /** Turns that end without an answer. Their messages wait again, in no turn. */
  readonly dequeue_turns?: readonly number[];
  /**
   * Number of the running turn that has made progress, itself or through a child agent. Its attempts count from 1 again, unless they are fewer. A
   * turn that does not run, or ends with this commit, stays unchanged.
   */
  readonly progress?: number;
  /**
   * Parks the running turn of this number: its lease is released and its attempts count from 0 again. It can be claimed at `until` (never, if left
   * out), or after a commit that wakes, fences or ends it. Turns queued behind it wait too. `until` is relative to this commit's `at`: a store waits
   * the same duration by its own clock. A turn that does not run, or ends with this commit, is not parked.
   */
  readonly park?: { readonly turn: number; readonly until?: number };
  /** Makes the turn claimable now that is parked or was released with a delay. A leased one stays unchanged. */
  readonly wake?: boolean;
  /** Raises the epoch and releases the lease, so that a running turn can no longer commit. */
  readonly fence?: boolean;
  /** Hides the events from this offset to the one before this commit's first. Their messages no longer wait. */
  readonly withdraw_from?: number;
  /**
   * Replaces the data of existing events, including withdrawn ones, and removes their metadata. It applies to all sessions that share them, even if
   * the writing session has been deleted, and to the disk like an erasure. The new data has the event's version. Missing offsets are skipped, so that
   * an interrupted redaction can be repeated. Use it for texts, not for data that a state is folded from.
   */
  readonly redact?: readonly { readonly offset: number; readonly data: JsonObject }[];
  /**
   * Assigns the session, and all others of its anonymous owner, to the owner of a customer. The former owner's records move with them; its other data
   * (variables, entries) is deleted with it. `owner` in the same commit can create the new owner or write to it. Rejected with `owner_missing` if
   * there is no such customer. Rejected with `not_anonymous`, which names the session's owner, if the owner is a customer.
   */
  readonly owner_id?: OwnerId;
  /**
   * Deletes the events below `first_offset`, except those that living forks share. `state` is their fold, and every later load starts from it.
   * Rejected with `cut_out_of_range` unless the offset is greater than the current first one. It may also not exceed the offset of the head, of the
   * first waiting message, and of the start of an open turn.
   */
  readonly cut?: { readonly first_offset: number; readonly state: JsonObject };
  readonly header?: HeaderChange;
  /** The encoded state after this commit, stored at the resulting `state_offset`. */
  readonly checkpoint?: JsonObject;
}

/** The part of a commit for one owner. */
export interface OwnerChange {
  readonly owner_id: OwnerId;
  /** Creates the owner. `customer_id` is absent for the owner of an anonymous session. */
  readonly create?: { readonly customer_id?: string };
  readonly depends?: { readonly version?: number };
  readonly name?: string | null;
  readonly metadata?: JsonObject;
  /** `value` undefined unsets the variable. Setting one removes its mark `stale`. */
  readonly variables?: readonly { readonly name: string; readonly value: Json | undefined }[];
  /**
   * Variables whose value was confirmed, or could not be refreshed (`stale`, which keeps the time of the last check). The version stays. Missing
   * variables are skipped. Applied after `variables`.
   */
  readonly checked?: readonly { readonly name: string; readonly stale: boolean }[];
  /**
   * Each is the next version of the owner's memory. `data` null removes the entry with all earlier versions, also from the disk like an erasure. Its
   * own row stays without data, so that caches learn of the removal.
   */
  readonly entries?: readonly { readonly entry_id: string; readonly kind: string; readonly data: JsonObject | null }[];
}

/**
 * A record of the service: an API key, the response to a request, a job, a line of the audit log. The store knows its kind, key and expiry; the
 * service knows its meaning.
 */
export interface RecordRow {
  /** 1 to 40 characters. */
  readonly kind: string;
  /** Unique within the kind. 1 to 200 characters without text of customers, because it is not encrypted. */
  readonly key: string;
  /** 1 for a new record, increased by each change. An expired or removed record starts again. */
  readonly version: number;
  readonly data: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
  /** Time by the store's clock after which it is not found. It is deleted some time later. */
  readonly expires_at?: number;
}

/** A record to create or replace. A replaced record keeps only `created_at`. */
export interface RecordChange {
  readonly kind: string;
  readonly key: string;
  /** The record's version. 0: there must be none. A mismatch is rejected with `stale_record`. */
  readonly depends?: { readonly version: number };
  /** Null removes it. */
  readonly data: JsonObject | null;
  readonly expires_at?: number;
  /** Minimum milliseconds that it stays after its write, by the store's clock. `expires_at` depends on the writer's clock. */
  readonly keep_ms?: number;
  /**
   * The owner of the record. It is encrypted with the key of that owner, or of the session's owner, and erased with either. A missing owner or
   * session that the commit does not create is rejected with `owner_missing` or `session_missing`. A record without an owner is not encrypted even in
   * an encrypted database, because it holds no personal data.
   */
  readonly owner_id?: OwnerId;
  readonly session_id?: SessionId;
}

/** Returns when a record that is written now expires, by the store's clock. Undefined if it stays. */
export function recordEnd({ expires_at, keep_ms }: Pick<RecordChange, "expires_at" | "keep_ms">, now: number): number | undefined {
  return keep_ms === undefined ? expires_at : Math.max(expires_at ?? 0, now + keep_ms);
}

/** Milliseconds that a removed record is remembered without its data, so that its commit is recognized when it is repeated. */
export const removedForMs = 60_000;

/** Records of a kind, in the order of their keys by code points. */
export interface RecordQuery {
  readonly of: "records";
  readonly kind: string;
  readonly key?: string;
  /** Only keys with this prefix. */
  readonly prefix?: string;
  /** Only records of this session. The cost does not depend on the number of other records. */
  readonly session_id?: SessionId;
}

/**
 * The variables of an owner as one item, now or at an earlier time. Marks of checks are always the latest. The list is empty if there is no such
 * owner or version.
 */
export interface VariablesQuery {
  readonly of: "variables";
  readonly owner_id: OwnerId;
  /** At this version. */
  readonly version?: number;
  /** At this time: values from commits up to it. */
  readonly at?: number;
}

/** One atomic write. */
export interface Commit {
  /**
   * Id of this commit. Repeated after a lost response, it writes nothing and returns the first result, as long as its session or owner exists. A
   * commit of records alone is recognized until another commit has written all of its records.
   */
  readonly commit_id: string;
  /** `created_at` of everything in the commit. */
  readonly at: number;
  /** Applied before `session`, so that one commit can create an owner and its session. */
  readonly owner?: OwnerChange;
  readonly session?: SessionChange;
  /** Records, each named once. A commit may consist of records alone. */
  readonly records?: readonly RecordChange[];
}

/** Why a commit was rejected. It wrote nothing. `last_offset` of `cut_out_of_range` is the greatest possible first offset. */
export type Refusal =
  | { readonly reason: "session_missing" | "owner_missing" | "owner_exists" }
  | { readonly reason: "session_exists"; readonly session_id: SessionId }
  | { readonly reason: "fenced"; readonly epoch: number }
  | { readonly reason: "stale_base"; readonly state_offset: number }
  | { readonly reason: "stale_head"; readonly head: number }
  | { readonly reason: "stale_version"; readonly version: number }
  | { readonly reason: "stale_episode"; readonly episode: number }
  | { readonly reason: "stale_owner"; readonly owner_id: OwnerId }
  | { readonly reason: "not_anonymous"; readonly owner_id: OwnerId }
  | { readonly reason: "origin_missing" }
  | { readonly reason: "cut_out_of_range"; readonly first_offset: number; readonly last_offset: number }
  | { readonly reason: "origin_out_of_range"; readonly first_offset: number; readonly head: number }
  | { readonly reason: "fork_too_deep"; readonly depth: number }
  | { readonly reason: "key_used"; readonly offset: number; readonly body_hash: string; readonly queued_turn?: number }
  | { readonly reason: "too_many_waiting"; readonly waiting: number }
  | { readonly reason: "stale_record"; readonly kind: string; readonly key: string; readonly version: number };

/** A written commit. */
export interface Committed {
  readonly outcome: "committed";
  /** Whether this commit was already written before. */
  readonly replayed: boolean;
  /** Present when the commit had a session part. `first_offset` is that of its first event, `head + 1` if it had none. */
  readonly session?: { readonly first_offset: number; readonly head: number; readonly queued_turn?: number };
  /**
   * The session after the commit: the header's `state_offset`, the `state_id` if known, and the number of open turns. Absent if the commit was
   * already written before, or if the stored data differs from the caller's.
   */
  readonly left?: { readonly state_offset: number; readonly state_id?: string; readonly open_turns: number };
}

/** Returns the id of the state that a commit has written at an offset. */
export const stateIdOf = (offset: number, commit_id: string): string => `${offset} ${commit_id}`;

/** The result of a commit. */
export type CommitResult = Committed | ({ readonly outcome: "refused" } & Refusal);

/** Selects a session to load, and its parts. */
export interface LoadRequest {
  readonly session_id: SessionId;
  /** Loads the session at this offset. Defaults to the head. */
  readonly at?: number;
  /** Number of the last `message`, `tool` and `custom` events to return, the kinds that a model may see, without withdrawn ones. Defaults to 20. */
  readonly messages?: number;
  /**
   * A state that the caller already has. If it is still current, it is returned as the base, without patches and without a read. Ignored together
   * with `at`.
   */
  readonly known?: { readonly state_id: string; readonly base: StateBase; readonly log?: KnownLog };
  /** Requests the `log_id`. */
  readonly log_id?: true;
}

/** The conversation events of an earlier load, which then need no read. A store that cannot tell whether they are current ignores them. */
export interface KnownLog {
  /** The `log_id` of that load. */
  readonly log_id: string;
  /** The session's head at that load. Only later events are read. */
  readonly head: number;
  /** How many events that load requested. A load that requests more ignores `messages`. */
  readonly limit: number;
  readonly messages: readonly StoredEvent[];
}

/** The start of a fold. */
export interface StateBase {
  readonly offset: number;
  readonly state: JsonObject;
  /** Length of a checkpoint or a first state as JSON in UTF-8. */
  readonly bytes: number;
  /** For a base that the caller gave: the weight of the patches folded into it since those bytes, and the definition version of the last one. */
  readonly folded?: { readonly weight: number; readonly definition: number | undefined };
}

/** A consistent read of all data for the start of a turn. */
export interface LoadedSession {
  readonly session: SessionRow;
  /**
   * Id of the state at the head: `state_offset` and the id of the commit that wrote it. After a restore, another commit may have written another
   * state at the same offset. Absent if unknown, for example in a fork that has not changed its state.
   */
  readonly state_id?: string;
  /**
   * Changes when an existing event may have been withdrawn, redacted or removed, by any process. Appended events do not change it. Absent if it was
   * not requested, or if the store cannot tell.
   */
  readonly log_id?: string;
  /** The start of the fold: a checkpoint, the first state of the `session` event that created the session, or the caller's known state. */
  readonly base: StateBase;
  /** The `state` events after the base up to `at`, in order. `bytes` is the length of their data as JSON in UTF-8. */
  readonly patches: readonly { readonly offset: number; readonly data: JsonObject; readonly version: number; readonly bytes: number }[];
  readonly messages: readonly StoredEvent[];
  /** The current variables of the session's owner. */
  readonly variables: VariablesRow;
  /** The session's own variables. Version 0 and empty before the first is set. */
  readonly session_variables: VariablesRow;
  /** The variables of the session's agent. Version 0 and empty before the first is set. */
  readonly agent_variables: VariablesRow;
  /** Unanswered messages in order. `turn` is the number of the turn that took them. */
  readonly waiting: readonly { readonly offset: number; readonly turn?: number }[];
  /** The queued and the running turn, in order. */
  readonly turns: readonly TurnRow[];
  /** The `turn` events of the running turn, in order. */
  readonly journal: readonly StoredEvent[];
}

/** Selects events to read. */
export interface ReadRequest {
  readonly session_id: SessionId;
  /** First offset to return. Defaults to 0. */
  readonly min_offset?: number;
  /** Last offset to return. Defaults to the head. */
  readonly max_offset?: number;
  readonly kinds?: readonly EventKind[];
  readonly source?: EventSource;
  readonly trace_id?: TraceId;
  /** Maximum number of events. Defaults to 100, at most 1,000. */
  readonly limit?: number;
  /** Whether to return withdrawn events too. Defaults to false. */
  readonly withdrawn?: boolean;
}

/** Events by offset, and the offset at which to continue. */
export interface ReadPage {
  readonly events: readonly StoredEvent[];
  /** Offset at which to continue. Everything below was read. */
  readonly next_offset: number;
  /** The session's last offset at the time of the read. */
  readonly head: number;
}

/** Selects commits that appended events, of all sessions, in the order of their positions. */
export interface AppendsRequest {
  /** Only commits after this position. Defaults to 0, the beginning. */
  readonly after?: number;
  /** Maximum number of commits. Defaults to 100, at most 1,000. */
  readonly limit?: number;
}

/** A commit that appended events to a session. */
export interface AppendRow {
  /** Its place among the commits of all sessions. Positions increase and may have gaps. */
  readonly position: number;
  readonly session_id: SessionId;
  /** The offset of its first event. */
  readonly first_offset: number;
  /** The offset of its last event. */
  readonly head: number;
}

/** Commits by position. */
export interface AppendsPage {
  /** Fewer than the limit only at the end. */
  readonly appends: readonly AppendRow[];
  /** The last position of the store. 0 before the first. It never decreases, unless the database is restored from a backup. */
  readonly last: number;
}

/** Identifies a session: by id, or by its open key. */
export type SessionSelector = { readonly session_id: SessionId } | { readonly open_key: string };

/** Selects sessions that meet all conditions, in the order of their creation unless `by` is set. */
export interface SessionQuery {
  readonly of: "sessions";
  /**
   * `"handover"`, which requires a `handover` filter: the order in which operators take sessions. The highest alert is first, then the oldest
   * handover. Resolved ones are ordered by the time of the handover alone.
   */
  readonly by?: "handover";
  readonly agent?: string;
  readonly owner_id?: OwnerId;
  readonly mode?: SessionMode;
  /** Only sessions with all of these labels. */
  readonly labels?: readonly string[];
  /** Only sessions whose last handover has this status. */
  readonly handover?: HandoverStatus;
  /** Only sessions whose last handover was assigned to this operator. */
  readonly operator?: string;
  /** Only sessions with none of these labels. */
  readonly without_labels?: readonly string[];
  /** Only sessions with this `external_id` in their metadata. */
  readonly external_id?: string;
  /** Only sessions that were forked from this one. */
  readonly origin?: SessionId;
  /** Only sessions whose last event is at this time or later. */
  readonly updated_from?: number;
  /** Only sessions whose last event is before this time. */
  readonly updated_before?: number;
  /** Only sessions with a turn that was claimed and has not ended: it runs, or it waits. */
  readonly running?: true;
}
/** Customers, in the order of their creation. */
export interface CustomerQuery {
  readonly of: "customers";
  readonly customer_id?: string;
}
/** The turns of one session, by number. */
export interface TurnQuery {
  readonly of: "turns";
  readonly session_id: SessionId;
  /** Only the turn of this number. */
  readonly number?: number;
  readonly status?: TurnStatus;
  /** Only turns that ended below this offset. */
  readonly ended_before?: number;
}
/** The open turns of all sessions, in the order in which the sessions were created: for each session the one that runs or is next. */
export interface OpenTurnQuery {
  readonly of: "open_turns";
  /** Only turns that a worker holds. */
  readonly held?: true;
}
/** The ends of the logs of some sessions, in this order. Sessions that do not exist are left out. It is one read, and has no pages. */
export interface TailQuery {
  readonly of: "tails";
  /** 1 to 100. */
  readonly session_ids: readonly SessionId[];
  /** Number of the last messages of each session: 1 to 100. */
  readonly messages: number;
  /** Leaves the journals empty, without reading them. */
  readonly messages_only?: true;
}
/** The end of a session's log. */
export interface SessionTail {
  readonly session_id: SessionId;
  /** The last `message` events in order, without withdrawn ones. */
  readonly messages: readonly StoredEvent[];
  /** The `turn` events of the running turn in order, at most the last 100. */
  readonly journal: readonly StoredEvent[];
}
/** Receipts of erasures, including running ones, that are still kept. They contain no ids of customers or sessions. */
export interface ErasureQuery {
  readonly of: "erasures";
}
interface PageRequest {
  /** 1 to 100. Defaults to 100. */
  readonly limit?: number;
  /** From a page's `next_cursor`. */
  readonly cursor?: string;
  /** Oldest first (`"asc"`, the default) or newest first. */
  readonly order?: "asc" | "desc";
}
/** Selects a list. */
export type ListQuery = (SessionQuery | CustomerQuery | TurnQuery | OpenTurnQuery | TailQuery | ErasureQuery | RecordQuery | VariablesQuery) &
  PageRequest;
/** The items of a list. */
export type ListItem<Query extends ListQuery> = Query extends { of: "sessions" }
  ? SessionRow
  : Query extends { of: "customers" }
    ? CustomerRow
    : Query extends { of: "turns" }
      ? TurnRow
      : Query extends { of: "open_turns" }
        ? OpenTurnRow
        : Query extends { of: "tails" }
          ? SessionTail
          : Query extends { of: "records" }
            ? RecordRow
            : Query extends { of: "variables" }
              ? VariablesRow
              : Erased;

/** A part of a list, and the cursor to continue. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  /** Total number of items. */
  readonly total: number;
  /** Places of damaged rows on this page, as `store.corrupt` names them. What they hold is left out. Absent if there are none. */
  readonly damaged?: readonly string[];
}

/**
 * Selects a lease. `next`: the session with the first urgent turn, or else the first queued turn. `session`: this session. `renew`: renews a held
 * lease. `agents`: only sessions of these agents, by name, whose state was not written by a newer version than the given one. `urgent`: only an
 * urgent turn.
 */
export type ClaimRequest =
  | {
      readonly kind: "next";
      readonly worker: string;
      readonly lease_ms: number;
      readonly agents?: Readonly<Record<string, number>>;
      readonly urgent?: true;
    }
  | {
      readonly kind: "session";
      readonly session_id: SessionId;
      readonly worker: string;
      readonly lease_ms: number;
      readonly agents?: Readonly<Record<string, number>>;
    }
  | { readonly kind: "renew"; readonly session_id: SessionId; readonly epoch: number; readonly lease_ms: number };

/** A lease to release. */
export type ReleaseRequest = { readonly session_id: SessionId; readonly epoch: number; readonly counted: boolean; readonly retry_in_ms?: number };

/** A session's lease and the turn to run under it. */
export interface Claim {
  readonly session_id: SessionId;
  readonly epoch: number;
  readonly turn: TurnRow;
}

/** The receipt of a finished erasure: the numbers of deleted items. */
export interface Erased {
  /** Id of the job. Absent if there was nothing to erase. */
  readonly erasure_id?: string;
  readonly requested_at?: number;
  readonly finished_at?: number;
  readonly sessions: number;
  readonly events: number;
}

/** A piece of a reply's provisional text. */
export interface DraftPiece {
  readonly session_id: SessionId;
  /** Number of the turn. */
  readonly turn: number;
  readonly epoch: number;
  /** Index of the draft within the turn, from 0. */
  readonly message: number;
  /** The last event in the log when the draft started. Readers get the draft after that event. */
  readonly after: number;
  /** Content of `text`: the text of a message, or with `calls` a line of JSON for each started tool call. */
  readonly of?: "calls";
  /** Number of UTF-16 units of the draft before `text`. */
  readonly at: number;
  readonly text: string;
  /** Why the draft ended. It is then the draft's last piece. */
  readonly ended?: string;
}

/** What a migration found and did. */
export interface MigrationReport {
  /** The schema version found, 0 for an empty database. */
  readonly from: number;
  /** The version after the migration. */
  readonly to: number;
  /** The name of the store's engine: `sqlite`, `postgres`, `memory`, or what another store calls its own. */
  readonly engine?: string;
}

/** A database for Throughline. `throughline/testing` has the checks that every implementation must pass. */
export interface Store {
  /** Returns the header of a session, or undefined if there is none. */
  open(selector: SessionSelector): Promise<SessionRow | undefined>;
  /** Reads a session's state and last messages consistently, in one round trip for any session length. Returns undefined if there is no such session. */
  load(request: LoadRequest): Promise<LoadedSession | undefined>;
  /**
   * Writes all of the commit durably, or nothing. It is the only write. An error with `outcome: "unknown"` in its details does not tell which: the
   * response was lost or late. Repeating the same commit finds out.
   */
  commit(commit: Commit): Promise<CommitResult>;
  /** Returns events by offset, or undefined if there is no such session. */
  read(request: ReadRequest): Promise<ReadPage | undefined>;
  /**
   * Resolves with the head as soon as it is greater than `after`, and with -1 when the session is erased. It registers first, then checks, then
   * waits. Rejects when the signal aborts.
   */
  watch(session: SessionId, after: number, signal: AbortSignal): Promise<number>;
  /**
   * Returns the commits that appended events, of all sessions: the commits of one session in their order, those of several in the order in which
   * readers can see them. A commit that is not visible yet gets a later position, so a reader that continues after the last one misses none. A fork's
   * commits are those of its own events. Commits of erased sessions are left out, and so are those from before the store knew positions.
   */
  appends(request: AppendsRequest): Promise<AppendsPage>;
  /**
   * Calls `listen` when a session's log may have grown, in any process. A call may be lost between processes, but not for long: another follows
   * without a new commit. Once it listens, resolves with a function that stops it.
   */
  watchAppends(listen: () => void): Promise<() => void>;
  list<Query extends ListQuery>(query: Query): Promise<Page<ListItem<Query>>>;
  /** Returns a page of the owner's memory entries, by version. It is empty if there is no such owner. */
  entries(request: EntriesRequest): Promise<readonly EntryRow[]>;
  /**
   * Takes the lease of an unleased session with a turn to run. Raises the session's epoch and the turn's attempts. The turn is the running one whose
   * lease has expired, or else the queued one, which runs from now on. A message that is accepted after the claim does not belong to it any more.
   * Renewing keeps epoch and attempts, and returns undefined if the epoch has changed.
   */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /**
   * Releases a lease with its turn unfinished. `counted: false` does not count the attempt. The session can be claimed again after `retry_in_ms` (0
   * by default). Returns false if the epoch has changed.
   */
  release(request: ReleaseRequest): Promise<boolean>;
  /**
   * Shows a piece of a draft to readers of the session's drafts: on PostgreSQL in every process, elsewhere in this one. A draft is neither durable
   * nor fenced, and may be lost with its process.
   */
  writeDraft(piece: DraftPiece): Promise<void>;
  /**
   * Calls `listen` with the pieces of the session's drafts, starting with the open draft in one piece. Once it listens, resolves with a function that
   * stops it.
   */
  watchDrafts(session: SessionId, listen: (piece: DraftPiece) => void): Promise<() => void>;
  /**
   * Calls `listen` when another process may have queued or released a turn, so that `claim` may succeed. A call may be lost. Once it listens,
   * resolves with a function that stops it.
   */
  watchTurns(listen: () => void): Promise<() => void>;
  /**
   * Calls `listen` at most two seconds after the start of any erasure, in any process, so that cached data can be dropped. Also calls it if the store
   * cannot tell. Once it listens, resolves with a function that stops it.
   */
  watchErasures(listen: () => void): Promise<() => void>;
  /**
   * Erases a session, or an owner with all its sessions. The last session of an anonymous owner takes the owner with it. It is a job: after the first
   * commit no caller sees or writes them, and the rest is deleted in small steps. The next process that opens the store finishes it.
   *
   * Events that living forks share stay until the last of these forks is erased, unless the owner is erased. Records are erased with their owner or
   * session, and a session's own variables with the session. With `head`, erases only if that is still the session's head and nothing waits or runs
   * in it. Otherwise it erases nothing and there is no receipt.
   *
   * An owner that is erased again gives the receipt of its erasure, so that a process that died before it recorded the receipt can record it later.
   *
   * Receipts and the hashes of erased ids are kept forever, or with `keep_ms` for as many milliseconds by the store's clock. They are deleted some time
   * later. A backup that is older than that restores the data.
   */
  erase(
    target: ({ readonly session_id: SessionId; readonly head?: number } | { readonly owner_id: OwnerId }) & { readonly keep_ms?: number },
  ): Promise<Erased>;
  /** Migrates the schema to this version, under one lock. Throws `store.schema_newer` for a newer one. Opening a store does this too. */
  migrate(): Promise<MigrationReport>;
  /** Finishes calls in progress and closes the database. Every later call fails with `store.closed`. */
  close(): Promise<void>;
}

/**
 * Codec of every column with personal data; identity by default. An anonymous session's texts are decoded for its customer's owner once it is
 * identified, so a stored text must itself contain how to decode it.
 */
export interface PayloadCodec {
  encode(text: string, owner: OwnerId): string;
  decode(stored: string, owner: OwnerId): string;
}

/** Stores text unchanged. */
export const plainCodec: PayloadCodec = { encode: (text) => text, decode: (stored) => stored };

/** Returns a store that hands each call on. Spread it and replace members to wrap a store: a spread of the store itself would leave out methods of a class. */
export const forwarding = (store: Store): Store => ({
  open: (selector) => store.open(selector),
  load: (request) => store.load(request),
  commit: (commit) => store.commit(commit),
  read: (request) => store.read(request),
  watch: (session, after, signal) => store.watch(session, after, signal),
  appends: (request) => store.appends(request),
  watchAppends: (listen) => store.watchAppends(listen),
  list: (query) => store.list(query),
  entries: (request) => store.entries(request),
  claim: (request) => store.claim(request),
  release: (request) => store.release(request),
  writeDraft: (piece) => store.writeDraft(piece),
  watchDrafts: (session, listen) => store.watchDrafts(session, listen),
  watchTurns: (listen) => store.watchTurns(listen),
  watchErasures: (listen) => store.watchErasures(listen),
  erase: (target) => store.erase(target),
  migrate: () => store.migrate(),
  close: () => store.close(),
});
