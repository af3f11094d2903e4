/** Writes a handover, in both engine forms: its data, and the columns for lists. These columns are not in the statement that every commit runs. */
import type { SyncConnection } from "../driver.ts";

export type HandoverInput = { readonly status: number; readonly place: number; readonly operator_hash: string | null; readonly handover: string };

const update = ({ id, status, place, operator_hash, handover }: Readonly<Record<"id" | keyof HandoverInput, string>>): string =>
  `UPDATE sessions SET handover_status = ${status}, handover_place = ${place}, handover_operator = ${operator_hash}, handover = ${handover} WHERE id = ${id}`;

/** Writes the handover of the session with key `id`. */
export function writeHandover(db: SyncConnection, id: number, { status, place, operator_hash, handover }: HandoverInput): void {
  db.run(update({ id: "$1", status: "$2", place: "$3", operator_hash: "$4", handover: "$5" }), [id, status, place, operator_hash, handover]);
}

/** The PostgreSQL form: a part of the function's body. */
export const postgresHandover = `  IF the_header ? 'handover' THEN
    ${update({
      id: "s.id",
      status: "(the_header->'handover'->>'status')::smallint",
      place: "(the_header->'handover'->>'place')::bigint",
      operator_hash: "the_header->'handover'->>'operator_hash'",
      handover: "the_header->'handover'->>'handover'",
    })};
  END IF;`;
