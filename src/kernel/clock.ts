import { setTimeout as delay } from "node:timers/promises";

/** Time, as a port. All times are integer milliseconds. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. It may step back when the machine's clock is set. */
  now(): number;
  /** Milliseconds with a fraction from an arbitrary start; it never steps back. For durations. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A timer takes 31 bits; one that is asked for more ends at once. */
const longestTimerMs = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      let left = ms;
      do {
        await delay(Math.min(left, longestTimerMs), undefined, signal === undefined ? {} : { signal });
        left -= longestTimerMs;
      } while (left > 0);
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
