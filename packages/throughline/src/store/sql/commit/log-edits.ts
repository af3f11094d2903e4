/** Changes of a written log, in both engine forms: the beginning is cut off, and an event's data is replaced in place. */
import { eventKinds, type Refusal, type SessionChange } from "../../port.ts";
import { block, eventPlace, lastPossibleOffset } from "../queries.ts";
import { numberOf } from "../rows.ts";
import type { SqlDriver, SqlRow, SqlValue, SyncConnection } from "../sql-driver.ts";

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
const cutSteps = (at: {
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
  for (const statement of cutSteps({ session: key, first, now, bytes, state }))
    db.run(statement, values.slice(0, 1 + names.findLastIndex((name) => statement.includes(name))));
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresCut = `  IF c ? 'cut' THEN
${block(
  cutSteps({
    session: "s.id",
    first: "(c->'cut'->>'first_offset')::integer",
    bytes: "(c->'cut'->>'bytes')::integer",
    state: "c->'cut'->>'state'",
    now: "the_time",
  }),
)}
  END IF;`;

/** A redaction with the binding of its event's text, which never changes. */
export interface BoundRedaction {
  readonly offset: number;
  readonly data: NonNullable<SessionChange["redact"]>[number]["data"];
  readonly kind: number;
  readonly at: number;
}

export type RedactionInput = { readonly offset: number; readonly data: string };

/** Finds the events to redact. Skips missing ones. Of several redactions of one event, the last counts. */
export async function boundRedactions(driver: SqlDriver, { session_id, redact = [] }: SessionChange): Promise<readonly BoundRedaction[]> {
  const found: BoundRedaction[] = [];
  const last = new Map(redact.map(({ offset, data }) => [offset, data]));
  for (const [offset, data] of [...last].toSorted(([left], [right]) => left - right)) {
    if (offset > lastPossibleOffset) continue;
    const [row] = (await driver.read(eventPlace, [session_id, offset])).event;
    if (row === undefined) continue;
    const kind = numberOf(row, "kind");
    if (eventKinds[kind] !== undefined) found.push({ offset, data, kind, at: numberOf(row, "created_at") });
  }
  return found;
}

/** The session that wrote the event at an offset of another session's log. */
const writer = (session: string, offset: string): string =>
  `(SELECT g.ancestor FROM segments g WHERE g.session = ${session} AND g.first <= ${offset} AND ${offset} <= g.upto)`;

const redactSteps = (session: string, offset: string, data: string): readonly string[] => [
  `UPDATE events SET data = ${data} WHERE session = ${writer(session, offset)} AND "offset" = ${offset}`,
  `UPDATE event_extras SET metadata = NULL WHERE session = ${writer(session, offset)} AND "offset" = ${offset} AND metadata IS NOT NULL`,
  // If the event was deleted meanwhile, the parts of its replacement are deleted too.
  `DELETE FROM parts WHERE id = ${data} AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session = ${writer(session, offset)} AND e."offset" = ${offset} AND e.data = ${data})`,
];

/** Replaces the data of events from before the commit. */
export function writeRedactions(db: SyncConnection, redactions: readonly RedactionInput[], session: number): void {
  const [data = "", metadata = "", parts = ""] = redactSteps("$1", "$2", "$3");
  for (const redaction of redactions) {
    db.run(data, [session, redaction.offset, redaction.data]);
    db.run(metadata, [session, redaction.offset]);
    db.run(parts, [session, redaction.offset, redaction.data]);
  }
}

/** The PostgreSQL form: a part of the function's body. It runs in offset order, so that no two transactions deadlock. */
export const postgresRedact = `  FOR the_redaction IN SELECT r."offset" AS place, r.data AS replaced FROM jsonb_to_recordset(c->'redact') AS r("offset" integer, data text) ORDER BY 1 LOOP
${redactSteps("s.id", "the_redaction.place", "the_redaction.replaced")
  .map((step) => `    ${step};`)
  .join("\n")}
  END LOOP;`;
