import { describe, test } from "vitest";
import { openMemoryStore } from "../../src/store/in-memory/store.ts";
import type { Store } from "../../src/store/port.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqlStore } from "../../src/store/sql/sql-store.ts";
import { SqliteDriver } from "../../src/store/sqlite/driver.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { storeChecks } from "../../src/testing/store/conformance.ts";
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
