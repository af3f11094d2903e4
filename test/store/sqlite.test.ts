import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, watch, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { processId, processName } from "../../packages/throughline/src/kernel/process.ts";
import { itemsOf } from "../../packages/throughline/src/extension/lists.ts";
import type { PayloadCodec, Store } from "../../packages/throughline/src/store/port.ts";
import type { SyncConnection } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { migrationsOf } from "../../packages/throughline/src/store/sql/tables.ts";
import { openSqlStore } from "../../packages/throughline/src/store/sql/sql-store.ts";
import { SqliteDriver } from "../../packages/throughline/src/store/sqlite/sqlite-driver.ts";
import { toSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-connection.ts";
import { WalWatch } from "../../packages/throughline/src/store/sqlite/wal-watch.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import {
  append,
  asked,
  commitOf,
  event,
  message,
  newOwner,
  newSession,
  offsetsOf,
  queue,
  write,
} from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newSqliteFile } from "../setup/database.ts";
import { hangMs } from "../setup/limits.ts";

async function opened(path = newSqliteFile(), options: StoreOptions = {}): Promise<Store> {
  const store = await openSqliteStore(path, options);
  onTestFinished(() => store.close());
  return store;
}

const coded = (code: string): unknown => expect.objectContaining({ code });

/** Runs statements on the file as another program would. */
function tamper(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe("opening a file", () => {
  test("creates it with its folders, for its owner only", async () => {
    const path = join(dirname(newSqliteFile()), "a", "b", "store.db");
    const store = await opened(path);
    await newSession(store);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });
  test("leaves the mode of a file that is there alone", async () => {
    const path = newSqliteFile();
    writeFileSync(path, "");
    chmodSync(path, 0o640);
    await opened(path);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });
  test("takes its name as it is, also one that looks like a URI", async () => {
    const folder = dirname(newSqliteFile());
    const before = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(before));
    await newSession(await opened("file:a.db?mode=memory"));
    expect(readdirSync(folder).toSorted()).toEqual(["", "-shm", "-wal"].map((suffix) => `file:a.db?mode=memory${suffix}`));
  });
  test("L8 when it is up to date writes nothing", async () => {
    const path = newSqliteFile();
    await (await opened(path)).close();
    const before = readFileSync(path);
    const statements: string[] = [];
    await (await opened(path, { onStatement: (sql) => void statements.push(sql) })).close();
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statements.filter((sql) => /INSERT|UPDATE|DELETE|CREATE|IMMEDIATE/.test(sql))).toEqual([]);
  });
  test("L1 keeps what was written, in order, for the next process", async () => {
    const path = newSqliteFile();
    const first = await opened(path);
    const session_id = await newSession(first);
    await append(first, session_id, { events: [asked("a")], queue: queue() });
    const before = await first.load({ session_id });
    await first.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(await (await opened(path)).load({ session_id })).toEqual(before);
  });
  test.each([
    [
      "no database",
      (path: string) => writeFileSync(path, "this is a text, not a database, and long enough to be read as a header of one ".repeat(3)),
      "store.corrupt",
    ],
    ["another program's database", (path: string) => tamper(path, "CREATE TABLE notes (text)"), "store.corrupt"],
    ["a folder", (path: string) => mkdirSync(path), "store.unreachable"],
  ])("refuses %s", async (_what, prepare, code) => {
    const path = newSqliteFile();
    prepare(path);
    const before = statSync(path).isFile() ? readFileSync(path) : undefined;
    await expect(openSqliteStore(path)).rejects.toEqual(coded(code));
    if (before !== undefined) expect(readFileSync(path).equals(before), "and does not touch it").toBe(true);
  });
  test("refuses a truncated file", async () => {
    const path = newSqliteFile();
    const store = await opened(path);
    const session_id = await newSession(store);
    for (let n = 0; n < 20; n++) await append(store, session_id, { events: [message("long ".repeat(400))] });
    await store.close();
    truncateSync(path, 9000);
    await expect(openSqliteStore(path)).rejects.toEqual(coded("store.corrupt"));
  });
  test.each([
    ["an empty path", ""],
    ["a path with NUL", "a\u0000b"],
    ["no text", 5 as never],
  ])("refuses %s", async (_what, path) => {
    await expect(openSqliteStore(path)).rejects.toEqual(coded("store.location_invalid"));
  });
  test("refuses a file whose folder cannot be made", async () => {
    const path = newSqliteFile();
    writeFileSync(path, "");
    await expect(openSqliteStore(join(path, "store.db"))).rejects.toEqual(coded("store.unreachable"));
  });
});

describe("the schema", () => {
  const known = migrationsOf("sqlite").length;
  test("L6 of a newer version is refused before anything is touched", async () => {
    const path = newSqliteFile();
    await (await opened(path)).close();
    tamper(path, `INSERT INTO schema_migrations VALUES (${known + 1}, 'later', 'x', 0), (${known + 2}, 'later', 'x', 0)`);
    const before = readFileSync(path);
    await expect(openSqliteStore(path)).rejects.toEqual(
      expect.objectContaining({ code: "store.schema_newer", details: { found: known + 2, known } }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });
  test("of another text is refused", async () => {
    const path = newSqliteFile();
    await (await opened(path)).close();
    tamper(path, "UPDATE schema_migrations SET checksum = 'x'");
    await expect(openSqliteStore(path)).rejects.toEqual(coded("store.migration_changed"));
  });
  test("L5 is made once when several processes start together", async () => {
    const path = newSqliteFile();
    const script = `
      import { openSqliteStore } from ${JSON.stringify(new URL("../../packages/throughline/src/store/sqlite/sqlite-store.ts", import.meta.url).href)};
      const store = await openSqliteStore(${JSON.stringify(path)});
      await store.close();`;
    const run = (): Promise<number | null> =>
      new Promise((resolve) =>
        spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "inherit"] }).on("exit", resolve),
      );
    expect(await Promise.all([run(), run(), run()])).toEqual([0, 0, 0]);
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT count(*) AS n FROM schema_migrations").get()).toEqual({ n: known });
    expect(database.prepare("SELECT count(*) AS n FROM meta").get()).toEqual({ n: 1 });
    database.close();
  });
});

describe("a damaged row is named", () => {
  const damages = [
    ["text that is no JSON", `UPDATE events SET data = '{"half' WHERE "offset" = 1`],
    ["a kind that is not known", `UPDATE events SET kind = 99 WHERE "offset" = 1`],
    ["a source that is not known", `UPDATE events SET source = -1 WHERE "offset" = 1`],
    ["JSON that is no object", `UPDATE events SET data = '[]' WHERE "offset" = 1`],
    ["a trace that is lost", `UPDATE event_extras SET trace_id = NULL WHERE "offset" = 1`],
  ] as const;
  test.each(damages)("%s", async (_what, sql) => {
    const path = newSqliteFile();
    const store = await opened(path);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [message("a"), message("b")] });
    tamper(path, sql);
    const error: unknown = await store.read({ session_id }).catch((caught: unknown) => caught);
    expect(error).toEqual(coded("store.corrupt"));
    expect(String(error)).toContain(`offset 1 of session ${session_id}`);
    expect(await offsetsOf(store, session_id, { min_offset: 2 })).toEqual([2]);
  });
  test("a first event without a state, a checkpoint, a variable", async () => {
    const path = newSqliteFile();
    const store = await opened(path);
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id });
    tamper(path, `UPDATE events SET data = '{}'`);
    await expect(store.load({ session_id })).rejects.toThrow(`offset 0 of session ${session_id}`);
    await append(store, session_id, { checkpoint: {} });
    tamper(path, `UPDATE checkpoints SET state = '"text"'`);
    await expect(store.load({ session_id })).rejects.toThrow(`checkpoint at offset 0 of session ${session_id}`);
    await append(store, session_id, { checkpoint: {} });
    await write(store, { owner: { owner_id, variables: [{ name: "tier", value: 1 }] } });
    tamper(path, `UPDATE variables SET value = ''`);
    await expect(store.load({ session_id })).rejects.toThrow(`a variable of owner ${owner_id}`);
  });
});

describe("a damaged row does not hide the others", () => {
  const damages = [
    ["labels", `UPDATE sessions SET labels = '{bad' WHERE id = 2`],
    ["title", `UPDATE sessions SET title = '7' WHERE id = 2`],
    ["consumers", `UPDATE sessions SET consumers = '[]' WHERE id = 2`],
  ] as const;
  test.each(damages)("in a list of sessions: its %s", async (column, sql) => {
    const path = newSqliteFile();
    const store = await opened(path);
    const [first, second, third] = [await newSession(store), await newSession(store), await newSession(store)];
    expect((await store.list({ of: "sessions" })).damaged).toBeUndefined();
    tamper(path, sql);
    const page = await store.list({ of: "sessions" });
    expect(page.items.map(({ session_id }) => session_id)).toEqual([first, third]);
    expect(page).toMatchObject({ total: 3, damaged: [`the ${column} of session ${second}`] });
    const one = await store.list({ of: "sessions", limit: 2 });
    expect([one.items.length, one.next_cursor === null]).toEqual([1, false]);
    await expect(store.open({ session_id: second })).rejects.toEqual(coded("store.corrupt"));
    const found: string[] = [];
    const all = async (): Promise<void> => {
      for await (const { session_id } of itemsOf(store, { of: "sessions" })) found.push(session_id);
    };
    await expect(all()).rejects.toEqual(coded("store.corrupt"));
    expect(found).toEqual([first, third]);
  });
  test("but a customer that is asked for by id is not said to be missing", async () => {
    const path = newSqliteFile();
    const store = await opened(path);
    await newOwner(store, "crm-1");
    await newOwner(store, "crm-2");
    tamper(path, `UPDATE owners SET metadata = '{bad' WHERE id = (SELECT min(id) FROM owners)`);
    expect((await store.list({ of: "customers" })).items.map(({ customer_id }) => customer_id)).toEqual(["crm-2"]);
    await expect(store.list({ of: "customers", customer_id: "crm-1" })).rejects.toEqual(coded("store.corrupt"));
  });
});

describe("trouble with the disk and with others", () => {
  test("a full database refuses, half-writes nothing, and works again when there is room", async () => {
    const driver = new SqliteDriver(newSqliteFile(), { durability: "full" });
    const store = await openSqlStore(driver, {});
    onTestFinished(() => store.close());
    const session_id = await newSession(store);
    const before = await store.load({ session_id });
    const [pages] = (await driver.read({ pages: "PRAGMA page_count" }, [])).pages;
    await driver.read({ limit: `PRAGMA max_page_count = ${String(pages?.["page_count"])}` }, []);
    const commit = commitOf({
      session: { session_id, events: [message("small"), message("x".repeat(100_000)), asked("b")], queue: queue(), header: { title: "t" } },
    });
    await expect(store.commit(commit)).rejects.toEqual(coded("store.full"));
    const [first, second] = await Promise.allSettled([store.commit(commit), append(store, session_id, { header: { title: "fits" } })]);
    expect([first, second.status]).toEqual([{ status: "rejected", reason: coded("store.full") }, "fulfilled"]);
    expect(await store.load({ session_id })).toEqual({ ...before, session: { ...before?.session, title: "fits", version: 1 } });
    await driver.read({ limit: "PRAGMA max_page_count = 100000" }, []);
    expect(await store.commit(commit)).toMatchObject({ outcome: "committed", replayed: false, session: { first_offset: 1 } });
  });
  test("a database that another program keeps locked is busy, and works again when it is let go", async () => {
    const path = newSqliteFile();
    const store = await openSqlStore(new SqliteDriver(path, { durability: "full", busyMs: 20 }), {});
    onTestFinished(() => store.close());
    const session_id = await newSession(store);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const commits = Array.from({ length: 3 }, (_, n) => store.commit(commitOf({ session: { session_id, events: [message(`m${n}`)] } })));
    for (const result of await Promise.allSettled(commits)) expect(result).toEqual({ status: "rejected", reason: coded("store.busy") });
    expect(await offsetsOf(store, session_id)).toEqual([0]);
    other.exec("ROLLBACK");
    other.close();
    await append(store, session_id, { events: [message("a")] });
  });
  test("of commits in one batch a failing one fails alone", async () => {
    const driver = new SqliteDriver(newSqliteFile(), { durability: "full" });
    const store = await openSqlStore(driver, {});
    onTestFinished(() => store.close());
    const [left, right] = [await newSession(store), await newSession(store)];
    const bad = {
      name: "bad",
      postgres: "",
      sqlite: (db: SyncConnection) => (db.run("DELETE FROM events", []), { row: db.get("SELECT $1", [0.5]) }),
    };
    const results = await Promise.allSettled([
      append(store, left, { events: [message("a")] }),
      driver.call(bad, {}),
      append(store, right, { events: [message("b")] }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(results[1]).toEqual({ status: "rejected", reason: coded("store.value_invalid") });
    expect([await offsetsOf(store, left), await offsetsOf(store, right)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
  test("commits of one moment share a few transactions", async () => {
    const statements: string[] = [];
    const store = await opened(newSqliteFile(), { onStatement: (sql) => void statements.push(sql) });
    const session_id = await newSession(store);
    statements.length = 0;
    await Promise.all(Array.from({ length: 100 }, (_, n) => append(store, session_id, { events: [message(`m${n}`)] })));
    // Two, or a few more on a machine that is too slow to write 64 in a slice.
    expect(statements.filter((sql) => sql === "COMMIT").length).toBeLessThanOrEqual(1 + Math.ceil(36 / 8));
  });
  test("the log of writes is moved into the file once it is quiet after many commits, and not after a few", async () => {
    const statements: string[] = [];
    const store = await opened(newSqliteFile(), { onStatement: (sql) => void statements.push(sql) });
    const session_id = await newSession(store);
    const moves = (): number => statements.filter((sql) => sql === "PRAGMA wal_checkpoint(PASSIVE)").length;
    for (let n = 0; n < 40; n++) await append(store, session_id, { events: [message(`m${n}`)] });
    await sleep(150);
    expect(moves()).toBe(0);
    for (let n = 0; n < 40; n++) await append(store, session_id, { events: [message(`m${n}`)] });
    await vi.waitFor(() => expect(moves()).toBe(1), 5000);
    await sleep(150);
    expect(moves()).toBe(1);
  });
  test("a load is one transaction", async () => {
    const statements: string[] = [];
    const store = await opened(newSqliteFile(), { onStatement: (sql) => void statements.push(sql) });
    const session_id = await newSession(store);
    statements.length = 0;
    await store.load({ session_id });
    expect([statements[0], statements.at(-1), statements.filter((sql) => sql.startsWith("BEGIN")).length]).toEqual(["BEGIN", "COMMIT", 1]);
  });
  test("two openings of one file keep offsets gapless and hear of each other", async () => {
    const path = newSqliteFile();
    const [one, two] = [await opened(path), await opened(path)];
    const session_id = await newSession(one);
    const heard = two.watch(session_id, 39, new AbortController().signal);
    await Promise.all(Array.from({ length: 40 }, (_, n) => append(n % 2 === 0 ? one : two, session_id, { events: [message(`m${n}`)] })));
    expect(await offsetsOf(two, session_id)).toEqual(Array.from({ length: 41 }, (_, n) => n));
    expect(await heard).toBe(40);
  });
  test("a look for the commits of others that fails is made again", async () => {
    const path = newSqliteFile();
    const other = await opened(path);
    const session_id = await newSession(other);
    const driver = new SqliteDriver(path, { durability: "full" });
    const store = await openSqlStore(driver, {});
    onTestFinished(() => store.close());
    const read = driver.read.bind(driver);
    let looks = 0;
    driver.read = async (parts, values) => {
      if ("heads" in parts && ++looks === 1) throw new Error("disk I/O error");
      return read(parts, values);
    };
    const heard = store.watch(session_id, 0, AbortSignal.timeout(hangMs));
    await append(other, session_id, { events: [message("a")] });
    expect(await heard).toBe(1);
    expect(looks).toBe(2);
  });
  test("D11 L10 commits of two processes are gapless", async () => {
    const path = newSqliteFile();
    const store = await opened(path);
    const session_id = await newSession(store);
    const script = `
      import { openSqliteStore } from ${JSON.stringify(new URL("../../packages/throughline/src/store/sqlite/sqlite-store.ts", import.meta.url).href)};
      import { append, message } from ${JSON.stringify(new URL("../../packages/throughline/src/testing/store/fixtures.ts", import.meta.url).href)};
      const store = await openSqliteStore(${JSON.stringify(path)});
      for (let n = 0; n < 25; n++) await Promise.all([1, 2, 3, 4].map((k) => append(store, ${JSON.stringify(session_id)}, { events: [message(n + "." + k)] })));
      await store.close();`;
    const run = (): Promise<number | null> =>
      new Promise((resolve) =>
        spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "inherit"] }).on("exit", resolve),
      );
    expect(await Promise.all([run(), run()])).toEqual([0, 0]);
    expect(await offsetsOf(store, session_id, { limit: 1000 })).toEqual(Array.from({ length: 201 }, (_, n) => n));
  });
});

describe("leases of workers that are gone", () => {
  async function leasedBy(path: string, worker: string): Promise<SessionId> {
    const store = await opened(path);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    expect(await store.claim({ kind: "next", worker, lease_ms: 3_600_000 })).toBeDefined();
    await store.close();
    return session_id;
  }
  const deadPid = (): number => Number(execFileSync(process.execPath, ["-p", "process.pid"]).toString());

  test("are freed when the file is opened again, with the epoch as it was", async () => {
    const path = newSqliteFile();
    const session_id = await leasedBy(path, `${hostname()}/${processId(deadPid())}/abc`);
    const claim = await (await opened(path)).claim({ kind: "next", worker: "w", lease_ms: 1000 });
    expect([claim?.session_id, claim?.epoch, claim?.turn.attempts]).toEqual([session_id, 2, 2]);
  });
  test.each([
    ["a process that lives", () => `${processName()}/abc`],
    ["another machine's process", () => `elsewhere/${processId(deadPid())}/abc`],
    ["a process of another PID namespace or boot", () => `${hostname()}/${processId(deadPid()).replace(/-.*/, "-1-1")}/abc`],
    ["a name of an earlier version, which lacks both", () => `${hostname()}/${deadPid()}/abc`],
    ["a name of another form", () => "wrk_1"],
    ["a pid that is none", () => `${hostname()}/${processId(0)}/abc`],
    ["a pid that is no number", () => `${hostname()}/${processId(-1)}/abc`],
  ])("are kept for %s", async (_what, worker) => {
    const path = newSqliteFile();
    await leasedBy(path, worker());
    expect(await (await opened(path)).claim({ kind: "next", worker: "w", lease_ms: 1000 })).toBeUndefined();
  });
});

describe("leases at full durability", () => {
  /** What each write transaction waited for, in order. */
  function levels(): { readonly onStatement: (sql: string) => void; readonly taken: () => readonly string[] } {
    const seen: string[] = [];
    let [level, isWrite] = ["", false];
    return {
      onStatement(sql) {
        level = /^PRAGMA synchronous = (\w+)$/.exec(sql)?.[1] ?? level;
        if (sql.startsWith("BEGIN")) isWrite = sql === "BEGIN IMMEDIATE";
        if (sql === "COMMIT" && isWrite) seen.push(level);
      },
      taken: () => seen.splice(0),
    };
  }
  const claimOf = (session_id: SessionId) => ({ kind: "session", session_id, worker: `${processName()}/abc`, lease_ms: 60_000 }) as const;

  test("are not awaited on disk, and commits are, also together with a lease", async () => {
    const { onStatement, taken } = levels();
    const store = await opened(newSqliteFile(), { onStatement });
    const [one, other] = [await newSession(store), await newSession(store)];
    await append(store, one, { events: [asked("a")], queue: queue() });
    expect(new Set(taken())).toEqual(new Set(["FULL"]));
    const claim = await store.claim(claimOf(one));
    const held = { session_id: one, epoch: claim?.epoch ?? 0 };
    await store.claim({ kind: "renew", ...held, lease_ms: 60_000 });
    await store.release({ ...held, counted: true });
    expect(taken()).toEqual(["NORMAL", "NORMAL", "NORMAL"]);
    await Promise.all([store.claim(claimOf(one)), append(store, other, { events: [message("b")] })]);
    await append(store, other, { events: [message("c")] });
    expect(taken()).toEqual(["FULL", "FULL"]);
  });

  test("that a power failure undoes have never been: the message waits, and the next claim has their epoch", async () => {
    const path = newSqliteFile();
    const store = await opened(path);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    const synced = statSync(`${path}-wal`).size;
    const claim = await store.claim(claimOf(session_id));
    /** The files as the disk has them if what was written after the last sync is lost. */
    const afterFailure = async (bytes: number): Promise<Store> => {
      const copy = newSqliteFile();
      writeFileSync(copy, readFileSync(path));
      writeFileSync(`${copy}-wal`, readFileSync(`${path}-wal`).subarray(0, bytes));
      return opened(copy);
    };
    const lost = await afterFailure(synced);
    expect((await lost.open({ session_id }))?.epoch).toBe((claim?.epoch ?? 0) - 1);
    const next = await lost.claim(claimOf(session_id));
    expect([next?.epoch, next?.turn.attempts]).toEqual([claim?.epoch, 1]);
    expect((await lost.load({ session_id }))?.messages.map(({ offset }) => offset)).toEqual([1]);
    // What the first holder commits has its claim with it.
    await append(store, session_id, { events: [event("turn")], depends: { epoch: claim?.epoch ?? 0 } });
    const kept = await afterFailure(statSync(`${path}-wal`).size);
    expect((await kept.open({ session_id }))?.epoch).toBe(claim?.epoch);
    expect(await offsetsOf(kept, session_id)).toEqual([0, 1, 2]);
  });
});

test("no statement has a bare placeholder as its limit, because SQLite would prepare it for each value", async () => {
  const seen = new Set<string>();
  const store = await opened(newSqliteFile(), { onStatement: (sql) => void seen.add(sql) });
  const session_id = await newSession(store);
  await store.load({ session_id });
  await store.read({ session_id });
  await store.list({ of: "sessions" });
  const limited = [...seen].filter((sql) => /LIMIT \$\d/.test(sql));
  expect(limited.length).toBeGreaterThanOrEqual(3);
  for (const sql of limited) expect(toSqlite(sql)).toMatch(/LIMIT \?\d+ \+ 0(?!\d)/);
  for (const sql of seen) expect(toSqlite(sql)).not.toMatch(/LIMIT \?\d+(?! \+)\b/);
});

test("a notice after an own commit is looked into a millisecond later, and any other at once", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const path = newSqliteFile();
  const look = vi.fn(() => false);
  const link = new WalWatch(path, look, silentLogger);
  const notices = watch(dirname(path));
  onTestFinished(() => {
    vi.useRealTimers();
    link.close();
    notices.close();
  });
  await link.attend(() => {});
  const written = async (): Promise<void> => {
    appendFileSync(`${path}-wal`, "frame");
    await new Promise((resolve) => notices.once("change", resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };
  await written();
  look.mockClear();
  link.wrote();
  await written();
  expect(look).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  expect(look).toHaveBeenCalledTimes(1);
  await written();
  expect(look).toHaveBeenCalledTimes(2);
});

describe("the payload codec", () => {
  /** Not encryption, but nothing of the text is left to be found. */
  const codec: PayloadCodec = {
    encode: (text, owner) => `${owner.slice(-4)}:${Buffer.from(text).toString("hex")}`,
    decode: (stored, owner) => {
      if (!stored.startsWith(`${owner.slice(-4)}:`)) throw new Error("another owner's text");
      return Buffer.from(stored.slice(5), "hex").toString();
    },
  };
  test("stands before every column that can hold a person's words", async () => {
    const path = newSqliteFile();
    const store = await opened(path, { codec });
    const owner_id = await newOwner(store, "canary-customer");
    const session_id = await newSession(store, {
      owner_id,
      create: { open_key: "canary-open-key" },
      header: {
        title: "canary-title",
        labels: ["canary-label"],
        metadata: { external_id: "canary-external", canary: "canary-metadata" },
        consumers: { "canary-consumer": 1 },
      },
      state: { canary: "canary-state" },
    });
    await append(store, session_id, {
      events: [message("canary-text", { metadata: { note: "canary-event-metadata" } }), event("state", { patch: "canary-patch" })],
      checkpoint: { canary: "canary-checkpoint" },
      idempotency: { key: "canary-key", body_hash: "b" },
    });
    await write(store, {
      owner: {
        owner_id,
        name: "canary-name",
        metadata: { note: "canary-owner" },
        variables: [{ name: "tier", value: "canary-variable" }],
        entries: [{ entry_id: "e", kind: "fact", data: { text: "canary-entry" } }],
      },
    });
    const loaded = await store.load({ session_id });
    expect(JSON.stringify(loaded)).toContain("canary-variable");
    expect(loaded?.session.title).toBe("canary-title");
    expect((await store.open({ open_key: "canary-open-key" }))?.session_id).toBe(session_id);
    expect((await store.list({ of: "sessions", external_id: "canary-external", labels: ["canary-label"] })).total).toBe(1);
    expect((await store.list({ of: "customers", customer_id: "canary-customer" })).items[0]?.name).toBe("canary-name");
    expect((await store.entries({ owner_id }))[0]?.data).toEqual({ text: "canary-entry" });
    const files = [path, `${path}-wal`].map((file) => readFileSync(file).toString("latin1")).join("");
    expect(files.includes("canary")).toBe(false);
  });
  test("that cannot read a text says which", async () => {
    const path = newSqliteFile();
    const store = await opened(path, { codec });
    const session_id = await newSession(store);
    await append(store, session_id, { events: [message("a")] });
    const other = await opened(path, {
      codec: {
        ...codec,
        decode: () => {
          throw new Error("wrong key");
        },
      },
    });
    await expect(other.read({ session_id, min_offset: 1 })).rejects.toThrow(`offset 1 of session ${session_id}`);
  });
  test("refuses a session that is not there without asking the database to write", async () => {
    const store = await opened(newSqliteFile(), { codec });
    const result = await store.commit(commitOf({ session: { session_id: "ses_00000000000000000000000000" as SessionId, events: [message("a")] } }));
    expect(result).toEqual({ outcome: "refused", reason: "session_missing" });
  });
});

describe("the driver", () => {
  test.each([
    ["undefined", [undefined as never]],
    ["a Date", [new Date(0) as never]],
    ["NaN", [Number.NaN]],
    ["an unsafe integer", [2 ** 53]],
    ["a fraction", [0.5]],
    ["a boolean", [true as never]],
    ["too few values", []],
    ["too many values", [1, 2]],
  ])("refuses %s", async (_what, values) => {
    const driver = new SqliteDriver(":memory:", { durability: "full" });
    const call = driver.call({ name: "test", postgres: "", sqlite: (db) => ({ row: db.get("SELECT $1 AS value", values) }) }, {});
    await expect(call).rejects.toEqual(coded("store.value_invalid"));
    await driver.close();
  });
  test("errors that are not the database's pass as they are", async () => {
    const driver = new SqliteDriver(":memory:", { durability: "full" });
    const error = new Error("mine");
    await expect(
      driver.call(
        {
          name: "test",
          postgres: "",
          sqlite: () => {
            throw error;
          },
        },
        {},
      ),
    ).rejects.toBe(error);
    await expect(driver.read({ rows: "SELECT nonsense" }, [])).rejects.toEqual(coded("store.failed"));
    expect(ThroughlineError.is(error)).toBe(false);
    await driver.close();
  });
});
