/** Leases, in both engine forms. A lease is a pair of columns on the session. The epoch decides what a worker may still write. */
import { byDueHeld, byDueLater, byDueReady, databaseNow, leasedTurn } from "./queries.ts";
import type { Procedure, SqlRow, SqlValue, SyncConnection } from "./sql-driver.ts";
import { numberOf } from "./rows.ts";

type ClaimInput = {
  readonly session_id: string | null;
  readonly worker: string;
  readonly lease_ms: number;
  readonly now: number;
  /** Versions by agent name, as JSON: the agents whose sessions may be claimed. `null` for all. */
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
/** Columns of the turn with those of its session, or null. */
type ClaimOutput = { readonly claim: SqlRow | null };
type ReleaseOutput = { readonly released: boolean };

const turnColumns = `t.number, t.trace_id, t.cause, t.status, t.attempts, t.created_at, t.urgent, t.started_offset, t.ended_offset`;
const onLeased = `ON t.session = s.id AND t.number = ${leasedTurn("s.id")}`;
const claimed = `SELECT s.session_id, s.epoch, ${turnColumns} FROM sessions s JOIN turns t ${onLeased} WHERE s.id = `;

/** Maximum number of turns, for each urgency, whose expired wait one claim processes. A mass expiry then costs many claims a little. */
const readyAtOnce = 256;

/** The order of the queue within one agent and version, which is the order of its index. */
const queueOrder = `d.urgent DESC, d.created_at, d.session`;

/** Makes the turns of the selected sessions claimable. */
const makeReady = (which: string): string => `UPDATE due SET until = NULL, worker = NULL WHERE session IN (${which})`;
const waitOver = (urgent: string, now: string): string =>
  `SELECT d.session FROM due d ${byDueLater} WHERE d.urgent = ${urgent} AND d.until <= ${now} ORDER BY d.until LIMIT ${readyAtOnce}`;
const heldBy = `SELECT d.session FROM due d ${byDueHeld} WHERE d.worker = $1 ORDER BY d.urgent DESC LIMIT ${readyAtOnce}`;
const nextHolder = `SELECT d.worker, is_gone(d.worker) AS gone FROM due d ${byDueHeld} WHERE d.worker > $1 ORDER BY d.worker LIMIT 1`;

/**
 * Finds the next agent and version with ready turns: after version `$2` of agent `$1`, else after that agent. Each takes one probe of the index,
 * however many turns there are. Comparing both columns at once would make SQLite read all turns of the skipped version.
 */
const nextVersion = `SELECT d.agent, d.agent_version FROM due d ${byDueReady}
  WHERE d.until IS NULL AND d.agent = $1 AND d.agent_version > $2 ORDER BY d.agent_version LIMIT 1`;
const nextAgent = `SELECT d.agent, d.agent_version FROM due d ${byDueReady} WHERE d.until IS NULL AND d.agent > $1 ORDER BY d.agent, d.agent_version LIMIT 1`;
const firstOfKind = `SELECT d.session, d.urgent, d.created_at FROM due d ${byDueReady}
  WHERE d.until IS NULL AND d.agent = $1 AND d.agent_version = $2 ORDER BY ${queueOrder} LIMIT 1`;

/** Makes turns claimable whose wait has ended, and those whose worker process is gone. */
function sqliteReady(db: SyncConnection, now: number): void {
  for (const urgent of [1, 0]) db.run(makeReady(waitOver("$1", "$2")), [urgent, now]);
  for (let holder = db.get(nextHolder, [""]); holder !== undefined; holder = db.get(nextHolder, [holder["worker"] ?? null]))
    if (holder["gone"] === 1) db.run(makeReady(heldBy), [holder["worker"] ?? null]);
}

/** Whether the turn of `one` precedes that of `other`. */
const goesFirst = (one: SqlRow, other: SqlRow): boolean =>
  (numberOf(other, "urgent") - numberOf(one, "urgent") ||
    numberOf(one, "created_at") - numberOf(other, "created_at") ||
    numberOf(one, "session") - numberOf(other, "session")) < 0;

/** Returns the session with the first queued turn among the worker's agents. */
function sqliteFirst(db: SyncConnection, { agents, urgent }: Pick<ClaimInput, "agents" | "urgent">): SqlValue | undefined {
  const versions = agents === null ? undefined : new Map(Object.entries(JSON.parse(agents) as Readonly<Record<string, number>>));
  let first: SqlRow | undefined;
  const after = ({ agent = null, agent_version = null }: SqlRow): SqlRow | undefined =>
    db.get(nextVersion, [agent, agent_version]) ?? db.get(nextAgent, [agent]);
  for (let kind = db.get(nextAgent, [""]); kind !== undefined; kind = after(kind)) {
    const { agent = null, agent_version = null } = kind;
    if (versions !== undefined && (versions.get(String(agent)) ?? -1) < Number(agent_version)) continue;
    const row = db.get(firstOfKind, [agent, agent_version]);
    if (row !== undefined && (first === undefined || goesFirst(row, first))) first = row;
  }
  return urgent && first?.["urgent"] !== 1 ? undefined : first?.["session"];
}

const takeLease = `UPDATE sessions SET epoch = epoch + 1, lease_worker = $2, lease_until = $3`;
/** Takes the lease of the given session if it has a turn and is free for one of the worker's agents. */
const takeIfFree = `${takeLease} WHERE session_id = $1 AND ${leasedTurn("sessions.id")} IS NOT NULL
  AND (lease_until IS NULL OR lease_until <= $4 OR (lease_worker IS NOT NULL AND is_gone(lease_worker)))
  AND ($5 IS NULL OR EXISTS (SELECT 1 FROM json_each($5) a WHERE a.key = sessions.agent AND a.value >= sessions.agent_version)) RETURNING id, session_id, epoch`;
const takeTurn = `UPDATE turns SET status = 1, attempts = attempts + 1 WHERE session = $1 AND number = ${leasedTurn("$1")}
  RETURNING number, trace_id, cause, status, attempts, created_at, urgent, started_offset, ended_offset`;

function sqliteTake(db: SyncConnection, { session_id, worker, lease_ms, now, agents, urgent }: ClaimInput): SqlRow | undefined {
  if (session_id !== null) return db.get(takeIfFree, [session_id, worker, now + lease_ms, now, agents]);
  sqliteReady(db, now);
  const id = sqliteFirst(db, { agents, urgent });
  return id === undefined ? undefined : db.get(`${takeLease} WHERE id = $1 RETURNING id, session_id, epoch`, [id, worker, now + lease_ms]);
}

function sqliteClaim(db: SyncConnection, input: ClaimInput): ClaimOutput {
  const taken = sqliteTake(db, input);
  const turn = taken && db.get(takeTurn, [taken["id"] ?? null]);
  return { claim: turn === undefined ? null : { ...taken, ...turn } };
}

/** Whether the worker runs the session's agent, in a version that is not older than its state. */
const postgresRuns = (row: string): string => `(the_agents IS NULL OR (the_agents->>${row}.agent)::bigint >= ${row}.agent_version)`;

/** The first `most` ready turns of each agent and version of the worker, in queue order. */
const postgresCandidates = `WITH RECURSIVE kinds AS (
      (SELECT d.agent, d.agent_version FROM due d WHERE d.until IS NULL ORDER BY d.agent, d.agent_version LIMIT 1)
      UNION ALL
      SELECT n.agent, n.agent_version FROM kinds k CROSS JOIN LATERAL (SELECT d.agent, d.agent_version FROM due d
        WHERE d.until IS NULL AND (d.agent, d.agent_version) > (k.agent, k.agent_version) ORDER BY d.agent, d.agent_version LIMIT 1) n)
      SELECT d.session FROM kinds k CROSS JOIN LATERAL (SELECT d.session, d.urgent, d.created_at FROM due d
        WHERE d.until IS NULL AND d.agent = k.agent AND d.agent_version = k.agent_version AND d.urgent >= least_urgent
        ORDER BY ${queueOrder} LIMIT most) d
      WHERE ${postgresRuns("k")} ORDER BY ${queueOrder}`;

/** Takes the lease of a session. */
export const claimProcedure: Procedure<ClaimInput, ClaimOutput> = {
  name: "claim",
  appendsOnly: () => true,
  endsWithMachine: true,
  sqlite: sqliteClaim,
  // A session that another transaction locks is skipped when any session will do, and awaited when it is the given one. Data seen before the lock may
  // be outdated, so the turn is checked again under the lock. Rows of `due` are written only under their session's lock, except when a wait ends.
  // Another claim that processes the same ended waits skips them, so it checks again before it returns nothing.
  postgres: `DECLARE
  the_session integer;
  the_turn integer;
  the_time bigint;
  the_agents jsonb := (input->>'agents')::jsonb;
  least_urgent integer := CASE WHEN (input->>'urgent')::boolean THEN 1 ELSE 0 END;
  most integer := 8;
  tried integer;
BEGIN
  IF input->>'session_id' IS NOT NULL THEN
    SELECT s.id INTO the_session FROM sessions s WHERE s.session_id = input->>'session_id' FOR UPDATE;
    the_time := ${databaseNow};
    SELECT t.number INTO the_turn FROM sessions s JOIN turns t ${onLeased}
      WHERE s.id = the_session AND (s.lease_until IS NULL OR s.lease_until <= the_time) AND ${postgresRuns("s")};
  ELSE
    -- The plan is made while the queue is short and kept: it must read the queue in its order all the same.
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL enable_sort = off;
    <<looking>>
    FOR attempt IN 1..8 LOOP
      the_time := ${databaseNow};
      FOR the_urgency IN REVERSE 1..least_urgent LOOP
        ${makeReady(`${waitOver("the_urgency", "the_time")} FOR UPDATE SKIP LOCKED`)};
      END LOOP;
      tried := 0;
      FOR the_session IN ${postgresCandidates} LOOP
        tried := tried + 1;
        PERFORM 1 FROM sessions s WHERE s.id = the_session FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        SELECT t.number INTO the_turn FROM due d JOIN sessions s ON s.id = d.session JOIN turns t ${onLeased}
          WHERE d.session = the_session AND d.until IS NULL AND d.urgent >= least_urgent AND ${postgresRuns("d")};
        EXIT looking WHEN the_turn IS NOT NULL;
      END LOOP;
      IF tried = 0 THEN
        the_session := NULL;
        FOR the_urgency IN REVERSE 1..least_urgent LOOP
          SELECT d.session INTO the_session FROM due d WHERE d.urgent = the_urgency AND d.until <= the_time LIMIT 1;
          EXIT WHEN the_session IS NOT NULL;
        END LOOP;
        EXIT WHEN the_session IS NULL;
        PERFORM 1 FROM due d WHERE d.session = the_session FOR UPDATE;
      ELSE
        EXIT WHEN tried < most;
      END IF;
      most := most * 4;
    END LOOP;
  END IF;
  IF the_turn IS NULL THEN
    RETURN jsonb_build_object('claim', NULL);
  END IF;
  UPDATE sessions SET epoch = epoch + 1, lease_worker = input->>'worker', lease_until = the_time + (input->>'lease_ms')::bigint WHERE id = the_session;
  UPDATE turns SET status = 1, attempts = attempts + 1 WHERE session = the_session AND number = the_turn;
  RETURN jsonb_build_object('claim', (SELECT to_jsonb(c) FROM (${claimed} the_session) c));
END`,
};

const held = `epoch = $2 AND lease_worker IS NOT NULL`;

/** Renews a held lease. */
export const renewProcedure: Procedure<RenewInput, ClaimOutput> = {
  name: "renew",
  appendsOnly: () => true,
  endsWithMachine: true,
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

/** Releases a lease with its turn unfinished. */
export const releaseProcedure: Procedure<ReleaseInput, ReleaseOutput> = {
  name: "release",
  appendsOnly: () => true,
  endsWithMachine: true,
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
