/** One connection to SQLite with its prepared statements, their placeholders, and its errors. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errorCatalogue, type ErrorCode } from "../../kernel/error-catalogue.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SqlRow, SqlValue, SyncConnection } from "../sql/sql-driver.ts";

/** Error codes for SQLite's primary result codes. */
const codes: Readonly<Record<number, ErrorCode>> = {
  5: "store.busy",
  6: "store.busy",
  11: "store.corrupt",
  13: "store.full",
  14: "store.unreachable",
  26: "store.corrupt",
};

/** Converts an error of `node:sqlite`. Other errors are returned unchanged. */
export function sqliteError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  // The low byte is the primary code. The other bytes refine it.
  const code = codes[error.errcode & 0xff] ?? "store.failed";
  return new ThroughlineError(code, `${errorCatalogue[code].meaning} (${path}: ${error.message}, SQLite code ${error.errcode})`, { cause: error });
}

/**
 * Converts a statement for SQLite. `node:sqlite` binds by position only to `?1`, not to `$1`. Without statistics SQLite prefers a primary key to a
 * partial index, so a statement names the index in a comment, which other engines ignore. SQLite looks at a limit that is a bare placeholder while it
 * plans, so each binding of it would prepare the statement again, which takes longer than most reads.
 */
export const toSqlite = (sql: string): string =>
  sql
    .replaceAll(/\$(\d+)/g, "?$1")
    .replaceAll(/LIMIT (\?\d+)/g, "LIMIT $1 + 0")
    .replaceAll(/\/\* (INDEXED BY \w+) \*\//g, "$1");

/** Returns the number of the last placeholder. */
export const countPlaceholders = (sql: string): number => Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));

/** Throws `store.value_invalid` for values that `node:sqlite` would silently bind as NULL or as another value. */
function checkValues(values: readonly SqlValue[], placeholders: number, sql: string): void {
  if (values.length !== placeholders) {
    throw new ThroughlineError("store.value_invalid", `${values.length} values for ${placeholders} placeholders of: ${sql.slice(0, 80)}`);
  }
  for (const [index, value] of values.entries()) {
    if (value === null || typeof value === "string" || Number.isSafeInteger(value)) continue;
    throw new ThroughlineError("store.value_invalid", `Value $${index + 1} is ${seen(value)}, which cannot be bound to: ${sql.slice(0, 80)}`);
  }
}

interface Prepared {
  readonly statement: StatementSync;
  readonly placeholders: number;
}

/** One connection with its prepared statements. */
export class Connection implements SyncConnection {
  readonly database: DatabaseSync;
  readonly #onStatement: ((sql: string) => void) | undefined;
  readonly #statements = new Map<string, Prepared>();

  constructor(database: DatabaseSync, onStatement: ((sql: string) => void) | undefined) {
    this.database = database;
    this.#onStatement = onStatement;
  }

  all(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    // Columns hold only texts, integers and NULL, because the tables are strict and have no other types.
    return this.#bindable(sql, values).all(...values) as unknown as readonly SqlRow[];
  }

  get(sql: string, values: readonly SqlValue[]): SqlRow | undefined {
    return this.#bindable(sql, values).get(...values) as SqlRow | undefined;
  }

  run(sql: string, values: readonly SqlValue[]): void {
    this.#bindable(sql, values).run(...values);
  }

  /** Runs one of several statements that share their values. It binds the first of them, up to the last one that it uses. */
  allOf(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    return this.all(sql, values.slice(0, this.#prepared(sql).placeholders));
  }

  exec(sql: string): void {
    this.#onStatement?.(sql);
    this.database.exec(sql);
  }

  /** After some errors, such as a full disk, SQLite has already rolled back. */
  rollback(): void {
    if (this.database.isTransaction) this.exec("ROLLBACK");
  }

  transaction<Result>(begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => Result): Result {
    this.exec(begin);
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      this.rollback();
      throw error;
    }
  }

  #prepared(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= 500) this.#statements.clear();
    const prepared = { statement: this.database.prepare(toSqlite(sql)), placeholders: countPlaceholders(sql) };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #bindable(sql: string, values: readonly SqlValue[]): StatementSync {
    this.#onStatement?.(sql);
    const { statement, placeholders } = this.#prepared(sql);
    checkValues(values, placeholders, sql);
    return statement;
  }
}
