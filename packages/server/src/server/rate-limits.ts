/** Limits the requests per minute of each caller, over all processes of a database: each process leases tokens from a bucket that a record holds. */
import { createHash } from "node:crypto";
import { findRecord, inTime, refused, setRecent } from "throughline/internal";
import { type Clock, type Ids, type Logger, ThroughlineError } from "throughline/kernel";
import type { RecordRow, Store } from "throughline/store";
import type { Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { callerOf, type Principal } from "./principal.ts";
import { allowanceOf, type Allowances, type Rate, type RateLimiter } from "./service.ts";

const minuteMs = 60_000;
/** Maximum number of callers in memory. An evicted one starts full again in this process, so the cap only bounds memory. */
const remembered = 10_000;
/** Milliseconds between two statements for one limit in one process, on average. */
const paceMs = 1_000;
/** Milliseconds by which statements may be ahead of that pace when an exchange begins. */
const aheadMs = 2 * paceMs;
/** Milliseconds for which a request waits for an exchange to begin. One that would wait longer is refused at once. */
const mostWaitMs = 2_000;
/** Milliseconds after which leased tokens are not used any more. */
const leaseMs = 5_000;
/** Milliseconds to wait for the database. After that, and until it answers again, this process counts by itself. */
const patienceMs = 1_000;
/** Milliseconds that a bucket stays in the database after its last change. A missing one is full. */
const keptMs = 2 * minuteMs;
/** Share of a limit that a process leases beyond what is asked for, while other processes lease too. */
const spareShare = 1 / 20;
/** Attempts of one exchange, if other processes are faster. */
const mostTries = 2;

/** The kind of the records that hold the buckets. */
export const rateKind = "rate";

/** Tokens at a time. */
interface Bucket {
  left: number;
  at: number;
}

/** The tokens of a bucket at a later time. */
const refilled = ({ left, at }: Bucket, limit: number, now: number): number => Math.min(limit, left + (Math.max(0, now - at) * limit) / minuteMs);

/** What a process knows of one limit of one caller. Times are of the monotonic clock, except those of `known`. */
interface Account {
  readonly key: string;
  readonly limit: number;
  /** The record as this process wrote it, by the system's time. Undefined if another process has changed it since. */
  known: (Bucket & { readonly version: number }) | undefined;
  /** The version that this process wrote last. */
  written: number;
  /** The bucket as this process saw it last. */
  seen: Bucket;
  /** Leased tokens that are not used, and when their lease ends. */
  held: number;
  leasedUntil: number;
  /** Tokens that requests were admitted with while the database was away. */
  owed: number;
  /** Requests that wait for tokens. */
  waiting: number;
  /** When the pace has caught up with the statements so far. */
  paidAt: number;
  /** Until when there is nothing to lease. */
  emptyUntil: number;
  exchange: Promise<void> | undefined;
}

/** A limit, and who is counted by it. */
interface Counted {
  readonly policy: "events" | "requests";
  readonly limit: number;
  readonly caller: string;
}

const takesMessage = (id: OperationId): boolean => {
  const operation: Operation = operations[id];
  return operation.takesMessage === true;
};

/** One exchange with the database. */
interface Exchange {
  statements: number;
  /** Whether its result came too late. */
  over: boolean;
}

/** Options of {@link createRateLimiter}. */
interface RateLimiterOptions {
  readonly limits: Allowances;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Aborts when the service stops. */
  readonly draining: AbortSignal;
}

/**
 * Creates a rate limiter that counts the requests of each caller in all processes. A process never admits more than the limit by itself, with or
 * without the database.
 */
export function createRateLimiter({ limits, store, clock, ids, logger, draining }: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const accounts = new Map<string, Account>();
  /** When to ask the database again. Undefined while it answers. */
  let awayUntil: number | undefined;

  /** The bucket of this process, refilled up to now. */
  const bucketOf = (key: string, limit: number): Bucket => {
    const now = clock.monotonic();
    const found = buckets.get(key) ?? { left: limit, at: now };
    found.left = refilled(found, limit, now);
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

  const accountOf = (name: string, limit: number): Account => {
    const now = clock.monotonic();
    const found = accounts.get(name) ?? {
      // A customer's id is in the name, and records without an owner are not erased.
      key: createHash("sha256").update(name).digest("hex").slice(0, 32),
      limit,
      known: { version: 0, left: limit, at: clock.now() },
      written: 0,
      seen: { left: limit, at: now },
      ...{ held: 0, leasedUntil: 0, owed: 0, waiting: 0, paidAt: 0, emptyUntil: 0, exchange: undefined },
    };
    setRecent(accounts, name, found, remembered);
    return found;
  };

  /** Leases tokens, gives back unused ones, and reports those that were used while the database was away. */
  const renew = async (account: Account, exchange: Exchange): Promise<void> => {
    const { key, limit } = account;
    const back = account.held;
    account.held = 0;
    for (let tries = 0; tries < mostTries; tries++) {
      const { known } = account;
      // Whether no other process has leased since the last exchange here.
      let alone = tries === 0;
      // After that time the record may be gone, or still be there by the clock of the database.
      let current = known !== undefined && clock.now() - known.at > keptMs ? undefined : known;
      if (current === undefined) {
        exchange.statements += 1;
        const row = await findRecord(store, rateKind, key);
        if (exchange.over) return;
        current = row === undefined ? { version: 0, left: limit, at: clock.now() } : { version: row.version, ...bucketIn(row, clock.now()) };
        alone &&= current.version === account.written;
      }
      const now = clock.now();
      const owed = account.owed;
      const left = Math.max(0, Math.min(limit, refilled(current, limit, now) + back) - owed);
      const asked = account.waiting === 0 ? 0 : Math.max(account.waiting + Math.floor(limit * spareShare), alone ? Math.ceil(left / 2) : 0);
      const granted = Math.min(Math.floor(left), asked);
      const bucket = { left: left - granted, at: Math.max(now, current.at) };
      const sent = clock.monotonic();
      exchange.statements += 1;
      const change = { kind: rateKind, key, depends: { version: current.version }, data: bucket, keep_ms: keptMs };
      const result = await store.commit({ commit_id: ids.next("commit"), at: now, records: [change] });
      if (exchange.over) return;
      if (result.outcome === "committed") {
        const version = current.version + 1;
        Object.assign(account, { written: version, known: alone ? { version, ...bucket } : undefined, seen: { left: bucket.left, at: sent } });
        account.owed -= owed;
        account.held = granted;
        account.leasedUntil = sent + leaseMs;
        // What still waits is refused at once.
        if (bucket.left < 1) account.emptyUntil = sent + Math.min(paceMs, ((1 - bucket.left) * minuteMs) / limit);
        if (granted > 0) void returnLater(account);
        return;
      }
      if (result.reason !== "stale_record") throw refused(result, undefined);
      account.known = undefined;
    }
  };

  /** Exchanges tokens as soon as the pace allows it. Never fails. */
  const exchangeOf = (account: Account): Promise<void> => {
    const run = async (): Promise<void> => {
      const exchange: Exchange = { statements: 0, over: false };
      try {
        const rest = account.paidAt - aheadMs - clock.monotonic();
        if (rest > 0) await clock.sleep(rest, draining);
        const late = (): Error => new ThroughlineError("store.unreachable", `The database has not answered within ${patienceMs} ms.`);
        await inTime(clock, renew(account, exchange), { ms: patienceMs, late });
        if (awayUntil !== undefined) logger.info("requests are counted in the database again");
        awayUntil = undefined;
      } catch (error) {
        if (draining.aborted) return;
        account.known = undefined;
        if (awayUntil === undefined)
          logger.warn("requests are counted in this process only, until the database answers", { code: ThroughlineError.from(error).code }, error);
        awayUntil = clock.monotonic() + paceMs;
      } finally {
        exchange.over = true;
        account.paidAt = Math.max(account.paidAt, clock.monotonic()) + exchange.statements * paceMs;
        account.exchange = undefined;
      }
    };
    account.exchange ??= run();
    return account.exchange;
  };

  /** Gives back what is unused when the lease has ended, unless it is so little that the bucket has refilled it meanwhile. */
  const returnLater = async (account: Account): Promise<void> => {
    const { leasedUntil, limit } = account;
    try {
      await clock.sleep(leaseMs, draining);
      if (account.leasedUntil === leasedUntil && account.held > limit * spareShare) await exchangeOf(account);
    } catch {
      // The service is stopping. The bucket refills.
    }
  };

  /** Takes a leased token, and waits for an exchange if none is left. Returns false if there is none to lease. */
  const takeLeased = async (account: Account): Promise<boolean> => {
    const patientUntil = clock.monotonic() + mostWaitMs;
    for (;;) {
      const now = clock.monotonic();
      if (awayUntil !== undefined || draining.aborted) {
        account.owed += 1;
        if (awayUntil !== undefined && now >= awayUntil && !draining.aborted) {
          awayUntil = now + paceMs;
          void exchangeOf(account);
        }
        return true;
      }
      if (account.held >= 1 && now < account.leasedUntil) {
        account.held -= 1;
        return true;
      }
      if (now < account.emptyUntil || Math.max(now, account.paidAt - aheadMs) > patientUntil) return false;
      account.waiting += 1;
      await exchangeOf(account);
      account.waiting -= 1;
    }
  };

  /** The limit that counts a request; undefined for none. */
  const countedBy = (principal: Principal, id: OperationId): Counted | undefined => {
    const operation: Operation = operations[id];
    const allowance = allowanceOf(limits, principal);
    const limit = operation.events === true ? allowance.eventReadsPerMinute : allowance.requestsPerMinute;
    if (limit === 0 || operation.scope === "open") return undefined;
    return { policy: operation.events === true ? "events" : "requests", limit, caller: callerOf(principal) };
  };

  const rateOf = (
    { policy, limit, caller }: Counted,
    { isOver, left, mayRead }: { readonly isOver: boolean; readonly left: number; readonly mayRead: boolean },
  ): Rate => {
    const secondsFor = (tokens: number): number => Math.ceil((tokens * minuteMs) / limit / 1000);
    const headers = {
      "ratelimit-policy": `"${policy}";q=${limit};w=60`,
      ratelimit: `"${policy}";r=${Math.floor(left)};t=${secondsFor(limit - left)}`,
    };
    if (!isOver) return { headers };
    const readable = mayRead && takeFrom(bucketOf(`unread ${caller}`, limit));
    return { headers, retryAfter: Math.max(1, secondsFor(1 - left)), readable };
  };

  const take = async (counted: Counted, mayRead: boolean): Promise<Rate> => {
    const { limit } = counted;
    const name = `${counted.policy} ${counted.caller}`;
    const account = accountOf(name, limit);
    let isOver = !takeFrom(bucketOf(name, limit));
    if (!isOver && !(await takeLeased(account))) {
      isOver = true;
      bucketOf(name, limit).left += 1;
    }
    const shared = Math.min(limit, refilled(account.seen, limit, clock.monotonic()) + account.held);
    return rateOf(counted, { isOver, left: Math.min(shared, bucketOf(name, limit).left), mayRead });
  };

  return {
    async take(principal, id) {
      const counted = countedBy(principal, id);
      return counted === undefined ? { headers: {} } : take(counted, takesMessage(id));
    },
    async takeSource(source) {
      const limit = limits.requestsPerMinute;
      return limit === 0 ? { headers: {} } : take({ policy: "requests", limit, caller: `webhook:${source}` }, false);
    },
    takeHere(principal, id) {
      const counted = countedBy(principal, id);
      if (counted === undefined) return { headers: {} };
      const bucket = bucketOf(`${counted.policy} ${counted.caller}`, counted.limit);
      const isOver = !takeFrom(bucket);
      return rateOf(counted, { isOver, left: bucket.left, mayRead: takesMessage(id) });
    },
  };
}

/** The bucket that a record holds. A time far ahead is of a clock that was wrong, and would stop the bucket from being refilled. */
function bucketIn({ data }: RecordRow, now: number): Bucket {
  const { left, at } = data;
  if (typeof left !== "number" || typeof at !== "number") throw new ThroughlineError("store.corrupt", "A bucket of the rate limits is not readable.");
  return { left, at: at > now + minuteMs ? now : at };
}
