/** Encrypted databases for tests. */
import { DatabaseSync } from "node:sqlite";
import type { EncryptionOptions } from "../../packages/throughline/src/store/store-options.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";

/** A key that is not random, but looks it: tests are repeatable. */
export const keyOf = (seed: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + seed * 101 + 11) % 251);

export const encryption: EncryptionOptions = { keys: [{ id: "first", key: keyOf(1) }] };

export interface Place {
  readonly open: (options?: EncryptionOptions) => Promise<Store>;
  readonly location: string;
}

/** Engines that are there; each gives a new database. */
export const engines: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: async () => {
    const location = newSqliteFile();
    return { location, open: (options) => openSqliteStore(location, { durability: "relaxed", ...(options && { encryption: options }) }) };
  },
  ...(noPostgres === undefined
    ? {
        PostgreSQL: async () => {
          const location = await newPostgresDatabase();
          return {
            location,
            open: (options?: EncryptionOptions) => openPostgresStore(location, { durability: "relaxed", ...(options && { encryption: options }) }),
          };
        },
      }
    : {}),
};

/** The rows of a table as they are stored. */
export async function rowsOf({ location }: Place, table: string, columns = "*"): Promise<readonly Record<string, unknown>[]> {
  const order = table === "events" ? `session, "offset"` : "1";
  if (location.startsWith("postgres")) return runSql(location, `SELECT ${columns} FROM throughline.${table} ORDER BY ${order}`);
  const database = new DatabaseSync(location);
  try {
    return database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${order}`).all();
  } finally {
    database.close();
  }
}

/** Changes what is stored, past the store. */
export async function runOn({ location }: Place, sql: string): Promise<void> {
  if (location.startsWith("postgres")) return void (await runSql(location, `SET search_path TO throughline; ${sql}`));
  const database = new DatabaseSync(location);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
