/** What was remembered is in no bytes of a database once it is forgotten, or its person erased; and in no readable bytes of an encrypted one. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { openStore, type Store } from "../../../packages/throughline/src/index.ts";
import { purgeSqlite } from "../../../packages/throughline/src/store/sqlite/sqlite-maintenance.ts";
import { fixedClock } from "../../../packages/throughline/src/testing/test-clock.ts";
import { memoryControl } from "../../../packages/throughline/src/memory/turn/memory-control.ts";
import { emptyPostgresDatabase, newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../../setup/database.ts";
import { encryption } from "../../encryption/stores.ts";
import { started } from "../harness.ts";
import { letters, remembering, rowsOf, State } from "./harness.ts";

const minute = 60_000;

/** Words that are found nowhere else: of what is forgotten, and of what stays until its person goes. */
const [gone, stays] = ["zqforgottenzq", "zqremainingzq"];

const said = [
  `My sister ${gone} lives in Lisbon and she called me last night.`,
  `My brother ${stays} plays the cello in an orchestra.`,
  `I am worried about ${stays}, it never leaves my head.`,
  `I am so worried about ${gone} that I hardly sleep.`,
];

const found = (bytes: Buffer): readonly string[] => [gone, stays].filter((word) => bytes.toString("latin1").toLowerCase().includes(word));

const inFile =
  (location: string): (() => Promise<readonly string[]>) =>
  async () =>
    found(
      Buffer.concat(
        ["", "-wal", "-shm"]
          .map((end) => location + end)
          .filter((path) => existsSync(path))
          .map((path) => readFileSync(path)),
      ),
    );

const inTables =
  (url: string): (() => Promise<readonly string[]>) =>
  async () => {
    const tables = await runSql(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'throughline'");
    const rows = await Promise.all(tables.map(({ tablename }) => runSql(url, `SELECT t::text AS text FROM throughline.${String(tablename)} t`)));
    return found(Buffer.from(JSON.stringify(rows)));
  };

interface Place {
  readonly store: Store;
  readonly look: () => Promise<readonly string[]>;
  /** Takes out what no query sees; of PostgreSQL's tables only rows are looked at. */
  readonly purge: () => Promise<unknown>;
}

async function sqlite(options: Parameters<typeof openStore>[1] = {}): Promise<Place> {
  const location = newSqliteFile();
  const store = await openStore(location, options);
  onTestFinished(() => store.close());
  return { store, look: inFile(location), purge: () => purgeSqlite(location, options) };
}

async function postgres(url: string, options: Parameters<typeof openStore>[1] = {}): Promise<Place> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return { store, look: inTables(url), purge: async () => {} };
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  SQLite: () => sqlite(),
  "SQLite, encrypted": () => sqlite({ encryption }),
  ...(noPostgres === undefined
    ? {
        PostgreSQL: async () => postgres(await emptyPostgresDatabase()),
        "PostgreSQL, encrypted": async () => postgres(await newPostgresDatabase(), { encryption }),
      }
    : {}),
};

/** Kept requests are there for days by the store's clock, which is nobody's to set. */
const future = Date.UTC(2100, 0, 1);

async function running(store: Store) {
  const clock = fixedClock(future);
  const { agent } = remembering({ embedding: letters }, { keepRequests: true, stages: [memoryControl({ state: State })] });
  const runtime = await started({ agents: [agent], store, clock, leaseMs: 600_000, heartbeatMs: 1_000, pollMs: 1_000 });
  return { clock, runtime };
}

/** Memory of every kind: turns, facts, an arc, vectors, rules, a question that waits, an episode that is open, kept requests, a buffer, bars and masks. */
async function remember(store: Store) {
  const { clock, runtime } = await running(store);
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  for (const text of said) await session.send(text);
  clock.advance(21 * minute);
  await runtime.closeEpisodes();
  const vectors = async () => (await rowsOf(runtime, "ada")).filter(({ kind }) => kind === "vector").length;
  await expect.poll(async () => (clock.advance(1_000), vectors())).toBeGreaterThan(4);
  const mine = runtime.customers.memory("ada");
  await mine.savePreference(`speak of ${stays} with care`);
  await mine.forget((await mine.find("cello")).map(({ entry_id }) => entry_id));
  const { owner_id } = await runtime.customers.get("ada");
  const held = {
    type: "fact",
    quote: `I know ${gone}`,
    subject: { type: "User", id: "user" },
    predicate: "KNOWS",
    object: { type: "Person", id: gone },
  };
  const candidate = { ...held, category: "relationship", offset: 1, at: 1, confidence: "high", reason: "said", sensitivity: "personal" };
  const buffer = { type: "buffer", session_id: session.id, episode: 2, held: [candidate], approach_counts: {} };
  await store.commit({
    commit_id: "buffer",
    at: 1,
    owner: { owner_id, entries: [{ entry_id: `buffer:${session.id}:2`, kind: "buffer", data: buffer }] },
  });
  for (const text of ["What do you remember about me?", `Where is my sister ${gone}?`, "forget fact 1"]) await session.send(text);
  const kinds = new Set((await rowsOf(runtime, "ada")).flatMap(({ kind, data }) => (data === null ? [] : [kind])));
  expect([...kinds].toSorted()).toEqual(["arc", "bar", "buffer", "fact", "mask", "pending", "profile", "turn", "vector"]);
  return { runtime };
}

it.each(Object.keys(places))("%s: what is forgotten with its messages is in it no more, and nothing is once the person is erased", async (name) => {
  const { store, look, purge } = await places[name]!();
  const { runtime } = await remember(store);
  const isPlain = !name.endsWith("encrypted");
  expect(await look()).toEqual(isPlain ? [gone, stays] : []);
  expect((await store.list({ of: "records", kind: "prompt" })).total).toBeGreaterThan(0);
  expect((await store.list({ of: "records", kind: "memory.closing" })).total).toBe(1);
  const mine = runtime.customers.memory("ada");
  const about = (await mine.list({ all: true, limit: 100 })).items.filter(({ entry }) => JSON.stringify(entry).includes(gone));
  await mine.forget(
    about.map(({ entry_id }) => entry_id),
    { messages: true },
  );
  await purge();
  expect(await look()).toEqual(isPlain ? [stays] : []);
  await runtime.customers.delete("ada");
  await purge();
  expect(await look()).toEqual([]);
  for (const kind of ["prompt", "memory.closing"]) expect((await store.list({ of: "records", kind })).total).toBe(0);
});

it("an anonymous session that is deleted takes its memory along", async () => {
  const { store, look, purge } = await sqlite();
  const { runtime } = await running(store);
  const session = await runtime.sessions.create({ agent: "friend" });
  for (const text of said) await session.send(text);
  expect((await session.memory.status()).turns).toBe(said.length);
  await runtime.sessions.delete(session.id);
  await purge();
  expect(await look()).toEqual([]);
});

it("a session that is deleted leaves its customer what was remembered of it, which can be forgotten still", async () => {
  const { store, look, purge } = await sqlite();
  const { runtime } = await running(store);
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  for (const text of said) await session.send(text);
  await runtime.sessions.delete(session.id);
  expect((await store.list({ of: "records", kind: "memory.closing" })).total).toBe(0);
  const mine = runtime.customers.memory("ada");
  expect((await mine.status()).turns).toBe(said.length);
  await mine.clear();
  await purge();
  expect(await look()).toEqual([]);
});
