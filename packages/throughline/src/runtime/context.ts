import type { Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Ids, SessionId, TurnId } from "../kernel/id.ts";
import type { Logger, Tracer } from "../kernel/log.ts";
import type { Rewrite } from "../extension/stored.ts";
import type { ReleaseRequest, Store } from "../store/port.ts";
import type { Agent } from "./agent/agent.ts";
import type { Resources } from "../extension/stage.ts";
import type { HeldLease, LeaseOptions } from "./turn/lease.ts";
import type { StateCache } from "./turn/state-cache.ts";
import type { Kept } from "../extension/port.ts";
import type { AssessmentSpool } from "../safety/assessment.ts";

/** Shared dependencies of the runtime's functions. `createRuntime` creates it once, frozen. */
export interface RuntimeContext {
  readonly store: Store;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly lease: LeaseOptions;
  /** Rewrites stored text. The store applies it to every commit. Undefined if no extension rewrites. */
  readonly rewrite?: Rewrite | undefined;
  /** What the turns threw that failed in this process most recently. It is never stored. */
  readonly thrown: Map<TurnId, unknown>;
  /** Cache of the states of sessions that this process used recently. */
  readonly states: StateCache;
  /** Maximum bytes of the memory indexes of all owners in this process. */
  readonly memoryBytes: number;
  /** Whether callbacks of runs are sent from the database. */
  readonly callbacks: boolean;
  /** Extensions that maintain their own stored data, whether or not an agent declares them. */
  readonly kept: Kept;
  /** Fallback log for assessments that the store does not accept. */
  readonly safetySpool: AssessmentSpool | undefined;
  /** Number of sessions whose turns this process runs now, and of those whose turns wait for a free slot. The worker counts them. */
  readonly turns: { running: number; waiting: number };
  /** Leases of the turns that this process runs now. */
  readonly leases: Set<HeldLease>;
  /** Leases that could not be released because the database was away. The worker releases them once it answers. */
  readonly unreleased: Map<SessionId, ReleaseRequest>;
  /** Runs the queued turns of a session now, if this process runs turns. */
  readonly drive: (session_id: SessionId) => void;
  /** Names this process in leases: `host/pid/…`. */
  readonly worker: string;
}

/** Returns the agent with that name. Throws `agent.not_found`, which lists the registered names. */
export function agentOf(context: Pick<RuntimeContext, "agents">, name: string): Agent {
  const agent = context.agents.get(name);
  if (agent !== undefined) return agent;
  throw new ThroughlineError(
    "agent.not_found",
    `No agent ${seen(name)} is registered; there are: ${[...context.agents.keys()].join(", ") || "none"}.`,
    {
      details: { agent: name },
    },
  );
}
