/** Exports and imports: what comes back is what went out, in any store, or nothing at all. */
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
import { type OwnerId, parseSessionId } from "../../packages/throughline/src/kernel/id.ts";
import type { EntryWrite } from "../../packages/throughline/src/memory/entry.ts";
import { barCheck, barsOf } from "../../packages/throughline/src/memory/write/bar.ts";
import { decodeEntries } from "../../packages/throughline/src/memory/write/decode.ts";
import { sessionOwnerId } from "../../packages/throughline/src/store/port.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";

const state = defineState({
  message: input(z.string()),
  said: reduced(z.array(z.string()), { initial: [] }),
  turns: reduced(z.number(), { initial: 0 }),
});
const count = stage("count", { state, writes: ["said", "turns"] }, ({ state: now }) => ({ said: [now.message], turns: now.turns + 1 }));
const agent = defineAgent({
  name: "diary",
  version: 1,
  state,
  stages: [count],
  reply: loop({ model: scripted(({ messages }) => `answer ${messages.length}`) }),
});

async function opened(location: string): Promise<{ readonly store: Store; readonly runtime: Runtime }> {
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [agent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return { store, runtime };
}

const all = async (lines: AsyncIterable<string>): Promise<string[]> => Array.fromAsync(lines);

/** A customer with a session that has been through everything, one that a person has taken over, one that was cut, and a fork. */
async function fill({ store, runtime }: Awaited<ReturnType<typeof opened>>): Promise<void> {
  await runtime.customers.create({ id: "crm-1", name: "Ada", variables: { tier: "gold", limit: 3 }, metadata: { note: "zebrafinch" } });
  const session = await runtime.sessions.create({
    agent: "diary",
    customer: "crm-1",
    title: "zebrafinch title",
    metadata: { external_id: "x-1" },
    labels: ["vip"],
  });
  for (let n = 1; n <= 4; n++) await session.send(`zebrafinch ${n}`, { metadata: { n } });
  const events = await Array.fromAsync(session.events({ follow: false, kinds: ["message"] }));
  await session.withdraw({ from: events.filter(({ source }) => source === "customer")[2]?.offset ?? 0 });
  await session.postCustom({ weather: "rain" });
  await session.send("again");
  await session.edit({ said: ["by hand"] }, { operator: "Grace" });
  await session.endEpisode();
  await session.setConsumer("webhook", 5);
  const taken = await runtime.sessions.create({ agent: "diary", customer: "crm-1" });
  await taken.send("hello");
  await taken.setMode("manual");
  await store.commit({
    ...{ commit_id: "own", at: 1 },
    owner: { owner_id: sessionOwnerId(taken.id), create: {}, variables: [{ name: "zebrafinch-own", value: { said: "zebrafinch" } }] },
    session: {
      session_id: taken.id,
      header: { handover: { status: "assigned", since: 5, operator: "zebrafinch-ann", reason: "zebrafinch asks", alert: 2 } },
    },
  });
  await taken.post("is anybody there?");
  const long = await runtime.sessions.create({ agent: "diary", customer: "crm-1", labels: ["long"] });
  for (let n = 1; n <= 5; n++) await long.send(`m${n}`);
  const { items } = await store.list({ of: "sessions", labels: ["long"] });
  expect(items[0]?.first_offset).toBe(0);
}

/** An export without the line that says when, and the one that counts. */
const content = (lines: readonly string[]): readonly unknown[] => lines.slice(1, -1).map((line): unknown => JSON.parse(line));

const targets: Readonly<Record<string, () => Promise<string>>> = {
  memory: async () => ":memory:",
  SQLite: async () => newSqliteFile(),
  PostgreSQL: emptyPostgresDatabase,
};

describe.each(Object.entries(targets))("a bundle imported into %s", (name, locationOf) => {
  test("is exported from there as it was, and goes on from there", async ({ skip }) => {
    if (name === "PostgreSQL" && noPostgres !== undefined) skip(noPostgres);
    const source = await opened(newSqliteFile());
    await fill(source);
    await source.runtime.retain({ keepEvents: 12 });
    const bundle = await all(exportCustomer(source.store, "crm-1"));
    const target = await opened(await locationOf());
    const report = await importBundle(target.store, bundle, { keepIds: true });
    expect(content(await all(exportCustomer(target.store, "crm-1")))).toEqual(content(bundle));
    for (const id of Object.values(report.sessions)) {
      const [there, here] = [await source.runtime.sessions.get(id), await target.runtime.sessions.get(id)];
      expect(await here.state()).toEqual(await there.state());
      expect(await here.pending()).toEqual(await there.pending());
      const own = { of: "variables", owner_id: sessionOwnerId(parseSessionId(id)) } as const;
      expect((await target.store.list(own)).items[0]?.values).toEqual((await source.store.list(own)).items[0]?.values);
      const { first_offset, head } = (await target.store.open({ session_id: id }))!;
      const middle = Math.floor((first_offset + head) / 2);
      expect(await here.state({ at: middle })).toEqual(await there.state({ at: middle }));
      expect(await here.messages({ last: 50 })).toEqual(await there.messages({ last: 50 }));
    }
    expect((await target.store.list({ of: "sessions", operator: "zebrafinch-ann" })).total).toBe(1);
    const [first] = Object.values(report.sessions);
    expect((await (await target.runtime.sessions.get(first!)).send("go on")).status).toBe("completed");
    await expect(importBundle(target.store, bundle, { keepIds: true })).rejects.toMatchObject({ code: "customer.exists" });
  });
});

describe("a bundle", () => {
  test("of one session gets a new id, and a second import is a second session of the same customer", async () => {
    const source = await opened(":memory:");
    await fill(source);
    const [row] = (await source.store.list({ of: "sessions" })).items;
    const bundle = await all(exportSession(source.store, row!.session_id));
    const first = await importBundle(source.store, bundle);
    const id = first.sessions[row!.session_id];
    expect(id).not.toBe(row!.session_id);
    expect((await source.runtime.sessions.list({ customer: "crm-1" })).total).toBe(4);
    expect(await (await source.runtime.sessions.get(id!)).state()).toEqual(await (await source.runtime.sessions.get(row!.session_id)).state());
    await expect(importBundle(source.store, bundle, { keepIds: true })).rejects.toMatchObject({ code: "session.exists" });
  });

  test("that was cut off, changed, mixed up or is of another format is refused, and nothing of it is there", async () => {
    const source = await opened(":memory:");
    await fill(source);
    const bundle = await all(exportCustomer(source.store, "crm-1"));
    const target = await opened(":memory:");
    const middle = Math.floor(bundle.length / 2);
    const wrong: Readonly<Record<string, readonly string[]>> = {
      "cut off": bundle.slice(0, -1),
      "cut in a line": [...bundle.slice(0, -1), bundle.at(-1)!.slice(0, 20)],
      "a word changed": bundle.map((line) => line.replace("zebrafinch 1", "zebrafinch 9")),
      "a line less": bundle.filter((_line, index) => index !== middle),
      "a line twice": bundle.toSpliced(middle, 0, bundle[middle]!),
      "two lines exchanged": bundle.toSpliced(middle, 2, bundle[middle + 1]!, bundle[middle]!),
      "another format": bundle.map((line) => line.replace("throughline-bundle/1", "throughline-bundle/2")),
      "no header": bundle.slice(1),
      "something after the end": [...bundle, bundle[1]!],
      nothing: [],
    };
    for (const [what, lines] of Object.entries(wrong)) {
      await expect(importBundle(target.store, lines), what).rejects.toMatchObject({ code: "bundle.invalid" });
      expect((await target.store.list({ of: "customers" })).total + (await target.store.list({ of: "sessions" })).total, what).toBe(0);
    }
  });

  test("that is redacted holds nothing that was said, the same shape, and is not imported", async () => {
    const source = await opened(":memory:");
    await fill(source);
    const [plain, redacted] = [
      await all(exportCustomer(source.store, "crm-1")),
      await all(exportCustomer(source.store, "crm-1", { redacted: true })),
    ];
    expect(redacted).toHaveLength(plain.length);
    for (const word of ["zebrafinch", "crm-1", "Ada", "gold", "rain", "again", "x-1", "vip", "answer 1", "Grace", "hello", "webhook"])
      expect(redacted.join("\n"), word).not.toContain(word);
    expect(redacted.join("\n")).toContain(`"role":"user"`);
    const events = (lines: readonly string[]): readonly unknown[] =>
      content(lines).map((line) => [(line as { kind?: string }).kind, (line as { offset?: number }).offset]);
    expect(events(redacted)).toEqual(events(plain));
    await expect(importBundle(source.store, redacted)).rejects.toMatchObject({ code: "bundle.invalid" });
  });

  test("holds all of a memory, its history too, and names the sessions as they are called where it comes to", async () => {
    const { store, runtime } = await opened(":memory:");
    await fill({ store, runtime });
    const { owner_id } = (await runtime.customers.find("crm-1"))!;
    const { id } = (await runtime.sessions.list({ customer: "crm-1" })).items[0]!;
    const entries = (number: number): readonly EntryWrite[] => [
      { entry_id: `turn:${id}:1`, kind: "turn", data: { type: "turn", text: `zebrafinch ${number}`, source: { session_id: id, offset: 1 } } },
      { entry_id: `vec:turn:${id}:1`, kind: "vector", data: { type: "vector", of: `turn:${id}:1` } },
      { entry_id: `gone-${number}`, kind: "fact", data: { n: number } },
      { entry_id: `gone-${number}`, kind: "fact", data: null },
      ...barsOf({ text: `I like gin ${number}` }, { owner_id, salt: "salt", now: 1 }),
    ];
    for (const number of [1, 2, 3])
      await store.commit({ commit_id: `m${number}`, at: 7 * number, owner: { owner_id, entries: [...entries(number), ...entries(number + 10)] } });
    const bundle = await all(exportCustomer(store, "crm-1"));
    const target = await opened(newSqliteFile());
    const { sessions } = await importBundle(target.store, bundle);
    const { owner_id: there } = (await target.runtime.customers.find("crm-1"))!;
    const rows = async (one: Store, owner: OwnerId): Promise<readonly unknown[]> =>
      (await one.entries({ owner_id: owner })).map(({ entry_id, kind, data, created_at }) => ({
        entry_id,
        kind,
        created_at,
        data: { ...data, owner_id },
      }));
    const before = await rows(store, owner_id);
    expect(before).toHaveLength(24);
    const after = JSON.stringify(await rows(target.store, there)).replaceAll(sessions[id]!, id);
    expect(JSON.parse(after)).toEqual(before);
    const { entries: read } = decodeEntries(await target.store.entries({ owner_id: there, kinds: ["bar"] }));
    const isBarred = barCheck(
      read.flatMap(({ entry }) => (entry.type === "bar" ? [entry] : [])),
      there,
    );
    expect(["I like gin 1", "I like tea"].map((text) => isBarred({ text }))).toEqual([true, false]);
    const again = await all(exportCustomer(target.store, "crm-1"));
    const memory = (lines: readonly string[]): string => lines.filter((line) => line.startsWith(`{"type":"entry"`)).join("\n");
    expect(memory(again).replaceAll(sessions[id]!, id)).toBe(memory(bundle));
  });

  test("of a fork holds all that it shares", async () => {
    const { store, runtime } = await opened(":memory:");
    await fill({ store, runtime });
    const [row] = (await store.list({ of: "sessions" })).items;
    const fork = await (await runtime.sessions.get(row!.session_id)).fork({ at: 12 });
    await fork.send("another way");
    const target = await opened(":memory:");
    const bundle = await all(exportSession(store, fork.id));
    await runtime.sessions.delete(row!.session_id);
    await importBundle(target.store, bundle, { keepIds: true });
    const here = await target.runtime.sessions.get(parseSessionId(fork.id));
    expect(await here.state()).toEqual(await fork.state());
    expect(await here.messages({ last: 100 })).toEqual(await fork.messages({ last: 100 }));
  });

  test("of a fork at a message whose turn had not begun is imported, and goes on", async () => {
    const { store, runtime } = await opened(":memory:");
    const session = await runtime.sessions.create({ agent: "diary", customer: (await runtime.customers.create({ id: "crm-2" })).id });
    await session.send("one");
    const { offset } = await session.send("two");
    const fork = await session.fork({ at: offset });
    await fork.send("another two");
    const idle = await session.fork({ at: offset });
    const target = await opened(":memory:");
    await importBundle(target.store, await all(exportCustomer(store, "crm-2")), { keepIds: true });
    for (const original of [fork, idle]) {
      const here = await target.runtime.sessions.get(original.id);
      expect(await here.state()).toEqual(await original.state());
      expect(await here.messages({ last: 100 })).toEqual(await original.messages({ last: 100 }));
      expect(await here.outcome(offset)).toMatchObject({ status: "stopped", reason: "forked" });
      expect(await here.pending()).toEqual({ turns: [], waiting: [], calls: [] });
      expect((await here.send("three")).status).toBe("completed");
    }
  });
});
