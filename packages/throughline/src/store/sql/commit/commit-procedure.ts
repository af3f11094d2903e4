/**
 * The only write of session data, in both engine forms. Both make the same steps in the same order: check, then write. Nothing is written before the
 * last check has passed. Each step has both of its forms in one file.
 */
import { byOpenTurns } from "../queries.ts";
import { numberOr } from "../rows.ts";
import { postgresParts, writeParts } from "../split.ts";
import type { Procedure, SyncConnection } from "../sql-driver.ts";
import { answerWithoutWriting, type Found, postgresChecks } from "./checks.ts";
import type { CommitInput, CommitOutput } from "./commit-input.ts";
import { postgresForkDeclarations, postgresForkLock } from "./session-fork.ts";
import { giveSessions, postgresGiveSessions, postgresLockOwners, postgresOwner, writeOwner } from "./write-owner.ts";
import {
  postgresLockRecordOwners,
  postgresLockRecords,
  postgresLockRecordSessions,
  postgresRecordDeclarations,
  postgresRecords,
  writeRecords,
} from "./write-records.ts";
import { postgresSession, writeSession } from "./write-session.ts";

/** Commit ids are kept as long as their session, so that a commit with a lost response is recognized however far the log has grown. */
const insertCommit = `INSERT INTO commits (scope, commit_id, first_offset, head, queued_turn) VALUES ($1, $2, $3, $4, $5)`;

/**
 * Reads the session data that a commit needs in one statement: the row, its owner, an earlier commit with that id, the numbers of its open turns as
 * JSON. Also the number of messages that wait in turns, and whether one waits in none.
 */
const readSession = `SELECT s.*, o.owner_id AS own_owner_id, o.customer_hash AS own_customer_hash, o.version AS own_version,
    c.scope AS done, c.first_offset AS done_first, c.head AS done_head, c.queued_turn AS done_turn,
    (SELECT json_group_array(json_array(t.number, t.status)) FROM turns t ${byOpenTurns} WHERE t.session = s.id AND t.status < 2) AS open_turns,
    (SELECT count(*) FROM inputs i WHERE i.session = s.id AND i.turn IS NOT NULL) AS waiting,
    EXISTS (SELECT 1 FROM inputs i WHERE i.session = s.id AND i.turn IS NULL) AS left_over
  FROM sessions s JOIN owners o ON o.id = s.owner LEFT JOIN commits c ON c.scope = s.id AND c.commit_id = $2
  WHERE s.session_id = $1 AND s.deleted IS NULL`;

function sqliteCommit(db: SyncConnection, input: CommitInput): CommitOutput {
  const { owner: ownerChange, session: change } = input;
  const found: Found = {
    owner: ownerChange && db.get(`SELECT id, version FROM owners WHERE owner_id = $1`, [ownerChange.owner_id]),
    session: change && db.get(readSession, [change.session_id, input.commit_id]),
  };
  const answer = answerWithoutWriting(db, input, found);
  if (answer !== undefined) return answer;
  writeParts(db, input);
  const owner = ownerChange && writeOwner(db, ownerChange, input.at);
  if (change === undefined) {
    writeRecords(db, input);
    if (owner !== undefined) db.run(insertCommit, [-owner, input.commit_id, null, null, null]);
    return { outcome: "committed", replayed: false };
  }
  const { id, first, head, turn, left } = writeSession(db, change, input, found.session);
  writeRecords(db, input);
  if (change.owner_id !== undefined) giveSessions(db, numberOr(found.session, "owner"), change.owner_id);
  db.run(insertCommit, [id, input.commit_id, first, head, turn]);
  const session = { first_offset: first, head, ...(turn === null ? {} : { queued_turn: turn }) };
  return { outcome: "committed", replayed: false, session, left };
}

/** Row locks are always taken owner first, then session, so that no two transactions deadlock. */
const postgresCommit = `DECLARE
  the_time bigint := (input->>'at')::bigint;
  o jsonb := input->'owner';
  c jsonb := input->'session';
  the_owner owners%ROWTYPE;
  session_owner owners%ROWTYPE;
  s sessions%ROWTYPE;
  owner_found boolean := false;
  session_found boolean := false;
  done commits%ROWTYPE;
  the_header jsonb := c->'header';
  the_depends jsonb := c->'depends';
  the_text text;
  the_count integer;
  the_first integer;
  the_head integer;
  the_state integer;
  the_turn integer;
  the_leased integer;
  raised integer;
  the_redaction record;
${postgresForkDeclarations}
${postgresRecordDeclarations}
BEGIN
${postgresLockRecords}
  -- What is created has no row to lock yet: a commit that is sent twice at once must wait for itself to be found.
  IF (o->>'create')::boolean THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(o->>'owner_id', 1));
  END IF;
  IF c ? 'create' THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(c->>'session_id', 2));
  END IF;
${postgresLockOwners}
${postgresForkLock}
  IF o IS NOT NULL THEN
    SELECT * INTO the_owner FROM owners WHERE owner_id = o->>'owner_id' FOR UPDATE;
    owner_found := FOUND;
  END IF;
${postgresLockRecordOwners}
  IF c IS NOT NULL THEN
    SELECT * INTO s FROM sessions WHERE session_id = c->>'session_id' AND deleted IS NULL FOR UPDATE;
    session_found := FOUND;
  END IF;
${postgresLockRecordSessions}

${postgresChecks}

${postgresParts}
${postgresOwner}
  IF c IS NOT NULL THEN
${postgresSession}
  END IF;
${postgresRecords}
  IF c IS NULL THEN
    INSERT INTO commits (scope, commit_id) SELECT -the_owner.id, (input->>'commit_id')::bigint WHERE o IS NOT NULL;
    RETURN jsonb_build_object('outcome', 'committed', 'replayed', false);
  END IF;
${postgresGiveSessions}
  INSERT INTO commits (scope, commit_id, first_offset, head, queued_turn) VALUES (s.id, (input->>'commit_id')::bigint, the_first, the_head, the_turn);
  RETURN jsonb_strip_nulls(jsonb_build_object('outcome', 'committed', 'replayed', false,
    'session', jsonb_build_object('first_offset', the_first, 'head', the_head, 'queued_turn', the_turn),
    'left', jsonb_build_object('state_offset', the_state,
      'state_id', CASE WHEN s.state_id LIKE the_state || ' %' THEN s.state_id END, 'open_turns', (SELECT count(*) FROM turns WHERE session = s.id AND status < 2))));
END`;

/** Writes a commit; see {@link CommitInput}. */
export const commitProcedure: Procedure<CommitInput, CommitOutput> = {
  name: "commit",
  sqlite: sqliteCommit,
  postgres: postgresCommit,
  appendsOnly: ({ session }) =>
    session === undefined ||
    (session.redact.length === 0 && session.withdraw_from === undefined && session.cut === undefined && session.owner_id === undefined),
};
