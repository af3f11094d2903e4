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
  // With a limit it stops at the segment that reaches it. Without one, OFFSET 0 keeps the first offset apart, which is then looked for once and not twice.
  return from === undefined || limit !== undefined
    ? `SELECT part.* FROM segments g ${parts(from)} WHERE ${segments} ${sorted}`
    : `SELECT part.* FROM (SELECT g.*, CAST(${from} AS integer) AS since FROM segments g WHERE ${shared} OFFSET 0) g ${parts("g.since")} WHERE g.upto >= g.since ${sorted}`;
}

/**
 * Hides what was withdrawn in a view of the log of `key` up to `at`: by the session itself, and in what it shares by those who share it, as far as the withdrawal
 * lies in the shared part. PostgreSQL, which takes longer to begin a subquery for each row, first finds the newest withdrawal, and asks only for events before it.
 */
export function visible(dialect: Dialect, key: string, at: string): string {
  const withdrawals = (session: string): string => `FROM segments h CROSS JOIN withdrawn w
    WHERE h.session = ${session} AND w.session = h.ancestor AND w.at_offset <= ${words[dialect].earlier}(h.upto, ${at})`;
  const hidden = `EXISTS (SELECT 1 ${withdrawals("g.session")} AND h.upto >= g.upto AND w.at_offset > e."offset" AND w.from_offset <= e."offset")`;
  const newest = `SELECT max(w.at_offset) ${withdrawals(key)}`;
  return dialect === "sqlite" ? `NOT ${hidden}` : `(e."offset" >= COALESCE((${newest}), 0) OR NOT ${hidden})`;
}
