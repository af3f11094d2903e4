import { describe, expect, test } from "vitest";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { checkRuntimePairs } from "./pairs.ts";

describe("pairs of writers on one session, while it is answered, lose nothing", () => {
  test("200 of two runtimes on one SQLite file", async () => {
    expect((await checkRuntimePairs(newSqliteFile(), { pairs: 200, processes: 0 })).events).toBeGreaterThan(200);
  });
  test("50 of two processes on one SQLite file", async () => {
    expect((await checkRuntimePairs(newSqliteFile(), { pairs: 50, processes: 2 })).events).toBeGreaterThan(50);
  });
  test.skipIf(noPostgres !== undefined)("100 of two runtimes on PostgreSQL", async () => {
    expect((await checkRuntimePairs(await emptyPostgresDatabase(), { pairs: 100, processes: 0 })).events).toBeGreaterThan(100);
  });
});
