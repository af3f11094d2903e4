import { chance, now } from "./ambient.ts";

/** How long to wait between tries. */
export interface Backoff {
  /** Milliseconds before the second try; they double from try to try. */
  readonly firstMs: number;
  /** Milliseconds at most. */
  readonly mostMs: number;
}

/** Milliseconds until the next try. Half of the wait is random, so that callers that failed together do not return together. */
export function waitAfter(tries: number, { firstMs, mostMs }: Backoff): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30));
  return most / 2 + (most / 2) * chance();
}

/** A `Retry-After` header in milliseconds: seconds, or the time of day that a proxy may send. */
export function retryAfterOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}

/** Waits; returns early when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted === true) done();
    else signal?.addEventListener("abort", done, { once: true });
  });
}
