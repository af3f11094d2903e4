import { addedBy, checkExtensions, extensionsWith, type Declared, type Extension, type Kept } from "../extension/port.ts";
import { rewriteBy, storeThrough, type Rewrite } from "../extension/stored.ts";
import { systemClock, type Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { createIds, type Ids } from "../kernel/id.ts";
import { isPlainObject, objectGiven } from "../kernel/json.ts";
import { type Logger, noTracer, quietLogger, quietTracer, silentLogger, type Tracer } from "../kernel/log.ts";
import { processName } from "../kernel/process.ts";
import type { AssessmentSpool } from "../safety/assessment.ts";
import type { Store } from "../store/port.ts";
import type { Agent } from "./agent/agent.ts";
import type { Resources } from "../extension/stage.ts";
import type { RuntimeContext } from "./context.ts";
import { createCustomers, type CoreCustomers } from "./commands/customers.ts";
import { createErasures, type Erasures } from "./reading/erasures.ts";
import { createHandovers, type Handovers } from "./reading/handovers.ts";
import { retain, type RetentionOptions, type RetentionReport } from "./commands/retention.ts";
import type { CoreSession, SessionClass } from "./session.ts";
import { createSessions, type SessionsOf } from "./sessions.ts";
import { collectAgents } from "./subagent/collect.ts";
import { createAgents, type Agents } from "./variables/agents.ts";
import { StateCache } from "./turn/state-cache.ts";
import { Worker } from "./turn/worker.ts";

/** Options of `createRuntime`. */
export interface RuntimeOptions {
  /** An open store. The runtime uses it and does not close it. */
  readonly store: Store;
  /** Features that take part in the turns of all agents, besides each agent's own: telemetry, webhooks, rate limits, redaction. */
  readonly extensions?: readonly Declared[];
  /** Agents that sessions are opened with. Child agents among their tools are known with them. */
  readonly agents: readonly Agent[];
  /** Clients, caches and secrets for stages and tools; never stored. */
  readonly resources?: Resources;
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Silent by default. */
  readonly logger?: Logger;
  /** Records nothing by default. */
  readonly tracer?: Tracer;
  /** Milliseconds until a lease that is not renewed runs out; 30,000 by default. */
  readonly leaseMs?: number;
  /** Milliseconds between renewals, at most half of `leaseMs`; a sixth of it by default. */
  readonly heartbeatMs?: number;
  /** Turns at work at the same time, in different sessions; 16 by default. */
  readonly concurrency?: number;
  /** Milliseconds between looks for turns that nobody works on; 2,000 by default. */
  readonly pollMs?: number;
  /** Bytes that the indexes of people's memories may take in this process; 128 MiB by default. What was not used for the longest time goes. */
  readonly memoryBytes?: number;
  /** Where assessments wait that the store does not take, such as a file of `openSpool`; by default in this process. */
  readonly safetySpool?: AssessmentSpool;
  /** Whether this process runs turns; true by default. Without, it accepts messages and another process answers them. */
  readonly work?: boolean;
}

/** A running Throughline, without what extensions add; `Of`: the class of its sessions' handles. */
export interface CoreRuntime<Of extends CoreSession> {
  readonly sessions: SessionsOf<Of>;
  readonly customers: CoreCustomers;
  readonly agents: Agents;
  readonly erasures: Erasures;
  readonly handovers: Handovers;
  /**
   * The store as the runtime uses it: what is committed through it passes the extensions that rewrite what is stored. Give it to `importBundle`, and to whatever else
   * writes to the same database.
   */
  readonly store: Store;
  /** What an extension adds to a runtime, such as `runtime.extension(tickets).list()`. */
  extension<Api extends object>(extension: Extension<{ readonly runtime: Api }>): Api;
  /** Lets logs begin later, and removes sessions that nobody has used for long; what must stay for turns and for forks stays. */
  retain(options: RetentionOptions): Promise<RetentionReport>;
  /** Takes up no more turns, waits up to `drainMs` (5,000 by default) for those at work, and gives the rest back to be resumed; whoever still waits for an answer here gets `aborted`. The store stays open. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new ThroughlineError("input.invalid", `The runtime's ${name} is a whole number from 1, got ${seen(value)}.`, { details: { path: name } });
}

/** The agents with the extensions of the runtime, which come before their own; guards are before all. `agent.invalid` for two of one name. */
function withExtensions(agents: ReadonlyMap<string, Agent>, declared: readonly Declared[]): ReadonlyMap<string, Agent> {
  const given: unknown = declared;
  if (!Array.isArray(given))
    throw new ThroughlineError("input.invalid", `The runtime's extensions are a list, got ${seen(declared)}.`, { details: { path: "extensions" } });
  if (declared.length === 0) return agents;
  return new Map(
    [...agents].map(([name, agent]) => {
      const { state, stages, extensions: own } = agent;
      const extensions = checkExtensions({ name, state, stages: stages.map((stage) => stage.name) }, [...declared, ...own]);
      return [name, Object.freeze({ ...agent, extensions })];
    }),
  );
}

/** What the states of recently used sessions may take in memory. */
const stateBytes = 64 * 1024 * 1024;

/** A spool of which every record passes the extensions that rewrite what is stored. */
const spoolThrough = (spool: AssessmentSpool, rewrite: Rewrite): AssessmentSpool => ({
  append: (record) => spool.append({ ...record, ...rewrite.value({ ...record }, { of: "fallback", name: "assessment" }) }),
  drain: (write) => spool.drain(write),
  ...(spool.waiting === undefined ? {} : { waiting: async () => (await spool.waiting?.()) ?? 0 }),
});

/** Starts a runtime: it answers accepted messages, beginning with those that an earlier process left. `session`: the class of its sessions' handles. */
export async function startRuntime<Of extends CoreSession>(
  options: RuntimeOptions,
  { session, kept }: { readonly session: SessionClass<Of>; readonly kept: Kept },
): Promise<CoreRuntime<Of>> {
  if (!isPlainObject(options)) throw new ThroughlineError("input.invalid", `createRuntime takes one object of options, got ${seen(options)}.`);
  const {
    store: given,
    agents,
    extensions: declared = [],
    resources = {},
    clock = systemClock,
    ids = createIds({ clock }),
    logger = silentLogger,
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
  } = options;
  if (typeof given?.commit !== "function")
    throw new ThroughlineError("input.invalid", "createRuntime needs a store; openStore opens one.", { details: { path: "store" } });
  if (safetySpool !== undefined && typeof safetySpool.append !== "function")
    throw new ThroughlineError("input.invalid", "The runtime's safetySpool is made by openSpool of throughline/safety.", {
      details: { path: "safetySpool" },
    });
  if (!Array.isArray(agents) || agents.length === 0)
    throw new ThroughlineError("input.invalid", "createRuntime needs at least one agent.", { details: { path: "agents" } });
  const byName = withExtensions(collectAgents(agents as readonly Agent[]), declared);
  const rewrite = rewriteBy(extensionsWith({ agents: byName }, "store"));
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
    ...(rewrite === undefined ? {} : { rewrite }),
    states: new StateCache({ store, clock }, { mostBytes: stateBytes }),
    memoryBytes: positive("memoryBytes", memoryBytes),
    kept,
    worker: `${processName()}/${ids.trace().slice(0, 8)}`,
  });
  for (const extension of extensionsWith(context, "prepare")) extension.prepare(context);
  const worker = new Worker(context, { concurrency: positive("concurrency", concurrency), pollMs: positive("pollMs", pollMs), work });
  // Before anything runs: a background worker that cannot be made keeps the runtime from starting.
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
