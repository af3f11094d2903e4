/**
 * Deletes the unneeded rows of a session's log, with one text for both engines. An event is needed while a segment of a living session, the session
 * itself or a fork, covers it. The set of needed events only shrinks, so a concurrent fork is safe.
 */
import { type Place, places } from "./places.ts";
import { lastPossibleOffset } from "../queries.ts";

/** `session` and `rows` are expressions: the session's key, and the maximum number of rows. */
export interface Holes {
  readonly session: string;
  readonly rows: string;
}

/** The visible ranges of a session's own log. */
const living = (session: string): string => `(SELECT g.first, g.upto FROM segments g JOIN sessions l ON l.id = g.session AND l.deleted IS NULL
    WHERE g.ancestor = ${session} AND g.ancestor <> g.session
    UNION ALL SELECT l.first_offset, ${lastPossibleOffset} FROM sessions l WHERE l.id = ${session} AND l.deleted IS NULL)`;

/** The first range of invisible events, within a number of rows: `start` and `last` offset. */
export const nextGap = ({ session, rows }: Holes): string => `SELECT g.start, COALESCE((SELECT e."offset" FROM events e
      WHERE e.session = ${session} AND e."offset" BETWEEN g.start AND g.finish ORDER BY e."offset" LIMIT 1 OFFSET ${rows}), g.finish) AS last
  FROM (SELECT x.start, COALESCE((SELECT min(k.first) FROM ${living(session)} k WHERE k.first > x.start) - 1, ${lastPossibleOffset}) AS finish
    FROM (SELECT 0 AS start UNION SELECT k.upto + 1 FROM ${living(session)} k WHERE k.upto < ${lastPossibleOffset}) x
    WHERE NOT EXISTS (SELECT 1 FROM ${living(session)} k WHERE k.first <= x.start AND x.start <= k.upto)) g
  WHERE EXISTS (SELECT 1 FROM events e WHERE e.session = ${session} AND e."offset" BETWEEN g.start AND g.finish) ORDER BY g.start LIMIT 1`;

/** Tables whose rows have an offset. A session's other tables are emptied when it is erased. */
const atOffsets = new Set(["events", "event_extras", "checkpoints", "turns", "withdrawn", "segments", "sessions"]);

/** Empties a table in small steps if columns distinguish its rows, else at once. */
function emptying({ table, rows }: Place, key: string, limit: string, condition = ""): string {
  const column = rows?.key.replace(/^-/, "") ?? "";
  const value = rows?.key.startsWith("-") === true ? `-(${key})` : key;
  if (rows?.within === undefined) return `DELETE FROM ${table} WHERE ${column} = ${value}${condition}`;
  const within = rows.within.map((name) => `"${name}"`).join(", ");
  return `DELETE FROM ${table} WHERE ${column} = ${value}${condition} AND (${within}) IN (SELECT ${within} FROM ${table} WHERE ${column} = ${value}${condition} LIMIT ${limit})`;
}

const of = (kind: "session" | "owner", dialect: "sqlite" | "postgres"): readonly Place[] =>
  places.filter((place) => place.rows?.of === kind && (place.only ?? dialect) === dialect);

/** Returns the deletions after the events, in order. Each runs until it finds no more rows. */
export function trimming({ session, rows }: Holes, dialect: "sqlite" | "postgres"): readonly string[] {
  const seen = (condition: string): string => `NOT EXISTS (SELECT 1 FROM ${living(session)} k WHERE ${condition})`;
  const isDeleted = ` AND EXISTS (SELECT 1 FROM sessions d WHERE d.id = ${session} AND d.deleted IS NOT NULL)`;
  return [
    // A log is folded from the checkpoint before its first event.
    `DELETE FROM checkpoints WHERE session = ${session} AND "offset" IN (SELECT c."offset" FROM checkpoints c
      WHERE c.session = ${session} AND ${seen(`k.first - 1 <= c."offset" AND c."offset" <= k.upto`)} LIMIT 20)`,
    `DELETE FROM withdrawn WHERE session = ${session} AND ${seen(`k.first < at_offset AND at_offset <= k.upto`)}`,
    // Events have their trace ids from their turns.
    `DELETE FROM turns WHERE session = ${session} AND number IN (SELECT t.number FROM turns t JOIN sessions d ON d.id = t.session
      WHERE t.session = ${session} AND t.status = 2 AND (d.deleted IS NOT NULL OR t.ended_offset < d.first_offset)
        AND t.number NOT IN (SELECT e.turn FROM events e WHERE e.session = ${session} AND e.turn IS NOT NULL) LIMIT ${rows})`,
    ...of("session", dialect)
      .filter(({ table }) => !atOffsets.has(table))
      .map((place) => emptying(place, session, rows, isDeleted)),
  ];
}

/** Whether a session's row can be deleted: it is erased, and none of its log is visible. */
export const isFree = (session: string): string =>
  `SELECT d.id FROM sessions d WHERE d.id = ${session} AND d.deleted IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${living(session)} k)`;

/** Deletes the row of a free session. A database may reuse its key, so no other row keeps the key. */
export const freeing = (session: string): readonly string[] => [
  `DELETE FROM segments WHERE session = ${session}`,
  `UPDATE sessions SET parent = NULL WHERE parent = ${session}`,
  `DELETE FROM sessions WHERE id = ${session}`,
];

/** Returns the deletions for an owner without sessions, in order. Each runs until it finds no more rows. */
export const emptyingOwner = (owner: string, rows: string, dialect: "sqlite" | "postgres"): readonly string[] => [
  ...of("owner", dialect).map((place) => emptying(place, owner, rows)),
  `DELETE FROM owners WHERE id = ${owner}`,
];
