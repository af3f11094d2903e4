/** Leases, in their two forms. A lease is a pair of columns on the session; what a worker may still write is decided by the epoch. */
import { databaseNow } from "./plpgsql.ts";
import { byUrgentTurns, leasedTurn } from "./queries.ts";
import type { Procedure, SqlRow, SyncConnection } from "./driver.ts";

type ClaimInput = {
  readonly session_id: string | null;
  readonly worker: string;
  readonly lease_ms: number;
  readonly now: number;
  /** Versions by name of agent, as JSON: whose sessions to claim; null for all. */
  readonly agents: string | null;
  /** Only an urgent turn, of any session. */
  readonly urgent: boolean;
};
type RenewInput = { readonly session_id: string; readonly epoch: number; readonly lease_ms: number; readonly now: number };
type ReleaseInput = {
  readonly session_id: string;
  readonly epoch: number;
  readonly counted: boolean;
  readonly retry_in_ms: number;
  readonly now: number;
};
/** Columns of the turn with those of its session, or nothing. */
type ClaimOutput = { readonly claim: SqlRow | null };
type ReleaseOutput = { readonly released: boolean };

const turnColumns = `t.number, t.trace_id, t.cause, t.status, t.attempts, t.created_at, t.urgent, t.started_offset, t.ended_offset`;
const onLeased = `ON t.session = s.id AND t.number = ${leasedTurn("s.id")}`;
/** The session to take up: the place of its turn is that of the session, because what is urgent makes all open turns of its session so. */
const nextOf = (columns: string, free: string, urgent: boolean): string =>
  `SELECT ${columns} FROM turns t ${urgent ? byUrgentTurns : ""} JOIN sessions s ${onLeased} WHERE t.status < 2${urgent ? " AND t.urgent = 1" : ""} AND ${free}
  ORDER BY t.urgent DESC, t.created_at, s.id LIMIT 1`;
const claimed = `SELECT s.session_id, s.epoch, ${turnColumns} FROM sessions s JOIN turns t ${onLeased} WHERE s.id = `;

function sqliteClaim(db: SyncConnection, input: ClaimInput): ClaimOutput {
  const runs = `$2 IS NULL OR EXISTS (SELECT 1 FROM json_each($2) a WHERE a.key = s.agent AND a.value >= s.agent_version)`;
  const free = `(s.lease_until IS NULL OR s.lease_until <= $1 OR (s.lease_worker IS NOT NULL AND is_gone(s.lease_worker))) AND (${runs})`;
  const found =
    input.session_id === null
      ? db.get(nextOf(`s.id, t.number`, free, input.urgent), [input.now, input.agents])
      : db.get(`SELECT s.id, t.number FROM sessions s JOIN turns t ${onLeased} WHERE s.session_id = $3 AND ${free}`, [
          ...[input.now, input.agents],
          input.session_id,
        ]);
  if (found === undefined) return { claim: null };
  const id = found["id"] ?? null;
  db.run(`UPDATE sessions SET epoch = epoch + 1, lease_worker = $2, lease_until = $3 WHERE id = $1`, [id, input.worker, input.now + input.lease_ms]);
  db.run(`UPDATE turns SET status = 1, attempts = attempts + 1 WHERE session = $1 AND number = $2`, [id, found["number"] ?? null]);
  return { claim: db.get(`${claimed} $1`, [id]) ?? null };
}

/** Whether the session's agent is one that the worker runs, in a version that is not older than its state. */
const postgresRuns = `(the_agents IS NULL OR (the_agents->>s.agent)::bigint >= s.agent_version)`;

const postgresFree = `(s.lease_until IS NULL OR s.lease_until <= ${databaseNow}) AND ${postgresRuns}`;

/** Takes the lease of a session. */
export const claimProcedure: Procedure<ClaimInput, ClaimOutput> = {
  name: "claim",
  sqlite: sqliteClaim,
  // A session that another transaction holds is passed over when any will do, and waited for when it is the one asked for. What was seen
  // before the lock may be gone, so the turn is looked at again under it.
  postgres: `DECLARE
  the_session integer;
  the_turn integer;
  the_time bigint;
  the_agents jsonb := (input->>'agents')::jsonb;
  only_urgent boolean := (input->>'urgent')::boolean;
BEGIN
  FOR attempt IN 1..10 LOOP
    the_session := NULL;
    IF only_urgent THEN
      ${nextOf(`s.id INTO the_session`, postgresFree, true)} FOR UPDATE OF s SKIP LOCKED;
    ELSIF input->>'session_id' IS NULL THEN
      ${nextOf(`s.id INTO the_session`, postgresFree, false)} FOR UPDATE OF s SKIP LOCKED;
    ELSE
      SELECT s.id INTO the_session FROM sessions s WHERE s.session_id = input->>'session_id' FOR UPDATE;
    END IF;
    IF the_session IS NULL THEN
      RETURN jsonb_build_object('claim', NULL);
    END IF;
    the_time := ${databaseNow};
    SELECT t.number INTO the_turn FROM sessions s JOIN turns t ${onLeased}
      WHERE s.id = the_session AND (s.lease_until IS NULL OR s.lease_until <= the_time) AND ${postgresRuns} AND (t.urgent = 1 OR NOT only_urgent);
    IF the_turn IS NOT NULL THEN
      UPDATE sessions SET epoch = epoch + 1, lease_worker = input->>'worker', lease_until = the_time + (input->>'lease_ms')::bigint WHERE id = the_session;
      UPDATE turns SET status = 1, attempts = attempts + 1 WHERE session = the_session AND number = the_turn;
      RETURN jsonb_build_object('claim', (SELECT to_jsonb(c) FROM (${claimed} the_session) c));
    END IF;
    EXIT WHEN input->>'session_id' IS NOT NULL;
  END LOOP;
  RETURN jsonb_build_object('claim', NULL);
END`,
};

const held = `epoch = $2 AND lease_worker IS NOT NULL`;

/** Keeps a lease that is held. */
export const renewProcedure: Procedure<RenewInput, ClaimOutput> = {
  name: "renew",
  sqlite(db, input) {
    const renew = `UPDATE sessions SET lease_until = $3 WHERE session_id = $1 AND ${held} AND ${leasedTurn("sessions.id")} IS NOT NULL RETURNING id`;
    const id = db.get(renew, [input.session_id, input.epoch, input.now + input.lease_ms])?.["id"];
    return { claim: id === undefined ? null : (db.get(`${claimed} $1`, [id]) ?? null) };
  },
  postgres: `DECLARE
  the_session integer;
BEGIN
  UPDATE sessions SET lease_until = ${databaseNow} + (input->>'lease_ms')::bigint
    WHERE session_id = input->>'session_id' AND epoch = (input->>'epoch')::bigint AND lease_worker IS NOT NULL
      AND ${leasedTurn("sessions.id")} IS NOT NULL
    RETURNING id INTO the_session;
  RETURN jsonb_build_object('claim', (SELECT to_jsonb(c) FROM (${claimed} the_session) c));
END`,
};

/** Gives a lease back with the turn unfinished. */
export const releaseProcedure: Procedure<ReleaseInput, ReleaseOutput> = {
  name: "release",
  sqlite(db, input) {
    const free = `UPDATE sessions SET lease_worker = NULL, lease_until = $3 WHERE session_id = $1 AND ${held} RETURNING id`;
    const id = db.get(free, [input.session_id, input.epoch, input.now + input.retry_in_ms])?.["id"];
    if (id === undefined) return { released: false };
    const uncount = `UPDATE turns SET attempts = attempts - 1 WHERE session = $1 AND number = ${leasedTurn("$1")}`;
    if (!input.counted) db.run(uncount, [id]);
    return { released: true };
  },
  postgres: `DECLARE
  the_session integer;
BEGIN
  UPDATE sessions SET lease_worker = NULL, lease_until = ${databaseNow} + (input->>'retry_in_ms')::bigint
    WHERE session_id = input->>'session_id' AND epoch = (input->>'epoch')::bigint AND lease_worker IS NOT NULL RETURNING id INTO the_session;
  IF the_session IS NOT NULL AND NOT (input->>'counted')::boolean THEN
    UPDATE turns SET attempts = attempts - 1 WHERE session = the_session AND number = ${leasedTurn("the_session")};
  END IF;
  RETURN jsonb_build_object('released', the_session IS NOT NULL);
END`,
};
