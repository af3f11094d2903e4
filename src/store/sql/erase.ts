/** Erasure, in its two forms: the same statements, which a function can run as they are because `$1` is its argument there too. */
import type { Erased } from "../port.ts";
import type { Procedure, SqlValue, SyncConnection } from "./driver.ts";

type EraseInput = { readonly session_id: string | null; readonly owner_id: string | null };

/** The sessions to erase, by the ids in the input. */
const doomed = (session: string, owner: string): string =>
  `SELECT s.id, s.owner, (SELECT count(*) FROM events e WHERE e.session = s.id) AS events FROM sessions s
    WHERE s.session_id = ${session} OR s.owner = (SELECT o.id FROM owners o WHERE o.owner_id = ${owner})`;

const sessionTables = ["events", "event_extras", "checkpoints", "turns", "inputs", "idempotency", "withdrawn", "session_labels"];
const eraseSession = (id: string): readonly string[] => [
  ...sessionTables.map((table) => `DELETE FROM ${table} WHERE session = ${id}`),
  `DELETE FROM commits WHERE scope = ${id}`,
  `DELETE FROM sessions WHERE id = ${id}`,
];
const eraseOwner = (id: string): readonly string[] => [
  `DELETE FROM variables WHERE owner = ${id}`,
  `DELETE FROM entries WHERE owner = ${id}`,
  `DELETE FROM commits WHERE scope = -(${id})`,
  `DELETE FROM owners WHERE id = ${id}`,
];
/** An anonymous owner without a session: nothing could reach it any more. */
const unreachable = (id: string): string =>
  `SELECT id FROM owners WHERE id = ${id} AND customer_hash IS NULL AND NOT EXISTS (SELECT 1 FROM sessions WHERE owner = ${id})`;

function sqliteErase(db: SyncConnection, input: EraseInput): Erased {
  const erased = (statements: readonly string[], id: SqlValue): void => statements.forEach((statement) => db.run(statement, [id]));
  const sessions = db.all(doomed("$1", "$2"), [input.session_id, input.owner_id]);
  for (const { id, owner } of sessions) {
    erased(eraseSession("$1"), id ?? null);
    if (db.get(unreachable("$1"), [owner ?? null]) !== undefined) erased(eraseOwner("$1"), owner ?? null);
  }
  const owner = db.get(`SELECT id FROM owners WHERE owner_id = $1`, [input.owner_id]);
  if (owner !== undefined) erased(eraseOwner("$1"), owner["id"] ?? null);
  return { sessions: sessions.length, events: sessions.reduce((sum, session) => sum + Number(session["events"]), 0) };
}

const block = (statements: readonly string[]): string => statements.map((statement) => `${statement};`).join("\n    ");

/** Removes a session, or an owner with all its sessions. */
export const eraseProcedure: Procedure<EraseInput, Erased> = {
  name: "erase",
  sqlite: sqliteErase,
  // Owners are locked before sessions, as in a commit, so that the two cannot wait for each other.
  postgres: `DECLARE
  the_row record;
  the_owner integer;
  the_sessions integer := 0;
  the_events integer := 0;
BEGIN
  SELECT id INTO the_owner FROM owners WHERE owner_id = input->>'owner_id' FOR UPDATE;
  PERFORM 1 FROM sessions s WHERE s.session_id = input->>'session_id' OR s.owner = the_owner ORDER BY s.id FOR UPDATE;
  FOR the_row IN ${doomed("input->>'session_id'", "input->>'owner_id'")} LOOP
    the_sessions := the_sessions + 1;
    the_events := the_events + the_row.events;
    ${block(eraseSession("the_row.id"))}
    IF EXISTS (${unreachable("the_row.owner")}) THEN
    ${block(eraseOwner("the_row.owner"))}
    END IF;
  END LOOP;
  IF the_owner IS NOT NULL THEN
    ${block(eraseOwner("the_owner"))}
  END IF;
  RETURN jsonb_build_object('sessions', the_sessions, 'events', the_events);
END`,
};
