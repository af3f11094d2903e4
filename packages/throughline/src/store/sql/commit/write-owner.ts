/** Writes the owner part of a commit, and moves an anonymous owner's sessions to a customer, in both engine forms and in the same order. */
import type { OwnerId } from "../../../kernel/id.ts";
import { block } from "../queries.ts";
import { numberOr } from "../rows.ts";
import type { SqlRow, SyncConnection } from "../sql-driver.ts";
import type { CommitInput, CommitOutput, OwnerInput } from "./commit-input.ts";

/** Writes the owner part. Returns the owner's key. */
export function writeOwner(db: SyncConnection, change: OwnerInput, at: number): number {
  if (change.create) {
    const insert = `INSERT INTO owners (owner_id, customer_hash, customer_id, version, variables_version, entries_version, created_at) VALUES ($1, $2, $3, 0, 0, 0, $4)`;
    db.run(insert, [change.owner_id, change.customer_hash, change.customer_id, at]);
  }
  const owner =
    db.get(`SELECT id, name, metadata, version, variables_version, entries_version FROM owners WHERE owner_id = $1`, [change.owner_id]) ?? {};
  const id = numberOr(owner, "id");
  const { variables, entries, key } = change;
  if (key !== undefined) {
    const insertKey = `INSERT INTO owner_keys (key_id, owner, writes, operator_key, wrapped) VALUES ($1, $2, 1, $3, $4)`;
    db.run(insertKey, [key.key_id, id, key.operator_key, key.wrapped]);
  }
  const raised = change.name !== undefined || change.metadata !== undefined || variables.length + entries.length > 0 ? 1 : 0;
  const variablesVersion = numberOr(owner, "variables_version") + (variables.length > 0 ? 1 : 0);
  const entriesVersion = numberOr(owner, "entries_version");
  db.run(`UPDATE owners SET name = $2, metadata = $3, version = $4, variables_version = $5, entries_version = $6 WHERE id = $1`, [
    id,
    change.name === undefined ? (owner["name"] ?? null) : change.name,
    change.metadata ?? owner["metadata"] ?? null,
    numberOr(owner, "version") + raised,
    variablesVersion,
    entriesVersion + (entries.at(-1)?.place ?? 0),
  ]);
  const inForce = `owner = $1 AND name = $2 AND replaced IS NULL`;
  for (const { name, value } of variables) {
    db.run(`UPDATE variables SET replaced = $3 WHERE ${inForce}`, [id, name, variablesVersion]);
    db.run(`INSERT INTO variables (owner, name, version, value, set_at) VALUES ($1, $2, $3, $4, $5)`, [id, name, variablesVersion, value, at]);
  }
  for (const { name, stale } of change.checked) {
    if (stale) db.run(`UPDATE variables SET stale = 1 WHERE ${inForce}`, [id, name]);
    else db.run(`UPDATE variables SET stale = NULL, checked_at = $3 WHERE ${inForce}`, [id, name, at]);
  }
  const insertEntry = `INSERT INTO entries (owner, version, entry_id, kind, data, created_at) VALUES ($1, $2, $3, $4, $5, $6)`;
  for (const { place, entry_id, kind, data } of entries) {
    if (data === null) db.run(`DELETE FROM entries /* INDEXED BY entries_by_id */ WHERE owner = $1 AND entry_id = $2`, [id, entry_id]);
    db.run(insertEntry, [id, entriesVersion + place, entry_id, kind, data, at]);
  }
  return id;
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresOwner = `  IF o IS NOT NULL THEN
    IF NOT owner_found THEN
      INSERT INTO owners (owner_id, customer_hash, customer_id, version, variables_version, entries_version, created_at)
        VALUES (o->>'owner_id', o->>'customer_hash', o->>'customer_id', 0, 0, 0, the_time) RETURNING * INTO the_owner;
      INSERT INTO owner_keys (key_id, owner, writes, operator_key, wrapped)
        SELECT o->'key'->>'key_id', the_owner.id, 1, o->'key'->>'operator_key', o->'key'->>'wrapped' WHERE o ? 'key';
    END IF;
    raised := CASE WHEN o ? 'name' OR o ? 'metadata' OR o->'variables' <> '[]' OR o->'entries' <> '[]' THEN 1 ELSE 0 END;
    UPDATE owners SET name = CASE WHEN o ? 'name' THEN o->>'name' ELSE name END, metadata = COALESCE(o->>'metadata', metadata), version = version + raised,
      variables_version = variables_version + CASE WHEN o->'variables' <> '[]' THEN 1 ELSE 0 END,
      entries_version = entries_version + COALESCE((o->'entries'->-1->>'place')::integer, 0) WHERE id = the_owner.id;
    UPDATE variables v SET replaced = the_owner.variables_version + 1 FROM jsonb_to_recordset(o->'variables') AS n(name text)
      WHERE v.owner = the_owner.id AND v.name = n.name AND v.replaced IS NULL;
    INSERT INTO variables (owner, name, version, value, set_at)
      SELECT the_owner.id, v.name, the_owner.variables_version + 1, v.value, the_time FROM jsonb_to_recordset(o->'variables') AS v(name text, value text);
    UPDATE variables v SET stale = CASE WHEN n.stale THEN 1 END, checked_at = CASE WHEN n.stale THEN v.checked_at ELSE the_time END
      FROM jsonb_to_recordset(o->'checked') AS n(name text, stale boolean) WHERE v.owner = the_owner.id AND v.name = n.name AND v.replaced IS NULL;
    DELETE FROM entries e USING jsonb_to_recordset(o->'entries') AS n(entry_id text, data text)
      WHERE e.owner = the_owner.id AND e.entry_id = n.entry_id AND n.data IS NULL;
    INSERT INTO entries (owner, version, entry_id, kind, data, created_at)
      SELECT the_owner.id, the_owner.entries_version + e.place, e.entry_id, e.kind, e.data, the_time
      FROM jsonb_to_recordset(o->'entries') AS e(place integer, entry_id text, kind text, data text);
  END IF;`;

/** An owner, in the same columns as in the read of a session. */
const ownerColumns = `SELECT id, owner_id AS own_owner_id, customer_hash AS own_customer_hash, version AS own_version FROM owners`;

/** Checks that the session's owner has the required version, and that it is anonymous if the session is moved. */
export function checkSessionOwner(db: SyncConnection, { owner: change, session }: CommitInput, found: SqlRow | undefined): CommitOutput | undefined {
  if (session === undefined || (session.owner_id === undefined && session.depends.owner_version === undefined)) return undefined;
  const own = found ?? db.get(`${ownerColumns} WHERE owner_id = $1`, [session.create?.owner_id ?? null]);
  const version = numberOr(own, "own_version");
  if (session.owner_id !== undefined) {
    const made = change?.create === true && change.owner_id === session.owner_id && change.customer_hash !== null;
    const there = made || db.get(`${ownerColumns} WHERE owner_id = $1 AND customer_hash IS NOT NULL`, [session.owner_id]) !== undefined;
    if (!there) return { outcome: "refused", reason: "owner_missing" };
    if (own?.["own_customer_hash"] !== null)
      return { outcome: "refused", reason: "not_anonymous", owner_id: String(own?.["own_owner_id"]) as OwnerId };
  }
  if ((session.depends.owner_version ?? version) !== version) return { outcome: "refused", reason: "stale_version", version };
  return undefined;
}

/** Deletes the former owner's data, all by `$1`. The sessions and their keys have already moved to the new owner. */
const remove = (former: string): readonly string[] => [
  `DELETE FROM variables WHERE owner = ${former}`,
  `DELETE FROM entries WHERE owner = ${former}`,
  `DELETE FROM commits WHERE scope = -(${former})`,
  `DELETE FROM owners WHERE id = ${former}`,
];

/** The former owner's keys stay readable to the new owner, who writes with its own. */
const moves = (former: string, next: string): readonly string[] => [
  `UPDATE sessions SET owner = ${next} WHERE owner = ${former}`,
  `UPDATE owner_keys SET owner = ${next}, writes = 0 WHERE owner = ${former}`,
  `UPDATE records SET owner = ${next} WHERE owner = ${former}`,
];

/** Moves the sessions of the owner with key `former` to the owner `owner_id`. */
export function giveSessions(db: SyncConnection, former: number, owner_id: string): void {
  const next = db.get(`SELECT id FROM owners WHERE owner_id = $1`, [owner_id])?.["id"] ?? null;
  for (const statement of moves("$1", "$2")) db.run(statement, [former, next]);
  for (const statement of remove("$1")) db.run(statement, [former]);
}

/** Owners are always locked before sessions, in the order of their keys, so that no two transactions deadlock. */
export const postgresLockOwners = `  IF c ? 'owner_id' OR the_depends ? 'owner_version' THEN
    PERFORM 1 FROM owners WHERE id = (SELECT owner FROM sessions WHERE session_id = c->>'session_id')
      OR owner_id IN (c->>'owner_id', o->>'owner_id', c->'create'->>'owner_id') ORDER BY id FOR UPDATE;
  END IF;`;

export const postgresCheckOwner = `  IF c ? 'owner_id' OR the_depends ? 'owner_version' THEN
    SELECT * INTO session_owner FROM owners
      WHERE CASE WHEN session_found THEN id = s.owner ELSE owner_id = c->'create'->>'owner_id' END;
    IF c ? 'owner_id' THEN
      IF NOT COALESCE((o->>'create')::boolean AND o->>'owner_id' = c->>'owner_id' AND o->>'customer_hash' IS NOT NULL, false)
        AND NOT EXISTS (SELECT 1 FROM owners WHERE owner_id = c->>'owner_id' AND customer_hash IS NOT NULL) THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'owner_missing');
      ELSIF session_owner.customer_hash IS NOT NULL THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'not_anonymous', 'owner_id', session_owner.owner_id);
      END IF;
    END IF;
    IF COALESCE((the_depends->>'owner_version')::bigint, session_owner.version, 0) <> COALESCE(session_owner.version, 0) THEN
      RETURN jsonb_build_object('outcome', 'refused', 'reason', 'stale_version', 'version', COALESCE(session_owner.version, 0));
    END IF;
  END IF;`;

export const postgresGiveSessions = `  IF c ? 'owner_id' THEN
    SELECT id INTO the_count FROM owners WHERE owner_id = c->>'owner_id';
${block([...moves("s.owner", "the_count"), ...remove("s.owner")])}
  END IF;`;
