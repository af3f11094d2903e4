import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SqlRow, SqlValue, SyncConnection } from "../sql/driver.ts";
import { checkValues, countPlaceholders, toSqlite } from "./placeholders.ts";

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
