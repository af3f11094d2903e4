/** PostgreSQL behind a pooler that shares its connections, of several hosts, and with schemas of any name. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import type { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { type Logger, silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { Connections, loadPg } from "../../packages/throughline/src/store/postgres/connections.ts";
import { postgresDriver } from "../../packages/throughline/src/store/postgres/postgres-driver.ts";
import { purgePostgres } from "../../packages/throughline/src/store/postgres/postgres-maintenance.ts";
import { parseLocation } from "../../packages/throughline/src/store/postgres/location.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import type { SqlDriver } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import { append, commitOf, message, newSession, offsetsOf } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";
import { hangMs } from "../setup/limits.ts";
import { transactionPooler } from "../setup/transaction-pooler.ts";

interface Opened {
  readonly store: Store;
  readonly warned: string[];
}

async function opened(location: string, options: StoreOptions = {}): Promise<Opened> {
  const warned: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (what) => void warned.push(what) };
  const store = await openStore(location, { logger, ...options });
  onTestFinished(() => store.close());
  return { store, warned };
}

async function driverOf(url: string, options: Pick<StoreOptions, "schema" | "preparedStatements"> = {}): Promise<SqlDriver> {
  const driver = await postgresDriver(parseLocation(url, { durability: "full", ...options }), { logger: silentLogger });
  onTestFinished(() => driver.close());
  return driver;
}

/** Two stores write and read a new session together, with more calls at once than there are connections. */
async function talk(one: Store, two: Store): Promise<void> {
  const session_id = await newSession(one);
  await Promise.all(Array.from({ length: 40 }, (_, n) => append(n % 2 === 0 ? one : two, session_id, { events: [message(`m${n}`)] })));
  const pages = await Promise.all(Array.from({ length: 20 }, () => offsetsOf(two, session_id)));
  for (const page of pages) expect(page).toEqual(Array.from({ length: 41 }, (_, n) => n));
  expect((await one.load({ session_id }))?.messages).toHaveLength(20);
  expect((await two.list({ of: "sessions" })).items.map((item) => item.session_id)).toContain(session_id);
}

/** A commit that is repeated with its id is written once. */
async function repeat(store: Store): Promise<void> {
  const session_id = await newSession(store);
  const commit = commitOf({ session: { session_id, events: [message("a")] } });
  await store.commit(commit);
  expect(await store.commit(commit)).toMatchObject({ replayed: true });
  expect(await offsetsOf(store, session_id)).toEqual([0, 1]);
}

/** Whether a commit of one store wakes a reader of the other, whose own safety poll is later than the test. */
async function wakes(reader: Store, writer: Store): Promise<number> {
  const session_id: SessionId = await newSession(writer);
  const heard = reader.watch(session_id, 0, AbortSignal.timeout(hangMs));
  await append(writer, session_id, { events: [message("a")] });
  return heard;
}

const patient = { timeouts: { interactiveMs: 60_000 } };
const off = "store.prepared_statements_off";
const deaf = "store.listen_deaf";

describe.skipIf(noPostgres !== undefined)("behind a pooler in transaction mode", () => {
  test("two stores work, prepare nothing by name, and warn once; no setting reaches the server's other users", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase());
    const [one, two] = [await opened(pooler.url), await opened(pooler.url)];
    await talk(one.store, two.store);
    expect([...pooler.names]).toEqual([]);
    expect(one.warned).toEqual([off]);
    const settings = ["search_path", "statement_timeout", "lock_timeout", "enable_seqscan", "plan_cache_mode", "synchronous_commit"];
    const expected = await runSql(pooler.url, `SELECT name, reset_val FROM pg_settings WHERE name = ANY($1) AND setting <> reset_val`, [settings]);
    expect(expected).toEqual([]);
  });

  test("a startup parameter is refused by it, and is sent only if the URL has one", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase());
    const error: unknown = await openStore(`${pooler.url}?options=-c%20geqo%3Doff`).catch((caught: unknown) => caught);
    expect(String(error)).toContain("unsupported startup parameter: options");
  });

  test("one that nobody can detect: a lost prepared statement ends preparing, with one warning, and the call is answered", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase(), { hidden: true });
    const [one, two] = [await opened(pooler.url), await opened(pooler.url)];
    await talk(one.store, two.store);
    await repeat(two.store);
    expect(one.warned.filter((what) => what === off)).toEqual([off]);
    expect(two.warned.filter((what) => what === off)).toEqual([off]);
    expect(pooler.names.size).toBeGreaterThan(0);
  });

  test("names say what the statement is: two processes that use the same ones run their own", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase(), { hidden: true, servers: 1 });
    const [one, two] = [await driverOf(pooler.url), await driverOf(pooler.url)];
    const reads = (driver: SqlDriver, from: number): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 20 }, async (_, n) => (await driver.read({ n: `SELECT ${(from + n) % 20} AS n` }, [])).n[0]?.["n"]));
    for (let round = 0; round < 3; round++) {
      expect(await reads(one, 0)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      expect(await reads(two, 7)).toEqual(Array.from({ length: 20 }, (_, n) => (7 + n) % 20));
    }
    expect([...pooler.names].every((name) => /^throughline_[0-9a-f]{32}$/u.test(name))).toBe(true);
  });

  test("statements of one's own connections are prepared, each once, unless that is switched off", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase(), { hidden: true, servers: 1 });
    const parts = { one: "SELECT 1 AS one" };
    const without = await driverOf(pooler.url, { preparedStatements: "off" });
    for (let n = 0; n < 3; n++) await without.read(parts, []);
    expect(pooler.names.size).toBe(0);
    const other = await driverOf(pooler.url);
    for (let n = 0; n < 3; n++) await other.read(parts, []);
    // The settings and the statement.
    expect(pooler.names.size).toBe(2);
    const elsewhere = await driverOf(pooler.url, { schema: "other" });
    for (let n = 0; n < 3; n++) await elsewhere.read(parts, []);
    expect(pooler.names.size).toBe(4);
  });

  test("without notifications, waiting readers read often, and the log says so once", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase());
    const [reader, writer] = [await opened(pooler.url, patient), await opened(pooler.url, patient)];
    expect(await wakes(reader.store, writer.store)).toBe(1);
    const left = new AbortController();
    const waiting = reader.store.watch("ses_00000000000000000000000000" as SessionId, 0, left.signal);
    await expect.poll(() => reader.warned, { timeout: hangMs }).toContain(deaf);
    left.abort();
    await waiting.catch(() => {});
    expect(await wakes(reader.store, writer.store)).toBe(1);
    expect(reader.warned.filter((what) => what === deaf)).toEqual([deaf]);
  });

  test("with a second URL, notifications arrive", async () => {
    const url = await newPostgresDatabase();
    const pooler = await transactionPooler(url);
    const { host } = new URL(url);
    const listening = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throughline listen'`;
    for (const [location, listenUrl] of [[pooler.url, url], [`${pooler.url}?listen_host=${host}`]] as const) {
      const reader = await opened(location, { ...patient, ...(listenUrl === undefined ? {} : { listenUrl }) });
      const polled: string[] = [];
      const writer = await opened(pooler.url, { onStatement: (sql) => void polled.push(sql) });
      expect(await wakes(reader.store, writer.store)).toBe(1);
      expect(await runSql(url, listening)).toHaveLength(1);
      expect(reader.warned).toEqual([off]);
      await reader.store.close();
    }
  });
});

const readOnly: unknown = expect.objectContaining({ code: "store.unreachable", details: { reason: "read_only" } });

describe.skipIf(noPostgres !== undefined)("a server that refuses writes", () => {
  test("is refused when a store is opened, and the error says what to give", async () => {
    const standby = await transactionPooler(await newPostgresDatabase(), { readOnly: true });
    const error: unknown = await openStore(standby.url).catch((caught: unknown) => caught);
    expect(error).toEqual(readOnly);
    expect(String(error)).toContain("read-only: a standby");
    expect((error as ThroughlineError).hint).toContain("target_session_attrs=read-write");
    await expect(purgePostgres(standby.url)).rejects.toEqual(readOnly);
  });

  test("is refused from the moment when it becomes one: for reads too, and nothing is in doubt", async () => {
    const pooler = await transactionPooler(await newPostgresDatabase());
    const { store } = await opened(pooler.url);
    const session_id = await newSession(store);
    await pooler.setReadOnly(true);
    await expect(store.read({ session_id })).rejects.toEqual(readOnly);
    await expect(append(store, session_id, { events: [message("a")] })).rejects.toEqual(readOnly);
    await pooler.setReadOnly(false);
    await append(store, session_id, { events: [message("b")] });
    expect(await offsetsOf(store, session_id)).toEqual([0, 1]);
  });

  test("is passed over for the next host, when a store is opened, after a failover and for a purge", async () => {
    const url = await newPostgresDatabase();
    const [first, second] = [await transactionPooler(url, { readOnly: true }), await transactionPooler(url)];
    const hosts = [new URL(first.url).host, "127.0.0.1:1", new URL(second.url).host];
    const { username, password, pathname } = new URL(url);
    const location = `postgres://${username}:${password}@${hosts.join(",")}${pathname}?target_session_attrs=read-write`;
    const { store } = await opened(location);
    const session_id = await newSession(store);
    await Promise.all([second.setReadOnly(true), first.setReadOnly(false)]);
    await Promise.all(Array.from({ length: 20 }, () => append(store, session_id, { events: [message("a")] })));
    await second.setReadOnly(false);
    await first.setReadOnly(true);
    await append(store, session_id, { events: [message("b")] });
    expect(await offsetsOf(store, session_id)).toHaveLength(22);
    expect((await purgePostgres(location)).after).toBeGreaterThan(0);
    await Promise.all([first.setReadOnly(true), second.setReadOnly(true)]);
    await expect(store.read({ session_id })).rejects.toEqual(readOnly);
  });
});

test.skipIf(noPostgres !== undefined)(
  "a write whose connection is lost on the next host is in doubt, though the first host was read-only",
  async () => {
    const url = await newPostgresDatabase();
    const standby = await transactionPooler(url, { readOnly: true });
    const limits = { limitMs: 10_000, connectMs: 10_000 };
    await loadPg();
    const connections = new Connections([standby.url, url], {}, { ...limits, shown: "postgres://h/d", onLost: () => {} });
    onTestFinished(() => connections.end());
    const writing = connections.run(
      async (client) => {
        await client.query("CREATE TABLE written ()");
        await client.query("SELECT pg_terminate_backend(pg_backend_pid())");
      },
      { writes: true },
    );
    await expect(writing).rejects.toEqual(expect.objectContaining({ code: "store.unreachable", details: { outcome: "unknown" } }));
    expect(await runSql(url, "SELECT * FROM written")).toEqual([]);
  },
);

describe.skipIf(noPostgres !== undefined)("a schema", () => {
  test.each(["Tenant 7", `it's "quoted"`, "back\\slash; DROP", "ümlaut.$1%", "select"])(
    "named %s has all tables, and no other schema any",
    async (schema) => {
      const url = await newPostgresDatabase();
      const [one, other] = [await opened(url, { schema, ...patient }), await opened(url, { schema, ...patient })];
      expect(await wakes(one.store, other.store)).toBe(1);
      await talk(one.store, other.store);
      const schemas = `SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|public)'`;
      expect(await runSql(url, schemas)).toEqual([{ nspname: schema }]);
      expect((await purgePostgres(url, { schema })).before).toBeGreaterThan(0);
      const plain = await opened(url);
      expect((await plain.store.list({ of: "sessions" })).items).toEqual([]);
      expect((await one.store.list({ of: "sessions" })).items).toHaveLength(2);
      const bySetting = await opened(`${url}?schema=${encodeURIComponent(schema)}`);
      expect((await bySetting.store.list({ of: "sessions" })).items).toHaveLength(2);
    },
  );

  test("that is there already needs no right to create one", async () => {
    const url = await newPostgresDatabase();
    const role = `role_${new URL(url).pathname.slice(1)}`;
    await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'p'`);
    onTestFinished(async () => {
      await runSql(url, `DROP OWNED BY ${role}`);
      await runSql(url, `DROP ROLE ${role}`);
    });
    await runSql(url, `CREATE SCHEMA mine AUTHORIZATION ${role}`);
    const limited = new URL(url);
    [limited.username, limited.password] = [role, "p"];
    const { store } = await opened(limited.href, { schema: "mine" });
    await newSession(store);
    await store.close();
  });
});

describe.skipIf(noPostgres !== undefined)("a read that the database asks to repeat", () => {
  test.each(["40001", "40P01"])("SQLSTATE %s is repeated", async (state) => {
    const url = await newPostgresDatabase();
    await runSql(url, "CREATE SEQUENCE tries");
    await runSql(
      url,
      `CREATE FUNCTION public.ninth_time() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('public.tries') % 9 <> 0 THEN RAISE EXCEPTION 'again' USING ERRCODE = '${state}'; END IF; RETURN 9; END $$`,
    );
    const driver = await driverOf(url);
    expect(await driver.read({ n: "SELECT public.ninth_time() AS n" }, [])).toEqual({ n: [{ n: 9 }] });
  });
});
