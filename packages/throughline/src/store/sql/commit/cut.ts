/** Cuts the beginning off a log, in both engine forms. The commit only records the cut. A job like an erasure deletes the rows afterwards. */
import type { Refusal } from "../../port.ts";
import type { SqlRow, SqlValue, SyncConnection } from "../driver.ts";
import { block } from "../plpgsql.ts";

export type CutInput = { readonly first_offset: number; readonly bytes: number; readonly state: string };

/** The greatest possible first offset of a log. The head, waiting messages and open turns stay. */
const greatest = (session: string, head: string): string => `SELECT min(x.at) AS most FROM (
    SELECT ${head} AS at
    UNION ALL SELECT min(i."offset") FROM inputs i WHERE i.session = ${session}
    UNION ALL SELECT min(t.started_offset) FROM turns t WHERE t.session = ${session} AND t.status < 2) x`;

/** Returns why the log cannot start at that offset. Undefined if it can. */
export function cutRefusal(db: SyncConnection, cut: CutInput, session: SqlRow): Refusal | undefined {
  const { id = null, head = null, first_offset } = session;
  const most = Number(db.get(greatest("$1", "$2"), [id, head])?.["most"] ?? 0);
  const first = Number(first_offset);
  if (cut.first_offset > first && cut.first_offset <= most) return undefined;
  return { reason: "cut_out_of_range", first_offset: first, last_offset: most };
}

/** The PostgreSQL form. */
export const postgresCutCheck = `    IF c ? 'cut' THEN
      SELECT g.most INTO the_count FROM (${greatest("s.id", "s.head")}) g;
      IF (c->'cut'->>'first_offset')::bigint <= s.first_offset OR (c->'cut'->>'first_offset')::bigint > the_count THEN
        RETURN jsonb_build_object('outcome', 'refused', 'reason', 'cut_out_of_range', 'first_offset', s.first_offset, 'last_offset', the_count);
      END IF;
    END IF;`;

/** The steps of a cut. A log is folded from the checkpoint before its first event, which is stored with the session that wrote that event. */
const steps = (at: {
  readonly session: string;
  readonly first: string;
  readonly bytes: string;
  readonly state: string;
  readonly now: string;
}): readonly string[] => {
  const { session, first, bytes, state, now } = at;
  return [
    `INSERT INTO checkpoints (session, "offset", bytes, state)
      SELECT g.ancestor, ${first} - 1, ${bytes}, ${state} FROM segments g WHERE g.session = ${session} AND g.first <= ${first} AND ${first} <= g.upto
      ON CONFLICT (session, "offset") DO UPDATE SET bytes = excluded.bytes, state = excluded.state`,
    `INSERT INTO erasures (erasure_id, kind, requested_at, sessions, events, session)
      SELECT 'cut:' || g.ancestor || ':' || g.session || ':' || ${first}, 1, ${now}, 0, 0, g.ancestor FROM segments g
      WHERE g.session = ${session} AND g.first < ${first} ON CONFLICT (erasure_id) DO NOTHING`,
    `DELETE FROM segments WHERE session = ${session} AND upto < ${first}`,
    `UPDATE segments SET first = ${first} WHERE session = ${session} AND first < ${first}`,
    `UPDATE sessions SET first_offset = ${first} WHERE id = ${session}`,
  ];
};

/** Writes a checked cut. */
export function writeCut(db: SyncConnection, cut: CutInput, session: number, at: number): void {
  const values: readonly SqlValue[] = [session, cut.first_offset, at, cut.bytes, cut.state];
  const names = ["$1", "$2", "$3", "$4", "$5"] as const;
  const [key, first, now, bytes, state] = names;
  for (const statement of steps({ session: key, first, now, bytes, state }))
    db.run(statement, values.slice(0, 1 + names.findLastIndex((name) => statement.includes(name))));
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresCut = `  IF c ? 'cut' THEN
${block(
  steps({
    session: "s.id",
    first: "(c->'cut'->>'first_offset')::integer",
    bytes: "(c->'cut'->>'bytes')::integer",
    state: "c->'cut'->>'state'",
    now: "the_time",
  }),
)}
  END IF;`;
