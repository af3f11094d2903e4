/** Checks and writes the records of a commit, in both engine forms and in the same order. */
import type { Refusal } from "../../port.ts";
import { isLiveRecord } from "../queries.ts";
import { numberOr } from "../rows.ts";
import type { SyncConnection } from "../sql-driver.ts";
import type { CommitInput } from "./commit-input.ts";

const newest = (kind: string, key: string, now: string): string =>
  `SELECT r.version, r.created_at FROM records r WHERE r.kind = ${kind} AND r.key = ${key} AND r.data IS NOT NULL AND ${isLiveRecord(now)}`;
const written = (kind: string, key: string, commit: string, now: string): string =>
  `SELECT 1 AS known FROM records r WHERE r.kind = ${kind} AND r.key = ${key} AND r.commit_id = ${commit} AND ${isLiveRecord(now)}`;

/** Whether a commit of records alone was already written. */
export const recordsWritten = (db: SyncConnection, { records = [], commit_id, now }: CommitInput): boolean =>
  records.some(({ kind, key }) => db.get(written("$1", "$2", "$3", "$4"), [kind, key, commit_id, now]) !== undefined);

/** Returns why a commit's records cannot be written. */
export function recordRefusal(db: SyncConnection, { records = [], owner, session, now }: CommitInput): Refusal | undefined {
  for (const { kind, key, depends_version, owner_id, session_id } of records) {
    const ownerMade = owner?.create === true && owner.owner_id === owner_id;
    if (owner_id !== null && !ownerMade && db.get(`SELECT id FROM owners WHERE owner_id = $1`, [owner_id]) === undefined)
      return { reason: "owner_missing" };
    const sessionMade = session?.create !== undefined && session.session_id === session_id;
    const there = `SELECT id FROM sessions WHERE session_id = $1 AND deleted IS NULL`;
    if (session_id !== null && !sessionMade && db.get(there, [session_id]) === undefined) return { reason: "session_missing" };
    if (depends_version === undefined) continue;
    const version = numberOr(db.get(newest("$1", "$2", "$3"), [kind, key, now]), "version");
    if (version !== depends_version) return { reason: "stale_record", kind, key, version };
  }
  return undefined;
}

interface Values {
  readonly kind: string;
  readonly key: string;
  readonly version: string;
  readonly data: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string;
  readonly commit_id: string;
  readonly owner_id: string;
  readonly session_id: string;
}

const columns = ["version", "data", "created_at", "updated_at", "expires_at", "commit_id", "owner", "session"];

/** A removed record has no owner. */
const keyOf = (table: string, column: string, { data }: Values, id: string): string =>
  `CASE WHEN ${data} IS NOT NULL THEN (SELECT x.id FROM ${table} x WHERE x.${column} = ${id}) END`;

const upsert = (values: Values): string => `INSERT INTO records (kind, key, ${columns.join(", ")})
    VALUES (${values.kind}, ${values.key}, ${values.version}, ${values.data}, ${values.created_at}, ${values.updated_at}, ${values.expires_at}, ${values.commit_id},
      ${keyOf("owners", "owner_id", values, values.owner_id)}, ${keyOf("sessions", "session_id", values, values.session_id)})
    ON CONFLICT (kind, key) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;

/** Number of expired records that each write removes from the same kind. */
const removedAtOnce = 4;

const removeExpired = (kind: string, now: string, lock = ""): string => `DELETE FROM records WHERE (kind, key) IN
    (SELECT r.kind, r.key FROM records r WHERE r.kind = ${kind} AND r.expires_at <= ${now} LIMIT ${removedAtOnce}${lock})`;

/** Writes the records of a checked commit. */
export function writeRecords(db: SyncConnection, { records = [], commit_id, at, now }: CommitInput): void {
  const [kind, key, version, data, created_at, updated_at, expires_at, commit, owner_id, session_id] = [
    "$1",
    "$2",
    "$3",
    "$4",
    "$5",
    "$6",
    "$7",
    "$8",
    "$9",
    "$10",
  ] as const;
  const write = upsert({ kind, key, version, data, created_at, updated_at, expires_at, commit_id: commit, owner_id, session_id });
  for (const record of records) {
    const former = db.get(newest("$1", "$2", "$3"), [record.kind, record.key, now]);
    db.run(write, [
      ...[record.kind, record.key, numberOr(former, "version") + 1, record.data, numberOr(former, "created_at", at), at],
      ...[record.expires_at, commit_id, record.owner_id, record.session_id],
    ]);
    db.run(removeExpired("$1", "$2"), [record.kind, now]);
  }
}

/**
 * The PostgreSQL form, as parts of the function's body. It waits for another transaction that creates the record before it checks whether the record
 * exists.
 */
export const postgresRecordDeclarations = `  the_record jsonb;
  the_now bigint := (input->>'now')::bigint;
  former record;`;

export const postgresLockRecords = `  IF input ? 'records' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(k.name, 3)) FROM
      (SELECT DISTINCT (e.value->>'kind') || ' ' || (e.value->>'key') AS name FROM jsonb_array_elements(input->'records') e ORDER BY name) k;
  END IF;`;

/** The owners of written records must not be erased meanwhile. Owners are locked before sessions, as everywhere. */
export const postgresLockRecordOwners = `  IF input ? 'records' THEN
    PERFORM 1 FROM owners WHERE owner_id IN (SELECT e.value->>'owner_id' FROM jsonb_array_elements(input->'records') e) ORDER BY id FOR KEY SHARE;
  END IF;`;
export const postgresLockRecordSessions = `  IF input ? 'records' OR o ? 'of_session' THEN
    PERFORM 1 FROM sessions WHERE deleted IS NULL AND (session_id = o->>'of_session'
      OR session_id IN (SELECT e.value->>'session_id' FROM jsonb_array_elements(input->'records') e)) ORDER BY id FOR KEY SHARE;
  END IF;`;

const [kind, key] = ["the_record->>'kind'", "the_record->>'key'"] as const;

export const postgresRecordsWritten = `  IF o IS NULL AND c IS NULL THEN
    FOR the_record IN SELECT e.value FROM jsonb_array_elements(input->'records') e LOOP
      IF EXISTS (${written(kind, key, "(input->>'commit_id')::bigint", "the_now")}) THEN
        RETURN jsonb_build_object('outcome', 'committed', 'replayed', true);
      END IF;
    END LOOP;
  END IF;`;

export const postgresRecordCheck = `  IF input ? 'records' THEN
    FOR the_record IN SELECT e.value FROM jsonb_array_elements(input->'records') e LOOP
      IF the_record->>'owner_id' IS NOT NULL AND NOT COALESCE((o->>'create')::boolean AND o->>'owner_id' = the_record->>'owner_id', false)
        AND NOT EXISTS (SELECT 1 FROM owners WHERE owner_id = the_record->>'owner_id') THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'owner_missing');
      END IF;
      IF the_record->>'session_id' IS NOT NULL AND NOT COALESCE(c ? 'create' AND c->>'session_id' = the_record->>'session_id', false)
        AND NOT EXISTS (SELECT 1 FROM sessions WHERE session_id = the_record->>'session_id' AND deleted IS NULL) THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'session_missing');
      END IF;
      IF the_record ? 'depends_version' THEN
        SELECT x.version INTO the_count FROM (${newest(kind, key, "the_now")}) x;
        IF COALESCE(the_count, 0) <> (the_record->>'depends_version')::bigint THEN
          RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_record', 'kind', ${kind}, 'key', ${key}, 'version', COALESCE(the_count, 0));
        END IF;
      END IF;
    END LOOP;
  END IF;`;

/** Expired records are removed last. Rows that another transaction locks are skipped, so that no two transactions deadlock. */
export const postgresRecords = `  IF input ? 'records' THEN
    FOR the_record IN SELECT e.value FROM jsonb_array_elements(input->'records') e LOOP
      SELECT x.version, x.created_at INTO former FROM (${newest(kind, key, "the_now")}) x;
      ${upsert({
        kind,
        key,
        version: "COALESCE(former.version, 0) + 1",
        data: "the_record->>'data'",
        created_at: "COALESCE(former.created_at, the_time)",
        updated_at: "the_time",
        expires_at: "(the_record->>'expires_at')::bigint",
        commit_id: "(input->>'commit_id')::bigint",
        owner_id: "the_record->>'owner_id'",
        session_id: "the_record->>'session_id'",
      })};
    END LOOP;
    FOR the_record IN SELECT e.value FROM jsonb_array_elements(input->'records') e LOOP
      ${removeExpired(kind, "the_now", " FOR UPDATE SKIP LOCKED")};
    END LOOP;
  END IF;`;
