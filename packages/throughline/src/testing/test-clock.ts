import type { Clock } from "../kernel/clock.ts";
import { createIds, type Ids } from "../kernel/id.ts";
import type { Random } from "../kernel/random.ts";
import { numbersFrom } from "./chooser.ts";

/** A clock that stands still until it is advanced. A sleep ends when the clock has passed its time. */
export interface FixedClock extends Clock {
  /** Moves the clock by `ms`, which may be negative, and wakes due sleepers. Monotonic time only grows. */
  advance(ms: number): void;
}

/** Creates a clock that starts at `start`, default 2026-01-01. */
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

/** Creates randomness that repeats for the same seed. For tests, never for secrets. */
export function fixedRandom(seed = 1): Random {
  const next = numbersFrom(seed);
  return { bytes: (size) => Uint8Array.from({ length: size }, () => next() & 255) };
}

/** Creates ids that are the same in every run. */
export const fixedIds = (clock: Clock = fixedClock(), seed = 1): Ids => createIds({ clock, random: fixedRandom(seed) });
