/** Writes the session part of a commit, in both engine forms and in the same order. */
import { type Committed, stateIdOf } from "../../port.ts";
import { byOpenTurns, databaseNow, leasedTurn } from "../queries.ts";
import { numberOr, stateIdIn } from "../rows.ts";
import type { SqlRow, SqlValue, SyncConnection } from "../sql-driver.ts";
import type { CommitInput, EventInput, HandoverInput, SessionInput } from "./commit-input.ts";
import { postgresCut, postgresRedact, writeCut, writeRedactions } from "./log-edits.ts";
import { inheritedBy, postgresSegments, writeSegments } from "./session-fork.ts";

const updateHandover = ({ id, status, place, operator_hash, handover }: Readonly<Record<"id" | keyof HandoverInput, string>>): string =>
  `UPDATE sessions SET handover_status = ${status}, handover_place = ${place}, handover_operator = ${operator_hash}, handover = ${handover} WHERE id = ${id}`;

/** Writes the handover of the session with key `id`. */
function writeHandover(db: SyncConnection, id: number, { status, place, operator_hash, handover }: HandoverInput): void {
  db.run(updateHandover({ id: "$1", status: "$2", place: "$3", operator_hash: "$4", handover: "$5" }), [id, status, place, operator_hash, handover]);
}

/** The PostgreSQL form: a part of the function's body. */
const postgresHandover = `  IF the_header ? 'handover' THEN
    ${updateHandover({
      id: "s.id",
      status: "(the_header->'handover'->>'status')::smallint",
      place: "(the_header->'handover'->>'place')::bigint",
      operator_hash: "the_header->'handover'->>'operator_hash'",
      handover: "the_header->'handover'->>'handover'",
    })};
  END IF;`;

/** A time that never comes. */
const never = Number.MAX_SAFE_INTEGER;

/** New values of the lease columns. */
type Lease = Record<"lease_worker" | "lease_until", SqlValue>;

/** The turn `number` of the session, if it is running. */
const running = (session: string, number: string): string =>
  `WHERE session = ${session} AND number = ${number} AND status = 1 AND number = ${leasedTurn(session)}`;

/** Counts the attempts of a turn with progress from 1 again, after the commit's ended turns. */
function writeProgress(db: SyncConnection, { progress }: SessionInput, id: number): void {
  if (progress !== undefined) db.run(`UPDATE turns SET attempts = 1 ${running("$1", "$2")} AND attempts > 1`, [id, progress]);
}

/** Returns the lease after a commit, after its ended turns. `freed`: the leased turn has ended or is fenced. */
function leaseAfter(
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
const postgresPark = `  IF c ? 'progress' THEN
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

/** The written session: its key, the commit's first and last offset, the queued or joined turn, and its remaining values. */
interface WrittenSession {
  readonly id: number;
  readonly first: number;
  readonly head: number;
  readonly turn: number | null;
  readonly left: NonNullable<Committed["left"]>;
}

function createSession(db: SyncConnection, change: SessionInput, at: number): SqlRow {
  const { create, session_id } = change;
  const inherited = inheritedBy(db, create?.fork);
  const insert = `INSERT INTO sessions (session_id, owner, agent, agent_version, open_hash, mode, created_at, updated_at, head, first_offset, state_offset, epoch, version, episode,
      last_turn, parent, forked_at)
    SELECT $1, id, $3, $4, $5, 0, $6, $6, $7, $8, $9, 0, 0, 1, $10, $11, $12 FROM owners WHERE owner_id = $2 RETURNING *`;
  const row = db.get(insert, [
    ...[session_id, create?.owner_id ?? "", create?.agent ?? "", create?.agent_version ?? 0, create?.open_hash ?? null, at],
    ...[inherited.at, inherited.first_offset, inherited.state_offset, inherited.last_turn, inherited.id, create?.fork?.at ?? null],
  ]);
  writeSegments(db, numberOr(row, "id"), inherited);
  // A session that is created again with that id is intended, so a restored backup keeps it.
  db.run(`DELETE FROM tombstones WHERE target_hash = $1`, [create?.tombstone ?? null]);
  return row ?? {};
}

/** The numbers of a session's open turns, and of the queued ones among them. */
interface OpenTurns {
  readonly open: Set<number>;
  readonly queued: readonly number[];
}

function openTurnsOf(session: SqlRow): OpenTurns {
  const rows = JSON.parse(String(session["open_turns"] ?? "[]")) as readonly (readonly [number, number])[];
  return { open: new Set(rows.map(([number]) => number)), queued: rows.flatMap(([number, status]) => (status === 0 ? [number] : [])) };
}

/** Ends turns and updates their waiting messages. Returns true if the leased turn was among them. */
function writeTurnEnds(db: SyncConnection, id: number, change: SessionInput, { head, open }: OpenTurns & { readonly head: number }): boolean {
  if (change.end_turns.length === 0 && change.dequeue_turns.length === 0) return false;
  const leased = Math.min(...open);
  const end = `UPDATE turns SET status = 2, ended_offset = $3 WHERE session = $1 AND number = $2 AND status < 2`;
  const endTurn = (number: number): void => {
    if (open.delete(number)) db.run(end, [id, number, head]);
  };
  for (const number of change.end_turns) {
    endTurn(number);
    db.run(`DELETE FROM inputs WHERE session = $1 AND turn = $2`, [id, number]);
  }
  for (const number of change.dequeue_turns) {
    endTurn(number);
    db.run(`UPDATE inputs SET turn = NULL WHERE session = $1 AND turn = $2`, [id, number]);
  }
  return change.end_turns.includes(leased) || change.dequeue_turns.includes(leased);
}

/** Queues a turn, or joins the queued one. Returns null in manual mode or if the commit queues nothing. */
function writeQueue(
  db: SyncConnection,
  id: number,
  change: SessionInput,
  session: OpenTurns & { readonly mode: number; readonly last_turn: number; readonly at: number; readonly left_over: boolean },
): number | null {
  if (change.queue === undefined || session.mode === 1) return null;
  const queued = session.queued.filter((number) => session.open.has(number));
  const number = queued.length === 0 ? session.last_turn + 1 : Math.min(...queued);
  if (queued.length === 0) {
    const insert = `INSERT INTO turns (session, number, trace_id, cause, status, attempts, created_at) VALUES ($1, $2, $3, $4, 0, 0, $5)`;
    db.run(insert, [id, number, change.queue.trace_id, change.queue.cause, session.at]);
    session.open.add(number);
  }
  if (change.queue.urgent) db.run(`UPDATE turns ${byOpenTurns} SET urgent = 1 WHERE session = $1 AND status < 2`, [id]);
  if (session.left_over) db.run(`UPDATE inputs SET turn = $2 WHERE session = $1 AND turn IS NULL`, [id, number]);
  return number;
}

/** Number of events per statement, because some databases allow 100 values. */
const eventsAtOnce = 16;
const eventRows = Array.from(
  { length: eventsAtOnce },
  (_, index) => `($1, ${Array.from({ length: 5 }, (_, value) => `$${index * 5 + value + 3}`).join(", ")}, $2)`,
);

function writeEvents(
  db: SyncConnection,
  id: number,
  events: readonly EventInput[],
  place: { readonly first: number; readonly turn: number | null; readonly at: number },
): void {
  const insertExtras = `INSERT INTO event_extras (session, "offset", version, trace_id, metadata) VALUES ($1, $2, $3, $4, $5)`;
  for (let from = 0; from < events.length; from += eventsAtOnce) {
    const some = events.slice(from, from + eventsAtOnce);
    const insert = `INSERT INTO events (session, "offset", kind, source, turn, data, created_at) VALUES ${eventRows.slice(0, some.length).join(", ")}`;
    const values = some.flatMap(({ kind, source, queued, turn, data }, index) => [
      ...[place.first + from + index, kind, source],
      ...[queued ? place.turn : turn, data],
    ]);
    db.run(insert, [id, place.at, ...values]);
  }
  events.forEach((event, index) => {
    const offset = place.first + index;
    const turn = event.queued ? place.turn : event.turn;
    const trace = event.queued && turn !== null ? null : event.trace_id;
    if (trace !== null || event.metadata !== null || event.version !== 1) db.run(insertExtras, [id, offset, event.version, trace, event.metadata]);
    if (event.waiting) db.run(`INSERT INTO inputs (session, "offset", turn) VALUES ($1, $2, $3)`, [id, offset, place.turn]);
  });
}

function writeLabels(db: SyncConnection, id: number, labels: readonly string[]): void {
  db.run(`DELETE FROM session_labels WHERE session = $1`, [id]);
  for (const hash of labels) db.run(`INSERT INTO session_labels (label_hash, session) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [hash, id]);
}

/** Header columns that every commit writes, and those that only a change of the header writes. */
const updateSession = `UPDATE sessions SET head = $2, updated_at = $3, state_offset = $4, epoch = $5, last_turn = $6, lease_worker = $7, lease_until = $8, state_id = $9 WHERE id = $1`;
const updateHeader = `UPDATE sessions SET version = $2, episode = $3, mode = $4, agent_version = $5, title = $6, metadata = $7, labels = $8, consumers = $9,
  external_hash = $10 WHERE id = $1`;

/** Writes the session part. */
export function writeSession(
  db: SyncConnection,
  change: SessionInput,
  { at, names_state }: Pick<CommitInput, "at" | "names_state">,
  found: SqlRow | undefined,
): WrittenSession {
  const session = found ?? createSession(db, change, at);
  const { header, events } = change;
  const id = numberOr(session, "id");
  const first = numberOr(session, "head") + 1;
  const head = first - 1 + events.length;
  const state = change.last_state === null ? numberOr(session, "state_offset") : first + change.last_state;
  const mode = header.mode ?? numberOr(session, "mode");

  if (change.start_turn !== undefined) {
    const start = `UPDATE turns SET status = 1, started_offset = COALESCE(started_offset, $3) WHERE session = $1 AND number = $2 AND status < 2`;
    db.run(start, [id, change.start_turn.number, first + change.start_turn.event]);
  }
  const turns = openTurnsOf(session);
  const freed = writeTurnEnds(db, id, change, { ...turns, head }) || change.fence;
  writeProgress(db, change, id);
  const lease = leaseAfter(db, change, { session, id, freed });
  if (change.withdraw_from !== undefined && change.withdraw_from < first) {
    db.run(`INSERT INTO withdrawn (session, from_offset, at_offset) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [id, change.withdraw_from, first]);
    db.run(`DELETE FROM inputs WHERE session = $1 AND "offset" >= $2`, [id, change.withdraw_from]);
  }
  writeRedactions(db, change.redact, id);
  const left_over = session["left_over"] === 1 || change.dequeue_turns.length > 0;
  const turn = writeQueue(db, id, change, { ...turns, mode, last_turn: numberOr(session, "last_turn"), at, left_over });
  writeEvents(db, id, events, { first, turn, at });
  if (change.ends_queued && turn !== null) {
    const started = change.queued_starts === null ? null : first + change.queued_starts;
    const end = `UPDATE turns SET status = 2, started_offset = COALESCE(started_offset, $4), ended_offset = $3 WHERE session = $1 AND number = $2`;
    db.run(end, [id, turn, head, started]);
    turns.open.delete(turn);
    db.run(`DELETE FROM inputs WHERE session = $1 AND turn = $2`, [id, turn]);
  }
  if (change.checkpoint !== undefined) {
    const insert = `INSERT INTO checkpoints (session, "offset", bytes, state) VALUES ($1, $2, $3, $4)
      ON CONFLICT (session, "offset") DO UPDATE SET bytes = excluded.bytes, state = excluded.state`;
    // A fork that has not changed its state has the state at the offset of the fork.
    db.run(insert, [id, Math.max(state, numberOr(session, "forked_at")), change.checkpoint.bytes, change.checkpoint.state]);
  }
  if (change.key !== undefined) {
    db.run(`INSERT INTO idempotency (session, key_hash, body_hash, "offset") VALUES ($1, $2, $3, $4)`, [
      id,
      change.key.key_hash,
      change.key.body_hash,
      first + change.key.event,
    ]);
  }
  if (change.cut !== undefined) writeCut(db, change.cut, id, at);
  if (header.label_hashes !== undefined) writeLabels(db, id, header.label_hashes);
  if (header.handover !== undefined) writeHandover(db, id, header.handover);
  const isNew = change.last_state !== null || (change.create !== undefined && change.create.fork === undefined);
  const stateId = isNew ? stateIdOf(state, names_state) : (session["state_id"] ?? null);
  const kept = (column: string, value?: SqlValue): SqlValue => (value === undefined ? (session[column] ?? null) : value);
  db.run(updateSession, [
    ...[id, head, events.length > 0 ? at : kept("updated_at"), state, numberOr(session, "epoch") + (change.fence ? 1 : 0)],
    ...[Math.max(numberOr(session, "last_turn"), turn ?? 0), lease.lease_worker, lease.lease_until, stateId],
  ]);
  if (Object.values(header).some((value) => value !== undefined && value !== false))
    db.run(updateHeader, [
      ...[id, numberOr(session, "version") + (header.raises ? 1 : 0), header.episode ?? numberOr(session, "episode"), mode],
      ...[kept("agent_version", header.agent_version), kept("title", header.title), kept("metadata", header.metadata)],
      ...[kept("labels", header.labels), kept("consumers", header.consumers), kept("external_hash", header.external_hash)],
    ]);
  return {
    id,
    first,
    head,
    turn,
    left: { state_offset: state, ...stateIdIn({ state_id: stateId, state_offset: state }), open_turns: turns.open.size },
  };
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresSession = `  IF NOT session_found THEN
    INSERT INTO sessions (session_id, owner, agent, agent_version, open_hash, mode, created_at, updated_at, head, first_offset, state_offset, epoch, version, episode,
        last_turn, parent, forked_at)
      SELECT c->>'session_id', id, c->'create'->>'agent', (c->'create'->>'agent_version')::integer, c->'create'->>'open_hash', 0, the_time, the_time, COALESCE(the_at, -1),
        origin_first, origin_state, 0, 0, 1, origin_turn, origin_id, the_at
      FROM owners WHERE owner_id = c->'create'->>'owner_id' RETURNING * INTO s;
${postgresSegments}
    DELETE FROM tombstones WHERE target_hash = c->'create'->>'tombstone';
  END IF;
  the_first := s.head + 1;
  the_head := s.head + jsonb_array_length(c->'events');
  the_state := COALESCE(the_first + (c->>'last_state')::integer, s.state_offset);
  IF c->>'last_state' IS NOT NULL OR (c ? 'create' AND the_fork IS NULL) THEN
    s.state_id := the_state || ' ' || (input->>'names_state');
  END IF;
  s.mode := COALESCE((the_header->>'mode')::smallint, s.mode);

  IF c ? 'start_turn' THEN
    UPDATE turns SET status = 1, started_offset = COALESCE(started_offset, the_first + (c->'start_turn'->>'event')::integer)
      WHERE session = s.id AND number = (c->'start_turn'->>'number')::bigint AND status < 2;
  END IF;
  IF c->'end_turns' <> '[]' OR c->'dequeue_turns' <> '[]' THEN
    the_leased := ${leasedTurn("s.id")};
    IF c->'end_turns' @> to_jsonb(the_leased) OR c->'dequeue_turns' @> to_jsonb(the_leased) THEN
      s.lease_worker := NULL;
      s.lease_until := NULL;
    END IF;
    UPDATE turns SET status = 2, ended_offset = the_head WHERE session = s.id AND status < 2 AND (c->'end_turns' @> to_jsonb(number) OR c->'dequeue_turns' @> to_jsonb(number));
    DELETE FROM inputs WHERE session = s.id AND c->'end_turns' @> to_jsonb(turn);
    UPDATE inputs SET turn = NULL WHERE session = s.id AND c->'dequeue_turns' @> to_jsonb(turn);
  END IF;
  IF (c->>'fence')::boolean THEN
    s.epoch := s.epoch + 1;
    s.lease_worker := NULL;
    s.lease_until := NULL;
  END IF;
${postgresPark}
  IF (c->>'withdraw_from')::bigint < the_first THEN
    INSERT INTO withdrawn (session, from_offset, at_offset) VALUES (s.id, (c->>'withdraw_from')::integer, the_first) ON CONFLICT DO NOTHING;
    DELETE FROM inputs WHERE session = s.id AND "offset" >= (c->>'withdraw_from')::integer;
  END IF;
${postgresRedact}

  IF c ? 'queue' AND s.mode = 0 THEN
    SELECT min(number) INTO the_turn FROM turns WHERE session = s.id AND status < 2 AND status = 0;
    IF the_turn IS NULL THEN
      the_turn := s.last_turn + 1;
      s.last_turn := the_turn;
      INSERT INTO turns (session, number, trace_id, cause, status, attempts, created_at)
        VALUES (s.id, the_turn, c->'queue'->>'trace_id', (c->'queue'->>'cause')::smallint, 0, 0, the_time);
    END IF;
    IF (c->'queue'->>'urgent')::boolean THEN
      UPDATE turns SET urgent = 1 WHERE session = s.id AND status < 2;
    END IF;
    UPDATE inputs SET turn = the_turn WHERE session = s.id AND turn IS NULL;
  END IF;

  INSERT INTO events (created_at, session, "offset", turn, kind, source, data)
    SELECT the_time, s.id, the_first + e.n - 1, CASE WHEN e.queued THEN the_turn ELSE e.turn END, e.kind, e.source, e.data
    FROM ROWS FROM (jsonb_to_recordset(c->'events') AS (kind smallint, source smallint, turn integer, queued boolean, data text)) WITH ORDINALITY
      AS e(kind, source, turn, queued, data, n);
  INSERT INTO event_extras (session, "offset", version, trace_id, metadata)
    SELECT s.id, the_first + e.n - 1, e.version, CASE WHEN NOT e.queued OR the_turn IS NULL THEN e.trace_id END, e.metadata
    FROM ROWS FROM (jsonb_to_recordset(c->'events') AS (version smallint, turn integer, queued boolean, trace_id text, metadata text)) WITH ORDINALITY
      AS e(version, turn, queued, trace_id, metadata, n)
    WHERE CASE WHEN NOT e.queued OR the_turn IS NULL THEN e.trace_id END IS NOT NULL OR e.metadata IS NOT NULL OR e.version <> 1;
  INSERT INTO inputs (session, "offset", turn)
    SELECT s.id, the_first + e.n - 1, the_turn FROM jsonb_array_elements(c->'events') WITH ORDINALITY AS e(event, n) WHERE (e.event->>'waiting')::boolean;
  IF (c->>'ends_queued')::boolean AND the_turn IS NOT NULL THEN
    UPDATE turns SET status = 2, started_offset = COALESCE(started_offset, the_first + (c->>'queued_starts')::integer), ended_offset = the_head
      WHERE session = s.id AND number = the_turn;
    DELETE FROM inputs WHERE session = s.id AND turn = the_turn;
  END IF;
  IF c ? 'checkpoint' THEN
    INSERT INTO checkpoints (session, "offset", bytes, state) VALUES (s.id, GREATEST(the_state, s.forked_at), (c->'checkpoint'->>'bytes')::integer, c->'checkpoint'->>'state')
      ON CONFLICT (session, "offset") DO UPDATE SET bytes = excluded.bytes, state = excluded.state;
  END IF;
  IF c ? 'key' THEN
    INSERT INTO idempotency (session, key_hash, body_hash, "offset")
      VALUES (s.id, (c->'key'->>'key_hash')::bigint, c->'key'->>'body_hash', the_first + (c->'key'->>'event')::integer);
  END IF;
  IF the_header ? 'label_hashes' THEN
    DELETE FROM session_labels WHERE session = s.id;
    INSERT INTO session_labels (label_hash, session) SELECT DISTINCT label, s.id FROM jsonb_array_elements_text(the_header->'label_hashes') AS label;
  END IF;
${postgresHandover}
${postgresCut}

  UPDATE sessions SET head = the_head, updated_at = CASE WHEN the_head >= the_first THEN the_time ELSE s.updated_at END, state_offset = the_state, state_id = s.state_id, epoch = s.epoch,
    version = s.version + CASE WHEN (the_header->>'raises')::boolean THEN 1 ELSE 0 END, episode = COALESCE((the_header->>'episode')::integer, s.episode),
    last_turn = s.last_turn, lease_worker = s.lease_worker, lease_until = s.lease_until, mode = s.mode,
    agent_version = COALESCE((the_header->>'agent_version')::integer, s.agent_version),
    title = CASE WHEN the_header ? 'title' THEN the_header->>'title' ELSE s.title END,
    metadata = COALESCE(the_header->>'metadata', s.metadata), labels = COALESCE(the_header->>'labels', s.labels), consumers = COALESCE(the_header->>'consumers', s.consumers),
    external_hash = CASE WHEN the_header ? 'external_hash' THEN the_header->>'external_hash' ELSE s.external_hash END
    WHERE id = s.id;`;
