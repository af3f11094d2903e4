/** Moves a session, and all others of its anonymous owner, to the owner of a customer, in both engine forms and in the same order. */
import type { OwnerId } from "../../../kernel/id.ts";
import type { CommitInput, CommitOutput } from "./input.ts";
import type { SqlRow, SyncConnection } from "../driver.ts";
import { block } from "../plpgsql.ts";
import { numberOr } from "../rows.ts";

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
