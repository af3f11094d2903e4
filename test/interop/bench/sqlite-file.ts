/** SQLite files of the contestants: their size, and a driver for a library that was written for another one. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** Bytes of a database once its write-ahead log is folded in, taken from a copy: whoever has it open is not disturbed. */
export function sqliteBytes(path: string): number {
  const folder = mkdtempSync(join(tmpdir(), "throughline-peers-copy-"));
  const copy = join(folder, "copy.db");
  try {
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
    const bytes = pages * Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
    database.close();
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const levels = ["OFF", "NORMAL", "FULL", "EXTRA"];

/** How SQLite syncs, in words. */
export const syncLevel = (level: unknown): string => `synchronous=${levels[Number(level)] ?? String(level)}`;

/** A value to bind; undefined is NULL. */
type Bound = SQLInputValue | undefined;

const bind = (values: readonly Bound[]): SQLInputValue[] => values.map((value) => value ?? null);

interface Statement {
  run(...values: Bound[]): unknown;
  get(...values: Bound[]): unknown;
  all(...values: Bound[]): unknown[];
  iterate(...values: Bound[]): Iterable<unknown>;
}

/** What `SqliteSaver` uses of better-sqlite3. */
export interface BetterSqlite {
  prepare(sql: string): Statement;
  exec(sql: string): void;
  pragma(text: string): unknown;
  transaction<Args extends unknown[]>(work: (...args: Args) => unknown): (...args: Args) => unknown;
  close(): void;
}

/**
 * node:sqlite with the face of better-sqlite3, whose binary has to be fetched or compiled for each version of Node. So all contestants run on
 * the same SQLite. It syncs as better-sqlite3 is built to: NORMAL in WAL mode.
 */
export function betterSqlite(path: string): BetterSqlite {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = NORMAL");
  return {
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(...bind(values)),
        get: (...values) => statement.get(...bind(values)),
        all: (...values) => statement.all(...bind(values)),
        iterate: (...values) => statement.iterate(...bind(values)),
      };
    },
    exec: (sql) => database.exec(sql),
    pragma: (text) => database.prepare(`PRAGMA ${text}`).all(),
    transaction:
      (work) =>
      (...args) => {
        database.exec("BEGIN");
        try {
          const result = work(...args);
          database.exec("COMMIT");
          return result;
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      },
    close: () => database.close(),
  };
}
