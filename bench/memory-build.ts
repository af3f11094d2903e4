/** How long a process takes to read a long memory for the first time, and how long it answers nobody else meanwhile. */
import { openStore } from "../src/index.ts";
import { systemClock } from "../src/kernel/clock.ts";
import { silentLogger } from "../src/kernel/log.ts";
import type { OwnerId, SessionId } from "../src/kernel/id.ts";
import { turnEntryId } from "../src/memory/entry.ts";
import type { MemoryUnit } from "../src/memory/recall/unit.ts";
import { memory } from "../src/memory/settings.ts";
import { encodeEntry } from "../src/memory/write/decode.ts";
import { MemoryCache } from "../src/runtime/memory/cache.ts";

const owner_id = "owner of the benchmark" as OwnerId;
/** Entries of one commit. */
const batch = 500;

/** What building it took. */
export interface Built {
  /** From the first row to the last. */
  readonly ms: number;
  /** The longest time without a turn of the event loop. */
  readonly sliceMs: number;
}

/** Watches the event loop until told to stop; gives the longest time between two of its turns. */
function watch(): () => number {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return () => {
    isOver = true;
    return Math.max(longest, performance.now() - last);
  };
}

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
    const stop = watch();
    const began = performance.now();
    const { completing, view } = await cache.of(owner_id, memory());
    await completing;
    built.push({ ms: performance.now() - began, sliceMs: stop() });
    if (view.index.size !== units.length) throw new Error(`${view.index.size} of ${units.length} entries were read.`);
  }
  await store.close();
  return built;
}
