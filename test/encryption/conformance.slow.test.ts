import { describe, expect, test } from "vitest";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { storeChecks } from "../../packages/throughline/src/testing/store/conformance.ts";
import { checkStoreAgainstModel } from "../../packages/throughline/src/testing/store/reference-model.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { encryption } from "./stores.ts";

const options = { encryption, durability: "relaxed" } as const;
const onSqlite = async (): Promise<() => Promise<Store>> => {
  const path = newSqliteFile();
  return () => openSqliteStore(path, options);
};
const onPostgres = async (): Promise<() => Promise<Store>> => {
  const url = await emptyPostgresDatabase();
  return () => openPostgresStore(url, options);
};

/** Leases and waiting know no texts. */
const checks = storeChecks().filter(({ name }) => !/lease|claim|worker|watch|wait/i.test(name));

describe("an encrypted SQLite store", () => {
  for (const { name, run } of checks) test(name, async () => run(await onSqlite()));
  test.each([1, 2, 3, 4])("is like the reference model, seed %i", async (seed) => checkStoreAgainstModel(await onSqlite(), { seed }));
});

/** On PostgreSQL the texts take the same way; what differs is the procedures. */
describe.skipIf(noPostgres !== undefined)("an encrypted PostgreSQL store", () => {
  const chosen = checks.filter(({ name }) => /owner|customer|entries|variables|idempotency|key|label|fork/i.test(name));
  test("takes part of the checks", () => expect(chosen.length).toBeGreaterThan(15));
  for (const { name, run } of chosen) test(name, async () => run(await onPostgres()));
  test.each([5, 6])("is like the reference model, seed %i", async (seed) => checkStoreAgainstModel(await onPostgres(), { seed }));
});
