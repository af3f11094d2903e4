/** Limits the concurrent waiters of each caller, in this process. */
import { type Clock, ThroughlineError } from "throughline/kernel";
import { freshMs } from "./auth/rereading.ts";
import { callerOf, type Principal } from "./principal.ts";
import { allowanceOf, type Allowances, type Authenticator, type Waiters, type WaitingPlace } from "./service.ts";

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
