/** L: what a service finds when it starts, and when it starts with another version of an agent. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  section,
  stage,
  type Agent,
} from "../../../packages/throughline/src/index.ts";
import { newFolder, runBeside, start } from "../../cli/run-cli.ts";
import { command } from "../../cli/in-process.ts";
import { emptyPostgresDatabase, newSqliteFile, runSql } from "../../setup/database.ts";
import { databases, openServer, startServer } from "../../setup/server.ts";

const locationOf = (database: (typeof databases)[number]) => (database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase());

/** Runs a statement as nobody of the service would. */
async function tamper(location: string, sql: (schema: string) => string): Promise<void> {
  if (location.startsWith("postgres")) return void (await runSql(location, sql("throughline.")));
  const database = new DatabaseSync(location);
  database.exec(sql(""));
  database.close();
}

/** Fills a log with copies of the event at 1. */
const manyEvents = (schema: string, many: number): string => {
  const copies = (columns: string, table: string): string => `
    WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
    INSERT INTO ${schema}${table} ("offset", ${columns}) SELECT n, ${columns} FROM ${schema}${table}, numbers WHERE "offset" = 1;`;
  const extras = copies("session, version, trace_id, metadata", "event_extras");
  return `${copies("created_at, session, turn, kind, source, data", "events")} ${extras} UPDATE ${schema}sessions SET head = ${many}`;
};

/** What changes when anything of the events is written. */
async function marksOf(location: string): Promise<unknown> {
  if (location.startsWith("postgres"))
    return runSql(
      location,
      "SELECT count(*)::int AS n, max(xmin::text::bigint)::text AS last, sum(hashtext(ctid::text))::text AS places FROM throughline.events",
    );
  const log = `${location}-wal`;
  return [statSync(location).mtimeMs, existsSync(log) ? statSync(log).size : 0];
}

const serve = (location: string) => command(["--db", location, "serve", "--port", "0"], { folder: newFolder() });

describe("a service is not started", () => {
  it("L3: with a database block without a hostname or a password, and says which", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "throughline.yaml"), "agent_config:\n  database:\n    port: 5432\n");
    const { code, err } = await runBeside(["serve"], { cwd });
    expect(code).toBe(2);
    expect(err).toMatch(/throughline\.yaml:2: agent_config\.database\.hostname: is missing/);
    expect(err).toMatch(/throughline\.yaml:2: agent_config\.database\.password: is missing/);
  });

  it("timing: where its database cannot be reached, and says so in time and without the password", async () => {
    const began = performance.now();
    const refused = await serve("postgres://somebody:s3cret@127.0.0.1:1/nothing");
    expect([refused.error, JSON.stringify(refused).includes("s3cret")]).toEqual(["store.unreachable", false]);
    // timing: five times the 10 s of the case.
    expect(performance.now() - began).toBeLessThan(50_000);
  });

  it.each(databases)("L6: on a %s whose schema is newer than the code, or another", async (database) => {
    const location = await locationOf(database);
    await (await openStore(location)).close();
    await tamper(location, (schema) => `UPDATE ${schema}schema_migrations SET checksum = 'x' || checksum`);
    expect((await serve(location)).error).toBe("store.migration_changed");
    await tamper(location, (schema) => `INSERT INTO ${schema}schema_migrations VALUES (999, 'later', 'x', 0)`);
    expect((await serve(location)).error).toBe("store.schema_newer");
    await tamper(location, (schema) => `UPDATE ${schema}schema_migrations SET checksum = substr(checksum, 2) WHERE version < 999`);
    await tamper(location, (schema) => `DELETE FROM ${schema}schema_migrations WHERE version = 999`);
    await (await openStore(location)).close();
  });
});

it("a database block has a port, a user, a database and encryption by default", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "throughline.yaml"), "agent_config:\n  database:\n    hostname: db.example\n    password: s3cret\n");
  const { out } = await command(["config", "print", "--redacted"], { folder });
  expect(out).toMatch(/^store: postgres:\/\/postgres:\*{3}@db\.example:5432\/postgres\?sslmode=require(&|$)/m);
});

describe.each(databases)("on %s", (database) => {
  it("L5: processes that start at once on a new database make its schema once", async () => {
    const location = await locationOf(database);
    if (database === "PostgreSQL") await runSql(location, "DROP SCHEMA IF EXISTS throughline CASCADE");
    const folder = newFolder();
    const started = ["serve --port 0", "serve --port 0", "worker"].map((words) => start(["--db", location, ...words.split(" ")], { cwd: folder }));
    await Promise.all(started.map((live) => live.until("Ready: ")));
    for (const { child } of started) child.kill("SIGTERM");
    await Promise.all(started.map((live) => live.until("Ended on SIGTERM")));
    expect(await Promise.all(started.map(({ ended }) => ended))).toEqual(started.map(() => ({ code: 0, signal: null })));
    await (await openStore(location)).close();
  });

  it("timing: L8: a database with many events is served at once, and nothing in it is written", { retry: 1 }, async () => {
    const location = await locationOf(database);
    const first = await openServer({ location });
    const { body: session } = await first.request("POST", "/v1/sessions", { agent: "a1" });
    await first.runtime.sessions.get(session.id).then((one) => one.postCustom("x"));
    await first.close();
    const many = 50_000;
    await tamper(location, (schema) => manyEvents(schema, many));
    const before = await marksOf(location);
    const began = performance.now();
    const { request } = await startServer({ location, runtime: { work: false } });
    const last = await request("GET", `/v1/sessions/${session.id}/events?min_offset=${many}&limit=1`);
    expect(last.body.items?.[0].offset, last.text).toBe(many);
    // timing: five times the 5 s of the case.
    expect(performance.now() - began).toBeLessThan(25_000);
    expect(await marksOf(location)).toEqual(before);
  });

  it("L11: with a new version of an agent its sessions go on where they were, and the past stays as it was", async () => {
    const location = await locationOf(database);
    const first = await openServer({ location, agents: [notes(1)] });
    const { body: session } = await first.request("POST", "/v1/sessions", { agent: "notes" });
    const path = `/v1/sessions/${session.id}`;
    const say = async ({ request }: Pick<typeof first, "request">, text: string): Promise<string> => {
      const { body } = await request("POST", `${path}/events`, { kind: "message", text });
      const answered = await request("GET", `${path}/events?min_offset=${body.offset}&kinds=message&source=ai_agent&wait=20`);
      return answered.body.items[0].data.parts[0].text;
    };
    expect(await say(first, "one")).toBe("heard one");
    const { body: past } = await first.request("GET", `${path}/events?limit=1000`);
    await first.close();

    const second = await startServer({ location, agents: [notes(2)] });
    expect(await say(second, "two")).toBe("heard one, two");
    const state = async (query: string) => (await second.request("GET", `${path}/state?view=internal${query}`)).body;
    expect(await state("")).toMatchObject({ definition: 2, state: { heard: ["one", "two"] } });
    expect((await second.request("GET", `${path}/events?limit=${past.items.length}`)).body.items).toEqual(past.items);
    expect((await second.request("GET", path)).body.definition).toBe(2);

    // A process of the version before leaves the session to those that know it.
    const former = await startServer({ location, agents: [notes(1)] });
    expect(await say(former, "three")).toBe("heard one, two, three");
  });
});

/** An agent that keeps what it hears: under `said` in its first version, under `heard` in the second. */
function notes(version: 1 | 2): Agent {
  const list = reduced(z.array(z.string()));
  const common = { name: "notes", version, reply: loop({ model: scripted((request) => `heard ${request.sections[0]?.text}`) }) };
  if (version === 1) {
    const state = defineState({ message: input(z.string()), said: list });
    const keep = stage("keep", { state, writes: ["said"] }, ({ state: { message } }) => ({ said: [message] }));
    return defineAgent({
      ...common,
      state,
      stages: [keep],
      sections: [section<{ readonly said?: readonly string[] }>("notes", ({ state: { said } }) => said?.join(", "))],
    });
  }
  const state = defineState({ message: input(z.string()), heard: list });
  const keep = stage("keep", { state, writes: ["heard"] }, ({ state: { message } }) => ({ heard: [message] }));
  const migrate = ({ said, ...rest }: Readonly<Record<string, unknown>>) => ({ ...rest, ...(said === undefined ? {} : { heard: said }) });
  return defineAgent({
    ...common,
    state,
    stages: [keep],
    sections: [section<{ readonly heard?: readonly string[] }>("notes", ({ state: { heard } }) => heard?.join(", "))],
    migrations: [{ from: 1, to: 2, migrate: migrate as never }],
  });
}
