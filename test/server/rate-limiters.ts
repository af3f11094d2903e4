/** Rate limiters for tests, each like that of a process of its own. */
import { onTestFinished } from "vitest";
import { createRateLimiter } from "../../packages/server/src/server/rate-limits.ts";
import type { Allowances, RateLimiter } from "../../packages/server/src/server/service.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { type Logger, silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import type { FixedClock } from "../../packages/throughline/src/testing/test-clock.ts";

/** A limiter on `store`, or on one of its own in memory. */
export async function limiterOn(options: {
  readonly clock: FixedClock;
  readonly limits: Allowances;
  readonly store?: Store;
  readonly logger?: Logger;
}): Promise<RateLimiter> {
  const { clock, limits, store = await openStore(":memory:"), logger = silentLogger } = options;
  const draining = new AbortController();
  onTestFinished(() => draining.abort());
  return createRateLimiter({ clock, limits, store, logger, ids: createIds({ clock }), draining: draining.signal });
}

/** The result of what may wait for the clock, which goes on by a tenth of a second until the result is there. */
export async function inTurn<Result>(clock: FixedClock, work: Promise<Result>): Promise<Result> {
  const state = { over: false };
  const done = work.finally(() => (state.over = true));
  done.catch(() => {});
  for (;;) {
    for (let turn = 0; turn < 10 && !state.over; turn++) await new Promise(setImmediate);
    if (state.over) return done;
    clock.advance(100);
  }
}
