/** A process that takes requests of one customer as fast as its limit allows: `location limit`. It prints each admitted request with the statements so far. */
import { setTimeout as sleep } from "node:timers/promises";
import { createRateLimiter } from "../../packages/server/src/server/rate-limits.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { createIds } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { counting } from "../setup/counting-store.ts";

const [location = "", limit = ""] = process.argv.slice(2);
const allowance = { requestsPerMinute: Number(limit), eventReadsPerMinute: 0, waiters: 100 };
const { store, calls } = counting(await openStore(location));
const limiter = createRateLimiter({
  ...{ store, clock: systemClock, logger: silentLogger, ids: createIds({ clock: systemClock }), draining: new AbortController().signal },
  limits: { ...allowance, customer: allowance },
});
const began = systemClock.monotonic();
const customer = { type: "customer", customer: "ada", version: "v", expires_at: Number.MAX_SAFE_INTEGER } as const;
const loop = async (): Promise<void> => {
  for (;;) {
    const { retryAfter } = await limiter.take(customer, "listSessions");
    console.log(JSON.stringify({ admitted: retryAfter === undefined, statements: calls.length, seconds: (systemClock.monotonic() - began) / 1_000 }));
    if (retryAfter !== undefined) await sleep(200);
  }
};
await Promise.all(Array.from({ length: 12 }, loop));
