/** The stored form of a run: its record, its output, and the hints that tell the worker when to look at it. */
import type { ExtensionContext } from "../../extension/port.ts";
import { findRecord } from "../../extension/lists.ts";
import { type ErrorCode, errorCatalogue } from "../../kernel/error-catalogue.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId, TraceId } from "../../kernel/id.ts";
import { type Json, type JsonObject, present } from "../../kernel/json.ts";
import type { RecordChange, RecordRow, Store } from "../../store/port.ts";
import type { EndedRun } from "../position.ts";
import type { Routine } from "../routine.ts";

/** The statuses of a run. The last three are final. */
export const runStatuses = ["queued", "running", "waiting", "completed", "failed", "cancelled"] as const;
/** The status of a run. `waiting`: for an event, a time or an approval. */
export type RunStatus = (typeof runStatuses)[number];

/** The receipt of an erased session: when, and how much it held. */
export interface RunErasure {
  readonly id: string;
  readonly requested_at: number;
  readonly finished_at?: number;
  readonly sessions: number;
  readonly events: number;
}

/** What became of a run's callback: `dead` when its attempts are used up. */
export interface RunCallback {
  readonly status: "pending" | "delivered" | "dead";
  readonly attempts: number;
  /** What the last attempt failed with: a status, or an error code. */
  readonly error?: string;
}

/** A run. */
export interface Run {
  readonly id: string;
  readonly routine: string;
  /** Version of the routine's definition that it was started with. */
  readonly version: number;
  readonly agent: string;
  readonly session_id: SessionId;
  /** Whether the session was made for the run, and is deleted after it. */
  readonly ephemeral: boolean;
  readonly status: RunStatus;
  readonly created_at: number;
  /** When it fails with `timeout`. */
  readonly deadline?: number;
  readonly finished_at?: number;
  /** Until when the result is kept. */
  readonly expires_at?: number;
  /** The validated output of a completed run. `get` and `result` return it. */
  readonly output?: Json;
  /** Why it failed or was cancelled. */
  readonly error?: { readonly code: string; readonly message: string };
  /** What became of the callback. Absent without one. */
  readonly callback?: RunCallback;
  /** The receipt of the deleted session. */
  readonly erasure?: RunErasure;
}

/** What a run's record holds. It has no personal data, so that the receipt outlives the session. */
export interface RunData {
  readonly routine: string;
  readonly version: number;
  readonly agent: string;
  readonly session_id: SessionId;
  /** The throw-away owner of the run's own session. Absent for a session of the caller. */
  readonly owner_id?: OwnerId;
  readonly status: RunStatus;
  /** Trace of the event that enters the routine. Nobody else can post one with it. */
  readonly trace_id: TraceId;
  readonly deadline?: number;
  /** Milliseconds that the result is kept. */
  readonly keep_ms: number;
  /** When the worker looks at it next, and how often it has. */
  readonly next_at: number;
  readonly looks: number;
  /** How the turn ended that left the run in the middle. */
  readonly lost?: string;
  /** Code of the failure, and the node of the routine that failed. */
  readonly code?: string;
  readonly node?: string;
  readonly finished_at?: number;
  /** Whether it has an output, which an erasure may have removed since. */
  readonly has_output?: true;
  readonly expires_at?: number;
  /** What became of the callback. Absent without one. */
  readonly callback?: RunCallback["status"];
  /** Attempts to deliver it, and what the last one failed with: a status, or an error code. */
  readonly calls?: number;
  readonly call_error?: string;
  /** Nothing is left to do but to remove the result. */
  readonly settled?: true;
  /** The owner of the output after the throw-away session was deleted. */
  readonly kept_by?: OwnerId;
  /** The receipt of the throw-away session. */
  readonly erasure?: RunErasure;
  /** When the result was removed, and when the run was started. */
  readonly expired_at?: number;
  readonly begun_at?: number;
}

/** A run's record with its version. */
export interface RunRow extends RunData {
  readonly id: string;
  readonly record: number;
  readonly created_at: number;
}

/** Kind of the records of runs. */
export const runKind = "routine.run";
/** Kind of the records of runs whose results are removed. Lists of runs do not read them; those of earlier versions are among the runs. */
const goneKind = "routine.run_gone";
/** Kind of the records of outputs. They are erased with the session, its owner, or by their time. */
export const outputKind = "routine.run_output";
/** Kind of the records of hashes of starts with a key. A hash of a short text tells the text, so they are erased as outputs are. */
export const startKind = "routine.run_start";
/** Kinds of the records that are kept as long as the result. */
export const resultKinds = [outputKind, startKind] as const;
/** Kind of the hints. A hint that comes too early is dropped. */
const hintKind = "routine.run_due";
/** Kind of the records that tell when a callback is to be sent. */
const callKind = "routine.run_call";
/** Milliseconds after which a callback that nobody could deliver is dead, so that it keeps no session forever. */
export const callbackMs = 7 * 86_400_000;
/** Milliseconds that the record, and the receipts of the run's own session, stay after the result was removed. */
export const stubMs = 30 * 86_400_000;

const isRunId = (id: unknown): id is string => typeof id === "string" && /^run_[0-9a-z]{26,32}$/u.test(id);

/** Reads a run. */
export async function findRun(store: Store, id: string): Promise<RunRow | undefined> {
  const row = isRunId(id) ? ((await findRecord(store, runKind, id)) ?? (await findRecord(store, goneKind, id))) : undefined;
  return row === undefined ? undefined : toRun(row);
}

/** Reads a run. Throws `run.not_found`. */
export async function getRun(store: Store, id: string): Promise<RunRow> {
  const found = await findRun(store, id);
  if (found === undefined) throw new ThroughlineError("run.not_found", `There is no run ${seen(id)}.`);
  return found;
}

/** Converts a record. Only this module writes them. */
export function toRun({ key, version, created_at, data }: RecordRow): RunRow {
  const run = data as unknown as RunData;
  return { ...run, id: key, record: version, created_at: run.begun_at ?? created_at };
}

/** Returns the record of a run. All members are JSON. */
export const runRecord = (id: string, data: RunData): RecordChange => ({ kind: runKind, key: id, data: data as unknown as JsonObject });

/** Returns the change that is refused if there is a run with this id whose result is removed. */
export const unlessGone = (id: string): RecordChange => ({ kind: goneKind, key: id, depends: { version: 0 }, data: null });

/** Returns the records that take a run whose result is removed out of the lists, only if nobody else has changed it. */
export function goneRecords({ id, record, created_at, ...data }: RunRow, expired_at: number): readonly RecordChange[] {
  // Without the result there is nothing left to tell.
  const over: Partial<RunData> = data.callback === "pending" ? { callback: "dead", call_error: "expired" } : {};
  const gone = runRecord(id, { ...data, ...over, expired_at, begun_at: created_at });
  return [
    { kind: runKind, key: id, depends: { version: record }, data: null },
    { ...gone, kind: goneKind, expires_at: expired_at + stubMs },
  ];
}

/** Returns the records that change a run, with the hint if the worker looks at another time. Within a turn, the epoch guards them. */
function changesOf({ id, record: _record, created_at: _created, ...data }: RunRow, change: Partial<RunData>): readonly RecordChange[] {
  return [runRecord(id, { ...data, ...change }), ...(change.next_at === undefined ? [] : [hintAt(id, change.next_at)])];
}

/** Returns the records that change a run only if nobody else has. */
export function guardedChangesOf(row: RunRow, change: Partial<RunData>): readonly RecordChange[] {
  const [record, ...hint] = changesOf(row, change);
  return record === undefined ? hint : [{ ...record, depends: { version: row.record } }, ...hint];
}

const timed = (kind: string, id: string, at: number, more?: JsonObject): RecordChange => ({
  kind,
  key: `${String(Math.max(0, Math.ceil(at))).padStart(16, "0")}/${id}`,
  data: { id, at: Math.ceil(at), ...more },
});

/** Returns the hint for a time. Keys sort by time. `isSooner`: it counts although the run's record names a later time. */
export const hintAt = (id: string, at: number, more?: { readonly isSooner: true }): RecordChange => timed(hintKind, id, at, more);

/** Returns the record that has the callback sent at a time. Keys sort by time. */
export const callAt = (id: string, at: number): RecordChange => timed(callKind, id, at);

/** Selects the callbacks to send, in the order of their time. */
export const calls = { of: "records", kind: callKind } as const;

/** Selects the hints, in the order of their time. */
export const hints = { of: "records", kind: hintKind } as const;

/** Returns the change that removes a hint. */
export const withoutHint = ({ key }: RecordRow): RecordChange => ({ kind: hintKind, key, data: null });

/** Whether a run goes on. */
export const isOpen = ({ status }: Pick<RunData, "status">): boolean => status === "queued" || status === "running" || status === "waiting";

/** Whether the time of a run is over. */
export const isLate = ({ deadline }: Pick<RunData, "deadline">, now: number): boolean => deadline !== undefined && deadline <= now;

/** How the routine of a run ends whose time is over. */
export const timedOut: EndedRun = Object.freeze({ outcome: "failed", reason: "timeout" });

/** How a run ends. */
export type RunEnd =
  | { readonly status: "completed"; readonly output: Json | undefined }
  | { readonly status: "failed" | "cancelled"; readonly code: string; readonly node?: string | undefined };

/** Returns what the end of a run changes, and its output and the record that has its callback sent. */
export function endOf(row: RunRow, end: RunEnd, now: number): { readonly change: Partial<RunData>; readonly also: readonly RecordChange[] } {
  const expires_at = now + row.keep_ms;
  const calling = row.callback === "pending" ? [callAt(row.id, now)] : [];
  // The callback is sent first, then the throw-away session is deleted. Otherwise nothing is left to do until the result expires.
  const settled = row.owner_id === undefined && calling.length === 0;
  const after = settled ? { next_at: expires_at, settled } : { next_at: calling.length === 0 ? now : now + callbackMs };
  const failed = end.status === "completed" ? {} : { code: end.code, ...present({ node: end.node }) };
  const output = end.status === "completed" ? end.output : undefined;
  const held = output === undefined ? {} : ({ has_output: true } as const);
  const change = { status: end.status, finished_at: now, expires_at, looks: 0, ...after, ...failed, ...held };
  const kept = output === undefined ? [] : [{ kind: outputKind, key: row.id, data: { output }, session_id: row.session_id }];
  return { change, also: [...kept, ...calling] };
}

/** Returns how a run ends whose routine has ended. */
export function endingOf({ outcome, reason, output, node }: EndedRun, { output: shape }: Pick<Routine, "output">): RunEnd {
  if (outcome === "completed" && shape !== undefined && output === undefined) return { status: "failed", code: "output_validation_failed" };
  if (outcome === "completed") return { status: "completed", output };
  if (reason === "unknown_node" || reason === "unknown_routine" || reason === "migrated") return { status: "failed", code: "step_not_registered" };
  if (outcome === "left") return { status: "cancelled", code: "cancelled" };
  return { status: "failed", code: reason !== undefined && /^[a-z][a-z0-9_.]{0,79}$/u.test(reason) ? reason : "routine.failed", node };
}

/** Failures that have no error code, in words. */
const failures: Readonly<Record<string, string>> = {
  timeout: "The run took longer than its time.",
  cancelled: "The run was cancelled.",
  output_validation_failed: "No valid output came within the tries.",
  input_validation_failed: "The input of a routine that a node runs is not valid.",
  no_transition: "No transition of a node applied.",
  step_not_registered: "The routine or its node does not exist any more.",
  too_deep: "Too many routines run each other.",
  moves_in_circle: "Transitions lead in a circle in which no node works.",
  withdrawn: "The session was withdrawn to before the run.",
  session_deleted: "The session was deleted.",
  turn_failed: "The turn ended in the middle of the routine.",
};

/** Returns what a failure means. */
export const meaningOf = (code: string): string =>
  failures[code] ?? (Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as ErrorCode].meaning : `The routine failed: ${code}.`);

/** Returns the routines of an agent, by id. Undefined if this process does not have the agent, or the agent has none. */
export function routinesOf({ agents }: Pick<ExtensionContext, "agents">, agent: string): ReadonlyMap<string, Routine> | undefined {
  const settings: unknown = agents.get(agent)?.extensions.find(({ name }) => name === "routines")?.settings;
  // The routines extension declares its settings so.
  const list = (settings as { readonly routines?: readonly Routine[] } | undefined)?.routines;
  return list === undefined ? undefined : new Map(list.map((routine) => [routine.id, routine]));
}

/** Converts a run for callers, without its output. */
export function publicRun({
  id,
  routine,
  version,
  agent,
  session_id,
  owner_id,
  status,
  created_at,
  deadline,
  finished_at,
  expires_at,
  code,
  node,
  erasure,
  callback: state,
  calls: attempts = 0,
  call_error,
}: RunRow): Run {
  const error = code === undefined ? undefined : { code, message: `${meaningOf(code)}${node === undefined ? "" : ` Node: "${node}".`}` };
  const callback =
    state === undefined ? undefined : { status: state, attempts, ...present({ error: state === "delivered" ? undefined : call_error }) };
  return {
    ...{ id, routine, version, agent, session_id, ephemeral: owner_id !== undefined, status, created_at },
    ...present({ deadline, finished_at, expires_at, error, callback, erasure }),
  };
}
