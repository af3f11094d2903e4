/** Who waits for events: so many of one caller at a time, and only as long as they would be let in. */
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { callerOf, type Principal } from "../principal.ts";
import { freshMs } from "./rereading.ts";
import { allowanceOf, type Allowances, type Authenticator, type Waiters, type WaitingPlace } from "../service.ts";

/** How many callers are looked up at the same time. */
const atOnce = 50;

interface Waiting {
  readonly principal: Principal;
  readonly ended: AbortController;
}

/** What waiters are made of. */
export interface WaitersOptions {
  readonly limits: Allowances;
  readonly authenticator: Pick<Authenticator, "holds">;
  readonly clock: Clock;
  /** Aborts when the service stops. */
  readonly draining: AbortSignal;
}

/** Places for those who wait. */
export function createWaiters({ limits, authenticator, clock, draining }: WaitersOptions): Waiters {
  const places = new Map<string, Set<Waiting>>();
  let looking = false;

  const look = async (): Promise<void> => {
    const all = [...places.values()].flatMap((set) => [...set]);
    for (let from = 0; from < all.length; from += atOnce)
      await Promise.all(
        all.slice(from, from + atOnce).map(async ({ principal, ended }) => {
          // A database that does not answer ends no stream.
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
      // The service stops, and whoever waits is told so.
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
        throw new ThroughlineError("limit.waiters", `${limit} requests of this caller wait for events already.`, {
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
