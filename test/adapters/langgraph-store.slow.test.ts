/** LangGraph's store on Throughline: it answers as LangGraph's own store in memory does, and keeps what only a database keeps. */
import { emptyCheckpoint, InMemoryStore, InvalidNamespaceError, type BaseStore, type Item, type Operation } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, openStore, type Json } from "throughline";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { storeAgent, threadAgent, ThroughlineSaver, ThroughlineStore } from "../../packages/adapters/src/langgraph.ts";
import { newPostgresDatabase, noPostgres } from "../setup/database.ts";

const folder = mkdtempSync(join(tmpdir(), "throughline-langgraph-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** Opens a store, which is closed when the test ends. */
async function storeOn(location: string): Promise<ThroughlineStore> {
  const { store, close } = await ThroughlineSaver.open(location, { durability: "relaxed" });
  onTestFinished(close);
  return store;
}

const places: readonly (readonly [string, string | undefined, () => Promise<string>])[] = [
  ["memory", undefined, async () => ":memory:"],
  ["SQLite", undefined, async () => join(folder, `${++files}.db`)],
  ["PostgreSQL", noPostgres, newPostgresDatabase],
];

const facts = ({ namespace, key, value }: Item): unknown => ({ namespace, key, value });
const sorted = (items: readonly Item[]): unknown[] =>
  items.map(facts).toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

const path = fc.array(fc.constantFrom("users", "ada", "notes"), { minLength: 1, maxLength: 3 });
const key = fc.constantFrom("k1", "k2", "__proto__", "ä/ö");
const value = fc.record({ n: fc.integer({ min: 0, max: 3 }), t: fc.constantFrom("x", "y") }, { requiredKeys: ["n"] });
const condition = fc.oneof(
  fc.constant({}),
  fc.record({ n: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ n: fc.record({ $gt: fc.integer({ min: 0, max: 3 }), $lte: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: [] }) }),
  fc.record({ t: fc.record({ $ne: fc.constantFrom("x", "y") }) }),
  fc.record({ t: fc.record({ $in: fc.constantFrom(["x"], ["x", "y"], []) }), n: fc.record({ $nin: fc.constantFrom([1, 2], []) }) }),
);
const put = fc.record({ namespace: path, key, value });
const removal = fc.record({ namespace: path, key, value: fc.constant(null) });
const get = fc.record({ namespace: path, key });
const search = fc.record({ namespacePrefix: fc.oneof(fc.constant<string[]>([]), path), filter: condition, limit: fc.constant(1_000) });
const listing = fc.record(
  {
    matchConditions: fc.array(
      fc.record({
        matchType: fc.constantFrom("prefix" as const, "suffix" as const),
        path: fc.array(fc.constantFrom("users", "ada", "notes", "*"), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
    maxDepth: fc.integer({ min: 1, max: 3 }),
    limit: fc.constant(1_000),
    offset: fc.constant(0),
  },
  { requiredKeys: ["matchConditions", "limit", "offset"] },
);

/** What a store answers, without what only it decides: times, and the order of items. */
async function answers(store: BaseStore, batch: readonly Operation[]): Promise<unknown[]> {
  const results: readonly unknown[] = await store.batch(structuredClone([...batch]));
  return results.map((result, index) => {
    const operation = batch[index];
    if (operation === undefined || "value" in operation) return undefined;
    if ("namespacePrefix" in operation) return sorted(result as Item[]);
    if ("key" in operation) return result === null ? null : facts(result as Item);
    return (result as string[][]).map((namespace) => JSON.stringify(namespace)).toSorted();
  });
}

describe.each(places)("on %s", (_name, skipped, location) => {
  /** Gives both stores the same batches. Half of them go to a second instance of ours, as from another process. */
  async function compare(batches: readonly (readonly Operation[])[]): Promise<void> {
    const place = await location();
    const first = await storeOn(place);
    const second = place === ":memory:" ? first : await storeOn(place);
    const reference = new InMemoryStore();
    for (const [index, batch] of batches.entries()) {
      // LangGraph's store changes items that it has returned, so its reads are taken down before its puts.
      const expected = await answers(
        reference,
        batch.filter((operation) => !("value" in operation)),
      );
      const ours = await answers(index % 2 === 0 ? first : second, batch);
      expect(ours.filter((_, at) => !("value" in (batch[at] ?? {})))).toEqual(expected);
      await answers(
        reference,
        batch.filter((operation) => "value" in operation),
      );
    }
  }
  const runs = { numRuns: skipped === undefined && _name === "PostgreSQL" ? 4 : 25 };

  test.skipIf(skipped !== undefined)("gets, puts, deletes and searches as LangGraph's own store", async () => {
    const operation: fc.Arbitrary<Operation> = fc.oneof(put, put, removal, get, search);
    await fc.assert(fc.asyncProperty(fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), compare), runs);
  });
  test.skipIf(skipped !== undefined)("lists namespaces as LangGraph's own store", async () => {
    const operation: fc.Arbitrary<Operation> = fc.oneof(put, listing);
    await fc.assert(fc.asyncProperty(fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 10 }), compare), runs);
  });
});

test("items are there after a restart, with the time of their first and of their last put", async () => {
  const file = join(folder, `${++files}.db`);
  const before = await ThroughlineSaver.open(file);
  await before.store.put(["users", "ada"], "color", { is: "blue" });
  const created = await before.store.get(["users", "ada"], "color");
  await expect.poll(() => Date.now()).toBeGreaterThan(created?.createdAt.getTime() ?? Infinity);
  await before.store.put(["users", "ada"], "color", { is: "green" });
  await before.close();
  const store = await storeOn(file);
  const item = await store.get(["users", "ada"], "color");
  expect(item).toMatchObject({ namespace: ["users", "ada"], key: "color", value: { is: "green" }, createdAt: created?.createdAt });
  expect(item?.updatedAt.getTime()).toBeGreaterThan(item?.createdAt.getTime() ?? Infinity);
});

test("a search returns what was put last first, by page, and nothing of a namespace whose name only begins alike", async () => {
  const store = await storeOn(":memory:");
  for (const name of ["a", "b", "c"]) await store.put(["user"], name, { name });
  await store.put(["users"], "d", { name: "d" });
  await store.put(["user"], "a", { name: "again" });
  const keys = async (options: object): Promise<string[]> => (await store.search(["user"], options)).map((item) => item.key);
  expect(await keys({})).toEqual(["a", "c", "b"]);
  expect(await keys({ limit: 1, offset: 1 })).toEqual(["c"]);
});

test("a namespace whose items are deleted is not listed", async () => {
  const store = await storeOn(":memory:");
  await store.put(["a"], "k", { n: 1 });
  await store.put(["b"], "k", { n: 1 });
  await store.delete(["a"], "k");
  expect(await store.listNamespaces()).toEqual([["b"]]);
});

test("a caller that changes a value changes nothing in the store", async () => {
  const store = await storeOn(":memory:");
  const given = { list: [1] };
  await store.put(["a"], "k", given);
  given.list.push(2);
  Object.assign((await store.get(["a"], "k"))?.value ?? {}, { list: [3] });
  expect((await store.get(["a"], "k"))?.value).toEqual({ list: [1] });
});

test("puts of one batch that do not fit into one event are all there", async () => {
  const store = await storeOn(":memory:");
  const text = "x".repeat(150_000);
  const batch = Array.from({ length: 9 }, (_, index) => ({ namespace: ["large"], key: `k${index}`, value: { text, index } }));
  await store.batch(batch);
  expect((await store.search(["large"], { limit: 20 })).map(({ value: { index } }) => index as number)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test("erasing a customer erases the customer's namespaces, and they can begin anew", async () => {
  const database = await openStore(":memory:");
  const runtime = await createRuntime({ store: database, agents: [storeAgent] });
  onTestFinished(async () => {
    await runtime.close();
    await database.close();
  });
  const store = new ThroughlineStore(runtime, { customer: ([kind, id]) => (kind === "users" ? id : undefined) });
  await store.put(["users", "ada", "notes"], "k", { n: 1 });
  await store.put(["users", "bob"], "k", { n: 2 });
  await store.put(["shared"], "k", { n: 3 });
  await runtime.customers.delete("ada");
  expect((await store.search([])).map(facts)).toEqual(
    expect.arrayContaining([
      { namespace: ["users", "bob"], key: "k", value: { n: 2 } },
      { namespace: ["shared"], key: "k", value: { n: 3 } },
    ]),
  );
  expect(await store.search(["users", "ada"])).toEqual([]);
  await store.put(["users", "ada", "notes"], "k", { n: 4 });
  expect((await store.get(["users", "ada", "notes"], "k"))?.value).toEqual({ n: 4 });
});

test("a namespace that is erased begins anew", async () => {
  const database = await openStore(":memory:");
  const runtime = await createRuntime({ store: database, agents: [storeAgent] });
  onTestFinished(async () => {
    await runtime.close();
    await database.close();
  });
  const store = new ThroughlineStore(runtime);
  await store.put(["a"], "k", { n: 1 });
  const [session] = (await runtime.sessions.list({ agent: storeAgent.name })).items;
  await runtime.sessions.delete(session?.id ?? "");
  expect(await store.get(["a"], "k")).toBeNull();
  await store.put(["a"], "other", { n: 2 });
  expect((await store.search(["a"])).map(facts)).toEqual([{ namespace: ["a"], key: "other", value: { n: 2 } }]);
});

/** What a customer, or a program with another format, may post into a session. */
const foreign = [
  { puts: [["role", { role: "admin" }]] },
  { type: "piece" },
  { type: "checkpoint", id: "zzz" },
  { type: "writes", writes: 1 },
  {},
  null,
];
const malformed = [{ puts: 1 }, { puts: [1] }, { puts: [[1, {}]] }, { puts: [["role", "admin"]] }, ...foreign.slice(1)];

test("items are only what a program of the operator put: a customer's events and malformed ones are passed over", async () => {
  const database = await openStore(":memory:");
  const runtime = await createRuntime({ store: database, agents: [storeAgent] });
  onTestFinished(async () => {
    await runtime.close();
    await database.close();
  });
  const options = { customer: ([, id]: readonly string[]) => id };
  const store = new ThroughlineStore(runtime, options);
  await store.put(["users", "ada"], "role", { role: "user" });
  const [info] = (await runtime.sessions.list({ agent: storeAgent.name })).items;
  const session = await runtime.sessions.get(info?.id ?? "");
  for (const source of ["customer_ui", "customer", "human_agent"] as const) for (const value of foreign) await session.postCustom(value, { source });
  for (const value of malformed) await session.postCustom(value);
  await store.put(["users", "ada"], "last", { n: 1 });
  // A session that its customer opened is no namespace.
  await runtime.sessions.open({ agent: storeAgent.name, key: "own", customer: "ada" });
  for (const reader of [store, new ThroughlineStore(runtime, options)]) {
    expect((await reader.get(["users", "ada"], "role"))?.value).toEqual({ role: "user" });
    expect((await reader.search([])).map(({ key: found }) => found)).toEqual(["last", "role"]);
    expect(await reader.listNamespaces()).toEqual([["users", "ada"]]);
  }
});

test("checkpoints are only what the saver stored: a customer's events and malformed ones are passed over", async () => {
  const database = await openStore(":memory:");
  const runtime = await createRuntime({ store: database, agents: [threadAgent] });
  onTestFinished(async () => {
    await runtime.close();
    await database.close();
  });
  const saver = new ThroughlineSaver(runtime);
  const metadata = { source: "loop", step: 0, parents: {} } as const;
  const checkpoint = { ...emptyCheckpoint(), channel_values: { role: "user" }, channel_versions: { role: 1 } };
  const config = await saver.put({ configurable: { thread_id: "t" } }, checkpoint, metadata, { role: 1 });
  await saver.putWrites(config, [["role", "next"]], "task");
  const [info] = (await runtime.sessions.list({ agent: threadAgent.name })).items;
  const session = await runtime.sessions.get(info?.id ?? "");
  const copies: Json[] = [];
  for await (const event of session.events({ kinds: ["custom"], follow: false })) if (event.kind === "custom") copies.push(event.data.value);
  const forged = copies.map((copy) => JSON.parse(JSON.stringify(copy).replaceAll(checkpoint.id, "zzz")) as Json);
  for (const value of [...forged, ...foreign]) await session.postCustom(value, { source: "customer_ui" });
  for (const value of malformed) await session.postCustom(value);
  await runtime.sessions.open({ agent: threadAgent.name, key: "own", customer: "ada" });
  for (const reader of [saver, new ThroughlineSaver(runtime)]) {
    const tuple = await reader.getTuple({ configurable: { thread_id: "t" } });
    expect(tuple).toMatchObject({ checkpoint: { id: checkpoint.id, channel_values: { role: "user" } }, pendingWrites: [["task", "role", "next"]] });
    expect((await Array.fromAsync(reader.list({}))).map((listed) => listed.checkpoint.id)).toEqual([checkpoint.id]);
  }
});

test("refuses a namespace that LangGraph refuses", async () => {
  const store = await storeOn(":memory:");
  await expect(store.put([], "k", {})).rejects.toThrow(InvalidNamespaceError);
});
