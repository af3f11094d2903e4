import { Client } from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { postgresDriver } from "../../packages/throughline/src/store/postgres/postgres-driver.ts";
import { postgresError } from "../../packages/throughline/src/store/postgres/connections.ts";
import { forPrograms, parseLocation } from "../../packages/throughline/src/store/postgres/location.ts";
import { ask } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { migrationsOf } from "../../packages/throughline/src/store/sql/tables.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import {
  append,
  asked,
  commitOf,
  message,
  newOwner,
  newSession,
  offsetsOf,
  queue,
  write,
} from "../../packages/throughline/src/testing/store/fixtures.ts";
import { newPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";

const known = migrationsOf("postgres").length;

const coded = (code: string): unknown => expect.objectContaining({ code });

async function opened(url: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openPostgresStore(url, options);
  onTestFinished(() => store.close());
  return store;
}

describe("a location", () => {
  const parse = (text: string, environment = {}) => parseLocation(text, { durability: "full", environment });
  test.each([
    ["mysql://u:p@h/d", "protocol"],
    ["h/d", "protocol"],
    [5, "protocol"],
    ["postgres://u:p@/d", "hostname"],
    ["postgres://u:p@:5432/d", "hostname"],
    ["postgres:///d", "hostname"],
    ["postgres://u@h/d", "password"],
    ["postgres://:p@h/d", "username"],
    ["postgres://u:p@h", "database"],
    ["postgres://u:p@h/", "database"],
    ["postgres://u:p@h:port/d", "url"],
  ])("L3 %s is refused, naming the %s", (text, field) => {
    expect(() => parse(text as string)).toThrow(expect.objectContaining({ code: "store.location_invalid", details: { field } }));
  });
  test("may leave out what the environment gives, or say that there is none", () => {
    expect(parse("postgres://h/d", { PGUSER: "u", PGPASSWORD: "p" }).shown).toBe("postgres://h/d");
    expect(parse("postgres://u:@h/d").shown).toBe("postgres://h/d");
    expect(parse("postgres:///d?user=u&host=/var/run/postgresql").urls[0]).toContain("host=");
  });
  test("keeps TLS and other settings for every host, and none of its own", () => {
    const own = "schema=s&prepared_statements=off&listen_host=db&lock_timeout=100&statement_timeout=200&target_session_attrs=read-write";
    const { urls, ...rest } = parse(`postgres://u:p@h:1,[::1]:2,h3/d?sslmode=verify-full&options=-c%20geqo%3Doff&${own}`);
    expect(urls.map((url) => new URL(url).host)).toEqual(["h:1", "[::1]:2", "h3"]);
    for (const url of urls) {
      expect(Object.fromEntries(new URL(url).searchParams)).toEqual({ sslmode: "verify-full", options: "-c geqo=off" });
      expect(new URL(url).password).toBe("p");
    }
    expect(rest).toEqual({
      listenUrls: ["postgres://u:p@db/d?sslmode=verify-full&options=-c+geqo%3Doff"],
      shown: "postgres://h:1,[::1]:2,h3/d",
      schema: "s",
      preparedStatements: "off",
      durability: "full",
      statementMs: 200,
      lockMs: 100,
    });
  });
  test("options win over the URL, and a second URL for listening has hosts of its own", () => {
    const options = { listenUrl: "postgres://v:q@a,b:6432/d", schema: 'odd "name"', preparedStatements: "auto" } as const;
    const parsed = parseLocation("postgres://u:p@h/d?schema=s&prepared_statements=off&listen_host=db", { durability: "full", ...options });
    expect(parsed).toMatchObject({ schema: 'odd "name"', preparedStatements: "auto", listenUrls: ["postgres://v:q@a/d", "postgres://v:q@b:6432/d"] });
    expect(parse("postgres://u:p@a,b/d").listenUrls).toEqual(["postgres://u:p@a/d", "postgres://u:p@b/d"]);
  });
  test.each([
    ["postgres://u:p@h,/d", "hostname"],
    ["postgres://u:p@h1:port,h2/d", "url"],
    ["postgres://u:p@h1,h2/d?target_session_attrs=standby", "target_session_attrs"],
    ["postgres://u:p@h/d?prepared_statements=on", "prepared_statements"],
    ["postgres://u:p@h/d?schema=", "schema"],
    ["postgres://u:p@h/d?schema=pg_mine", "schema"],
    [`postgres://u:p@h/d?schema=${"n".repeat(64)}`, "schema"],
    ["postgres://u:p@h/d?lock_timeout=5s", "lock_timeout"],
  ])("%s is refused, naming the %s", (text, field) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "store.location_invalid", details: { field } }));
  });
  test("reaches PostgreSQL's own programs without its password and without what they do not know", () => {
    const own = "schema=s&listen_host=db&uselibpqcompat=true&sslmode=require";
    expect(forPrograms(`postgres://u:p%40ss@a:1,b/d?${own}`)).toEqual({
      url: "postgres://u@a:1,b/d?sslmode=require&target_session_attrs=read-write",
      password: "p@ss",
    });
    expect(forPrograms("postgres:///d?user=u&password=p%20q&host=/run/pg%20sql")).toEqual({
      url: "postgres:///d?user=u&host=%2Frun%2Fpg%20sql",
      password: "p q",
    });
  });
  test("is shown without its password", () => {
    expect(parse("postgresql://user:s3cret@db.example:6432/app").shown).toBe("postgresql://db.example:6432/app");
  });
});

test.each([
  ["40001", "store.busy"],
  ["40P01", "store.busy"],
  ["53100", "store.full"],
  ["53300", "store.unreachable"],
  ["55P03", "store.busy"],
  ["57014", "store.busy"],
  ["57P01", "store.unreachable"],
  ["08006", "store.unreachable"],
  ["28P01", "store.unreachable"],
  ["XX001", "store.corrupt"],
  ["42601", "store.failed"],
  ["ECONNREFUSED", "store.unreachable"],
])("SQLSTATE %s is %s", (code, expected) => {
  expect(postgresError(Object.assign(new Error("what the server said"), { code }), "postgres://h/d")).toEqual(coded(expected));
});

test("a server that does not answer is unreachable, and the message has no password", async () => {
  const error: unknown = await openPostgresStore("postgres://user:s3cret@127.0.0.1:1/app").catch((caught: unknown) => caught);
  expect(error).toEqual(coded("store.unreachable"));
  expect(JSON.stringify(error) + String(error)).not.toContain("s3cret");
  expect(String(error)).toContain("127.0.0.1:1");
});

describe.skipIf(noPostgres !== undefined)("on a server", () => {
  test("a wrong password is unreachable, and the message has none", async () => {
    const url = new URL(await newPostgresDatabase());
    url.password = "s3cret";
    const error: unknown = await openPostgresStore(url.href).catch((caught: unknown) => caught);
    expect(error).toEqual(coded("store.unreachable"));
    expect(JSON.stringify(error) + String(error)).not.toContain("s3cret");
  });
  test("L5 the schema is made once when several start together, beside what is there", async () => {
    const url = await newPostgresDatabase();
    await runSql(url, "CREATE TABLE sessions (mine text)");
    const stores = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
    await newSession(stores[0]!);
    expect(await runSql(url, "SELECT count(*)::int AS n FROM throughline.schema_migrations")).toEqual([{ n: known }]);
    expect(await runSql(url, "SELECT count(*)::int AS n FROM public.sessions")).toEqual([{ n: 0 }]);
  });
  test("L6 a newer schema is refused before anything is touched, and a changed one too", async () => {
    const url = await newPostgresDatabase();
    await opened(url);
    await runSql(url, "UPDATE throughline.schema_migrations SET checksum = 'x'");
    await expect(openPostgresStore(url)).rejects.toEqual(coded("store.migration_changed"));
    await runSql(url, `INSERT INTO throughline.schema_migrations VALUES (${known + 1}, 'later', 'x', 0)`);
    await expect(openPostgresStore(url)).rejects.toEqual(coded("store.schema_newer"));
    expect(await runSql(url, "SELECT count(*)::int AS n FROM throughline.schema_migrations")).toEqual([{ n: known + 1 }]);
  });
  test("another version's functions are left alone, and a missing one is made", async () => {
    const url = await newPostgresDatabase();
    await (await opened(url)).close();
    const functions = (): Promise<readonly Record<string, unknown>[]> =>
      runSql(url, "SELECT proname FROM pg_proc WHERE pronamespace = 'throughline'::regnamespace ORDER BY proname");
    const made = await functions();
    await runSql(url, "ALTER FUNCTION throughline." + String(made[1]?.["proname"]) + "(jsonb) RENAME TO throughline_commit_older");
    await runSql(url, "UPDATE throughline.meta SET name = 'throughline_commit_older' WHERE name = $1", [made[1]?.["proname"]]);
    const store = await opened(url);
    await newSession(store);
    expect(await functions()).toEqual(
      [...made, { proname: "throughline_commit_older" }].toSorted((a, b) => (String(a["proname"]) < String(b["proname"]) ? -1 : 1)),
    );
  });
  test("every read and every write is one round trip", async () => {
    const statements: string[] = [];
    const store = await opened(await newPostgresDatabase(), { onStatement: (sql) => void statements.push(sql) });
    const session_id = await newSession(store);
    const trips = async (call: () => Promise<unknown>): Promise<number> => {
      statements.length = 0;
      await call();
      return statements.length;
    };
    expect(await trips(() => append(store, session_id, { events: [asked("a"), message("b")], queue: queue(), checkpoint: {} }))).toBe(1);
    expect(await trips(() => store.load({ session_id }))).toBe(1);
    expect(await trips(() => store.read({ session_id }))).toBe(1);
    expect(await trips(() => store.claim({ kind: "next", worker: "w", lease_ms: 1000 }))).toBe(1);
    expect(await trips(() => store.list({ of: "sessions", labels: ["x"] }))).toBe(1);
  });
  test("D11 L10 many stores on one session: gapless, and they hear of each other", async () => {
    const url = await newPostgresDatabase();
    const stores = await Promise.all(Array.from({ length: 3 }, () => opened(url)));
    const session_id = await newSession(stores[0]!);
    const heard = stores[1]!.watch(session_id, 59, new AbortController().signal);
    await Promise.all(Array.from({ length: 60 }, (_, n) => append(stores[n % 3]!, session_id, { events: [message(`m${n}`)] })));
    expect(await heard).toBe(60);
    expect(await offsetsOf(stores[2]!, session_id)).toEqual(Array.from({ length: 61 }, (_, n) => n));
  });
  test("owner and session commits in every order do not wait for each other for ever", async () => {
    const url = await newPostgresDatabase();
    const [one, two] = [await opened(url), await opened(url)];
    const owner_id = await newOwner(one, "crm-1");
    const sessions = [await newSession(one, { owner_id }), await newSession(one, { owner_id })];
    const work = Array.from({ length: 40 }, (_, n) => {
      const session = { session_id: sessions[n % 2]!, events: [message(`m${n}`)] };
      const owner = { owner_id, variables: [{ name: "n", value: n }] };
      return write(n % 3 === 0 ? one : two, n % 4 === 0 ? { session } : { owner, session });
    });
    await Promise.all([...work, one.claim({ kind: "next", worker: "w", lease_ms: 1000 })]);
    expect((await one.list({ of: "customers" })).items[0]?.variables.version).toBe(30);
    const erased = await Promise.all([one.erase({ owner_id }), two.erase({ owner_id }), two.commit(commitOf({ owner: { owner_id, name: "late" } }))]);
    // One of them did it, and the other waited for it or came after it.
    expect(erased[0].sessions + erased[1].sessions).toBe(erased[0].erasure_id === erased[1].erasure_id ? 4 : 2);
  });
  test("a damaged row is named", async () => {
    const url = await newPostgresDatabase();
    const store = await opened(url);
    const session_id = await newSession(store);
    await append(store, session_id, { events: [message("a")] });
    await runSql(url, `UPDATE throughline.events SET data = 'half' WHERE "offset" = 1`);
    const error: unknown = await store.read({ session_id }).catch((caught: unknown) => caught);
    expect(error).toEqual(coded("store.corrupt"));
    expect(String(error)).toContain(`offset 1 of session ${session_id}`);
  });
  test("a store whose connections are cut works again with the next call", async () => {
    const url = await newPostgresDatabase();
    const lost: string[] = [];
    const logger = { debug: () => {}, info: () => {}, warn: (what: string) => void lost.push(what), error: () => {} };
    const store = await opened(url, { logger });
    const session_id = await newSession(store);
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'throughline' AND datname = current_database()`;
    await vi.waitFor(
      async () => {
        await runSql(url, cut);
        expect(lost).toContain("store.connection_lost");
      },
      { timeout: 20_000, interval: 250 },
    );
    // The last cut may not have been noticed yet: then it is this call that tells.
    const first = await append(store, session_id, { events: [message("a")] }).then(
      () => "written",
      (error: unknown) => ThroughlineError.from(error).code,
    );
    expect(["written", "store.unreachable"]).toContain(first);
    await append(store, session_id, { events: [message("b")] });
  });
  test("a connection that is cut while the schema is made fails that call, and not the process", async () => {
    const url = await newPostgresDatabase();
    const driver = await postgresDriver(parseLocation(url, { durability: "full" }), { logger: silentLogger });
    onTestFinished(() => driver.close());
    const cut = driver.exclusive(function* () {
      yield* ask("SELECT pg_terminate_backend(pg_backend_pid())");
      return yield* ask("SELECT 1");
    });
    await expect(cut).rejects.toEqual(coded("store.unreachable"));
    expect(await driver.hasJournal()).toBe(false);
  });
  test("a statement that waits too long for a lock is busy, and wrote nothing", async () => {
    const url = await newPostgresDatabase();
    const separator = url.includes("?") ? "&" : "?";
    const store = await opened(`${url}${separator}lock_timeout=100`);
    const session_id = await newSession(store);
    const { Client } = await import("pg");
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM throughline.sessions FOR UPDATE");
    await expect(append(store, session_id, { events: [message("a")] })).rejects.toEqual(coded("store.busy"));
    await other.query("ROLLBACK");
    await other.end();
    expect(await append(store, session_id, { events: [message("a")] })).toEqual({ first_offset: 1, head: 1 });
  });
});

describe.skipIf(noPostgres !== undefined)("the commits of all sessions", () => {
  test("one that becomes visible late gets a later position, and a reader passes none", async () => {
    const url = await newPostgresDatabase();
    const store = await opened(url);
    const [late, soon] = [await newSession(store), await newSession(store)];
    const { last } = await store.appends({});
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    // A commit by hand, which has its place and is not visible yet.
    await client.query("BEGIN");
    await client.query(`INSERT INTO throughline.commits (scope, commit_id, first_offset, head)
      SELECT id, 1, 1, 1 FROM throughline.sessions WHERE session_id = '${late}' FOR UPDATE`);
    await append(store, soon, { events: [message("a")] });
    const first = await store.appends({ after: last });
    expect(first.appends).toEqual([{ position: last + 1, session_id: soon, first_offset: 1, head: 1 }]);
    await client.query("COMMIT");
    const second = await store.appends({ after: last + 1 });
    expect(second).toEqual({ appends: [{ position: last + 2, session_id: late, first_offset: 1, head: 1 }], last: last + 2 });
  });

  test("a page ends before its limit only at the end, however many commits have no position yet", async () => {
    const store = await opened(await newPostgresDatabase());
    const session_id = await newSession(store);
    for (let number = 1; number <= 1_010; number++) await append(store, session_id, { events: [message("a")] });
    const { appends, last } = await store.appends({ after: 995, limit: 100 });
    expect(appends.map(({ position }) => position)).toEqual(Array.from({ length: 16 }, (_, index) => 996 + index));
    expect(last).toBe(1_011);
  });
});
