/** Runs of autonomous routines: start, list, cancel and read them. Everything about a run is in the database. */
import { changes, commitOnce, headerOf, refused } from "../../extension/commit.ts";
import { invalidAt } from "../../extension/failure.ts";
import { defineExtension, type ExtensionAgent, type ExtensionContext } from "../../extension/port.ts";
import { findRecord } from "../../extension/lists.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { parseSessionId, type SessionId } from "../../kernel/id.ts";
import { type JsonObject, objectGiven, present } from "../../kernel/json.ts";
import { checkMembers } from "../../kernel/preconditions.ts";
import { createdEvent, newEvent } from "../../session/new-event.ts";
import { argumentsHash } from "../../session/pending-calls.ts";
import { withIncognito } from "../../session/session-view.ts";
import { initialState } from "../../state/document.ts";
import type { OwnerChange, SessionChange, SessionMode } from "../../store/port.ts";
import { commandValue } from "../inbox.ts";
import type { Routine } from "../routine.ts";
import { inputOf } from "../routine-input.ts";
import { callbackRecord, checkCallback, checkSender } from "./callback.ts";
import {
  callAt,
  findRun,
  getRun,
  guardedChangesOf,
  hintAt,
  isOpen,
  outputKind,
  publicRun,
  routinesOf,
  type RunData,
  runKind,
  type Run,
  runRecord,
  type RunRow,
  type RunStatus,
  runStatuses,
  startKind,
  toRun,
  unlessGone,
} from "./run-record.ts";
import { endFromOutside, nextLook } from "./run-work.ts";

/** Options of a run. */
export interface RunOptions {
  /** A session of the caller. The run becomes part of its history. Default: a throw-away session, which is deleted with its owner when the run is over. */
  readonly session_id?: string;
  /** The agent that runs the routine. Default: the only one that has it. */
  readonly agent?: string;
  /** Starts one run per key, however often it is called: later calls return it without its output. 1 to 255 characters. */
  readonly idempotencyKey?: string;
  /** Seconds after which the run fails with `timeout`. Default: those of the routine. */
  readonly timeout_seconds?: number;
  /** Seconds for which the result is kept. Default 86,400. */
  readonly keep_seconds?: number;
  /** Where a `createCallbacks` posts the end of the run. Its host must be one of the routine's `callback_hosts`, and the runtime needs `callbacks: true`. */
  readonly callback_url?: string;
}

/** Which runs a list holds. */
export interface RunFilter {
  readonly routine?: string;
  readonly status?: RunStatus;
  readonly session_id?: string;
  /** 1 to 100; 100 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of runs. */
export interface RunPage {
  readonly items: readonly Run[];
  readonly next_cursor: string | null;
}

/** The runs of a runtime. */
export interface Runs {
  /**
   * Starts a run. One commit creates the session, the event that enters the routine, the turn and the run. Throws `routine.not_found`, and `input.invalid`
   * for a wrong input, an option, or a routine that is not autonomous, `outbound.refused` for a callback to a host that the routine does not allow or
   * that nobody sends, and `session.manual` in a session that people have. A later call with the key returns the run, also without its session or its routine.
   */
  start<Input>(routine: string | Routine<Input>, input?: NoInfer<Input>, options?: RunOptions): Promise<Run>;
  /** Returns a run, with its output. Throws `run.not_found`, and `run.expired` with the receipt once its result is removed. */
  get(id: string): Promise<Run>;
  /** Does the same as `get` for a run that is over. Throws `run.not_done` for another. */
  result(id: string): Promise<Run>;
  /** Returns runs without their outputs, by id. After 10,000 runs that are not sought, a page is short while `next_cursor` continues. */
  list(filter?: RunFilter): Promise<RunPage>;
  /**
   * Posts the end of a run that is over, again or for the first time: to the given address, because one that was given up is not kept. One that is still being sent keeps
   * its address. Returns the run.
   * Throws as `result`, as `start` for an address that is not allowed, and `session.not_found` if the session of the caller was deleted.
   */
  resend(id: string, options: { readonly callback_url: string }): Promise<Run>;
  /** Ends a run that is not over, with its turn. Returns the run; one that was over is unchanged. Throws as `get`. */
  cancel(id: string): Promise<Run>;
}

/** Label of the sessions that runs make for themselves. */
export const runLabel = "run";
const dayMs = 86_400_000;
/** Maximum number of pages of the store that one list reads, so that a rare filter costs no more than 10,000 rows at once. */
const mostReads = 100;

/** The API of runs, also without an agent that has routines, because results outlive definitions. */
export const runsExtension = defineExtension({ name: "runs", api: (context) => ({ runtime: runsOf(context) }) });

/** Returns the runs of a database. */
export function runsOf(context: ExtensionContext): Runs {
  const { store } = context;
  return {
    start: async (routine, input, options = {}) => startRun(context, typeof routine === "string" ? routine : routine.id, { input, options }),
    get: async (id) => withOutput(context, await getRun(store, id)),
    result: async (id) => {
      const row = await getRun(store, id);
      if (isOpen(row)) throw notDone(row);
      return withOutput(context, row);
    },
    resend: (id, options) => resend(context, id, objectGiven(options, "runs.resend")),
    list: (filter = {}) => listRuns(context, objectGiven(filter, "runs.list")),
    cancel: async (id) => {
      for (let tries = 1; ; tries++) {
        const row = await getRun(store, id);
        if (!isOpen(row)) return withOutput(context, row);
        if (await endFromOutside(context, row, { status: "cancelled", code: "cancelled" })) return publicRun(await getRun(store, id));
        if (tries === changes) throw new ThroughlineError("session.conflict", `Run ${id} kept changing.`);
      }
    },
  };
}

interface Start {
  readonly routine: Routine;
  readonly agent: ExtensionAgent;
  readonly session_id: SessionId | undefined;
  readonly mode: SessionMode | undefined;
}

/** Does what `Runs.start` does. */
export async function startRun(
  context: ExtensionContext,
  id: string,
  { input, options }: { readonly input: unknown; readonly options: RunOptions },
): Promise<Run> {
  const { clock, ids, store } = context;
  checkMembers(options, ["session_id", "agent", "idempotencyKey", "timeout_seconds", "keep_seconds", "callback_url"], "The options of a run");
  const { idempotencyKey: key } = options;
  if (key !== undefined && (typeof key !== "string" || key === "" || key.length > 255))
    throw invalidAt("input.invalid", "idempotencyKey", `An idempotency key has 1 to 255 characters, got ${seen(key)}.`);
  const run_id = key === undefined ? `run_${ids.next("commit").slice("cmt_".length)}` : `run_${argumentsHash({ key }).slice(0, 32)}`;
  const known = key === undefined ? undefined : await findRun(store, run_id);
  const start = await found(context, id, options).catch((error: unknown) => {
    // The run outlives its session and its routine.
    if (known === undefined || !ThroughlineError.is(error, "session.not_found", "routine.not_found")) throw error;
    return undefined;
  });
  if (start === undefined) return publicRun(await getRun(store, run_id));
  const { routine, agent } = start;
  const { callback, seconds, keep_ms } = checkedOptions(routine, options);
  const checked = inputOf(routine, input);
  const { idempotencyKey: _key, ...rest } = options;
  const body_hash = argumentsHash({ routine: id, input: checked ?? null, options: { ...rest } });
  if (known !== undefined) return repeated(context, known, body_hash);
  if (callback !== undefined) checkSender(context);
  if (start.mode === "manual") throw new ThroughlineError("session.manual", "A person has taken this session over, so no run can start in it.");
  const now = clock.now();
  const own = start.session_id === undefined ? newSession(context, agent) : undefined;
  const session_id = start.session_id ?? own?.session.session_id ?? ids.next("session");
  const deadline = seconds === undefined ? undefined : now + Math.ceil(seconds * 1000);
  const next_at = nextLook(now, { looks: 0, ...present({ deadline }) });
  const trace_id = ids.trace();
  const data: RunData = {
    ...{ routine: id, version: routine.version, agent: agent.name, session_id, status: "queued", keep_ms, next_at, looks: 0 },
    trace_id,
    ...present({ owner_id: own?.owner.owner_id, deadline, callback: callback === undefined ? undefined : ("pending" as const) }),
  };
  const value = commandValue({ type: "enter", routine: id, input: checked, run: run_id });
  const entering = newEvent("custom", "system", { value }, { trace_id });
  const result = await commitOnce(context, {
    ...(own === undefined ? {} : { owner: own.owner }),
    session: { ...own?.session, session_id, events: [...(own?.session.events ?? []), entering], queue: { cause: "trigger", trace_id } },
    records: [
      { ...runRecord(run_id, data), depends: { version: 0 } },
      hintAt(run_id, next_at),
      ...(key === undefined ? [] : [unlessGone(run_id), { kind: startKind, key: run_id, data: { body_hash }, session_id }]),
      ...(callback === undefined ? [] : [callbackRecord(run_id, callback, { session_id })]),
    ],
  });
  if (result.outcome === "committed") {
    context.drive(session_id);
    return publicRun(await getRun(store, run_id));
  }
  // Another call with the key was faster.
  const there = await findRun(store, run_id);
  if (there === undefined) throw refused(result, session_id);
  return repeated(context, there, body_hash);
}

async function resend(context: ExtensionContext, id: string, { callback_url }: { readonly callback_url?: unknown }): Promise<Run> {
  const { store, clock, ids } = context;
  for (let tries = 1; ; tries++) {
    const row = await getRun(store, id);
    if (isOpen(row)) throw notDone(row);
    await withOutput(context, row);
    const routine = routinesOf(context, row.agent)?.get(row.routine);
    if (routine === undefined)
      throw new ThroughlineError("routine.not_found", `There is no routine ${seen(row.routine)} of agent ${seen(row.agent)}.`);
    const url = checkCallback(routine, callback_url);
    checkSender(context);
    if (row.callback === "pending") return publicRun(row);
    // A throw-away session is gone, so the address belongs to the owner of the output.
    const kept_by = row.owner_id === undefined || row.settled !== true ? undefined : (row.kept_by ?? ids.next("owner"));
    const result = await commitOnce(context, {
      ...(kept_by === undefined || kept_by === row.kept_by ? {} : { owner: { owner_id: kept_by, create: {} } }),
      records: [
        ...guardedChangesOf(row, { callback: "pending", calls: 0, ...present({ kept_by }) }),
        callbackRecord(id, url, kept_by === undefined ? { session_id: row.session_id } : { owner_id: kept_by }),
        callAt(id, clock.now()),
      ],
    });
    if (result.outcome === "committed") return publicRun(await getRun(store, id));
    if (result.reason !== "stale_record" || tries === changes) throw refused(result, row.session_id);
  }
}

const notDone = ({ id, status }: RunRow): ThroughlineError =>
  new ThroughlineError("run.not_done", `Run ${id} is ${status}.`, { details: { run_id: id, status } });

/** Returns the run of an earlier start. Its body is compared until its result is removed. */
async function repeated({ store }: ExtensionContext, row: RunRow, body_hash: string): Promise<Run> {
  const first = (await findRecord(store, startKind, row.id))?.data["body_hash"];
  if (first !== undefined && first !== body_hash)
    throw new ThroughlineError("session.idempotency_mismatch", "The idempotency key was used for another run.", { details: { run_id: row.id } });
  return publicRun(row);
}

/** Finds the routine and the agent that runs it. */
async function found(context: ExtensionContext, id: string, { session_id, agent: name }: RunOptions): Promise<Start> {
  const session = session_id === undefined ? undefined : await headerOf(context, parseSessionId(session_id));
  const only = session?.agent ?? name;
  if (name !== undefined && only !== name)
    throw invalidAt("input.invalid", "agent", `Session ${session?.session_id} belongs to agent "${only}", not to ${seen(name)}.`);
  const having = [...context.agents.values()].filter(
    (agent) => routinesOf(context, agent.name)?.has(id) === true && (only ?? agent.name) === agent.name,
  );
  const [agent, other] = having;
  const routine = agent === undefined ? undefined : routinesOf(context, agent.name)?.get(id);
  if (agent === undefined || routine === undefined)
    throw new ThroughlineError("routine.not_found", `There is no routine ${seen(id)}${only === undefined ? "" : ` of agent ${seen(only)}`}.`);
  if (other !== undefined)
    throw invalidAt("input.invalid", "agent", `Several agents have routine "${id}": ${having.map((one) => one.name).join(", ")}. Name one.`);
  if (routine.autonomous === undefined)
    throw invalidAt("input.invalid", "routine", `Routine "${id}" is for conversations; only an autonomous one can run.`);
  return { routine, agent, session_id: session?.session_id, mode: session?.mode };
}

/** Checks the options of a run that do not depend on the database. Throws `input.invalid` and `outbound.refused`. */
export function checkedOptions(
  routine: Routine,
  { callback_url, timeout_seconds, keep_seconds }: Pick<RunOptions, "callback_url" | "timeout_seconds" | "keep_seconds">,
): { readonly callback: string | undefined; readonly seconds: number | undefined; readonly keep_ms: number } {
  return {
    callback: callback_url === undefined ? undefined : checkCallback(routine, callback_url),
    seconds: secondsOf("timeout_seconds", timeout_seconds ?? routine.autonomous?.timeout_seconds),
    keep_ms: Math.ceil((secondsOf("keep_seconds", keep_seconds) ?? dayMs / 1000) * 1000),
  };
}

function secondsOf(path: string, seconds: unknown): number | undefined {
  if (seconds === undefined) return undefined;
  if (typeof seconds === "number" && seconds > 0 && seconds <= 366 * 86_400) return seconds;
  throw invalidAt("input.invalid", path, `${path} is a number of seconds above 0 and up to a year, got ${seen(seconds)}.`);
}

/** A session that only the run has, with an owner of its own. Memory keeps nothing of it. */
function newSession({ ids }: ExtensionContext, agent: ExtensionAgent): { readonly owner: OwnerChange; readonly session: SessionChange } {
  const owner_id = ids.next("owner");
  const created = createdEvent({ agent: agent.name, definition: agent.version, state: initialState(agent.state) }, ids.trace());
  return {
    owner: { owner_id, create: {} },
    session: {
      session_id: ids.next("session"),
      create: { owner_id, agent: agent.name, agent_version: agent.version },
      events: [created],
      header: withIncognito({ labels: [runLabel] }, true),
    },
  };
}

async function listRuns({ store }: ExtensionContext, filter: RunFilter): Promise<RunPage> {
  const { routine, status, session_id, limit = 100, ...page } = filter;
  if (status !== undefined && !runStatuses.includes(status))
    throw invalidAt("input.invalid", "status", `A status is one of ${runStatuses.join(", ")}, got ${seen(status)}.`);
  const isSought = (row: RunRow): boolean =>
    // Runs whose results are removed have another kind, but for those of earlier versions.
    row.expired_at === undefined &&
    (routine ?? row.routine) === row.routine &&
    (status ?? row.status) === row.status &&
    (session_id ?? row.session_id) === row.session_id;
  const found: Run[] = [];
  let { cursor } = page;
  for (let reads = 0; reads < mostReads; reads++) {
    const from = { of: "records", kind: runKind, ...page, ...present({ cursor }) } as const;
    // The first one also checks the limit.
    const { items, next_cursor } = await store.list({ ...from, limit: reads === 0 ? limit : 100 });
    for (const [index, row] of items.map(toRun).entries()) {
      if (!isSought(row)) continue;
      found.push(publicRun(row));
      if (found.length < limit) continue;
      const isLast = index === items.length - 1;
      return { items: found, next_cursor: isLast ? next_cursor : (await store.list({ ...from, limit: index + 1 })).next_cursor };
    }
    if (next_cursor === null) return { items: found, next_cursor };
    cursor = next_cursor;
  }
  return { items: found, next_cursor: cursor ?? null };
}

/** Converts a run with its output. Throws `run.expired` if the result was removed, by its time or by an erasure. */
async function withOutput({ store, clock }: ExtensionContext, row: RunRow): Promise<Run> {
  const record = row.has_output === true && row.expired_at === undefined ? await findRecord(store, outputKind, row.id) : undefined;
  const isGone = row.expired_at !== undefined || (row.expires_at !== undefined && row.expires_at <= clock.now());
  if (!isGone && (row.has_output !== true || record !== undefined)) return { ...publicRun(row), ...present({ output: record?.data["output"] }) };
  throw new ThroughlineError("run.expired", `The result of run ${row.id} is removed.`, { details: receiptOf(row) });
}

/** The receipt of a run whose result is removed. */
function receiptOf({ id, routine, status, finished_at, expired_at, erasure }: RunRow): JsonObject {
  return { run_id: id, routine, status, ...present({ finished_at, expired_at, erasure: erasure === undefined ? undefined : { ...erasure } }) };
}
