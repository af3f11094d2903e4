/**
 * Reads over the segments of a log. A fork has some of its events from its ancestors, and all reads treat the segments as one log. It is the only
 * statement whose shape differs between the engines. SQLite reads segments and rows in order and stops at the limit. PostgreSQL does so only if each
 * segment is a subquery with its own limit.
 */
import type { Dialect } from "./driver.ts";

/** Offsets are 32-bit integers in the database. This one means "to the end". */
export const lastPossibleOffset = 2_147_483_647;

/** The rows to read by offset. `e` stands for the table, `g` for the segment. */
export interface Stretch {
  readonly columns: string;
  /** The table, with the index to use. */
  readonly table: string;
  readonly joins?: string;
  /** The first offset, an expression. Defaults to the start of the segment. */
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

/** Rows of the log whose session's key is `key`, in offset order. */
export function stretchOf(dialect: Dialect, key: string, stretch: Stretch): string {
  const { columns, table, joins = "", from, begins = "g.first", to, conditions = [], order, limit } = stretch;
  const { earlier, later } = words[dialect];
  const rows = (since: string | undefined): string =>
    [
      `e.session = g.ancestor`,
      `e."offset" >= ${since === undefined ? begins : `${later}(${begins}, ${since})`}`,
      `e."offset" <= ${earlier}(g.upto, ${to})`,
      ...conditions,
    ].join(" AND ");
  const shared = `g.session = ${key} AND ${begins} <= ${to}`;
  const segments = from === undefined ? shared : `${shared} AND g.upto >= ${from}`;
  const end = limit === undefined ? "" : ` LIMIT ${limit}`;
  if (dialect === "sqlite")
    return `SELECT ${columns} FROM segments g CROSS JOIN ${table} ${joins} WHERE ${segments} AND ${rows(from)} ORDER BY g.upto ${order}, e."offset" ${order}${end}`;
  const parts = (since: string | undefined): string =>
    `CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} ${joins} WHERE ${rows(since)} ORDER BY e."offset" ${order}${end}) part`;
  const sorted = `ORDER BY g.upto ${order}, part."offset" ${order}${end}`;
  // With a limit it stops at the segment that reaches the limit. Without one, OFFSET 0 separates the first offset, which is then computed once
  // instead of twice.
  return from === undefined || limit !== undefined
    ? `SELECT part.* FROM segments g ${parts(from)} WHERE ${segments} ${sorted}`
    : `SELECT part.* FROM (SELECT g.*, CAST(${from} AS integer) AS since FROM segments g WHERE ${shared} OFFSET 0) g ${parts("g.since")} WHERE g.upto >= g.since ${sorted}`;
}

/**
 * Hides withdrawn events in a view of the log of `key` up to `at`: those withdrawn by the session itself, and in the shared part those withdrawn by
 * its ancestors there. PostgreSQL takes longer to start a subquery for each row. It first finds the newest withdrawal, and only checks events before
 * it.
 */
export function visible(dialect: Dialect, key: string, at: string): string {
  const withdrawals = (session: string): string => `FROM segments h CROSS JOIN withdrawn w
    WHERE h.session = ${session} AND w.session = h.ancestor AND w.at_offset <= ${words[dialect].earlier}(h.upto, ${at})`;
  const hidden = `EXISTS (SELECT 1 ${withdrawals("g.session")} AND h.upto >= g.upto AND w.at_offset > e."offset" AND w.from_offset <= e."offset")`;
  const newest = `SELECT max(w.at_offset) ${withdrawals(key)}`;
  return dialect === "sqlite" ? `NOT ${hidden}` : `(e."offset" >= COALESCE((${newest}), 0) OR NOT ${hidden})`;
}
