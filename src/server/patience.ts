/** How long a customer's message may be worked on before its sender is answered without the database. */
import type { Clock } from "../kernel/clock.ts";
import { inTime } from "../kernel/deadline.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { unknownOutcome } from "../kernel/outcome.ts";

/** The time that a request may spend waiting for the service's own parts. Waiting for the client does not count. */
export interface Patience {
  /** Resolves with `work`; fails with `store.unreachable`, with an unknown outcome, once the request has spent its time. */
  spend<Result>(work: Promise<Result>): Promise<Result>;
  /** Aborts when the time is spent: what still runs then answers nobody. */
  readonly spent: AbortSignal;
}

/** For requests without a limit. */
export const endless: Patience = Object.freeze({ spend: <Result>(work: Promise<Result>) => work, spent: new AbortController().signal });

/** Allows `ms` milliseconds. */
export function createPatience(clock: Clock, ms: number): Patience {
  const spent = new AbortController();
  let left = ms;
  const late = (): Error => {
    spent.abort();
    return new ThroughlineError("store.unreachable", `The message was not taken within ${ms} ms.`, { details: unknownOutcome });
  };
  return {
    spent: spent.signal,
    async spend(work) {
      const began = clock.monotonic();
      try {
        return await inTime(clock, work, { ms: Math.max(0, left), late });
      } finally {
        left -= clock.monotonic() - began;
      }
    },
  };
}
