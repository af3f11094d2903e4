/** Counts requests: a bucket of tokens for each caller, and one more for reading events, in this process. */
import { setRecent } from "../kernel/recent.ts";
import type { Clock } from "../kernel/clock.ts";
import { operations, type OperationId } from "../protocol/operations.ts";
import type { Operation } from "../protocol/operation.ts";
import { callerOf } from "./principal.ts";
import { allowanceOf, type Allowances, type RateLimiter } from "./service.ts";

const minuteMs = 60_000;
/** So many buckets are kept. One that is forgotten is full again, so this bounds memory and not much else. */
const remembered = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Counts requests by caller. */
export function createRateLimiter({ limits, clock }: { readonly limits: Allowances; readonly clock: Pick<Clock, "monotonic"> }): RateLimiter {
  const buckets = new Map<string, Bucket>();

  /** The bucket as it is now; it is put last, so that the first is the one that was not touched for longest. */
  const bucketOf = (key: string, limit: number): Bucket => {
    const now = clock.monotonic();
    const found = buckets.get(key) ?? { left: limit, at: now };
    found.left = Math.min(limit, found.left + ((now - found.at) * limit) / minuteMs);
    found.at = now;
    setRecent(buckets, key, found, remembered);
    return found;
  };

  /** Takes one from a bucket, if there is one. */
  const takeFrom = (bucket: Bucket): boolean => {
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  };

  return {
    take(principal, id: OperationId) {
      const operation: Operation = operations[id];
      const policy = operation.events === true ? "events" : "requests";
      const allowance = allowanceOf(limits, principal);
      const limit = operation.events === true ? allowance.eventReadsPerMinute : allowance.requestsPerMinute;
      if (limit === 0 || operation.scope === "open") return { headers: {} };
      const bucket = bucketOf(`${policy} ${callerOf(principal)}`, limit);
      const isOver = !takeFrom(bucket);
      const untilNext = Math.ceil(((1 - bucket.left) * minuteMs) / limit / 1000);
      const untilFull = Math.ceil(((limit - bucket.left) * minuteMs) / limit / 1000);
      const headers = {
        "ratelimit-policy": `"${policy}";q=${limit};w=60`,
        ratelimit: `"${policy}";r=${Math.floor(bucket.left)};t=${untilFull}`,
      };
      if (!isOver) return { headers };
      const heard = id === "postEvent" && takeFrom(bucketOf(`heard ${callerOf(principal)}`, limit));
      return { headers, retryAfter: Math.max(1, untilNext), heard };
    },
  };
}
