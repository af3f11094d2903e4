import { invalidAt } from "../extension/failure.ts";
import { addedBy, checkExtensions, extensionOf, extensionsWith, type Declared, type Extension, type Kept } from "../extension/port.ts";
import { rewriteBy, storeThrough, type Rewrite } from "../extension/stored.ts";
import { systemClock, type Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { createIds, type Ids, type SessionId } from "../kernel/id.ts";
import { isPlainObject, objectGiven, present } from "../kernel/json.ts";
import { defaultLogger, type Logger, noTracer, quietLogger, quietTracer, type Tracer } from "../kernel/log.ts";
import { processName } from "../kernel/process.ts";
import type { AssessmentSpool } from "../safety/assessment.ts";
import { nearest } from "../state/document.ts";
import { checkTools } from "../tools/check-tools.ts";
import type { Store } from "../store/port.ts";
import type { Agent } from "./agent/agent.ts";
import type { Resources } from "../extension/stage.ts";
import type { RuntimeContext } from "./context.ts";
import { createCustomers, type CoreCustomers } from "./commands/customers.ts";
import { createErasures, type Erasures, retain, type RetentionOptions, type RetentionReport } from "./commands/retention.ts";
import { createHandovers, type Handovers } from "./reading/handovers.ts";
import type { CoreSession, SessionClass } from "./session.ts";
import { withTools } from "./loop/loop.ts";
import { loopSettings } from "./loop/loop-settings.ts";
import { createSessions, type SessionsOf } from "./sessions.ts";
import { collectAgents } from "./subagent/subagent.ts";
import { createAgents, type Agents } from "./variables/stored-variables.ts";
import type { HeldLease } from "./turn/lease.ts";
import { StateCache } from "./turn/state-cache.ts";
import { Worker } from "./turn/turn-worker.ts";

/** Options of `createRuntime`. */
export interface RuntimeOptions<A extends Agent = Agent> {
  /**
   * An open store. The runtime uses it and does not close it. Without one, `createRuntime` opens the database that the command line uses too:
   * `THROUGHLINE_DB`, or else `./.throughline/throughline.db`. It closes that store in `close`.
   */
  readonly store?: Store;
  /** Extensions for the turns of all agents, in addition to each agent's own: telemetry, webhooks, rate limits, redaction. */
  readonly extensions?: readonly Declared[];
  /** Agents that sessions can use. Child agents among their tools are registered with them. */
  readonly agents: readonly A[];
  /** Clients, caches and secrets for stages and tools. They are never stored. */
  readonly resources?: Resources;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /**
   * Receives diagnostics, with the thrown error of each failure. By default only thrown errors are written, with their stacks, to stderr, if stderr is a
   * terminal or `NODE_ENV` is not `production`. The environment variable `THROUGHLINE_ERRORS`, `on` or `off`, overrides this.
   */
  readonly logger?: Logger;
  /** Defaults to a tracer that records nothing. */
  readonly tracer?: Tracer;
  /** Milliseconds until an unrenewed lease expires. Defaults to 30,000. */
  readonly leaseMs?: number;
  /** Milliseconds between lease renewals, at most half of `leaseMs`. Defaults to a sixth of `leaseMs`. */
  readonly heartbeatMs?: number;
  /** Maximum number of turns that run concurrently, in different sessions. Defaults to 16. */
  readonly concurrency?: number;
  /** Milliseconds between polls for unclaimed turns. Defaults to 2,000. */
  readonly pollMs?: number;
  /** Maximum bytes of the memory indexes in this process. Defaults to 128 MiB. The least recently used index is evicted first. */
  readonly memoryBytes?: number;
  /** Fallback log for assessments that the store does not accept, such as a file from `openSpool`. Defaults to the memory of this process. */
  readonly safetySpool?: AssessmentSpool;
  /** Whether this process runs turns. Defaults to true. If false, it accepts messages and another process answers them. */
  readonly work?: boolean;
  /** Whether a `createCallbacks`, in this process or another one, sends the callbacks of runs. Defaults to false: no run has a `callback_url`. */
  readonly callbacks?: boolean;
}

/** A running Throughline without the additions of extensions. `Of` is the class of its session handles. */
export interface CoreRuntime<Of extends CoreSession> {
  readonly sessions: SessionsOf<Of>;
  readonly customers: CoreCustomers;
  readonly agents: Agents;
  readonly erasures: Erasures;
  readonly handovers: Handovers;
  /**
   * The store as the runtime uses it. Every commit through it passes the extensions that rewrite stored text. Use it for `importBundle` and for all
   * other writers to the same database.
   */
  readonly store: Store;
  /** Returns the API that an extension adds to a runtime, such as `runtime.extension(tickets).list()`. */
  extension<Api extends object>(extension: Extension<{ readonly runtime: Api }>): Api;
  /** Truncates old logs and deletes sessions that have been unused for long. Keeps the data that turns and forks need. */
  retain(options: RetentionOptions): Promise<RetentionReport>;
  /**
   * Stops claiming turns and waits up to `drainMs` (5,000 by default) for the running turns. Then releases the others so that they can be resumed.
   * Callers that still wait for an answer here get `aborted`. A store that was passed to the runtime stays open.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

const optionNames = Object.keys({
  store: true,
  extensions: true,
  agents: true,
  resources: true,
  clock: true,
  ids: true,
  logger: true,
  tracer: true,
  leaseMs: true,
  heartbeatMs: true,
  concurrency: true,
  pollMs: true,
  memoryBytes: true,
  safetySpool: true,
  work: true,
  callbacks: true,
} satisfies Record<keyof RuntimeOptions, true>);

/** Throws `input.invalid` unless the options are an object with known names. */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  if (!isPlainObject(options)) throw new ThroughlineError("input.invalid", `createRuntime takes one object of options, got ${seen(options)}.`);
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, optionNames);
  throw invalidAt(
    "input.invalid",
    unknown,
    `createRuntime has no option "${unknown}"${near === undefined ? "" : ` (did you mean "${near}"?)`}; it has ${optionNames.join(", ")}.`,
  );
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw invalidAt("input.invalid", name, `The runtime's ${name} is a whole number from 1, got ${seen(value)}.`);
}

/**
 * Returns the agents with the extensions of the runtime added. Guards run first, then the runtime's extensions, then the agent's own. Throws
 * `agent.invalid` if two extensions share a name.
 */
function withExtensions(agents: ReadonlyMap<string, Agent>, declared: readonly Declared[]): ReadonlyMap<string, Agent> {
  const given: unknown = declared;
  if (!Array.isArray(given)) throw invalidAt("input.invalid", "extensions", `The runtime's extensions are a list, got ${seen(declared)}.`);
  if (declared.length === 0) return agents;
  const made = declared.map(extensionOf);
  return new Map(
    [...agents].map(([name, agent]) => {
      const { state, stages, extensions: own } = agent;
      const tools = loopSettings(agent.reply)?.tools.map((tool) => tool.name);
      const extensions = checkExtensions({ name, state, stages: stages.map((stage) => stage.name), tools }, [...made, ...own]);
      const reply = withTools(agent.reply, made);
      checkTools(name, state, loopSettings(reply)?.tools ?? []);
      return [name, Object.freeze({ ...agent, reply, extensions })];
    }),
  );
}

/** Maximum bytes of the cached states of recently used sessions. */
const stateBytes = 64 * 1024 * 1024;

/** Returns a fallback log that passes every record through the extensions that rewrite stored text. */
const spoolThrough = (spool: AssessmentSpool, rewrite: Rewrite): AssessmentSpool => ({
  append: (record) => spool.append({ ...record, ...rewrite.value({ ...record }, { of: "fallback", name: "assessment" }) }),
  drain: (write) => spool.drain(write),
  ...(spool.waiting === undefined ? {} : { waiting: async () => (await spool.waiting?.()) ?? 0 }),
});

/** Starts a runtime. It answers accepted messages, including those that an earlier process left unanswered. `session` is the class of the session handles. */
export async function startRuntime<Of extends CoreSession>(
  options: RuntimeOptions,
  { session, kept }: { readonly session: SessionClass<Of>; readonly kept: Kept },
): Promise<CoreRuntime<Of>> {
  checkRuntimeOptions(options);
  const {
    store: given,
    agents,
    extensions: declared = [],
    resources = {},
    clock = systemClock,
    ids = createIds({ clock }),
    logger = defaultLogger(),
    tracer = noTracer,
  } = options;
  const {
    leaseMs = 30_000,
    heartbeatMs = Math.max(1, Math.floor(leaseMs / 6)),
    concurrency = 16,
    pollMs = 2_000,
    work = true,
    memoryBytes = 128 * 1024 * 1024,
    safetySpool,
    callbacks = false,
  } = options;
  if (typeof given?.commit !== "function") throw invalidAt("input.invalid", "store", "createRuntime needs a store; openStore opens one.");
  if (safetySpool !== undefined && typeof safetySpool.append !== "function")
    throw invalidAt("input.invalid", "safetySpool", "safetySpool must be made by openSpool of throughline/safety.");
  if (!Array.isArray(agents) || agents.length === 0) throw invalidAt("input.invalid", "agents", "createRuntime needs at least one agent.");
  const byName = withExtensions(collectAgents(agents as readonly Agent[]), declared);
  // All that differ, also where two agents have extensions of one name.
  const rewrite = rewriteBy([...new Set([...byName.values()].flatMap(({ extensions }) => extensions))]);
  const store = rewrite === undefined ? given : storeThrough(given, rewrite, { ids });
  const lease = { leaseMs: positive("leaseMs", leaseMs), heartbeatMs: positive("heartbeatMs", heartbeatMs) };
  if (lease.heartbeatMs * 2 > lease.leaseMs)
    throw new ThroughlineError("input.invalid", `heartbeatMs (${heartbeatMs}) must be at most half of leaseMs (${leaseMs}).`);

  const context: RuntimeContext = Object.freeze({
    store,
    agents: byName,
    resources: Object.freeze({ ...resources }),
    clock,
    ids,
    logger: quietLogger(logger),
    tracer: quietTracer(tracer),
    lease,
    safetySpool: safetySpool === undefined || rewrite === undefined ? safetySpool : spoolThrough(safetySpool, rewrite),
    ...present({ rewrite }),
    thrown: new Map(),
    turns: { running: 0, waiting: 0 },
    leases: new Set<HeldLease>(),
    unreleased: new Map(),
    drive: (session_id: SessionId) => void worker.drive(session_id).catch(() => {}),
    states: new StateCache({ store, clock }, { mostBytes: stateBytes }),
    memoryBytes: positive("memoryBytes", memoryBytes),
    callbacks,
    kept,
    worker: `${processName()}/${ids.trace().slice(0, 8)}`,
  });
  for (const extension of extensionsWith(context, "prepare")) extension.prepare(context);
  const worker = new Worker(context, { concurrency: positive("concurrency", concurrency), pollMs: positive("pollMs", pollMs), work });
  // Created first, so that a background worker that cannot be created prevents the runtime from starting.
  const background = extensionsWith(context, "background").map((extension) => extension.background(context, { pollMs, work }));
  worker.start();
  for (const beside of background) beside.start();
  const customers = createCustomers(context);
  return Object.freeze({
    customers,
    agents: createAgents(context),
    erasures: createErasures(store),
    handovers: createHandovers(store),
    store,
    extension: <Api extends object>(extension: Extension<{ readonly runtime: Api }>) => addedBy(context, extension).runtime,
    retain: async (retention: RetentionOptions) => retain(context, objectGiven(retention, "retain")),
    sessions: createSessions(context, { worker, customers, session }),
    close: async (closing: { readonly drainMs?: number } = {}) => {
      await Promise.all([worker.close(closing.drainMs ?? 5_000), ...background.map((beside) => beside.close())]);
      context.states.close();
    },
  });
}
