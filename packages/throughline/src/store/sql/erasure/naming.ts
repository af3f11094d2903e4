/**
 * The part that the first commit of an owner's erasure leaves for later. After that commit no reader sees the sessions. Their ids and texts are
 * removed a few at a time, however many there are, and each leaves its keyed hash.
 */
import type { Procedure, SyncConnection } from "../driver.ts";
import { block } from "../plpgsql.ts";

export type NamingInput = {
  readonly erasure_id: string;
  readonly sessions: readonly { readonly session_id: string; readonly hash: string }[];
};
export type NamingOutput = { readonly renamed: boolean };

/** Removes the id and the texts of a session. `which` is a condition on `sessions`. */
export const unnaming = (which: string): readonly string[] => [
  `DELETE FROM inputs WHERE session IN (SELECT id FROM sessions WHERE ${which})`,
  `DELETE FROM session_labels WHERE session IN (SELECT id FROM sessions WHERE ${which})`,
  `UPDATE sessions SET session_id = 'erased:' || id, external_hash = NULL, title = NULL, metadata = NULL, labels = NULL, consumers = NULL, handover = NULL,
    handover_status = NULL, handover_place = NULL, handover_operator = NULL WHERE ${which}`,
];

/** Finds the owner of a hidden session's own variables. `session` is the session's key. It is cast, because SQLite receives every number as a real. */
export const hiddenOwner = (session: string): string =>
  `SELECT w.id FROM owners w WHERE w.owner_id = 'erased:session:' || CAST(${session} AS integer)`;

/** The ids of the owners of sessions' own data. `which` is a condition on `sessions`. */
export const ownOwners = (which: string): string => `SELECT 'own:' || session_id FROM sessions WHERE deleted IS NULL AND ${which}`;

/** Hides the sessions' own data, while they still have their ids. */
export const hidingOwn = (which: string): string => `UPDATE owners SET name = NULL, metadata = NULL, version = version + 1,
    owner_id = 'erased:session:' || (SELECT s.id FROM sessions s WHERE s.session_id = substr(owners.owner_id, 5)) WHERE owner_id IN (${ownOwners(which)})`;

/** An erasure is recorded once, even if its target comes back from a backup. */
export const keepNewest = `ON CONFLICT (target_hash) DO UPDATE SET erasure = excluded.erasure`;

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
