import type { Clock } from "../kernel/clock.ts";
import { createIds, type Ids } from "../kernel/id.ts";
import type { Random } from "../kernel/random.ts";
import { numbersFrom } from "./chooser.ts";

/** A clock that stands still until it is moved. Sleeps end when it has passed their time. */
export interface FixedClock extends Clock {
  /** Moves the clock by `ms`, also backwards, and wakes due sleepers. Durations only grow. */
  advance(ms: number): void;
}

/** A clock that begins at `start` (2026-01-01 by default). */
export function fixedClock(start: number = Date.UTC(2026, 0, 1)): FixedClock {
  let now = start;
  let elapsed = 0;
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => elapsed,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const sleeper = { until: elapsed + ms, wake: () => settle(resolve) };
        const abort = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const settle = (done: () => void): void => {
          signal?.removeEventListener("abort", abort);
          done();
        };
        signal?.addEventListener("abort", abort, { once: true });
        sleepers.push(sleeper);
      }),
    advance(ms) {
      now += ms;
      elapsed += Math.max(0, ms);
      const due = sleepers.filter((sleeper) => sleeper.until <= elapsed);
      sleepers = sleepers.filter((sleeper) => sleeper.until > elapsed);
      for (const sleeper of due) sleeper.wake();
    },
  };
}

/** Randomness that repeats itself for the same seed: for tests, never for secrets. */
export function fixedRandom(seed = 1): Random {
  const next = numbersFrom(seed);
  return { bytes: (size) => Uint8Array.from({ length: size }, () => next() & 255) };
}

/** Ids that are the same in every run. */
export const fixedIds = (clock: Clock = fixedClock(), seed = 1): Ids => createIds({ clock, random: fixedRandom(seed) });
