import { describe, expect, test } from "vitest";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { checkRuntimePairs } from "./pairs.ts";

describe("pairs of writers on one session, while it is answered, lose nothing", () => {
  test("500 of two runtimes on one SQLite file", async () => {
    expect((await checkRuntimePairs(newSqliteFile(), { pairs: 500, processes: 0 })).events).toBeGreaterThan(500);
  });
  test("100 of two processes on one SQLite file", async () => {
    expect((await checkRuntimePairs(newSqliteFile(), { pairs: 100, processes: 2 })).events).toBeGreaterThan(100);
  });
  test.skipIf(noPostgres !== undefined)("200 of two runtimes on PostgreSQL", async () => {
    expect((await checkRuntimePairs(await emptyPostgresDatabase(), { pairs: 200, processes: 0 })).events).toBeGreaterThan(200);
  });
});
