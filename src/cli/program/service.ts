/** What the commands share that run until they are told to end. */
import type { Logger } from "../../kernel/log.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { createRuntime, type Runtime } from "../../runtime/runtime.ts";
import type { Store } from "../../store/port.ts";
import type { ServiceContext } from "../context.ts";
import { loadAgent } from "../load-agent.ts";
import { openLocation, withoutSecret } from "../location.ts";
import { logLines } from "../log-lines.ts";
import { spoolBeside } from "../spool.ts";
import { counting, type TurnCount } from "../turn-count.ts";

/** A database with agents at work on it. */
export interface Service {
  readonly agents: readonly Agent[];
  readonly store: Store;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly count: TurnCount;
}

/** A lease is renewed so often before it runs out. */
const renewals = 6;

/** Opens the database and sets the agents to work, as the settings say. */
export async function openService(context: ServiceContext): Promise<Service> {
  const { settings, output, clock, location } = context;
  const { worker, log } = settings;
  const logger = logLines((line) => output.err.line(line), { ...log, clock, hide: (text) => withoutSecret(text, location) });
  const modules = settings.agents.length === 0 ? [undefined] : settings.agents;
  const agents = await Promise.all(modules.map((module) => loadAgent(module)));
  const store = await openLocation(context, { create: true, logger });
  const count: TurnCount = { ended: 0, left: 0 };
  const leaseMs = worker.lease_seconds * 1000;
  const safetySpool = spoolBeside(location);
  try {
    const runtime = await createRuntime({
      store,
      agents,
      ...(safetySpool === undefined ? {} : { safetySpool }),
      work: worker.enabled,
      concurrency: worker.concurrency,
      leaseMs,
      heartbeatMs: Math.floor(leaseMs / renewals),
      logger,
      tracer: counting(count),
    });
    return { agents, store, runtime, logger, count };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Agents by name and version. */
export const namesOf = (agents: readonly Agent[]): string => agents.map(({ name, version }) => `${name} (definition ${version})`).join(", ");
