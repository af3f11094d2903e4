/** Imports that end in the middle: nobody takes a part for the whole, and the same bundle again makes it whole. */
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  type Runtime,
  type Store,
  createRuntime,
  defineAgent,
  defineState,
  exportCustomer,
  exportSession,
  importBundle,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
} from "../../packages/throughline/src/index.ts";
import type { OwnerId } from "../../packages/throughline/src/kernel/id.ts";
import { backupSqlite, restoreSqlite } from "../../packages/throughline/src/store/sqlite/sqlite-maintenance.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";

const state = defineState({ message: input(z.string()), said: reduced(z.array(z.string()), { initial: [] }) });
const note = stage("note", { state, writes: ["said"] }, ({ state: now }) => ({ said: [now.message] }));
const agent = defineAgent({ name: "diary", version: 1, state, stages: [note], reply: loop({ model: scripted(() => "Noted.") }) });

async function opened(location: string, work = false): Promise<{ readonly store: Store; readonly runtime: Runtime }> {
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [agent], work });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return { store, runtime };
}

/** A customer with two sessions, in one of which a message waits, and with an entry. */
async function bundleOf(what: "a customer" | "an anonymous session" | "a session of a customer who is there"): Promise<readonly string[]> {
  const { store, runtime: filler } = await opened(":memory:", true);
  if (what === "an anonymous session") {
    const session = await filler.sessions.create({ agent: "diary", labels: ["kept"] });
    await session.send("one");
    await session.setVariables({ set: { tier: "gold" } });
    return Array.fromAsync(exportSession(store, session.id));
  }
  await filler.customers.create({ id: "crm-1", name: "Ada", variables: { tier: "gold" } });
  const sessions = [];
  for (const title of ["first", "second"]) {
    const session = await filler.sessions.create({ agent: "diary", customer: "crm-1", title, labels: ["kept", title] });
    for (const text of ["one", "two"]) await session.send(text);
    sessions.push(session);
  }
  const owner_id = (await store.list({ of: "customers" })).items[0]?.owner_id as OwnerId;
  for (const entry_id of ["e-1", "e-2"])
    await store.commit({ commit_id: `c-${entry_id}`, at: 5, owner: { owner_id, entries: [{ entry_id, kind: "fact", data: { entry_id } }] } });
  await sessions[1]?.setMode("manual");
  await sessions[1]?.post("waits");
  return Array.fromAsync(what === "a customer" ? exportCustomer(store, "crm-1") : exportSession(store, sessions[0]!.id));
}

/** The store of a process that is killed before its `n`-th commit: nothing that it asks for afterwards comes to pass. */
const dyingAt = (inner: Store, n: number): Store => {
  let commits = 0;
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return async (...given: unknown[]) => {
        if (name === "commit") commits += 1;
        if (commits >= n) throw new Error("killed");
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
};

const content = (lines: readonly string[]): readonly unknown[] => lines.slice(1, -1).map((line): unknown => JSON.parse(line));

const targets: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => ":memory:",
  SQLite: async () => newSqliteFile(),
  PostgreSQL: emptyPostgresDatabase,
};

describe.each(Object.entries(targets))("an import into %s that is killed", (name, locationOf) => {
  test.each(["a customer", "an anonymous session", "a session of a customer who is there"] as const)(
    "before any of its commits leaves %s unanswered and recognisable, and whole after the same bundle again",
    async (what) => {
      if (name === "PostgreSQL" && noPostgres !== undefined) return;
      const bundle = await bundleOf(what);
      const { store, runtime } = await opened(await locationOf());
      if (what === "a session of a customer who is there") await runtime.customers.create({ id: "crm-1", name: "Grace" });
      let n = 1;
      for (let done = false; !done && n < 60; n += name === "PostgreSQL" ? 5 : 1) {
        done = await importBundle(dyingAt(store, n), bundle, { keepIds: true }).then(
          () => true,
          () => false,
        );
        if (done) break;
        const { items } = await store.list({ of: "sessions" });
        // What is there is either marked as unfinished, or has its own header.
        for (const { labels, agent_version, customer_id } of items) {
          const marked = labels.some((label) => label.startsWith("throughline:importing:"));
          expect([marked, agent_version]).toEqual(marked ? [true, 2_147_483_647] : [false, 1]);
          if (what !== "an anonymous session" && !marked) expect(customer_id).toBe("crm-1");
        }
        if (what === "a customer" && (await store.list({ of: "customers" })).total === 1) expect(items).toHaveLength(2);
        expect(await store.claim({ kind: "next", worker: "w", lease_ms: 1000, agents: { diary: 9 } })).toBeUndefined();
      }
      if (n >= 60) throw new Error("The import has more commits than that.");
      const report = await importBundle(store, bundle, { keepIds: true }).catch((error: unknown) => error);
      // It was whole already: the loop ends with an import that nobody killed.
      expect(report).toMatchObject({ code: expect.stringMatching(/^(customer|session)\.exists$/) as string });
      const lines = await Array.fromAsync(
        what === "a customer" ? exportCustomer(store, "crm-1") : exportSession(store, (await store.list({ of: "sessions" })).items[0]!.session_id),
      );
      const only = (all: readonly unknown[]): readonly unknown[] =>
        what === "a session of a customer who is there" ? all.filter((line) => !["owner", "entry"].includes((line as { type: string }).type)) : all;
      expect(only(content(lines))).toEqual(only(content(bundle)));
    },
  );
});

test("a session that was erased and imported again under its id is not erased by a restore", async () => {
  const location = newSqliteFile();
  const { store, runtime } = await opened(location, true);
  const session = await runtime.sessions.create({ agent: "diary" });
  await session.send("one");
  const bundle = await Array.fromAsync(exportSession(store, session.id));
  await runtime.sessions.delete(session.id);
  await importBundle(store, bundle, { keepIds: true });
  backupSqlite(location, `${location}.backup`);
  await runtime.close();
  await store.close();
  expect(await restoreSqlite(`${location}.backup`, location)).toEqual({ owners: 0, sessions: 0 });
  const again = await opened(location);
  expect((await (await again.runtime.sessions.get(session.id)).messages()).map(({ text }) => text)).toEqual(["one", "Noted."]);
});

test("a bundle that is larger than it may be is refused before anything is written", async () => {
  const bundle = await bundleOf("an anonymous session");
  const { store } = await opened(":memory:");
  await expect(importBundle(store, bundle, { maxCharacters: 1000 })).rejects.toMatchObject({
    code: "bundle.too_large",
    details: { max_characters: 1000 },
  });
  expect((await store.list({ of: "sessions" })).total).toBe(0);
});

test("whoever writes into a session while it is imported makes the import fail, and not its log wrong", async () => {
  const bundle = await bundleOf("an anonymous session");
  const { store } = await opened(":memory:");
  let commits = 0;
  const disturbed = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "commit" || typeof value !== "function") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return async (...given: unknown[]) => {
        const result: unknown = await Reflect.apply(value, target, given);
        const [row] = (await store.list({ of: "sessions" })).items;
        if (++commits === 1 && row !== undefined)
          await store.commit({
            commit_id: "stranger",
            at: 1,
            session: {
              session_id: row.session_id,
              events: [{ kind: "custom", source: "system", data: { value: 1 }, trace_id: "0".repeat(32) as never }],
            },
          });
        return result;
      };
    },
  });
  await expect(importBundle(disturbed, bundle)).rejects.toMatchObject({ code: "session.conflict" });
  expect((await store.list({ of: "sessions" })).total).toBe(0);
});
