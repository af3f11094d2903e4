import type { Clock } from "../kernel/clock.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Ids } from "../kernel/id.ts";
import type { Logger, Tracer } from "../kernel/log.ts";
import type { Rewrite } from "../extension/stored.ts";
import type { Store } from "../store/port.ts";
import type { Agent } from "./agent/agent.ts";
import type { Resources } from "../extension/stage.ts";
import type { LeaseOptions } from "./turn/lease.ts";
import type { StateCache } from "./turn/state-cache.ts";
import type { Kept } from "../extension/port.ts";
import type { AssessmentSpool } from "../safety/assessment.ts";

/** Everything the runtime's functions share: frozen, made once by createRuntime. */
export interface RuntimeContext {
  readonly store: Store;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly resources: Resources;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly lease: LeaseOptions;
  /** Rewrites what is stored; undefined where no extension does. The store does so with every commit. */
  readonly rewrite?: Rewrite | undefined;
  /** States of sessions that this process has used lately. */
  readonly states: StateCache;
  /** Bytes that the indexes of people's memories may take in this process. */
  readonly memoryBytes: number;
  /** Extensions that look after what they keep in the database, whether or not an agent declares them. */
  readonly kept: Kept;
  /** Where assessments wait that the store does not take. */
  readonly safetySpool: AssessmentSpool | undefined;
  /** Names this process in leases: `host/pid/…`. */
  readonly worker: string;
}

/** The agent of that name; `agent.not_found` names those there are. */
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
