/** The faults of a cluster, each tried on a new one under load. */
import { setTimeout as delay } from "node:timers/promises";
import { type Cluster, startCluster } from "./cluster.ts";
import { startLoad } from "./load.ts";
import type { Programs } from "./programs.ts";

export interface Fault {
  readonly what: string;
  readonly synchronous: boolean;
  /** Whether acknowledged messages may be lost. */
  readonly mayLose: boolean;
  /** Does the harm. Returns what undoes a part of it once clients write again. */
  readonly harm: (cluster: Cluster) => Promise<(() => void) | undefined>;
}

export const faults: Readonly<Record<string, Fault>> = {
  kill: {
    what: "the primary is killed with its Patroni; synchronous standby",
    synchronous: true,
    mayLose: false,
    harm: async (cluster) => {
      await cluster.killPrimary();
      return undefined;
    },
  },
  switchover: {
    what: "an operator makes the standby the primary; synchronous standby",
    synchronous: true,
    mayLose: false,
    harm: async (cluster) => {
      await cluster.switchOver();
      return undefined;
    },
  },
  cut: {
    what: "the primary is cut off from everybody, and comes back later; synchronous standby",
    synchronous: true,
    mayLose: false,
    harm: (cluster) => cluster.cutPrimary(),
  },
  asynchronous: {
    what: "the primary is killed two seconds after its asynchronous standby has lost it",
    synchronous: false,
    mayLose: true,
    harm: async (cluster) => {
      await cluster.cutReplication();
      await delay(2_000);
      await cluster.killPrimary();
      return undefined;
    },
  },
};

export interface FaultReport {
  readonly acknowledged: number;
  readonly lost: number;
  readonly twice: number;
  readonly answered: number;
  /** The longest time without an acknowledged message. */
  readonly gapMs: number;
  readonly failed: number;
}

const patienceMs = 120_000;

/** Writes for `seconds`, does the harm, waits until clients write again, and writes for `seconds` more. */
export async function runFault(programs: Programs, fault: Fault, { seconds }: { readonly seconds: number }): Promise<FaultReport> {
  const cluster = await startCluster(programs, fault);
  try {
    const load = await startLoad(cluster);
    await delay(seconds * 1000);
    const undo = await fault.harm(cluster);
    const end = performance.now() + patienceMs;
    await delay(3_000);
    // Written again: every message of the last second was acknowledged without a pause of half a second.
    while (performance.now() < end && !isSteady(load.times)) await delay(250);
    undo?.();
    await delay(seconds * 1000);
    const { times, failed } = load;
    const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
    const counts = await load.end();
    return { ...counts, gapMs: Math.max(...gaps), failed };
  } finally {
    await cluster.stop();
  }
}

function isSteady(times: readonly number[]): boolean {
  const now = performance.now();
  const recent = times.filter((time) => time > now - 1_000);
  return recent.length > 0 && [...recent, now].every((time, index) => time - (recent[index - 1] ?? now - 1_000) < 500);
}
