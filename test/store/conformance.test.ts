import { describe, test } from "vitest";
import { openMemoryStore } from "../../packages/throughline/src/store/in-memory/in-memory-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqlStore } from "../../packages/throughline/src/store/sql/sql-store.ts";
import { SqliteDriver } from "../../packages/throughline/src/store/sqlite/sqlite-driver.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { storeChecks } from "../../packages/throughline/src/testing/store/conformance.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";

/** Each gives, for one test, a function that opens its database. */
const stores: Readonly<Record<string, () => Promise<() => Promise<Store>>>> = {
  memory: async () => async () => openMemoryStore(),
  SQLite: async () => {
    const path = newSqliteFile();
    return () => openSqliteStore(path);
  },
  // The limits of a hosted SQLite: a Durable Object's.
  "limited SQLite": async () => {
    const path = newSqliteFile();
    const limits = {
      length: 2_000_000,
      sqlLength: 100_000,
      column: 100,
      compoundSelect: 5,
      variableNumber: 100,
      functionArg: 32,
      likePatternLength: 50,
    };
    return async () => openSqlStore(new SqliteDriver(path, { durability: "relaxed", limits }), {});
  },
  PostgreSQL: async () => {
    const url = await emptyPostgresDatabase();
    return () => openPostgresStore(url);
  },
};

describe.each(Object.entries(stores))("the %s store", (name, prepare) => {
  for (const { name: requirement, run } of storeChecks()) {
    test(requirement, async ({ skip }) => {
      if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
      await run(await prepare());
    });
  }
});
