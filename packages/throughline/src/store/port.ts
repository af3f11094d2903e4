/**
 * The store port: everything that Throughline asks of a database. A store knows rows and values, never what they mean: it does not
 * import the session, the state or the runtime. All methods are required. Times are integer milliseconds, data is JSON.
 */
import type { EventId, OwnerId, SessionId, TraceId, TurnId } from "../kernel/id.ts";
import type { Json, JsonObject } from "../kernel/json.ts";

/** The kinds of event, in the order of the small integers that a database stores. Only ever append. */
export const eventKinds = ["message", "tool", "status", "custom", "state", "turn", "session", "assessment"] as const;
/** The kind of an event. */
export type EventKind = (typeof eventKinds)[number];

/** Who caused an event, in the order of the small integers that a database stores. Only ever append. */
export const eventSources = ["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "ai_agent", "system"] as const;
/** Who caused an event. */
export type EventSource = (typeof eventSources)[number];

/** Why a turn runs, in the order of the small integers that a database stores. Only ever append. */
export const turnCauses = ["message", "greeting", "resume", "trigger", "approval", "schedule", "retry"] as const;
/** Why a turn runs. */
export type TurnCause = (typeof turnCauses)[number];

/** Where a turn is: waiting for a worker, claimed by one, over. */
export const turnStatuses = ["queued", "running", "ended"] as const;
/** Where a turn is. */
export type TurnStatus = (typeof turnStatuses)[number];
/** Who answers: the agent, or a person who has taken over. */
export const sessionModes = ["auto", "manual"] as const;
/** Who answers: the agent, or a person who has taken over. */
export type SessionMode = (typeof sessionModes)[number];

/** An event as it is stored: its data is not upcast yet. An event never changes, but that its data may be redacted. */
export interface StoredEvent {
  readonly session_id: SessionId;
  /** The session that it was written in, when this one was forked from it since; null if that session has been deleted. */
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
  /** The integration's own data about the event; it never reaches a prompt. */
  readonly metadata?: JsonObject;
}

/** An event that a commit appends. Its offset is allotted inside the commit. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly source: EventSource;
  readonly data: JsonObject;
  readonly metadata?: JsonObject;
  /** Version of the payload's shape; 1 if left out. */
  readonly version?: number;
  /** Number of the turn it belongs to; `"queued"` for the turn that this commit's `queue` queues or finds queued. */
  readonly turn?: number | "queued";
  /** For an event outside a turn, one whose turn was not queued, or one of a turn that ran in the session which this one is forked from. */
  readonly trace_id?: TraceId;
  /** A customer's message that wants an answer: it waits until a turn ends that took it up. */
  readonly waiting?: boolean;
}

/** Where a hand-over to people stands: waiting, assigned to a person, or done. */
export const handoverStatuses = ["waiting", "assigned", "resolved"] as const;
/** Where a hand-over to people stands. */
export type HandoverStatus = (typeof handoverStatuses)[number];

/** A session that was handed to people: the last time, if there were several. */
export interface Handover {
  readonly status: HandoverStatus;
  /** Time at which it was handed over. */
  readonly since: number;
  /** Who has taken it up, or had: the integration's own id of a person, 1 to 200 characters. */
  readonly operator?: string;
  /** Why, in words for the person who takes it up: at most 500 characters. */
  readonly reason?: string;
  /** Level of a safety alert, 1 to 1,000; alerts stand in front of all that wait. */
  readonly alert?: number;
}

/** The header of a session, without its log. */
export interface SessionRow {
  readonly session_id: SessionId;
  readonly owner_id: OwnerId;
  /** Raised by every change of what the owner has: name, metadata, variables, entries. */
  readonly owner_version: number;
  /** The customer's id as the integration gave it; absent for an anonymous session. */
  readonly customer_id?: string;
  /** The customer's display name, if there is one. */
  readonly customer_name?: string;
  /** What the session was forked from, and the last offset that it shares with it; `session_id` is null if that session has been deleted. */
  readonly origin?: { readonly session_id: SessionId | null; readonly at: number };
  readonly agent: string;
  /** Version of the agent's definition that the current state was written by. */
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
  /** Offset of the first event that is kept; 0 unless retention cut a prefix. */
  readonly first_offset: number;
  /** Offset of the last event that holds state: a `state` event, or 0 for the `session` event that created it. */
  readonly state_offset: number;
  /** Raised by every claim and every interruption; a turn's commit carries it. */
  readonly epoch: number;
  /** Raised by every change of this header that a caller made (mode, title, metadata, labels, consumers). */
  readonly version: number;
  /** Number of the current episode, from 1. */
  readonly episode: number;
  /** Number of the last turn, 0 if there was none. */
  readonly last_turn: number;
}

/** A turn's row: its place in the queue. What happened in it is in the log. */
export interface TurnRow {
  /** Counts from 1 within the session. */
  readonly number: number;
  readonly turn_id: TurnId;
  readonly session_id: SessionId;
  readonly trace_id: TraceId;
  readonly cause: TurnCause;
  readonly status: TurnStatus;
  /** How often it was claimed, counted from 1 again when it has made progress (`progress`), from 0 when it was parked. */
  readonly attempts: number;
  readonly created_at: number;
  /** It is claimed before all turns that are not. */
  readonly urgent?: true;
  /** Offset of its `turn.started` event, once that is committed. */
  readonly started_offset?: number;
  /** Offset of the last event of the commit that ended it. */
  readonly ended_offset?: number;
}

/** Variables of an owner as of one version. */
export interface VariablesRow {
  /** 0 before the first write; raised by one by every change of a value. */
  readonly version: number;
  readonly values: JsonObject;
  /** When each value was last set, or last checked and found to hold still: a time for each of `values`. */
  readonly checked: Readonly<Record<string, number>>;
  /** Names whose values could not be refreshed since, in the order of `values`. */
  readonly stale: readonly string[];
}

/**
 * The owner of what belongs to one session alone, whoever its customer is: its id is derived, its row comes with the first thing that it has. A commit
 * that writes to it is refused with `session_missing` unless the session is there, or is created by it; it is erased with the session.
 */
export const sessionOwnerId = (session: SessionId): OwnerId => `own:${session}` as OwnerId;

/** The session that an owner's id is derived from; undefined for any other owner. */
export const sessionOfOwner = (owner: OwnerId | string): SessionId | undefined =>
  /^own:(ses_[0-9a-z]{26})$/.exec(owner)?.[1] as SessionId | undefined;

/** The owner of what belongs to all sessions of an agent. */
export const agentOwnerId = (agent: string): OwnerId => `own:${agent}` as OwnerId;

/** A customer, as stored. */
export interface CustomerRow {
  readonly owner_id: OwnerId;
  readonly customer_id: string;
  readonly name: string | null;
  readonly metadata: JsonObject;
  readonly variables: VariablesRow;
  readonly created_at: number;
  /** Raised by every change of name, metadata, variables or entries. */
  readonly version: number;
}

/** A long-term memory entry, one row a version; `data` null: it was removed, and has no earlier row. */
export interface EntryRow {
  readonly version: number;
  readonly entry_id: string;
  readonly kind: string;
  readonly data: JsonObject | null;
  readonly created_at: number;
}

/** Which memory entries of an owner to read. Without `kinds` and `entry_id` all of them: every version of every entry that was not removed. */
export interface EntriesRequest {
  readonly owner_id: OwnerId;
  /** First version to return; 1 if left out. */
  readonly min_version?: number;
  /** Last version to return; the newest if left out. */
  readonly max_version?: number;
  /** Only the versions of this entry. */
  readonly entry_id?: string;
  /** Only entries of these kinds. */
  readonly kinds?: readonly string[];
  /** Maximum number of rows; 1,000 if left out, at most 10,000. Fewer than that: there are no more. One of 1,000 holds a process up for some milliseconds. */
  readonly limit?: number;
  /** The last ones instead of the first, still by version ascending. */
  readonly newest?: true;
}

/** The dependencies of a session commit. Whatever is named must still hold, else the commit is refused and writes nothing. */
export interface SessionDepends {
  /** The session's epoch: fencing. */
  readonly epoch?: number;
  /** The session's `state_offset`: what a patch was computed on. */
  readonly base?: number;
  /** The session's head: for a decision that rests on the whole log, such as one that ends turns and says what they answered. */
  readonly head?: number;
  /** The header's version. */
  readonly version?: number;
  readonly episode?: number;
  /** The session's `owner_version`, for a decision that rests on what the owner has; else refused with `stale_version`. */
  readonly owner_version?: number;
}

/** The longest chain of sessions, each forked from the one before. */
export const deepestFork = 64;

/** A session to create. */
export interface NewSession {
  readonly owner_id: OwnerId;
  readonly agent: string;
  readonly agent_version: number;
  /** Unique in the store: a second creation with the same key is refused with `session_exists`. */
  readonly open_key?: string;
  /**
   * The session goes on from another one's log as it is at offset `at`: it shares the events up to there, and its own begin at `at + 1`. Its owner
   * must be the other one's. What waits there, open turns, keys and the header are not taken over, except what `header` gives. A turn that had begun
   * and was open there is listed as one that ended with the fork's first event; its own turns are counted on from the other one's last.
   */
  readonly fork?: { readonly session_id: SessionId; readonly at: number };
}

/** New values of the header; absent members stay. */
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

/** The part of a commit for one session. Everything in it is written, or nothing. */
export interface SessionChange {
  readonly session_id: SessionId;
  /** Creates the session: its first event is `session` created, at offset 0. */
  readonly create?: NewSession;
  readonly depends?: SessionDepends;
  readonly events?: readonly NewEvent[];
  /**
   * Unique per session for the life of the log; a second commit with the key is refused with `key_used` and the offset of the first one's last event, or
   * of the head then if it appended none. `queued_turn` is the turn that the commit of that event queued or found queued. Both are kept when
   * retention removes the event. The key is checked before whatever the commit depends on.
   */
  readonly idempotency?: { readonly key: string; readonly body_hash: string };
  /**
   * Queues a turn, unless the session is in manual mode (then the messages keep waiting) or one is queued already (then they join it).
   * All waiting messages that belong to no turn become the queued turn's. `limit`: refuse with `too_many_waiting` when so many
   * wait in turns; what was said to people waits in none. `urgent`: the session's open turns are urgent from then on, the one that runs before the queued
   * one too.
   */
  readonly queue?: { readonly cause: TurnCause; readonly trace_id: TraceId; readonly limit?: number; readonly urgent?: true };
  /**
   * The `turn` started event of turn `number` is the event at this index of `events`; the turn runs, or ends with this commit. `"queued"`: the turn that
   * `end_turns` names so.
   */
  readonly start_turn?: { readonly number: number | "queued"; readonly event: number };
  /**
   * Turns that end with this commit: their messages wait no longer, and their lease is given up. One that has ended stays as it is. `"queued"`: the
   * one that this commit's `queue` queues or finds queued.
   */
  readonly end_turns?: readonly (number | "queued")[];
  /** Turns that end without having answered: their messages wait again, in no turn. */
  readonly dequeue_turns?: readonly number[];
  /**
   * The running turn of this number, or a child agent of its, has made progress: its attempts count from 1 again, unless they are fewer. Nothing happens to a turn that does not run,
   * or ends with this commit.
   */
  readonly progress?: number;
  /**
   * The running turn of this number waits, with its lease given up and its attempts counted from 0 again: it can be claimed at `until` (never, if left
   * out), or once a commit wakes, fences or ends it. Whatever is queued behind it waits too. `until` is a time by this commit's `at`: a store waits as
   * long by its own clock. A turn that does not run, or ends with this commit, is not parked.
   */
  readonly park?: { readonly turn: number; readonly until?: number };
  /** The turn that is parked, or was released with a delay, can be claimed now. Nothing happens to one that is leased. */
  readonly wake?: boolean;
  /** Raises the epoch and gives up any lease, so that a running turn can no longer commit. */
  readonly fence?: boolean;
  /** Hides the events from this offset to the one before this commit's first; their messages wait no longer. */
  readonly withdraw_from?: number;
  /**
   * Replaces the data of events that are in the log already, withdrawn ones too, and takes their metadata away: for whoever shares them, also when the
   * session that wrote them has been deleted, and from the disk as an erasure does. The new data is of the event's version. An offset that the log does
   * not hold is passed over, so that what was redacted halfway can be done again. For texts that must go, and nothing that a state is folded from.
   */
  readonly redact?: readonly { readonly offset: number; readonly data: JsonObject }[];
  /**
   * Gives the session, and all others of its owner, which must be anonymous, to the owner of a customer. Records of the former owner go over with them;
   * what else it has (variables, entries) is removed with it. `owner` of the same commit can create the new one, or write to it. Refused with `owner_missing` if there is no such
   * customer, and with `not_anonymous`, naming the owner that the session has, if that is a customer's.
   */
  readonly owner_id?: OwnerId;
  /**
   * Removes the events below `first_offset`, except what living forks share; `state` is their fold, and where every later load begins. Refused with
   * `cut_out_of_range` unless it is greater than now, and at most the offset of the head, of the first message that waits and of the start of an open
   * turn.
   */
  readonly cut?: { readonly first_offset: number; readonly state: JsonObject };
  readonly header?: HeaderChange;
  /** The state after this commit, encoded; stored at the resulting `state_offset`. */
  readonly checkpoint?: JsonObject;
}

/** The part of a commit for one owner. */
export interface OwnerChange {
  readonly owner_id: OwnerId;
  /** Creates the owner; `customer_id` absent for the owner of an anonymous session. */
  readonly create?: { readonly customer_id?: string };
  readonly depends?: { readonly version?: number };
  readonly name?: string | null;
  readonly metadata?: JsonObject;
  /** `value` undefined unsets the variable. Setting one takes its mark `stale` away. */
  readonly variables?: readonly { readonly name: string; readonly value: Json | undefined }[];
  /**
   * Variables whose value holds still, or could not be refreshed (`stale`, which leaves the time of its last check); no version is raised. One that there
   * is not is passed over. Applied after `variables`.
   */
  readonly checked?: readonly { readonly name: string; readonly stale: boolean }[];
  /**
   * Each is the next version of the owner's memory. `data` null removes the entry with all that it was before, from the disk too as an erasure does; its
   * own row stays, without data, so that caches learn of the removal.
   */
  readonly entries?: readonly { readonly entry_id: string; readonly kind: string; readonly data: JsonObject | null }[];
}

/**
 * A record of the service: an API key, the answer to a request, a job, a line of the audit log. The store knows its kind and key, and when it goes;
 * what it means is the service's.
 */
export interface RecordRow {
  /** 1 to 40 characters. */
  readonly kind: string;
  /** Unique within the kind; 1 to 200 characters, nothing that a person wrote: it is not encrypted. */
  readonly key: string;
  /** 1 for a new record, raised by every change; what has expired or was removed begins anew. */
  readonly version: number;
  readonly data: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
  /** From then on, by the store's clock, it is not found; it is removed some time later. */
  readonly expires_at?: number;
}

/** A record to write: created, or put in the place of the one that is there, of which nothing stays but `created_at`. */
export interface RecordChange {
  readonly kind: string;
  readonly key: string;
  /** The record's version; 0: there must be none. Else the commit is refused with `stale_record`. */
  readonly depends?: { readonly version: number };
  /** Null removes it. */
  readonly data: JsonObject | null;
  readonly expires_at?: number;
  /** Milliseconds that it stays at least from when it is written, by the store's clock: `expires_at` depends on the clock of its writer. */
  readonly keep_ms?: number;
  /**
   * Whose it is: it is encrypted as theirs (the owner's, else the session's owner's), and erased with either. One that is not there and that the commit
   * does not create: `owner_missing`, `session_missing`. A record of nobody is stored as it is also in an encrypted database: it holds no person's data.
   */
  readonly owner_id?: OwnerId;
  readonly session_id?: SessionId;
}

/** When a record goes that is written now, by the store's clock; undefined if it stays. */
export function recordEnd({ expires_at, keep_ms }: Pick<RecordChange, "expires_at" | "keep_ms">, now: number): number | undefined {
  return keep_ms === undefined ? expires_at : Math.max(expires_at ?? 0, now + keep_ms);
}

/** How long a record that was removed is remembered, without its data, so that its commit is known when it is sent again. */
export const removedForMs = 60_000;

/** Records of a kind, in the order of their keys by code points. */
export interface RecordQuery {
  readonly of: "records";
  readonly kind: string;
  readonly key?: string;
  /** Only keys that begin with this. */
  readonly prefix?: string;
  /** Only those that go with this session: how many others there are costs nothing. */
  readonly session_id?: SessionId;
}

/**
 * The variables of an owner, one item: as they stand, or stood; marks of checks are the last that were made. None if there is no such owner, nor version.
 */
export interface VariablesQuery {
  readonly of: "variables";
  readonly owner_id: OwnerId;
  /** As of this version. */
  readonly version?: number;
  /** As of this time: what commits up to it have set. */
  readonly at?: number;
}

/** One atomic write. */
export interface Commit {
  /**
   * Names this commit. Sent again, because its answer was lost, it writes nothing and returns the first result, for as long as its session or owner
   * exists. A commit of records alone is recognized until another commit has written all of its records.
   */
  readonly commit_id: string;
  /** `created_at` of everything in it. */
  readonly at: number;
  /** Applied before `session`, so that one commit can create an owner and its session. */
  readonly owner?: OwnerChange;
  readonly session?: SessionChange;
  /** Records, each named once. A commit may have nothing else. */
  readonly records?: readonly RecordChange[];
}

/** Why a commit was refused. It wrote nothing. `last_offset` of `cut_out_of_range` is the greatest that the log can begin at now. */
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

/** A commit that is written. */
export interface Committed {
  readonly outcome: "committed";
  /** Whether this commit had been written before. */
  readonly replayed: boolean;
  /** Present when the commit had a session part. `first_offset` is that of its first event, `head + 1` if it had none. */
  readonly session?: { readonly first_offset: number; readonly head: number; readonly queued_turn?: number };
  /**
   * How it left the session: the header's `state_offset` and, unless it is not known, the `state_id`; and how many turns have not ended. Absent when it had been
   * written before, or when what is stored is not what the caller gave.
   */
  readonly left?: { readonly state_offset: number; readonly state_id?: string; readonly open_turns: number };
}

/** The id of the state that a commit has written at an offset. */
export const stateIdOf = (offset: number, commit_id: string): string => `${offset} ${commit_id}`;

/** What came of a commit. */
export type CommitResult = Committed | ({ readonly outcome: "refused" } & Refusal);

/** Which session to load, and how much of it. */
export interface LoadRequest {
  readonly session_id: SessionId;
  /** Load as of this offset; the head if left out. */
  readonly at?: number;
  /** How many of the last `message`, `tool` and `custom` events (what a model may see) to return, withdrawn ones aside; 20 if left out. */
  readonly messages?: number;
  /**
   * A state that the caller has already. If it is still the session's, it is returned as the base, without patches and without being read. It does not count
   * together with `at`.
   */
  readonly known?: { readonly state_id: string; readonly base: StateBase };
}

/** Where a fold begins. */
export interface StateBase {
  readonly offset: number;
  readonly state: JsonObject;
  /** The length of a checkpoint or a first state as JSON in UTF-8. */
  readonly bytes: number;
  /** What is folded into a base that the caller gave: the weight of the patches since those bytes, and which version of the definition wrote the last. */
  readonly folded?: { readonly weight: number; readonly definition: number | undefined };
}

/** One consistent read of everything a turn begins with. */
export interface LoadedSession {
  readonly session: SessionRow;
  /**
   * Names the state at the head: `state_offset` and the id of the commit that wrote it. After a restore another commit may have written another state at the same
   * offset. Absent if that is not known, such as in a fork that has not changed its state.
   */
  readonly state_id?: string;
  /** The fold's beginning: a checkpoint, or the first state of the `session` event that created the session. Or what the caller knew. */
  readonly base: StateBase;
  /** The `state` events after the base up to `at`, in order. `bytes` is the length of their data as JSON in UTF-8. */
  readonly patches: readonly { readonly offset: number; readonly data: JsonObject; readonly version: number; readonly bytes: number }[];
  readonly messages: readonly StoredEvent[];
  /** The variables of the session's owner, as they are now. */
  readonly variables: VariablesRow;
  /** Those of the session alone; version 0 and none before the first is set. */
  readonly session_variables: VariablesRow;
  /** Those of the session's agent; version 0 and none before the first is set. */
  readonly agent_variables: VariablesRow;
  /** Messages without an answer yet, in order; `turn` is the number of the turn that has taken them up. */
  readonly waiting: readonly { readonly offset: number; readonly turn?: number }[];
  /** The queued and the running turn, in order. */
  readonly turns: readonly TurnRow[];
  /** The `turn` events of the running turn, in order. */
  readonly journal: readonly StoredEvent[];
}

/** Which events to read. */
export interface ReadRequest {
  readonly session_id: SessionId;
  /** First offset to return; 0 if left out. */
  readonly min_offset?: number;
  /** Last offset to return; the head if left out. */
  readonly max_offset?: number;
  readonly kinds?: readonly EventKind[];
  readonly source?: EventSource;
  readonly trace_id?: TraceId;
  /** Maximum number of events; 100 if left out, at most 1,000. */
  readonly limit?: number;
  /** Also return withdrawn events; false if left out. */
  readonly withdrawn?: boolean;
}

/** Events by offset, and where to read on. */
export interface ReadPage {
  readonly events: readonly StoredEvent[];
  /** Where to read on: everything below was looked at. */
  readonly next_offset: number;
  /** The session's last offset at the time of the read. */
  readonly head: number;
}

/** Names one session: by id, or by the key that it was opened with. */
export type SessionSelector = { readonly session_id: SessionId } | { readonly open_key: string };

/** Sessions of which all that is named must be true, in the order of their creation unless `by` says otherwise. */
export interface SessionQuery {
  readonly of: "sessions";
  /**
   * `"handover"`, which takes a `handover` to filter by: the order in which people take sessions up, those with the highest alert first, then who was
   * handed over first; resolved ones by the time of their hand-over alone.
   */
  readonly by?: "handover";
  readonly agent?: string;
  readonly owner_id?: OwnerId;
  readonly mode?: SessionMode;
  /** Only sessions that have all of these. */
  readonly labels?: readonly string[];
  /** Only sessions whose last hand-over stands there. */
  readonly handover?: HandoverStatus;
  /** Only sessions whose last hand-over was assigned to this person. */
  readonly operator?: string;
  /** Only sessions that have none of these. */
  readonly without_labels?: readonly string[];
  /** Only sessions whose metadata holds this `external_id`. */
  readonly external_id?: string;
  /** Only sessions that were forked from this one. */
  readonly origin?: SessionId;
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
/** Receipts of erasures, also of running ones; they name nobody. */
export interface ErasureQuery {
  readonly of: "erasures";
}
interface PageRequest {
  /** 1 to 100; 100 if left out. */
  readonly limit?: number;
  /** From a page's `next_cursor`. */
  readonly cursor?: string;
  /** Oldest first (`"asc"`, the default), or newest first. */
  readonly order?: "asc" | "desc";
}
/** What to list. */
export type ListQuery = (SessionQuery | CustomerQuery | TurnQuery | ErasureQuery | RecordQuery | VariablesQuery) & PageRequest;
/** The items of a list. */
export type ListItem<Query extends ListQuery> = Query extends { of: "sessions" }
  ? SessionRow
  : Query extends { of: "customers" }
    ? CustomerRow
    : Query extends { of: "turns" }
      ? TurnRow
      : Query extends { of: "records" }
        ? RecordRow
        : Query extends { of: "variables" }
          ? VariablesRow
          : Erased;

/** A part of a list, and where to go on. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  /** How many there are in all. */
  readonly total: number;
  /** The places of rows on this page that are damaged, as `store.corrupt` would name them; absent if there are none. Their items are left out. */
  readonly damaged?: readonly string[];
}

/**
 * `next`: of the sessions with a turn to run the one whose turn is urgent, then the one whose turn was queued first; `session`: this one; `renew`: keep a
 * lease that is held. `agents`: only sessions of these agents, by name, whose state was not written by a newer version than the one given. `urgent`: only
 * an urgent turn.
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

/** A lease to give back. */
export type ReleaseRequest = { readonly session_id: SessionId; readonly epoch: number; readonly counted: boolean; readonly retry_in_ms?: number };

/** A session's lease and the turn to run under it. */
export interface Claim {
  readonly session_id: SessionId;
  readonly epoch: number;
  readonly turn: TurnRow;
}

/** What erasing removed: the receipt of a job that is done. */
export interface Erased {
  /** Names the job; absent if there was nothing to erase. */
  readonly erasure_id?: string;
  readonly requested_at?: number;
  readonly finished_at?: number;
  readonly sessions: number;
  readonly events: number;
}

/** A piece of the provisional text of a reply. */
export interface DraftPiece {
  readonly session_id: SessionId;
  /** Number of the turn. */
  readonly turn: number;
  readonly epoch: number;
  /** Counts the drafts of the turn, from 0. */
  readonly message: number;
  /** The last event in the log when the draft began: readers get the draft after that event. */
  readonly after: number;
  /** What `text` holds: the text of a message, or, with `calls`, a line of JSON for each tool call that has started. */
  readonly of?: "calls";
  /** How many UTF-16 units of the draft come before `text`. */
  readonly at: number;
  readonly text: string;
  /** Why the draft is over; it is this draft's last piece. */
  readonly ended?: string;
}

/** Schema version found, 0 for an empty database, and the one it has now. */
export type MigrationReport = { readonly from: number; readonly to: number };

/** A database, as Throughline uses it. `throughline/testing` has the checks that every implementation must pass. */
export interface Store {
  /** The header of a session; undefined if there is none. */
  open(selector: SessionSelector): Promise<SessionRow | undefined>;
  /** One consistent read of a session's state and last messages, one round trip at any length of session; undefined if there is none. */
  load(request: LoadRequest): Promise<LoadedSession | undefined>;
  /**
   * The one write: writes all of it, durably, or none. An error whose details say `outcome: "unknown"` leaves open which: the answer was lost or did not come in
   * time, and the same commit sent again finds out.
   */
  commit(commit: Commit): Promise<CommitResult>;
  /** Events by offset; undefined if there is no such session. */
  read(request: ReadRequest): Promise<ReadPage | undefined>;
  /**
   * Resolves with the head as soon as it is greater than `after` (registers first, then looks, then waits), with -1 when the session is erased.
   * Rejects when the signal aborts.
   */
  watch(session: SessionId, after: number, signal: AbortSignal): Promise<number>;
  list<Query extends ListQuery>(query: Query): Promise<Page<ListItem<Query>>>;
  /** A page of the owner's memory entries, by version. None of an owner that is not there. */
  entries(request: EntriesRequest): Promise<readonly EntryRow[]>;
  /**
   * Takes the lease of a session that has a turn to run and is not leased, raising its epoch and the turn's attempts: the running turn whose
   * lease has run out, else the queued one, which runs from now on: a message that is accepted after the claim is not its any more. Renewing keeps
   * epoch and attempts, and answers undefined when the epoch has moved on.
   */
  claim(request: ClaimRequest): Promise<Claim | undefined>;
  /**
   * Gives a lease back with the turn unfinished; `counted: false` takes the attempt back too. The session can be claimed again after `retry_in_ms` (0
   * by default). False if the epoch has moved on.
   */
  release(request: ReleaseRequest): Promise<boolean>;
  /**
   * Shows a piece of a draft to readers of the session's drafts: on PostgreSQL in every process, elsewhere in this one. Nothing that matters
   * rests on it: it is neither durable nor fenced, and may be lost with its process.
   */
  writeDraft(piece: DraftPiece): Promise<void>;
  /**
   * Calls `listen` with the pieces of the session's drafts, beginning with one that holds what is open now. Resolves with how to stop, once it
   * listens.
   */
  watchDrafts(session: SessionId, listen: (piece: DraftPiece) => void): Promise<() => void>;
  /**
   * Calls `listen` when another process may have queued a turn or given one back, so that `claim` is worth a try. A call may be lost. Resolves with
   * how to stop, once it listens.
   */
  watchTurns(listen: () => void): Promise<() => void>;
  /**
   * Calls `listen` at most two seconds after anybody's erasure began, here or in another process: what was kept of a session may have to go. Also when the
   * store cannot tell. Resolves with how to stop, once it listens.
   */
  watchErasures(listen: () => void): Promise<() => void>;
  /**
   * Removes a session (with its owner, if that is anonymous and has no other), or an owner with all its sessions. It is a job: from the first commit
   * on nobody sees or writes them, the rest is removed in small steps, and a store that is opened finishes what was begun. What living forks share of
   * a session stays until the last of them goes, unless the owner is erased. Records go with what they belong to, and a session's own variables with the
   * session. With `head`, only if that is still the session's head and nothing waits
   * or runs in it; else nothing is erased, and there is no receipt.
   */
  erase(target: { readonly session_id: SessionId; readonly head?: number } | { readonly owner_id: OwnerId }): Promise<Erased>;
  /** Brings the schema up to this version, under one lock; refuses a newer one with `store.schema_newer`. Opening a store does it. */
  migrate(): Promise<MigrationReport>;
  /** Finishes what is under way and lets go of the database. Every later call fails with `store.closed`. */
  close(): Promise<void>;
}

/**
 * The seam that every person-bearing column passes; identity by default. An anonymous session's texts are decoded for the owner of its customer once
 * it is identified, so what is stored must itself say how to read it.
 */
export interface PayloadCodec {
  encode(text: string, owner: OwnerId): string;
  decode(stored: string, owner: OwnerId): string;
}

/** Stores text as it is. */
export const plainCodec: PayloadCodec = { encode: (text) => text, decode: (stored) => stored };
