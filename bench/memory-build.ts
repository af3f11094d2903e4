/** How long a process takes to read a long memory for the first time, and how long it answers nobody else meanwhile. */
import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { openStore } from "../packages/throughline/src/index.ts";
import { systemClock } from "../packages/throughline/src/kernel/clock.ts";
import { silentLogger } from "../packages/throughline/src/kernel/log.ts";
import type { OwnerId, SessionId } from "../packages/throughline/src/kernel/id.ts";
import { turnEntryId } from "../packages/throughline/src/memory/entry.ts";
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import { memory } from "../packages/throughline/src/memory/memory-extension.ts";
import { encodeEntry } from "../packages/throughline/src/memory/write/decode.ts";
import { MemoryCache } from "../packages/throughline/src/memory/keep/memory-cache.ts";

const owner_id = "owner of the benchmark" as OwnerId;
/** Entries of one commit. */
const batch = 500;

/** What building it took. */
export interface Built {
  /** From the first row to the last. */
  readonly ms: number;
  /** The longest time without a turn of the event loop, less what V8 collected garbage in it. */
  readonly sliceMs: number;
  /** The same with it. */
  readonly heldMs: number;
}

/** A stretch of time. */
interface Stretch {
  readonly from: number;
  readonly upto: number;
}

/** Watches the event loop until told to stop; gives the stretches between its turns. */
function watch(): () => readonly Stretch[] {
  const stretches: Stretch[] = [];
  let from = performance.now();
  let isOver = false;
  const look = (): void => {
    const upto = performance.now();
    stretches.push({ from, upto });
    from = upto;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return [...stretches, { from, upto: performance.now() }];
  };
}

/** Notes when V8 collects garbage, until told to stop. */
function collections(): () => Promise<readonly Stretch[]> {
  const pauses: Stretch[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, upto: startTime + duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  return async () => {
    // What was seen is told in a later turn of the event loop.
    await setTimeout(5);
    observer.disconnect();
    return pauses;
  };
}

/** Milliseconds of a stretch that are in none of the pauses. */
const without = (pauses: readonly Stretch[], { from, upto }: Stretch): number =>
  upto - from - pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(upto, pause.upto) - Math.max(from, pause.from)), 0);

/** Writes the units into a store, as turns, and has the runtime read them `rounds` times, each time anew. */
export async function build(units: readonly MemoryUnit[], rounds: number): Promise<readonly Built[]> {
  const store = await openStore(":memory:");
  for (let from = 0; from < units.length; from += batch) {
    const entries = units.slice(from, from + batch).map(({ group, seq, at, text }) => {
      const session_id = group.replace(" ", "_") as SessionId;
      const turn = { type: "turn", text, source: { session_id, offset: seq, at }, episode: 0, recorded_at: at, sensitivity: "ordinary" } as const;
      return encodeEntry(turnEntryId(session_id, seq), turn);
    });
    await store.commit({ commit_id: `entries ${from}`, at: from, owner: { owner_id, entries, ...(from === 0 ? { create: {} } : {}) } });
  }
  const built: Built[] = [];
  for (let round = 0; round < rounds; round++) {
    const cache = new MemoryCache({ store, clock: systemClock, logger: silentLogger }, { mostBytes: Number.POSITIVE_INFINITY });
    const collected = collections();
    const stop = watch();
    const began = performance.now();
    const { completing, view } = await cache.of(owner_id, memory());
    await completing;
    const ms = performance.now() - began;
    const stretches = stop();
    const pauses = await collected();
    const heldMs = Math.max(...stretches.map(({ from, upto }) => upto - from));
    built.push({ ms, sliceMs: Math.max(...stretches.map((stretch) => without(pauses, stretch))), heldMs });
    if (view.index.size !== units.length) throw new Error(`${view.index.size} of ${units.length} entries were read.`);
  }
  await store.close();
  return built;
}
