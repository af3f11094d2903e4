/** Limits per caller: requests per minute and concurrent waiters. */
import { type Clock, ThroughlineError } from "throughline/kernel";
import { setRecent } from "throughline/internal";
import type { Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { freshMs } from "./auth/rereading.ts";
import { callerOf, type Principal } from "./principal.ts";
import { allowanceOf, type Allowances, type Authenticator, type RateLimiter, type Waiters, type WaitingPlace } from "./service.ts";

const minuteMs = 60_000;
/** Maximum number of buckets in memory. An evicted bucket starts full again, so the cap only bounds memory. */
const remembered = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Creates a rate limiter that counts requests per caller. */
export function createRateLimiter({ limits, clock }: { readonly limits: Allowances; readonly clock: Pick<Clock, "monotonic"> }): RateLimiter {
  const buckets = new Map<string, Bucket>();

  /** Refills the bucket up to now and moves it to the end, so that the least recently used bucket is first. */
  const bucketOf = (key: string, limit: number): Bucket => {
    const now = clock.monotonic();
    const found = buckets.get(key) ?? { left: limit, at: now };
    found.left = Math.min(limit, found.left + ((now - found.at) * limit) / minuteMs);
    found.at = now;
    setRecent(buckets, key, found, remembered);
    return found;
  };

  /** Takes one token from a bucket. Returns false if it is empty. */
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
      const readable = operation.takesMessage === true && takeFrom(bucketOf(`unread ${callerOf(principal)}`, limit));
      return { headers, retryAfter: Math.max(1, untilNext), readable };
    },
  };
}

/** Number of callers that are checked concurrently. */
const atOnce = 50;

interface Waiting {
  readonly principal: Principal;
  readonly ended: AbortController;
}

/** Options of {@link createWaiters}. */
interface WaitersOptions {
  readonly limits: Allowances;
  readonly authenticator: Pick<Authenticator, "holds">;
  readonly clock: Clock;
  /** Aborts when the service stops. */
  readonly draining: AbortSignal;
}

/** Creates the places for long polls and streams. Every two seconds it checks that each waiting caller is still admitted. */
export function createWaiters({ limits, authenticator, clock, draining }: WaitersOptions): Waiters {
  const places = new Map<string, Set<Waiting>>();
  let looking = false;

  const look = async (): Promise<void> => {
    const all = [...places.values()].flatMap((set) => [...set]);
    for (let from = 0; from < all.length; from += atOnce)
      await Promise.all(
        all.slice(from, from + atOnce).map(async ({ principal, ended }) => {
          // A database failure ends no stream.
          const holds = await authenticator.holds(principal).catch(() => true);
          if (!holds) ended.abort(new ThroughlineError("auth.invalid"));
        }),
      );
  };
  const keepLooking = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      while (places.size > 0) {
        await clock.sleep(freshMs, draining);
        await look();
      }
    } catch {
      // The service is stopping. Its drain signal ends all waiting requests.
    } finally {
      looking = false;
    }
  };

  return {
    enter(principal): WaitingPlace {
      const caller = callerOf(principal);
      const { waiters: limit } = allowanceOf(limits, principal);
      const taken = places.get(caller) ?? new Set();
      if (taken.size >= limit)
        throw new ThroughlineError("limit.waiters", `${limit} requests of this caller already wait for events.`, {
          details: { limit, retry_after: 1 },
        });
      const waiting = { principal, ended: new AbortController() };
      taken.add(waiting);
      places.set(caller, taken);
      void keepLooking();
      return {
        ended: waiting.ended.signal,
        leave() {
          taken.delete(waiting);
          if (taken.size === 0 && places.get(caller) === taken) places.delete(caller);
        },
      };
    },
  };
}
