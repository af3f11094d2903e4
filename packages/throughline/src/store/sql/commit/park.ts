/** Parks and wakes a turn, and resets its attempts, in both engine forms. A parked session has a time from which it can be claimed, and no worker. */
import { databaseNow } from "../plpgsql.ts";
import { leasedTurn } from "../queries.ts";
import type { SessionInput } from "./input.ts";
import type { SqlRow, SqlValue, SyncConnection } from "../driver.ts";

/** A time that never comes. */
const never = Number.MAX_SAFE_INTEGER;

/** New values of the lease columns. */
type Lease = Record<"lease_worker" | "lease_until", SqlValue>;

/** The turn `number` of the session, if it is running. */
const running = (session: string, number: string): string =>
  `WHERE session = ${session} AND number = ${number} AND status = 1 AND number = ${leasedTurn(session)}`;

/** Counts the attempts of a turn with progress from 1 again, after the commit's ended turns. */
export function writeProgress(db: SyncConnection, { progress }: SessionInput, id: number): void {
  if (progress !== undefined) db.run(`UPDATE turns SET attempts = 1 ${running("$1", "$2")} AND attempts > 1`, [id, progress]);
}

/** Returns the lease after a commit, after its ended turns. `freed`: the leased turn has ended or is fenced. */
export function leaseAfter(
  db: SyncConnection,
  { park, wake }: SessionInput,
  { session, id, freed }: { readonly session: SqlRow; readonly id: number; readonly freed: boolean },
): Lease {
  const worker = freed ? null : (session["lease_worker"] ?? null);
  const until = freed ? null : (session["lease_until"] ?? null);
  const lease = (park && writePark(db, id, park)) ?? { lease_worker: worker, lease_until: until };
  return wake && lease.lease_worker === null ? { lease_worker: null, lease_until: null } : lease;
}

function writePark(db: SyncConnection, id: number, { turn, wait_ms = never, now }: NonNullable<SessionInput["park"]>): Lease | undefined {
  const restart = `UPDATE turns SET attempts = 0 ${running("$1", "$2")} RETURNING number`;
  return db.get(restart, [id, turn]) && { lease_worker: null, lease_until: Math.min(never, now + wait_ms) };
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresPark = `  IF c ? 'progress' THEN
    UPDATE turns SET attempts = 1 ${running("s.id", "(c->>'progress')::bigint")} AND attempts > 1;
  END IF;
  IF c ? 'park' THEN
    UPDATE turns SET attempts = 0 ${running("s.id", "(c->'park'->>'turn')::bigint")};
    IF FOUND THEN
      s.lease_worker := NULL;
      s.lease_until := LEAST(${never}, ${databaseNow} + (c->'park'->>'wait_ms')::bigint);
    END IF;
  END IF;
  IF (c->>'wake')::boolean AND s.lease_worker IS NULL THEN
    s.lease_until := NULL;
  END IF;`;
