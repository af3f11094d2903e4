/** States that a process keeps: what a store need not send, and when it is void. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  append,
  defineAgent,
  defineMigration,
  defineState,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { StateCache } from "../../packages/throughline/src/runtime/turn/state-cache.ts";
import type { LoadedSession } from "../../packages/throughline/src/store/port.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { hangMs } from "../setup/limits.ts";
import { emptyStore, started } from "./harness.ts";

const Fields = defineState({ message: input(z.string()), list: reduced(z.array(z.object({ text: z.string() })), { reduce: append() }) });

/** Each message is an entry of a list; how often the schema looked at one. */
function listAgent(version = 1): { readonly agent: ReturnType<typeof defineAgent>; readonly looked: () => number } {
  let looked = 0;
  const entry = z.object({ text: z.string() }).refine(() => ++looked > 0);
  const state = version === 1 ? defineState({ message: input(z.string()), list: reduced(z.array(entry), { reduce: append() }) }) : Fields;
  const note = stage("note", { state, writes: ["list"] }, ({ state: { message } }) => ({ list: [{ text: message }] }));
  const migrations =
    version === 1 ? [] : [defineMigration({ from: 1, to: 2, migrate: (document) => ({ ...document, list: [{ text: "migrated" }] }) })];
  const agent = defineAgent({ name: "list", version, state, stages: [note], migrations, reply: loop({ model: scripted(() => "noted") }) });
  return { agent, looked: () => looked };
}

/** The store, and what it has sent of states: bases and patches that it read. */
function watched(below: Store): { readonly store: Store; readonly sent: { bases: number; patches: number; known: number } } {
  const sent = { bases: 0, patches: 0, known: 0 };
  const store: Store = {
    ...forwarding(below),
    load: async (request) => {
      const loaded: LoadedSession | undefined = await below.load(request);
      if (loaded?.base === request.known?.base) sent.known += 1;
      else sent.bases += 1;
      sent.patches += loaded?.patches.length ?? 0;
      return loaded;
    },
  };
  return { store, sent };
}

const listOf = async (session: { state(): Promise<{ readonly document: object }> }): Promise<readonly string[]> => {
  const { list = [] } = (await session.state()).document as { readonly list?: readonly { readonly text: string }[] };
  return list.map(({ text }) => text);
};

describe.each(["memory", "sqlite"] as const)("on %s", (kind) => {
  test("a turn after another reads, folds and checks nothing of the state, however large it is", async () => {
    const { store, sent } = watched(await emptyStore(kind));
    const { agent, looked } = listAgent();
    const { sessions } = await started({ store, agents: [agent] });
    const session = await sessions.create({ agent: "list" });
    await session.edit({ list: Array.from({ length: 1_000 }, (_, index) => ({ text: `entry ${index}` })) });
    await session.send("first");
    await session.send("second");
    Object.assign(sent, { bases: 0, patches: 0, known: 0 });
    const before = looked();
    for (const text of ["a", "b", "c"]) await session.send(text);
    expect(sent).toEqual({ bases: 0, patches: 0, known: 3 });
    // Of each turn the entry that it adds, and one more to see that the list may grow.
    expect(looked() - before).toBeLessThanOrEqual(3 * 8);
    expect((await listOf(session)).slice(-5)).toEqual(["first", "second", "a", "b", "c"]);
  });

  test("what somebody else has changed is read", async () => {
    const below = await emptyStore(kind);
    const { agent } = listAgent();
    const one = await started({ store: below, agents: [agent] });
    const other = await started({ store: kind === "memory" ? below : forwarding(below), agents: [agent], work: false });
    const session = await one.sessions.create({ agent: "list" });
    for (const text of ["a", "b", "c"]) await session.send(text);
    await (await other.sessions.get(session.id)).edit({ list: [{ text: "theirs" }] });
    await session.send("d");
    expect(await listOf(session)).toEqual(["a", "b", "c", "theirs", "d"]);
    const [, before] = await session.history();
    await session.withdraw({ from: (before?.offset ?? 0) + 1 });
    await session.send("e");
    const list = await listOf(session);
    expect(list).toEqual(["a", "b", "c", "e"]);
  });

  test("a state of an earlier definition is migrated, and the new one kept", async () => {
    const below = await emptyStore(kind);
    const first = await started({ store: below, agents: [listAgent().agent] });
    const session = await first.sessions.create({ agent: "list" });
    for (const text of ["a", "b"]) await session.send(text);
    await first.close();
    const { store, sent } = watched(below);
    const second = await started({ store, agents: [listAgent(2).agent] });
    const again = await second.sessions.get(session.id);
    for (const text of ["c", "d", "e"]) await again.send(text);
    expect(await listOf(again)).toEqual(["migrated", "c", "d", "e"]);
    expect(sent.known).toBeGreaterThanOrEqual(1);
  });
});

describe("the conversation that a process keeps, on SQLite", () => {
  /** A runtime whose store counts the conversation events that loads read. */
  async function counted(): Promise<{
    readonly file: string;
    readonly session: Session;
    readonly texts: () => readonly string[];
    readonly fresh: () => number;
  }> {
    const folder = await mkdtemp(join(tmpdir(), "throughline-"));
    const file = join(folder, "a.db");
    const below = await openStore(file);
    onTestFinished(async () => {
      await below.close();
      await rm(folder, { recursive: true, force: true });
    });
    const seen = new WeakSet<object>();
    let fresh = 0;
    let texts: readonly string[] = [];
    const store: Store = {
      ...forwarding(below),
      load: async (request) => {
        const loaded = await below.load(request);
        for (const event of loaded?.messages ?? []) if (!seen.has(event)) [fresh] = [fresh + 1, seen.add(event)];
        texts = (loaded?.messages ?? []).map(({ data }) => JSON.stringify(data));
        return loaded;
      },
    };
    const { sessions } = await started({ store, agents: [listAgent().agent], pollMs: 3_600_000 });
    const session = await sessions.create({ agent: "list" });
    for (const text of ["a", "b", "c", "d"]) await session.send(text);
    fresh = 0;
    return { file, session, texts: () => texts, fresh: () => fresh };
  }

  test("a turn reads only the events since the last one", async () => {
    const { session, fresh, texts } = await counted();
    for (const text of ["e", "f", "g"]) await session.send(text);
    // The reply of the turn before, and the message.
    expect(fresh()).toBe(3 * 2);
    expect(texts()).toHaveLength(7 * 2 - 1);
  });

  test("events that were withdrawn or redacted here or by another process are read again", async () => {
    const { file, session, texts } = await counted();
    const other = await openStore(file);
    onTestFinished(() => other.close());
    const [, , third] = (await session.messages({ last: 20 })).filter(({ role }) => role === "user");
    const at = third?.offset ?? 0;
    const redact = (text: string, store: Store): Promise<unknown> =>
      store.commit({
        commit_id: `redacts ${text}`,
        at: 1,
        session: { session_id: session.id, redact: [{ offset: at, data: { role: "user", parts: [{ type: "text", text }] } }] },
      });
    expect(texts().join()).toContain(`"c"`);
    await redact("by another", other);
    await session.send("e");
    expect(texts().join()).toContain("by another");
    expect(texts().join()).not.toContain(`"c"`);
    await session.send("f");
    await session.withdraw({ from: at });
    await session.send("g");
    expect(texts().join()).not.toContain("by another");
    expect(texts().join()).toContain(`"b"`);
  });
});

test("after a restore another state at the same offset is not taken for the one that is known", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  const { agent } = listAgent();
  const files: Store[] = [];
  onTestFinished(async () => {
    await Promise.all(files.map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });
  const opened = async (name: string): Promise<Store> => {
    const store = await openStore(join(folder, name));
    files.push(store);
    return store;
  };
  let current = await opened("a.db");
  // One runtime over a database that is replaced under it by an earlier copy.
  const store = new Proxy(forwarding(current), { get: (_store, name): unknown => Reflect.get(forwarding(current), name) });
  const { sessions } = await started({ store, agents: [agent], pollMs: 3_600_000 });
  const session = await sessions.create({ agent: "list" });
  await session.send("a");
  const { DatabaseSync, backup } = await import("node:sqlite");
  const database = new DatabaseSync(join(folder, "a.db"));
  await backup(database, join(folder, "b.db"));
  database.close();
  await session.send("lost");
  await session.send("lost too");
  current = await opened("b.db");
  const other = await started({ store: current, agents: [agent], pollMs: 3_600_000 });
  const there = await other.sessions.get(session.id);
  await there.send("b");
  await there.send("c");
  await session.send("d");
  expect(await listOf(session)).toEqual(["a", "b", "c", "d"]);
});

test("an erasure by another process empties the cache soon", async () => {
  const folder = await mkdtemp(join(tmpdir(), "throughline-"));
  const [here, there] = [await openStore(join(folder, "a.db")), await openStore(join(folder, "a.db"))];
  onTestFinished(async () => {
    await Promise.all([here.close(), there.close()]);
    await rm(folder, { recursive: true, force: true });
  });
  const { agent } = listAgent();
  const runtime = await started({ store: there, agents: [agent], work: false });
  const session = await runtime.sessions.create({ agent: "list" });
  const { systemClock: clock } = await import("../../packages/throughline/src/kernel/clock.ts");
  const cache = new StateCache({ store: here, clock }, { mostBytes: 1_000_000 });
  const known = { state_id: "1 a", base: { offset: 1, state: { secret: "x" }, bytes: 10 } };
  await expect.poll(() => (cache.keep("ses_other" as SessionId, known, cache.ticket()), cache.bytes)).toBeGreaterThan(0);
  const ticket = cache.ticket();
  await runtime.sessions.delete(session.id);
  await vi.waitUntil(() => cache.bytes === 0, { timeout: hangMs });
  // What was read before the erasure is not kept after it.
  cache.keep("ses_late" as SessionId, known, ticket);
  expect(cache.of("ses_late" as SessionId)).toBeUndefined();
  cache.close();
});

test("the cache keeps to its limit, and drops what was not used for the longest time", async () => {
  const { systemClock: clock } = await import("../../packages/throughline/src/kernel/clock.ts");
  const cache = new StateCache({ store: await emptyStore("memory"), clock }, { mostBytes: 10_000 });
  const known = (bytes: number) => ({ state_id: "1 a", base: { offset: 1, state: {}, bytes } });
  const id = (name: string): SessionId => `ses_${name}` as SessionId;
  await expect.poll(() => (cache.keep(id("a"), known(500), cache.ticket()), cache.bytes)).toBeGreaterThan(0);
  for (const name of ["b", "c"]) cache.keep(id(name), known(500), cache.ticket());
  cache.of(id("a"));
  cache.keep(id("d"), known(500), cache.ticket());
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
  expect(["a", "b", "c", "d"].filter((name) => cache.of(id(name)) !== undefined)).toEqual(["a", "c", "d"]);
  cache.keep(id("a"), known(50_000), cache.ticket());
  expect(cache.of(id("a"))).toBeUndefined();
  // A conversation that does not fit costs neither its state nor those of other sessions.
  const text = { kind: "message", data: { parts: [{ type: "text", text: "x".repeat(10_000) }] } } as unknown as LoadedSession["messages"][number];
  const long = { session: { session_id: id("d"), head: 7 }, log_id: "1", messages: [text] } as unknown as LoadedSession;
  const before = cache.bytes;
  cache.keepLog(long, 60, cache.ticket());
  expect([cache.of(id("d"))?.state_id, cache.of(id("d"))?.log, cache.bytes]).toEqual(["1 a", undefined, before]);
  expect(cache.of(id("c"))?.state_id).toBe("1 a");
  cache.close();
});
