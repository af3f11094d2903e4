/** The table of drafts that processes share. SQLite has none: there a draft stays in the memory of its process. */
import type { Procedure } from "../driver.ts";
import { databaseNow } from "../plpgsql.ts";

interface Place {
  readonly session_id: string;
  readonly epoch: number;
  readonly message: number;
}

export interface DraftsInput {
  readonly rows: readonly (Place & { readonly turn: number; readonly at: number; readonly text: string })[];
  /** Drafts to delete, with all earlier ones. */
  readonly over: readonly Place[];
  /** Whether to delete abandoned drafts. */
  readonly sweep: boolean;
}

/** Milliseconds without a write after which a draft counts as abandoned. */
const abandonedMs = 3_600_000;

/** Writes pieces and deletes ended drafts: the named ones, and those of earlier epochs of each written session. */
export const draftsProcedure: Procedure<DraftsInput, object> = {
  name: "drafts",
  sqlite: () => ({}),
  postgres: `BEGIN
  DELETE FROM drafts d USING sessions s, jsonb_to_recordset(input->'rows') AS r(session_id text, epoch integer)
    WHERE s.session_id = r.session_id AND d.session = s.id AND d.epoch < r.epoch;
  INSERT INTO drafts (written_at, session, epoch, turn, message, at, text)
    SELECT ${databaseNow}, s.id, r.epoch, r.turn, r.message, r.at, r.text
      FROM jsonb_to_recordset(input->'rows') AS r(session_id text, epoch integer, turn integer, message integer, at integer, text text)
      JOIN sessions s ON s.session_id = r.session_id
    ON CONFLICT (session, epoch, message, at) DO UPDATE SET text = EXCLUDED.text;
  DELETE FROM drafts d USING sessions s, jsonb_to_recordset(input->'over') AS r(session_id text, epoch integer, message integer)
    WHERE s.session_id = r.session_id AND d.session = s.id AND (d.epoch, d.message) <= (r.epoch, r.message);
  IF (input->>'sweep')::boolean THEN
    DELETE FROM drafts d WHERE d.written_at < ${databaseNow} - ${abandonedMs}
      OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = d.session AND s.epoch <= d.epoch);
  END IF;
  RETURN '{}'::jsonb;
END`,
};

const from = `jsonb_to_recordset($1::jsonb) AS f(session_id text, known boolean, epoch integer, message integer, at integer)
  JOIN sessions s ON s.session_id = f.session_id`;

/** Reads pieces of drafts from each reader's position. A new reader gets no draft of an ended turn. */
export const draftsOf = {
  sessions: `SELECT s.session_id, s.epoch FROM ${from}`,
  drafts: `SELECT s.session_id, o.owner_id, d.epoch, d.turn, d.message, d.at, d.text FROM ${from} JOIN owners o ON o.id = s.owner
    JOIN drafts d ON d.session = s.id AND (d.epoch, d.message, d.at) >= (f.epoch, f.message, f.at) AND (f.known OR d.epoch >= s.epoch)
    ORDER BY d.session, d.epoch, d.message, d.at`,
};
