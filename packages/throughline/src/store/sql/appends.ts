/** The commits of all sessions that appended events, by position. The migration "stream over all sessions" says where positions come from. */
import type { Procedure } from "./sql-driver.ts";

/** The condition of the index `commits_by_position`, besides the position. */
const appended = `c.head >= c.first_offset`;

/** Reads `$2` commits of living sessions after position `$1`, and the last position. */
export const readAppends = {
  appends: `SELECT c.position, s.session_id, c.first_offset, c.head FROM commits c JOIN sessions s ON s.id = c.scope AND s.deleted IS NULL
    WHERE c.position > $1 AND c.position > 0 AND ${appended} ORDER BY c.position LIMIT $2`,
  feed: `SELECT position FROM feed`,
};

/** Number of commits that one call orders. */
const orderedAtOnce = 1_000;

/**
 * Gives positions to the oldest commits without one, on PostgreSQL. Returns whether there may be more. Callers take turns: each waits for the row of
 * `feed`. So all positions up to the last are visible together, and a commit that becomes visible later gets a later one. Commits of one session keep
 * their order, because each became visible before the next one began. A locked row is being erased.
 */
export const orderAppends: Procedure<Record<never, never>, { readonly more: boolean }> = {
  name: "order_appends",
  sqlite: () => ({ more: false }),
  postgres: `DECLARE
  the_last bigint;
  the_count integer;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM commits c WHERE c.position < 0 AND ${appended}) THEN
    RETURN jsonb_build_object('more', false);
  END IF;
  SELECT position INTO the_last FROM feed FOR UPDATE;
  WITH next AS MATERIALIZED (
    SELECT c.scope, c.commit_id, c.position FROM commits c WHERE c.position < 0 AND ${appended} ORDER BY c.position DESC LIMIT ${orderedAtOnce}
      FOR UPDATE SKIP LOCKED
  ), ordered AS (
    SELECT scope, commit_id, row_number() OVER (ORDER BY position DESC) AS place FROM next
  ), moved AS (
    UPDATE commits c SET position = the_last + o.place FROM ordered o WHERE c.scope = o.scope AND c.commit_id = o.commit_id
  )
  SELECT count(*) INTO the_count FROM ordered;
  UPDATE feed SET position = the_last + the_count;
  RETURN jsonb_build_object('more', the_count = ${orderedAtOnce});
END`,
};
