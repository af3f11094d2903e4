/** Requests that nobody should send: each is refused with a code, tells nothing of anybody, and leaves everything as it was. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import type { Logger } from "../../../packages/throughline/src/kernel/log.ts";
import { openStore } from "../../../packages/throughline/src/open-store.ts";
import type { Operation } from "../../../packages/server/src/protocol/operation.ts";
import { operations, type OperationId } from "../../../packages/server/src/protocol/operations.ts";
import { createKey, revokeKey } from "../../../packages/server/src/server/auth/api-keys.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import { createChooser } from "../../../packages/throughline/src/testing/test-clock.ts";
import { breachOf } from "../../setup/contract.ts";
import { emptyPostgresDatabase, runSql } from "../../setup/database.ts";
import { sampleAgents, makeFixture, samplesOf, type Fixture } from "../../setup/sample-requests.ts";
import { databases, openServer, type TestServer } from "../../setup/server.ts";
import { answersIn, exchange, type Bytes } from "./http.ts";
import { kinds, type Target } from "./kinds.ts";
import { forgedCredentials, secret } from "./tokens.ts";

/** How many requests; more by hand: `ABUSE=5000 ABUSE_SEED=7 vitest run test/server/abuse`. */
const most = Number(process.env["ABUSE"] ?? 400);
const seed = Number(process.env["ABUSE_SEED"] ?? 20_261_121);

/** What no refusal may hold: the words of somebody else, and how the service is made. */
const leaks = /canary|node_modules|\n\s+at |\/work\/|file:\/\/|\.ts:\d|sqlite|select .* from|insert into|postgres:/i;
/** Kinds that may be cut off without an answer: they are no HTTP. */
const notHttp: ReadonlySet<string> = new Set(["a header that is none", "two requests in one", "a chunk that is none"]);
const ids = Object.keys(operations) as readonly OperationId[];
const stride = [37, 41].find((prime) => ids.length % prime !== 0) ?? 1;

interface Abused {
  readonly server: TestServer & { readonly close: () => Promise<void> };
  readonly store: Store;
  readonly key: string;
  readonly folder: string;
  readonly ada: Fixture;
  readonly eve: Fixture;
  readonly forged: readonly string[];
  /** Of Eve, for all of her sessions and for one. */
  readonly tokens: readonly [all: string, one: string];
  readonly lines: { readonly message: string; readonly fields: JsonObject }[];
  /** Rows of each table, but for the log of who asked for what. */
  readonly rows: () => Promise<unknown>;
}

const countOf = (table: string): string =>
  table === "records" ? "SELECT count(*) AS n FROM records WHERE kind NOT IN ('audit', 'rate')" : `SELECT count(*) AS n FROM ${table}`;

function sqliteRows(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name").all();
  const counts = tables.map(({ name }) => [name, database.prepare(countOf(String(name))).get()?.["n"]]);
  database.close();
  return counts;
}

async function postgresRows(url: string): Promise<unknown> {
  const tables = await runSql(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'throughline' ORDER BY tablename");
  const counts = tables.map(({ name }) => `SELECT '${String(name)}' AS name, (${countOf(String(name)).replace(/FROM /, "FROM throughline.")}) AS n`);
  return runSql(url, counts.join(" UNION ALL "));
}

async function open(database: "SQLite" | "PostgreSQL"): Promise<Abused> {
  const folder = mkdtempSync(join(tmpdir(), "throughline-abuse-"));
  const location = database === "SQLite" ? join(folder, "store.db") : await emptyPostgresDatabase();
  const lines: { message: string; fields: JsonObject }[] = [];
  const keep = (message: string, fields: JsonObject = {}): void => void lines.push({ message, fields });
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const store = await openStore(location);
  const { key } = await createKey(store, { name: "all", scopes: ["admin"] });
  const { key: revoked, info } = await createKey(store, { name: "gone", scopes: ["admin"] });
  await revokeKey(store, info.id);
  const server = await openServer({ store, agents: sampleAgents, tokenSecrets: [secret], logger, limits: { headersMs: 2_000 } });
  const admin: TestServer["request"] = (method, path, body, headers) =>
    server.request(method, path, body, { authorization: `Bearer ${key}`, ...headers });
  const [ada, eve] = [await makeFixture(admin, "canary-ada"), await makeFixture(admin, "eve")];
  await admin("PATCH", `/v1/sessions/${ada.session}`, { title: "canary-title", metadata: { note: "canary-metadata" } });
  await admin("PATCH", `/v1/sessions/${ada.session}/state`, { delta: { note: "canary-note", secret: "canary-secret" } });
  const tokenOf = async (given: object): Promise<string> =>
    (await admin("POST", "/v1/tokens", { customer_id: eve.customer, ...given })).body.token as string;
  return {
    ...{ server, store, key, ada, eve, lines, folder },
    forged: await forgedCredentials({ customer: ada.customer, session: ada.session, revoked, key }),
    tokens: [await tokenOf({}), await tokenOf({ session_id: eve.session })],
    rows: async () => (database === "SQLite" ? sqliteRows(location) : postgresRows(location)),
  };
}

/** What is wrong with how a request was refused; undefined if nothing is. */
function wrongWith(kind: string, bytes: Bytes, text: string): string | undefined {
  const answers = answersIn(text);
  const shown = `${kind}: ${bytes.text.slice(0, 300)}\n--> ${text.slice(0, 800)}`;
  if (answers.length === 0 && notHttp.has(kind) && text === "") return undefined;
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) return `${answers.length} answers to ${shown}`;
  if (answer.status < 400 || answer.status > 499) return `${answer.status} for ${shown}`;
  // What the request itself has named may be named in its answer.
  const own = bytes.target.includes("canary-ada%40") ? answer.body.replaceAll("canary-ada@", "") : answer.body;
  if (leaks.test(own)) return `a leak in ${shown}`;
  const breach = breachOf({ method: bytes.method, path: bytes.target, status: answer.status, headers: answer.headers, text: answer.body });
  return breach === undefined ? undefined : `${breach} for ${shown}`;
}

describe.each(databases)("a service on %s that is abused", (database) => {
  let world: Abused;
  let before: unknown;

  beforeAll(async () => {
    world = await open(database);
    before = await world.rows();
  });
  afterAll(async () => {
    await world.server.close();
    await world.store.close();
    rmSync(world.folder, { recursive: true, force: true });
  });

  it(`refuses ${most} requests of all kinds to all operations with a code, and nothing comes of them`, { timeout: 600_000 }, async () => {
    const { server, key, ada, eve, forged, tokens } = world;
    const dice = createChooser(seed);
    const senders = [
      { authorization: `Bearer ${key}`, fixture: ada, foreign: [] },
      {
        authorization: `Bearer ${tokens[0]}`,
        fixture: eve,
        foreign: [ada.session, ada.turn, ada.job, ada.pending.session, encodeURIComponent(ada.customer)],
      },
    ];
    const faults: string[] = [];
    const sent = new Map<string, number>();
    const names = Object.keys(kinds);
    for (let count = 0, round = 0; count < most; round++) {
      // Every kind for every operation in turn, however many there are: far apart, by a stride that has no part in common with their number.
      const kind = names[round % names.length] ?? "";
      const id = ids[(Math.floor(round / names.length) * stride + (round % names.length)) % ids.length] ?? "livez";
      const sender = kind === "an id that is none" && dice.chance(0.5) ? senders[1]! : senders[0]!;
      const operation: Operation = operations[id];
      const target: Target = { operation, sample: samplesOf(sender.fixture, `a${round}`)[id], forged, ...sender };
      const bytes = kinds[kind]?.(target, dice);
      if (bytes === undefined) continue;
      count += 1;
      sent.set(kind, (sent.get(kind) ?? 0) + 1);
      const wrong = wrongWith(kind, bytes, await exchange(server.url, bytes));
      if (wrong !== undefined) faults.push(wrong);
    }
    expect(faults, `seed ${seed}: ${faults.length} of ${most}`).toEqual([]);
    expect([...sent.keys()].toSorted()).toEqual(names.toSorted());
    expect(await world.rows()).toEqual(before);
  });

  it("is alive afterwards, and its log says nothing of anybody", async () => {
    const { server, key, ada, lines } = world;
    expect((await server.request("GET", `/v1/sessions/${ada.session}`, undefined, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect(lines.filter(({ fields }) => Number(fields["status"] ?? 0) >= 500)).toEqual([]);
    expect(JSON.stringify(lines)).not.toMatch(/canary|tl_live|eyJ/);
  });
});
