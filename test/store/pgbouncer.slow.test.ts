/** The store behind a real PgBouncer, where the machine has one. */
import { describe, expect, onTestFinished, test } from "vitest";
import { type Logger, silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import { storeChecks } from "../../packages/throughline/src/testing/store/conformance.ts";
import { append, message, newSession } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { emptyPostgresDatabase, newPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";
import { hangMs } from "../setup/limits.ts";
import { noPgBouncer, pgBouncer } from "../setup/pgbouncer.ts";

const missing = noPostgres ?? noPgBouncer;

const patient: StoreOptions = { timeouts: { interactiveMs: 60_000 } };

async function opened(location: string, options: StoreOptions = patient): Promise<{ readonly store: Store; readonly warned: string[] }> {
  const warned: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (what) => void warned.push(what) };
  const store = await openStore(location, { logger, ...options });
  onTestFinished(() => store.close());
  return { store, warned };
}

async function wakes(reader: Store, writer: Store): Promise<number> {
  const session_id = await newSession(writer);
  const heard = reader.watch(session_id, 0, AbortSignal.timeout(hangMs));
  await append(writer, session_id, { events: [message("a")] });
  return heard;
}

describe("the store behind PgBouncer in transaction mode", () => {
  for (const { name, run } of storeChecks()) {
    test(name, async ({ skip }) => {
      if (missing !== undefined) skip(missing);
      const through = await pgBouncer(await emptyPostgresDatabase());
      await run(() => openPostgresStore(through));
    });
  }

  test("prepares nothing, reads often while it is deaf, and warns once of each", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const through = await pgBouncer(await newPostgresDatabase());
    const [reader, writer] = [await opened(through), await opened(through)];
    expect(await wakes(reader.store, writer.store)).toBe(1);
    const left = new AbortController();
    const turns = await reader.store.watchTurns(() => {});
    await expect.poll(() => reader.warned, { timeout: hangMs }).toEqual(["store.prepared_statements_off", "store.listen_deaf"]);
    turns();
    left.abort();
    expect(await runSql(through, "SELECT name FROM pg_prepared_statements WHERE name LIKE 'throughline%'")).toEqual([]);
  });

  test("hears with a URL of its own for listening", async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const url = await newPostgresDatabase();
    const through = await pgBouncer(url);
    const [reader, writer] = [await opened(through, { ...patient, listenUrl: url }), await opened(through)];
    expect(await wakes(reader.store, writer.store)).toBe(1);
    expect(reader.warned).toEqual(["store.prepared_statements_off"]);
  });
});

test("behind PgBouncer in session mode, notifications arrive", async ({ skip }) => {
  if (missing !== undefined) skip(missing);
  const through = await pgBouncer(await newPostgresDatabase(), { mode: "session" });
  const [reader, writer] = [await opened(through), await opened(through)];
  expect(await wakes(reader.store, writer.store)).toBe(1);
  expect(reader.warned).not.toContain("store.listen_deaf");
});
