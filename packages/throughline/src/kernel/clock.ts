import { setTimeout as delay } from "node:timers/promises";

/** The clock, as a port. All times are in milliseconds. */
export interface Clock {
  /** Whole milliseconds since 1970-01-01 UTC. It may jump back when the machine's clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start, with a fraction. It never goes back. For durations. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Maximum delay of a Node timer: 31 bits. A timer with a longer delay fires immediately. */
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
