import type { Clock } from "../../kernel/clock.ts";
import { finished } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Claim, SessionRow, Store } from "../../store/port.ts";

/** Duration of a claim, and the interval of its renewals. */
export interface LeaseOptions {
  /** Milliseconds until an unrenewed lease expires. Defaults to 30,000. */
  readonly leaseMs: number;
  /** Milliseconds between renewals. Defaults to 5,000. */
  readonly heartbeatMs: number;
}

/** Number of claims without progress at which a turn fails. The claim of the last progress counts as the first. */
export const poisonedAt = 3;

/** A lease that is renewed in the background. Its signal aborts the turn as soon as the lease is lost. */
export interface HeldLease {
  readonly session_id: SessionId;
  readonly signal: AbortSignal;
  /** Renews the lease if no renewal was requested for `heartbeatMs`. Waits for a renewal in progress. Rejects if the store fails. */
  renewIfDue(): Promise<void>;
  /** Stops renewing. */
  stop(): void;
}

/** Delay in milliseconds before polling for external cancellation. Most turns without a model call finish sooner and pay for no extra read. */
const quietMs = 100;

/**
 * Renews a claim until it is stopped or lost. If the database does not answer, the lease is lost when it expires, not before. A stop, withdrawal or
 * handover in another process takes effect with its commit, not only at the next renewal.
 */
export function holdLease(store: Store, claim: Claim, options: LeaseOptions & { readonly clock: Clock }): HeldLease {
  const { leaseMs, heartbeatMs, clock } = options;
  const work = new AbortController();
  const beat = new AbortController();
  const lost = (why: string): void => work.abort(new ThroughlineError("turn.fenced", `The lease on turn ${claim.turn.turn_id} is lost: ${why}.`));
  const readClock = (): { readonly wall: number; readonly monotonic: number } => ({ wall: clock.now(), monotonic: clock.monotonic() });
  /** When the lease was last requested successfully. */
  let renewedAt = readClock();
  let renewing: Promise<void> | undefined;
  const request = async (): Promise<void> => {
    const requestedAt = readClock();
    const renewed = await store.claim({ kind: "renew", session_id: claim.session_id, epoch: claim.epoch, lease_ms: leaseMs });
    if (renewed === undefined) lost("another worker has the session, or the turn was stopped");
    else renewedAt = requestedAt;
  };
  const renew = (): Promise<void> =>
    (renewing ??= request().finally(() => {
      renewing = undefined;
    }));
  const renewRegularly = async (): Promise<void> => {
    while (!beat.signal.aborted && !work.signal.aborted) {
      await clock.sleep(heartbeatMs, beat.signal);
      try {
        await renew();
      } catch (error) {
        if (ThroughlineError.is(error, "store.closed")) return lost("the store is closed");
        if (clock.monotonic() + heartbeatMs >= renewedAt.monotonic + leaseMs) return lost("the database did not answer in time");
      }
    }
  };
  const pollSession = async (): Promise<void> => {
    await clock.sleep(quietMs, beat.signal);
    while (!beat.signal.aborted && !work.signal.aborted) {
      try {
        const session = await store.open({ session_id: claim.session_id });
        if (session?.epoch !== claim.epoch) return work.abort(takenFrom(claim, session));
        await store.watch(claim.session_id, session.head, beat.signal);
      } catch {
        // Only the renewals decide whether the database is reachable.
        await clock.sleep(heartbeatMs, beat.signal);
      }
    }
  };
  // The only remaining rejections come from the sleeps when the lease is stopped.
  renewRegularly().catch(() => {});
  pollSession().catch(() => {});
  return {
    session_id: claim.session_id,
    signal: work.signal,
    renewIfDue: async () => {
      // A lease that was given up runs out, however long the work takes to end.
      if (work.signal.aborted || beat.signal.aborted) return;
      const now = readClock();
      // While a machine sleeps, only the wall clock advances, and leases expire by it.
      const isDue = Math.max(now.wall - renewedAt.wall, now.monotonic - renewedAt.monotonic) >= heartbeatMs;
      if (renewing !== undefined || isDue) await renew();
    },
    stop: () => beat.abort(finished),
  };
}

/**
 * Renews the leases of this process that are due, of one session or of all. Call it before each claim: after the process was busy or suspended, a poll
 * may run before the late renewals, and would claim a turn that runs here. That claim would count as a failed attempt.
 */
export async function renewDueLeases({ leases }: { readonly leases: ReadonlySet<HeldLease> }, session?: SessionId): Promise<void> {
  const claimable = [...leases].filter(({ session_id }) => session === undefined || session_id === session);
  await Promise.all(claimable.map((lease) => lease.renewIfDue()));
}

/** Returns the reason why a worker lost its turn. */
function takenFrom({ turn }: Claim, session: SessionRow | undefined): ThroughlineError {
  if (session?.mode === "manual") return new ThroughlineError("session.manual", "An operator has taken over the session.");
  const what = session === undefined ? "its session was erased" : "it was stopped, withdrawn or taken over";
  return new ThroughlineError("turn.fenced", `Turn ${turn.turn_id} was taken from this worker: ${what}.`);
}
