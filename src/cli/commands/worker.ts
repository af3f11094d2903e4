import { ThroughlineError } from "../../kernel/error.ts";
import type { Logger } from "../../kernel/log.ts";
import type { Tracer } from "../../kernel/trace.ts";
import type { Agent } from "../../runtime/agent.ts";
import { createRuntime, type Runtime } from "../../runtime/runtime.ts";
import type { Store } from "../../store/port.ts";
import type { CommandContext } from "../context.ts";
import { loadAgent } from "../load-agent.ts";
import { openLocation, shown, withoutSecret } from "../location.ts";
import { printable } from "../text.ts";

/** Options of the command, in the units of the command line. */
export interface WorkerCommandOptions {
  /** Modules that export an agent each; the example diary if there is none. */
  readonly agents: readonly string[];
  /** Turns at the same time. */
  readonly concurrency: number;
  /** Seconds until a lease that is not renewed runs out. */
  readonly lease: number;
  /** Seconds to wait for turns at work once it is to end. */
  readonly drain: number;
}

/** A lease is renewed so often before it runs out. */
const renewals = 6;

/** Milliseconds after the second signal until what does not answer is left behind: its leases run out by themselves. */
const patienceMs = 2_000;

/** How often a turn came to its end here, and how often it was left for another process. */
interface Count {
  ended: number;
  left: number;
}

/** Counts turns. What a turn ends as is in its log. */
const counting = (count: Count): Tracer => ({
  async span(name, _attributes, work) {
    if (name !== "turn") return work();
    try {
      const result = await work();
      count.ended += 1;
      return result;
    } catch (error) {
      count.left += 1;
      throw error;
    }
  },
});

/** One line a remark, on standard error. Fields hold ids, codes and numbers, never what somebody wrote. */
function remarks({ output, location }: CommandContext): Logger {
  const line =
    (level: string): Logger["info"] =>
    (message, fields = {}) => {
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
      output.err.line(printable(withoutSecret(`${level}: ${message}${rest.join("")}`, location)));
    };
  return { debug: () => {}, info: line("info"), warn: line("warning"), error: line("error") };
}

/** `worker`: runs the turns of one database until it is told to end: by SIGTERM or SIGINT, gracefully; by a second one, at once. */
export async function worker(context: CommandContext, options: WorkerCommandOptions): Promise<void> {
  const { output, location } = context;
  if (location === ":memory:")
    throw new ThroughlineError("cli.usage", "A worker needs a database that other processes reach; :memory: is none.", {
      hint: "Name it: --store ./app.db, or a postgres:// URL.",
    });
  const signals = listenForSignals();
  const agents = await loadAgents(options.agents);
  const store = await openLocation(context, { create: true });
  const count: Count = { ended: 0, left: 0 };
  const names = agents.map(({ name, version }) => `${name} (definition ${version})`).join(", ");
  try {
    const leaseMs = options.lease * 1000;
    const runtime = await createRuntime({
      store,
      agents,
      concurrency: options.concurrency,
      leaseMs,
      heartbeatMs: Math.floor(leaseMs / renewals),
      logger: remarks(context),
      tracer: counting(count),
    });
    const ready = `Ready: running ${names} on ${shown(location)}, up to ${options.concurrency} turns at the same time, as process ${process.pid}.`;
    (output.json ? output.err : output.out).line(printable(ready));
    const signal = await signals.first;
    await drain(runtime, store, options.drain * 1000, signals.second);
    if (output.json) output.document({ signal, turns_ended: count.ended, turns_left: count.left });
    else output.out.line(`Ended on ${signal}: ${count.ended} turns ended here, ${count.left} were left for another process.`);
  } finally {
    signals.stop();
  }
}

async function loadAgents(modules: readonly string[]): Promise<readonly Agent[]> {
  if (modules.length === 0) return [await loadAgent(undefined)];
  return Promise.all(modules.map((module) => loadAgent(module)));
}

/** Ends what is under way: in peace, and after the second signal at once. */
async function drain(runtime: Runtime, store: Store, drainMs: number, hurry: Promise<unknown>): Promise<void> {
  const closed = runtime.close({ drainMs }).then(() => store.close());
  const hurried = hurry.then(async () => {
    const timer = Promise.withResolvers<void>();
    setTimeout(timer.resolve, patienceMs);
    await Promise.race([runtime.close({ drainMs: 0 }), timer.promise]);
  });
  await Promise.race([closed, hurried]);
}

interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
  stop(): void;
}

function listenForSignals(): Signals {
  const first = Promise.withResolvers<NodeJS.Signals>();
  const second = Promise.withResolvers<NodeJS.Signals>();
  let heard = 0;
  const hear = (signal: NodeJS.Signals): void => {
    heard += 1;
    (heard === 1 ? first : second).resolve(signal);
  };
  const names = ["SIGTERM", "SIGINT"] as const;
  for (const name of names) process.on(name, hear);
  return {
    first: first.promise,
    second: second.promise,
    stop: () => {
      for (const name of names) process.off(name, hear);
    },
  };
}
