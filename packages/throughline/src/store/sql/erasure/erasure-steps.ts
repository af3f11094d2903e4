/**
 * Erasure, in both engine forms. It starts with a commit after which no caller sees or writes the target. It continues in steps of few rows. Each
 * step is a transaction that locks the row of the erasure, so that any process can continue it at any time.
 */
import { block, byOpenTurns } from "../queries.ts";
import { numberOf } from "../rows.ts";
import type { Procedure, SqlRow, SqlValue, SyncConnection } from "../sql-driver.ts";
import { emptyingOwner, freeing, type Holes, isFree, nextGap, trimming } from "./trim.ts";

type NamingInput = {
  readonly erasure_id: string;
  readonly sessions: readonly { readonly session_id: string; readonly hash: string }[];
};
type NamingOutput = { readonly renamed: boolean };

/** Removes the id and the texts of a session. `which` is a condition on `sessions`. */
const unnaming = (which: string): readonly string[] => [
  `DELETE FROM inputs WHERE session IN (SELECT id FROM sessions WHERE ${which})`,
  `DELETE FROM session_labels WHERE session IN (SELECT id FROM sessions WHERE ${which})`,
  `UPDATE sessions SET session_id = 'erased:' || id, external_hash = NULL, title = NULL, metadata = NULL, labels = NULL, consumers = NULL, handover = NULL,
    handover_status = NULL, handover_place = NULL, handover_operator = NULL WHERE ${which}`,
];

/** Finds the owner of a hidden session's own variables. `session` is the session's key. It is cast, because SQLite receives every number as a real. */
const hiddenOwner = (session: string): string => `SELECT w.id FROM owners w WHERE w.owner_id = 'erased:session:' || CAST(${session} AS integer)`;

/** The ids of the owners of sessions' own data. `which` is a condition on `sessions`. */
const ownOwners = (which: string): string => `SELECT 'own:' || session_id FROM sessions WHERE deleted IS NULL AND ${which}`;

/** Hides the sessions' own data, while they still have their ids. */
const hidingOwn = (which: string): string => `UPDATE owners SET name = NULL, metadata = NULL, version = version + 1,
    owner_id = 'erased:session:' || (SELECT s.id FROM sessions s WHERE s.session_id = substr(owners.owner_id, 5)) WHERE owner_id IN (${ownOwners(which)})`;

/** An erasure is recorded once, even if its target comes back from a backup. */
const keepNewest = `ON CONFLICT (target_hash) DO UPDATE SET erasure = excluded.erasure`;

const unnamed = `s.deleted IS NOT NULL AND s.session_id NOT LIKE 'erased:%'`;

/** The next sessions of an erasure that still have their ids. `$1` is the erasure, `$2` the key to continue after, `$3` the limit. */
export const nextNames = {
  sessions: `SELECT s.id, s.session_id FROM erasures e JOIN sessions s ON s.owner = e.owner
    WHERE e.erasure_id = $1 AND e.finished_at IS NULL AND s.id > $2 AND ${unnamed} ORDER BY s.id LIMIT $3`,
};

const jobOf = `SELECT id, owner FROM erasures WHERE erasure_id = $1 AND finished_at IS NULL`;

function sqliteNaming(db: SyncConnection, { erasure_id, sessions }: NamingInput): NamingOutput {
  const job = db.get(jobOf, [erasure_id]);
  if (job === undefined) return { renamed: false };
  for (const { session_id, hash } of sessions) {
    const id = db.get(`SELECT id FROM sessions s WHERE s.session_id = $1 AND s.owner = $2 AND ${unnamed}`, [session_id, job["owner"] ?? null])?.[
      "id"
    ];
    if (id === undefined) continue;
    db.run(`INSERT INTO tombstones (target_hash, erasure) VALUES ($1, $2) ${keepNewest}`, [hash, job["id"] ?? null]);
    for (const statement of unnaming("id = $1")) db.run(statement, [id]);
  }
  return { renamed: true };
}

/** Removes the ids of a few sessions. */
export const namingProcedure: Procedure<NamingInput, NamingOutput> = {
  name: "erase_names",
  pace: "batch",
  sqlite: sqliteNaming,
  postgres: `DECLARE
  job erasures%ROWTYPE;
  the_keys integer[];
BEGIN
  SELECT * INTO job FROM erasures WHERE erasure_id = input->>'erasure_id' AND finished_at IS NULL FOR UPDATE;
  IF job.id IS NULL THEN
    RETURN jsonb_build_object('renamed', false);
  END IF;
  SELECT array_agg(s.id) INTO the_keys FROM jsonb_to_recordset(input->'sessions') AS r(session_id text) JOIN sessions s ON s.session_id = r.session_id
    WHERE s.owner = job.owner AND ${unnamed};
  INSERT INTO tombstones (target_hash, erasure) SELECT r.hash, job.id FROM jsonb_to_recordset(input->'sessions') AS r(session_id text, hash text)
    JOIN sessions s ON s.session_id = r.session_id WHERE s.id = ANY (the_keys) ${keepNewest};
${block(unnaming("id = ANY (the_keys)"))}
  RETURN jsonb_build_object('renamed', true);
END`,
};

type MarkInput = {
  readonly erasure_id: string;
  readonly now: number;
  /** The owner to erase with all sessions, or null to erase one session and keep its owner. */
  readonly owner_id: string | null;
  /** The session to erase, if it is one. With an owner, that owner must be anonymous and have no other session. */
  readonly session_id: string | null;
  /** Erases the session only if this is its head, and nothing in it waits or runs. */
  readonly head: number | null;
  /** When the receipt and the hashes expire, or null if they are kept. */
  readonly expires_at: number | null;
  /** Keyed hashes of the ids of the owner and the session. Those of an owner's sessions follow later. */
  readonly hashes: readonly string[];
};
/** `again`: the data has changed since the caller read it. `busy`: the session does not meet the condition of `head`. */
type MarkOutput = { readonly outcome: "marked" | "missing" | "again" | "busy" };

type StepInput = { readonly erasure_id: string; readonly now: number; readonly rows: number };
type StepOutput = { readonly finished: boolean };

/**
 * Hides the sessions from readers, claims and writers, so that a running turn cannot commit. It writes as little as possible, because an owner may
 * have very many. `which` is a condition on `sessions`.
 */
const hiding = (which: string): readonly string[] => [
  `UPDATE turns ${byOpenTurns} SET status = 2 WHERE status < 2 AND session IN (SELECT id FROM sessions WHERE ${which})`,
  `UPDATE sessions SET deleted = 1, open_hash = NULL, lease_worker = NULL, lease_until = NULL, epoch = epoch + 1 WHERE deleted IS NULL AND ${which}`,
];
const hidingOwner = (owner: string): string =>
  `UPDATE owners SET owner_id = 'erased:' || id, customer_hash = NULL, customer_id = NULL, name = NULL, metadata = NULL, version = version + 1 WHERE id = ${owner}`;

const insertErasure = (values: string): string =>
  `INSERT INTO erasures (erasure_id, kind, requested_at, sessions, events, owner, session, expires_at) ${values} RETURNING id`;
const livingSessions = (owner: string): string => `SELECT count(*) AS living FROM sessions s WHERE s.owner = ${owner} AND s.deleted IS NULL`;
/** Whether something waits or runs in a session. */
const inUse = (session: string): string =>
  `SELECT 1 AS used FROM inputs WHERE session = ${session} UNION ALL SELECT 1 FROM turns ${byOpenTurns} WHERE session = ${session} AND status < 2`;

function sqliteMark(db: SyncConnection, input: MarkInput): MarkOutput {
  const { owner_id, session_id } = input;
  const found =
    session_id === null
      ? db.get(`SELECT id AS owner, customer_hash FROM owners WHERE owner_id = $1`, [owner_id])
      : db.get(
          `SELECT s.id, s.owner, s.head, o.customer_hash FROM sessions s JOIN owners o ON o.id = s.owner WHERE s.session_id = $1 AND s.deleted IS NULL`,
          [session_id],
        );
  if (found === undefined) return { outcome: "missing" };
  const { id: session = null, owner = null, head = null } = found;
  const living = numberOf(db.get(livingSessions("$1"), [owner]) ?? {}, "living");
  const isLast = found["customer_hash"] === null && living === 1;
  if (session_id !== null && isLast !== (owner_id !== null)) return { outcome: "again" };
  if (input.head !== null && (head !== input.head || db.get(inUse("$1"), [session]) !== undefined)) return { outcome: "busy" };
  const [which, key] = owner_id === null ? ["id = $1", session] : ["owner = $1", owner];
  for (const statement of [hidingOwn(which), ...hiding(which)]) db.run(statement, [key]);
  if (session_id !== null) for (const statement of unnaming("id = $1")) db.run(statement, [session]);
  if (owner_id !== null) db.run(hidingOwner("$1"), [owner]);
  const values: SqlValue[] = [
    input.erasure_id,
    input.now,
    session_id === null ? living : 1,
    owner_id === null ? null : owner,
    owner_id === null ? session : null,
    input.expires_at,
  ];
  const erasure = db.get(insertErasure(`VALUES ($1, 0, $2, $3, 0, $4, $5, $6)`), values)?.["id"] ?? null;
  for (const hash of input.hashes) db.run(`INSERT INTO tombstones (target_hash, erasure) VALUES ($1, $2) ${keepNewest}`, [hash, erasure]);
  return { outcome: "marked" };
}

/** Starts an erasure. */
export const markProcedure: Procedure<MarkInput, MarkOutput> = {
  name: "erase_mark",
  pace: "batch",
  sqlite: sqliteMark,
  // Owners are locked before sessions, as in a commit, so that the two cannot deadlock. No session is created for a locked owner.
  postgres: `DECLARE
  the_owner owners%ROWTYPE;
  the_session sessions%ROWTYPE;
  the_count integer;
  the_erasure integer;
  whole boolean := input->>'owner_id' IS NOT NULL;
  is_one boolean := input->>'session_id' IS NOT NULL;
BEGIN
  IF is_one THEN
    SELECT o.* INTO the_owner FROM sessions s JOIN owners o ON o.id = s.owner WHERE s.session_id = input->>'session_id' AND s.deleted IS NULL FOR UPDATE OF o;
  ELSE
    SELECT * INTO the_owner FROM owners WHERE owner_id = input->>'owner_id' FOR UPDATE;
  END IF;
  IF the_owner.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'missing');
  END IF;
  PERFORM 1 FROM owners WHERE owner_id IN (${ownOwners("owner = the_owner.id AND (whole OR session_id = input->>'session_id')")}) ORDER BY id FOR UPDATE;
  PERFORM 1 FROM sessions s WHERE s.owner = the_owner.id AND (whole OR s.session_id = input->>'session_id') ORDER BY s.id FOR UPDATE;
  SELECT c.living INTO the_count FROM (${livingSessions("the_owner.id")}) c;
  IF is_one THEN
    SELECT s.* INTO the_session FROM sessions s WHERE s.owner = the_owner.id AND s.session_id = input->>'session_id' AND s.deleted IS NULL;
    IF the_session.id IS NULL OR (the_owner.customer_hash IS NULL AND the_count = 1) <> whole THEN
      RETURN jsonb_build_object('outcome', 'again');
    END IF;
    IF input->>'head' IS NOT NULL AND ((input->>'head')::bigint <> the_session.head OR EXISTS (${inUse("the_session.id")})) THEN
      RETURN jsonb_build_object('outcome', 'busy');
    END IF;
    the_count := 1;
${block([hidingOwn("id = the_session.id")])}
${block(unnaming("id = the_session.id"))}
  END IF;
  IF whole THEN
${block([hidingOwn("owner = the_owner.id"), ...hiding("owner = the_owner.id")])}
${block([hidingOwner("the_owner.id")])}
  ELSE
${block(hiding("id = the_session.id"))}
  END IF;
  ${insertErasure(`VALUES (input->>'erasure_id', 0, (input->>'now')::bigint, the_count, 0, CASE WHEN whole THEN the_owner.id END, CASE WHEN NOT whole THEN the_session.id END, (input->>'expires_at')::bigint)`)} INTO the_erasure;
  INSERT INTO tombstones (target_hash, erasure) SELECT h.hash, the_erasure FROM jsonb_array_elements_text(input->'hashes') AS h(hash) ${keepNewest};
  RETURN jsonb_build_object('outcome', 'marked');
END`,
};

/** The sessions of a job: an owner's, or one session and its deleted ancestors, whose logs it may be the last to need. */
const concerned = (owner: string, session: string): string => `SELECT c.id FROM (
    SELECT o.id, 0 AS rank FROM (SELECT s.id FROM sessions s WHERE s.owner = ${owner} LIMIT 1000) o
    UNION SELECT a.id, 0 FROM segments g JOIN sessions a ON a.id = g.ancestor AND a.deleted IS NOT NULL WHERE g.session = ${session} AND g.ancestor <> g.session
    UNION SELECT s.id, 1 FROM sessions s WHERE s.id = ${session}
  ) c ORDER BY c.rank, c.id LIMIT 1000`;

/** Whether the receipt of an erasure `e` is still kept. */
export const isKept = (now: string): string => `(e.expires_at IS NULL OR e.expires_at > ${now})`;

/** The number of expired receipts that the end of an erasure deletes. */
const removedAtOnce = 100;

/** Earlier erasures whose receipt has expired. The newest one stays, so that its id is never used again. */
const expired = (erasure: string, now: string, lock: string): string =>
  `SELECT e.id FROM erasures e WHERE e.expires_at <= ${now} AND e.finished_at IS NOT NULL AND e.id < ${erasure} ORDER BY e.id LIMIT ${removedAtOnce}${lock}`;

const finish = (erasure: string, now: string, lock = ""): readonly string[] => [
  `UPDATE erasures SET finished_at = ${now}, owner = NULL, session = NULL WHERE id = ${erasure} AND kind = 0`,
  `DELETE FROM erasures WHERE id = ${erasure} AND kind = 1`,
  `DELETE FROM tombstones WHERE erasure IN (${expired(erasure, now, lock)})`,
  // The two may see different erasures if another process does the same.
  `DELETE FROM erasures WHERE id IN (${expired(erasure, now, lock)}) AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.erasure = erasures.id)`,
];

/** A running step: its maximum number of rows, and how many remain. */
interface Step {
  readonly rows: number;
  left: number;
}

const keyAndRows = (statement: string, key: SqlValue, rows: number): readonly SqlValue[] => (statement.includes("$2") ? [key, rows] : [key]);

/** Runs statements in order, each until it finds no more rows. Returns false if the allowance is used up first. */
function runAll(db: SyncConnection, statements: readonly string[], key: SqlValue, step: Step): boolean {
  for (const statement of statements) {
    for (let removed = 1; removed > 0;) {
      if (step.left <= 0) return false;
      removed = db.all(`${statement} RETURNING 1`, keyAndRows(statement, key, step.rows)).length;
      step.left -= removed;
    }
  }
  return true;
}

const holes: Holes = { session: "$1", rows: "$2" };

/** Deletes the unneeded rows of a session. Returns false if the allowance is used up first. */
function trimSession(db: SyncConnection, job: SqlRow, session: SqlValue, step: Step): boolean {
  for (;;) {
    if (step.left <= 0) return false;
    const gap = db.get(nextGap(holes), [session, step.rows - 1]);
    if (gap === undefined) break;
    const range = [session, gap["start"] ?? null, gap["last"] ?? null];
    const removed = db.all(`DELETE FROM events WHERE session = $1 AND "offset" BETWEEN $2 AND $3 RETURNING 1`, range).length;
    db.run(`DELETE FROM event_extras WHERE session = $1 AND "offset" BETWEEN $2 AND $3`, range);
    db.run(`UPDATE erasures SET events = events + $2 WHERE id = $1`, [job["id"] ?? null, removed]);
    step.left -= removed;
  }
  if (!runAll(db, trimming(holes, "sqlite"), session, step)) return false;
  const own = db.get(hiddenOwner("$1"), [session])?.["id"];
  if (own !== undefined && !runAll(db, emptyingOwner("$1", "$2", "sqlite"), own, step)) return false;
  if (db.get(isFree("$1"), [session]) !== undefined) {
    for (const statement of freeing("$1")) db.run(statement, [session]);
    step.left -= 1;
  }
  return true;
}

function sqliteStep(db: SyncConnection, { erasure_id, now, rows }: StepInput): StepOutput {
  const job = db.get(`SELECT id, owner, session FROM erasures WHERE erasure_id = $1 AND finished_at IS NULL`, [erasure_id]);
  if (job === undefined) return { finished: true };
  const { owner = null, session = null, id = null } = job;
  const step: Step = { rows, left: rows };
  for (const row of db.all(concerned("$1", "$2"), [owner, session])) if (!trimSession(db, job, row["id"] ?? null, step)) return { finished: false };
  if (owner !== null) {
    if (db.get(`SELECT id FROM sessions WHERE owner = $1 LIMIT 1`, [owner]) !== undefined) {
      for (const statement of hiding("owner = $1")) db.run(statement, [owner]);
      return { finished: false };
    }
    if (!runAll(db, emptyingOwner("$1", "$2", "sqlite"), owner, step)) return { finished: false };
  }
  for (const statement of finish("$1", "$2")) db.run(statement, statement.includes("$2") ? [id, now] : [id]);
  return { finished: true };
}

/** The PostgreSQL form: each statement runs until it finds no more rows. The function returns when the allowance is used up. */
const runAllText = (statements: readonly string[]): string =>
  statements
    .map(
      (statement) => `LOOP
      IF left_over <= 0 THEN
        RETURN jsonb_build_object('finished', false);
      END IF;
      ${statement};
      GET DIAGNOSTICS removed = ROW_COUNT;
      left_over := left_over - removed;
      EXIT WHEN removed = 0;
    END LOOP;`,
    )
    .join("\n    ");

const postgresHoles: Holes = { session: "the_session", rows: "most" };

/** Processes the next few rows of an erasure. */
export const stepProcedure: Procedure<StepInput, StepOutput> = {
  name: "erase_step",
  pace: "batch",
  sqlite: sqliteStep,
  postgres: `DECLARE
  job erasures%ROWTYPE;
  most integer := (input->>'rows')::integer;
  left_over integer := most;
  the_session integer;
  the_own integer;
  the_start integer;
  the_last integer;
  removed integer;
BEGIN
  SELECT * INTO job FROM erasures WHERE erasure_id = input->>'erasure_id' AND finished_at IS NULL FOR UPDATE;
  IF job.id IS NULL THEN
    RETURN jsonb_build_object('finished', true);
  END IF;
  FOR the_session IN ${concerned("job.owner", "job.session")} LOOP
    LOOP
      IF left_over <= 0 THEN
        RETURN jsonb_build_object('finished', false);
      END IF;
      SELECT n.start, n.last INTO the_start, the_last FROM (${nextGap({ ...postgresHoles, rows: "most - 1" })}) n;
      EXIT WHEN NOT FOUND;
      DELETE FROM events WHERE session = the_session AND "offset" BETWEEN the_start AND the_last;
      GET DIAGNOSTICS removed = ROW_COUNT;
      DELETE FROM event_extras WHERE session = the_session AND "offset" BETWEEN the_start AND the_last;
      UPDATE erasures SET events = events + removed WHERE id = job.id;
      left_over := left_over - removed;
    END LOOP;
    ${runAllText(trimming(postgresHoles, "postgres"))}
    SELECT x.id INTO the_own FROM (${hiddenOwner("the_session")}) x;
    IF the_own IS NOT NULL THEN
    ${runAllText(emptyingOwner("the_own", "most", "postgres"))}
    END IF;
    IF EXISTS (${isFree("the_session")}) THEN
${block(freeing("the_session"))}
      left_over := left_over - 1;
    END IF;
  END LOOP;
  IF job.owner IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM sessions WHERE owner = job.owner) THEN
${block(hiding("owner = job.owner"))}
      RETURN jsonb_build_object('finished', false);
    END IF;
    ${runAllText(emptyingOwner("job.owner", "most", "postgres"))}
  END IF;
${block(finish("job.id", "(input->>'now')::bigint", " FOR UPDATE SKIP LOCKED"))}
  RETURN jsonb_build_object('finished', true);
END`,
};
