/**
 * Reads over the segments of a log: a fork has some of its events from the sessions that it goes back to, and all reads go over them as over one log. The one
 * statement whose shape differs between the engines: SQLite walks segments and rows in order and stops at the limit; PostgreSQL does so only when
 * each segment is a subquery with a limit of its own.
 */
import type { Dialect } from "./driver.ts";

/** Offsets are 32-bit integers in the database; this one stands for "to the end". */
export const lastPossibleOffset = 2_147_483_647;

/** What to read of the rows that lie at offsets; `e` stands for the table, `g` for the segment. */
export interface Stretch {
  readonly columns: string;
  /** The table, with the index to use. */
  readonly table: string;
  readonly joins?: string;
  /** The first offset, an expression; where the segment begins if it is left out. */
  readonly from?: string;
  /** The first offset of a segment's rows. */
  readonly begins?: string;
  /** The last offset, an expression. */
  readonly to: string;
  readonly conditions?: readonly string[];
  readonly order: "ASC" | "DESC";
  readonly limit?: string;
}

const words = { sqlite: { earlier: "min", later: "max" }, postgres: { earlier: "LEAST", later: "GREATEST" } } as const;

/** Rows of the log whose session's key is `key`, in the order of their offsets. */
export function stretchOf(dialect: Dialect, key: string, stretch: Stretch): string {
  const { columns, table, joins = "", from, begins = "g.first", to, conditions = [], order, limit } = stretch;
  const { earlier, later } = words[dialect];
  const rows = [
    `e.session = g.ancestor`,
    `e."offset" >= ${from === undefined ? begins : `${later}(${begins}, ${from})`}`,
    `e."offset" <= ${earlier}(g.upto, ${to})`,
    ...conditions,
  ].join(" AND ");
  const segments = [`g.session = ${key}`, ...(from === undefined ? [] : [`g.upto >= ${from}`]), `${begins} <= ${to}`].join(" AND ");
  const end = limit === undefined ? "" : ` LIMIT ${limit}`;
  return dialect === "sqlite"
    ? `SELECT ${columns} FROM segments g CROSS JOIN ${table} ${joins} WHERE ${segments} AND ${rows} ORDER BY g.upto ${order}, e."offset" ${order}${end}`
    : `SELECT part.* FROM segments g CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} ${joins} WHERE ${rows} ORDER BY e."offset" ${order}${end}) part
      WHERE ${segments} ORDER BY part."offset" ${order}${end}`;
}

const hides = (shared: string, at: string): string =>
  `w.session = ${shared}.ancestor AND w.from_offset <= e."offset" AND e."offset" < w.at_offset AND w.at_offset <= ${shared}.upto AND w.at_offset <= ${at}`;

/**
 * Hides what was withdrawn in a view of the log up to `at`: what a session wrote itself only by its own withdrawals; what it shares also by those of the others,
 * if they were made in the part that is shared, and by its own.
 */
export const visible = (at: string): string =>
  `NOT EXISTS (SELECT 1 FROM withdrawn w WHERE ${hides("g", at)}) AND (g.upto = ${lastPossibleOffset}
    OR NOT EXISTS (SELECT 1 FROM segments h CROSS JOIN withdrawn w WHERE h.session = g.session AND h.upto > g.upto AND ${hides("h", at)}))`;
