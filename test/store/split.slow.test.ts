/** Texts that are too large for a row lie in several, and nothing of them is left when what they belong to goes. */
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  exportSession,
  importBundle,
  input,
  loop,
  reduced,
  replace,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import type { StoreOptions } from "../../packages/throughline/src/store/store-options.ts";
import { openPostgresStore } from "../../packages/throughline/src/store/postgres/postgres-store.ts";
import type { Dialect } from "../../packages/throughline/src/store/sql/sql-driver.ts";
import { places } from "../../packages/throughline/src/store/sql/erasure/places.ts";
import { openSqlStore } from "../../packages/throughline/src/store/sql/sql-store.ts";
import { SqliteDriver } from "../../packages/throughline/src/store/sqlite/sqlite-driver.ts";
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";
import { append, commitOf, event, message, newOwner, newSession, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { remembering } from "../runtime/memory/harness.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";

const rowLimit = 2_000_000;
const large = (name: string): { readonly text: string } => ({ text: `${name} ${"é🌱".repeat(400_000)}` });

interface Opened {
  readonly store: Store;
  readonly ask: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

const engines: Readonly<Record<Dialect, (options: StoreOptions) => Promise<Opened>>> = {
  sqlite: async (options) => {
    const path = newSqliteFile();
    const store = await openSqliteStore(path, options);
    const database = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => database.close());
    return { store, ask: async (sql) => database.prepare(sql).all() };
  },
  postgres: async (options) => {
    const url = await newPostgresDatabase();
    return { store: await openPostgresStore(url, options), ask: (sql) => runSql(url, sql) };
  },
};

const encryption: StoreOptions = { encryption: { keys: [{ id: "k1", key: randomBytes(32).toString("base64url") }] } };

describe.each(["sqlite", "postgres"] as const)("large texts on %s", (dialect) => {
  test.skipIf(dialect === "postgres" && noPostgres !== undefined).each([
    ["in the clear", {}],
    ["encrypted", encryption],
  ])("fit into rows of 2 MB, and leave nothing behind, %s", { timeout: 120_000 }, async (_how, options) => {
    const { store, ask } = await engines[dialect](options);
    onTestFinished(() => store.close());
    const table = (name: string): string => (dialect === "postgres" ? `throughline.${name}` : name);
    const count = async (): Promise<number> => Number((await ask(`SELECT count(*) AS n FROM ${table("parts")}`))[0]?.["n"]);
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id, state: large("first") });
    const change = { session_id, events: [event("state", { patch: [] })], checkpoint: large("one"), depends: { head: 0 } };
    const commit = commitOf({ session: change });
    await store.commit(commit);
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await store.commit(commit);
    expect((await store.commit(commitOf({ session: change }))).outcome).toBe("refused");
    await append(store, session_id, { checkpoint: large("two") });
    expect(await count(), "a replay, a refusal and another checkpoint of the same offset add nothing").toBe(before);
    await append(store, session_id, { events: [message("a", { data: large("data"), metadata: large("metadata") })] });
    await append(store, session_id, { redact: [{ offset: 2, data: {} }] });
    expect(await count(), "a redaction removes what it replaces").toBe(before);
    await write(store, {
      owner: { owner_id, entries: [{ entry_id: "fact", kind: "fact", data: large("entry") }], variables: [{ name: "v", value: large("v") }] },
      records: [{ kind: "report", key: "k", data: large("record"), owner_id }],
    });
    const longest = places
      .filter(({ only }) => only === undefined || only === dialect)
      .flatMap(({ table: name, columns }) => Object.keys(columns).map((column) => ({ name, column })))
      .map(({ name, column }) => {
        const length = dialect === "sqlite" ? `length(CAST(${column} AS BLOB))` : `octet_length(${column})`;
        return `(SELECT COALESCE(max(${length}), 0) FROM ${table(name)}) AS "${name}.${column}"`;
      });
    const [lengths = {}] = await ask(`SELECT ${longest.join(", ")}`);
    expect(Object.entries(lengths).filter(([, bytes]) => Number(bytes) > rowLimit / 2)).toEqual([]);
    expect(Number(lengths["parts.data"])).toBeGreaterThanOrEqual(rowLimit / 8);
    await append(store, session_id, { events: [event("state", { patch: [] })], checkpoint: large("three") });
    await append(store, session_id, { cut: { first_offset: 3, state: large("two") } });
    expect((await store.load({ session_id }))?.base.state).toEqual(large("three"));
    await store.erase({ owner_id });
    expect(await count()).toBe(0);
  });
});

test("a large text that has lost a part fails its own row and no other read", async () => {
  const path = newSqliteFile();
  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  const session_id = await newSession(store);
  await append(store, session_id, { events: [message("a", { data: large("data") }), message("b")] });
  const database = new DatabaseSync(path);
  database.exec("DELETE FROM parts WHERE place = 0");
  database.close();
  await expect(store.read({ session_id })).rejects.toThrow(`offset 1 of session ${session_id}`);
  expect((await store.read({ session_id, min_offset: 2 }))?.events).toHaveLength(1);
});

test("a session whose state is larger than 2 MB goes on past its checkpoints where a row is limited to 2 MB", { timeout: 120_000 }, async () => {
  const path = newSqliteFile();
  const store = await openSqlStore(new SqliteDriver(path, { durability: "relaxed", limits: { length: rowLimit } }), {});
  const state = defineState({ message: input(z.string()), notes: reduced(z.string(), { reduce: replace() }) });
  const count = stage("note", { state, writes: ["notes"] }, () => ({ notes: large(String(++notes)).text }));
  let notes = 0;
  const agent = defineAgent({ name: "diary", version: 1, state, stages: [count], reply: loop({ model: scripted(() => "Noted.") }) });
  const runtime = await createRuntime({ store, agents: [agent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  const session = await runtime.sessions.create({ agent: "diary" });
  for (let turn = 1; turn <= 3; turn++) {
    expect((await session.send("more")).status).toBe("completed");
    expect((await session.state()).document["notes"] === large(String(turn)).text).toBe(true);
  }
  const fork = await session.fork({ at: (await session.info()).head });
  expect((await fork.state()).document["notes"] === large("3").text).toBe(true);
  const copy = await importBundle(store, exportSession(store, session.id));
  const [copied] = await Promise.all(Object.values(copy.sessions).map((id) => runtime.sessions.get(id)));
  expect((await copied?.state())?.document["notes"] === large("3").text).toBe(true);
});

test("a person's memory is managed where a statement takes 100 values and 5 terms", async () => {
  const limits = { length: rowLimit, compoundSelect: 5, variableNumber: 100 };
  const store = await openSqlStore(new SqliteDriver(newSqliteFile(), { durability: "relaxed", limits }), {});
  const runtime = await createRuntime({ store, agents: [remembering().agent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  const session = await runtime.sessions.open({ agent: "friend", customer: "ada" });
  const memory = runtime.customers.memory("ada");
  await memory.remember({ quote: "my sister Ana plays the cello", predicate: "KNOWS", object: { type: "Person", id: "Ana" } });
  expect((await memory.status()).facts).toBe(1);
  expect((await memory.list()).items).toHaveLength(1);
  expect(await memory.conflicts()).toEqual([]);
  expect((await session.send("How is my sister Ana?")).status).toBe("completed");
  const [item] = (await memory.list()).items;
  await memory.forget([String(item?.entry_id)]);
});
