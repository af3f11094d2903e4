/** Replaces an event's data in place, in both engine forms: in the session that wrote it, so for all sessions that share it. */
import { eventKinds, type SessionChange } from "../../port.ts";
import type { SqlDriver, SyncConnection } from "../driver.ts";
import { eventPlace } from "../queries.ts";
import { numberOf } from "../rows.ts";
import { lastPossibleOffset } from "../segments.ts";

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

const steps = (session: string, offset: string, data: string): readonly string[] => [
  `UPDATE events SET data = ${data} WHERE session = ${writer(session, offset)} AND "offset" = ${offset}`,
  `UPDATE event_extras SET metadata = NULL WHERE session = ${writer(session, offset)} AND "offset" = ${offset} AND metadata IS NOT NULL`,
  // If the event was deleted meanwhile, the parts of its replacement are deleted too.
  `DELETE FROM parts WHERE id = ${data} AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session = ${writer(session, offset)} AND e."offset" = ${offset} AND e.data = ${data})`,
];

/** Replaces the data of events from before the commit. */
export function writeRedactions(db: SyncConnection, redactions: readonly RedactionInput[], session: number): void {
  const [data = "", metadata = "", parts = ""] = steps("$1", "$2", "$3");
  for (const redaction of redactions) {
    db.run(data, [session, redaction.offset, redaction.data]);
    db.run(metadata, [session, redaction.offset]);
    db.run(parts, [session, redaction.offset, redaction.data]);
  }
}

/** The PostgreSQL form: a part of the function's body. It runs in offset order, so that no two transactions deadlock. */
export const postgresRedact = `  FOR the_redaction IN SELECT r."offset" AS place, r.data AS replaced FROM jsonb_to_recordset(c->'redact') AS r("offset" integer, data text) ORDER BY 1 LOOP
${steps("s.id", "the_redaction.place", "the_redaction.replaced")
  .map((step) => `    ${step};`)
  .join("\n")}
  END LOOP;`;
