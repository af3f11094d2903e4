import type { Clock } from "../../../packages/throughline/src/index.ts";

/** A clock that stands where it is put; waiting takes real time. */
export function clockAt(at: number): Clock & { set(to: number): void } {
  let now = at;
  return {
    now: () => now,
    set: (to) => void (now = to),
    monotonic: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
      }),
  };
}

export const dayMs = 24 * 60 * 60 * 1_000;
export const hourMs = 60 * 60 * 1_000;
