/** Time, randomness and ids that are the same in every run, and seeded choices for repeatable checks. */
import type { Clock } from "../kernel/clock.ts";
import { createIds, type Ids } from "../kernel/id.ts";
import type { Random } from "../kernel/random.ts";

/** Seeded random choices for repeatable checks. */
export interface Chooser {
  /** Returns an integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. There must be at least one. */
  one<Item>(items: readonly Item[]): Item;
  /** Returns a part to spread with the given probability, else an empty object. */
  maybe<Part extends object>(probability: number, part: () => Part): Part | Record<never, never>;
  list<Item>(most: number, item: (index: number) => Item): readonly Item[];
}

/** Returns a generator of numbers from 0 to 2³² − 1 that repeats for the same seed (mulberry32). For tests, never for secrets. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Creates a chooser from a seed. */
export function createChooser(seed: number): Chooser {
  const numbers = numbersFrom(seed);
  const next = (): number => numbers() / 2 ** 32;
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const chance = (probability: number): boolean => next() < probability;
  return {
    integer,
    chance,
    // The index is in range, but the item itself may be undefined.
    one: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)] as Item,
    maybe: (probability, part) => (chance(probability) ? part() : {}),
    list: (most, item) => Array.from({ length: integer(0, most) }, (_, index) => item(index)),
  };
}

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
