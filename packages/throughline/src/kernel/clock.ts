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

/** Resolves after `ms` milliseconds, or rejects with the signal's reason. A promise of `node:timers` would make an error for each abort, with its stack. */
const timer = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(running);
      reject(signal?.reason as unknown);
    };
    const running = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    for (let left = ms; ;) {
      signal?.throwIfAborted();
      await timer(Math.min(left, longestTimerMs), signal);
      left -= longestTimerMs;
      // Also for a time that is not a number.
      if (!(left > 0)) return;
    }
  },
};
