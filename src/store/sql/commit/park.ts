/** How a turn is parked and woken, in both forms. Parked is a session that has a time to be claimed at, and no worker. */
import { databaseNow } from "../plpgsql.ts";
import { leasedTurn } from "../queries.ts";
import type { SessionInput } from "./input.ts";
import type { SqlRow, SqlValue, SyncConnection } from "../driver.ts";

/** The time that never comes. */
const never = Number.MAX_SAFE_INTEGER;

/** What becomes of the columns that a lease is. */
type Lease = Record<"lease_worker" | "lease_until", SqlValue>;

/** The lease after a commit, its turns ended already. `freed`: the turn that it was for has ended, or is fenced. */
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
  const restart = `UPDATE turns SET attempts = 0 WHERE session = $1 AND number = $2 AND status = 1 AND number = ${leasedTurn("$1")} RETURNING number`;
  return db.get(restart, [id, turn]) && { lease_worker: null, lease_until: Math.min(never, now + wait_ms) };
}

/** The same for PostgreSQL: a part of the function's body. */
export const postgresPark = `  IF c ? 'park' THEN
    UPDATE turns SET attempts = 0
      WHERE session = s.id AND number = (c->'park'->>'turn')::bigint AND status = 1 AND number = ${leasedTurn("s.id")};
    IF FOUND THEN
      s.lease_worker := NULL;
      s.lease_until := LEAST(${never}, ${databaseNow} + (c->'park'->>'wait_ms')::bigint);
    END IF;
  END IF;
  IF (c->>'wake')::boolean AND s.lease_worker IS NULL THEN
    s.lease_until := NULL;
  END IF;`;
