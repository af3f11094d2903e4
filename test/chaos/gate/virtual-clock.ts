/** Time that passes only when nobody has anything else to do: a stall of half a minute costs none, and what waits for nothing is seen to wait for nothing. */
import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../../packages/throughline/src/kernel/clock.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";

export interface VirtualClock {
  /** For the runtime: its time of day can be set wrong. */
  readonly clock: Clock;
  /** For the store, whose machine keeps its own time. */
  readonly storeClock: Clock;
  /** Sets the time of day of the runtime's machine, by so many milliseconds from the right one. */
  jump(ms: number): void;
  /** Milliseconds that have passed. */
  elapsed(): number;
  /** Lets time pass until the work is done. Rejects after `most` milliseconds of it. */
  run<Result>(work: Promise<Result>, most: number): Promise<Result>;
  /** Counts work outside of this process, such as a database's: while there is some, time stands still. */
  readonly outside: { count: number };
}

/** Rounds of the event loop in which nothing happens, until it is believed that nothing will. */
const quietRounds = 3;
/** Where there is patience, a wait is not over before so many times of it have really passed. */
const mostPatience = 1_000;

/** `patienceMs`: real time that passes besides, for what comes from other threads and processes. */
export function virtualClock({ patienceMs = 0 }: { readonly patienceMs?: number } = {}): VirtualClock {
  const real = fixedClock();
  const wakes = new Map<symbol, number>();
  const outside = { count: 0 };
  const monotonic = (): number => real.monotonic();
  let wrong = 0;
  let begun = 0;
  const sleep: Clock["sleep"] = async (ms, signal) => {
    const key = Symbol("sleep");
    wakes.set(key, real.monotonic() + ms);
    begun += 1;
    try {
      await real.sleep(ms, signal);
    } finally {
      wakes.delete(key);
    }
  };
  const next = (): number => Math.min(...wakes.values());
  /** Lets time pass up to the next one who sleeps, once nobody moves and it is not over. */
  const pass = async (isOver: () => boolean): Promise<void> => {
    let quiet = 0;
    for (let seen = begun; quiet < quietRounds; quiet++) {
      await (patienceMs > 0 && quiet === quietRounds - 1 ? pause(patienceMs) : breathe());
      if (isOver()) return;
      if (outside.count > 0 || seen !== begun) quiet = -1;
      seen = begun;
    }
    const at = next();
    if (Number.isFinite(at)) real.advance(Math.max(0, at - real.monotonic()));
  };
  return {
    clock: { now: () => real.now() + wrong, monotonic, sleep },
    storeClock: { now: () => real.now(), monotonic, sleep },
    jump: (ms) => {
      wrong = ms;
    },
    elapsed: monotonic,
    outside,
    async run(work, most) {
      const until = real.monotonic() + most;
      // A database with a clock of its own lets go of a lease by that: a quick machine must not be done with waiting before.
      const began = performance.now();
      const isWaiting = (): boolean => real.monotonic() <= until || performance.now() - began < patienceMs * mostPatience;
      const state = { over: false };
      const settled = (async () => {
        await Promise.allSettled([work]);
        state.over = true;
      })();
      const isOver = (): boolean => state.over;
      await breathe();
      while (!isOver() && isWaiting()) await pass(isOver);
      if (!isOver()) throw new Error(`Nothing came of it in ${most} ms.`);
      await settled;
      return work;
    },
  };
}
