/**
 * Reads over the segments of a log: a fork has some of its events from the sessions that it goes back to, and all reads go over them as over one log. The one
 * statement whose shape differs between the engines: SQLite walks segments and rows in order and stops at the limit; PostgreSQL does so only when
 * each segment is a subquery with a limit of its own.
 */
import type { Dialect } from "./driver.ts";

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

/** The smaller and the greater of two expressions; an engine's own function would have another name in the other. */
const earlier = (left: string, right: string): string => `CASE WHEN ${left} < ${right} THEN ${left} ELSE ${right} END`;
const later = (left: string, right: string): string => `CASE WHEN ${left} > ${right} THEN ${left} ELSE ${right} END`;

/** Rows of the log whose session's key is `key`, in the order of their offsets. */
export function stretchOf(dialect: Dialect, key: string, stretch: Stretch): string {
  const { columns, table, joins = "", from, begins = "g.first", to, conditions = [], order, limit } = stretch;
  const rows = [
    `e.session = g.ancestor`,
    `e."offset" >= ${from === undefined ? begins : later(begins, from)}`,
    `e."offset" <= ${earlier("g.upto", to)}`,
    ...conditions,
  ].join(" AND ");
  const segments = [`g.session = ${key}`, ...(from === undefined ? [] : [`g.upto >= ${from}`]), `${begins} <= ${to}`].join(" AND ");
  const end = limit === undefined ? "" : ` LIMIT ${limit}`;
  return dialect === "sqlite"
    ? `SELECT ${columns} FROM segments g CROSS JOIN ${table} ${joins} WHERE ${segments} AND ${rows} ORDER BY g.upto ${order}, e."offset" ${order}${end}`
    : `SELECT part.* FROM segments g CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} ${joins} WHERE ${rows} ORDER BY e."offset" ${order}${end}) part
      WHERE ${segments} ORDER BY part."offset" ${order}${end}`;
}

/** Hides what was withdrawn in a view of the log up to `at`: a session's own withdrawals, and those that others made in the part that it shares. */
export const visible = (at: string): string =>
  `NOT EXISTS (SELECT 1 FROM segments h CROSS JOIN withdrawn w WHERE h.session = g.session AND h.upto > e."offset" AND w.session = h.ancestor
    AND w.at_offset > e."offset" AND w.at_offset <= ${earlier("h.upto", at)} AND w.from_offset <= e."offset")`;
