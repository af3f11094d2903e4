/** The contract of a session of the OpenAI Agents SDK, for the SDK's own and for ours. */
import { MemorySession, type AgentInputItem, type SessionHistoryTransactionArgs } from "@openai/agents";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, openStore, type Runtime } from "throughline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { historyAgent, ThroughlineSession } from "@throughline/adapters/openai-agents";

const said = (text: string): AgentInputItem => ({ role: "user", content: [{ type: "input_text", text }] });
const call = (id: string, args: string): AgentInputItem => ({
  type: "function_call",
  id,
  callId: "call-1",
  name: "look",
  status: "completed",
  arguments: args,
});
const append = (operationId: string, ...items: AgentInputItem[]): SessionHistoryTransactionArgs => ({
  operationId,
  transaction: { type: "append_items", items },
});
const replace = (operationId: string, expectedSuffix: AgentInputItem[], replacement: AgentInputItem[]): SessionHistoryTransactionArgs => ({
  operationId,
  transaction: { type: "replace_suffix", expectedSuffix, replacement },
});

const folder = mkdtempSync(join(tmpdir(), "throughline-interop-"));
const stores: { readonly close: () => Promise<void> }[] = [];
async function runtimeOn(location: string): Promise<Runtime & { readonly stop: () => Promise<void> }> {
  const store = await openStore(location);
  const runtime = await createRuntime({ store, agents: [historyAgent] });
  const stop = async (): Promise<void> => {
    await runtime.close();
    await store.close();
  };
  stores.push({ close: stop });
  return { ...runtime, stop };
}

let onFile: Runtime;
let inMemory: Runtime;
let sessions = 0;
beforeAll(async () => {
  onFile = await runtimeOn(join(folder, "contract.db"));
  inMemory = await runtimeOn(":memory:");
});
afterAll(async () => {
  for (const { close } of stores) await close();
  rmSync(folder, { recursive: true, force: true });
});

type Subject = MemorySession | ThroughlineSession;
const subjects: readonly (readonly [string, () => Subject])[] = [
  ["the SDK's MemorySession", () => new MemorySession({ sessionId: `s-${sessions++}` })],
  ["Throughline in memory", () => new ThroughlineSession(inMemory, { sessionId: `s-${sessions++}` })],
  ["Throughline on SQLite", () => new ThroughlineSession(onFile, { sessionId: `s-${sessions++}`, customer: "crm-7" })],
];

describe.each(subjects)("%s", (_name, create) => {
  const begun = async (...items: AgentInputItem[]): Promise<Subject> => {
    const session = create();
    await session.addItems(items);
    return session;
  };

  test("keeps the id it was given", async () => expect(await create().getSessionId()).toMatch(/^s-\d+$/));
  test("is empty at first", async () => {
    const session = create();
    expect([await session.getItems(), await session.getItems(3), await session.popItem()]).toEqual([[], [], undefined]);
  });
  test("returns items in the order in which they were added", async () => {
    const session = await begun(said("one"));
    await session.addItems([said("two"), said("three")]);
    await session.addItems([]);
    expect(await session.getItems()).toEqual([said("one"), said("two"), said("three")]);
  });
  test.each([
    [undefined, ["one", "two", "three"]],
    [0, []],
    [-1, []],
    [1, ["three"]],
    [2, ["two", "three"]],
    [9, ["one", "two", "three"]],
  ] as const)("getItems(%s) is the latest, oldest first", async (limit, texts) => {
    const session = await begun(said("one"), said("two"), said("three"));
    expect(await session.getItems(limit)).toEqual(texts.map(said));
  });
  test("pops the last item", async () => {
    const session = await begun(said("one"), said("two"));
    expect([await session.popItem(), await session.popItem(), await session.popItem()]).toEqual([said("two"), said("one"), undefined]);
    expect(await session.getItems()).toEqual([]);
  });
  test("forgets everything when it is cleared, and goes on", async () => {
    const session = await begun(said("one"));
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    await session.addItems([said("two")]);
    expect(await session.getItems()).toEqual([said("two")]);
  });
  test("hands out copies", async () => {
    const item = said("one");
    const session = await begun(item);
    Object.assign(item, { content: "changed" });
    for (const taken of await session.getItems()) Object.assign(taken, { content: "changed" });
    expect(await session.getItems()).toEqual([said("one")]);
    const popped = await session.popItem();
    Object.assign(popped ?? {}, { content: "changed" });
    expect(popped).not.toEqual(said("one"));
  });
  test("keeps what a provider added to an item", async () => {
    const item = { ...said("one"), providerData: { nested: { list: [1, "two", null] } } };
    expect(await (await begun(item)).getItems()).toEqual([item]);
  });
  test("replaces a call and drops its duplicates", async () => {
    const session = await begun(said("start"), call("a", "1"), call("b", "2"), said("end"));
    const replacement = { ...call("c", "3"), type: "function_call" } as Extract<AgentInputItem, { type: "function_call" }>;
    await session.applyHistoryMutations({ mutations: [] });
    await session.applyHistoryMutations({ mutations: [{ type: "replace_function_call", callId: "call-1", replacement }] });
    expect(await session.getItems()).toEqual([said("start"), replacement, said("end")]);
  });

  test("applies an operation once", async () => {
    const session = await begun(said("start"));
    const item = said("once");
    await session.applyHistoryTransaction(append("op-1", item));
    Object.assign(item, { content: "changed" });
    await session.addItems([said("later")]);
    await session.applyHistoryTransaction(append("op-1", said("once")));
    expect(await session.getItems()).toEqual([said("start"), said("once"), said("later")]);
  });
  test("replaces a suffix once", async () => {
    const session = await begun(said("start"), said("blocked"));
    const transaction = replace("op-1", [said("blocked")], [said("accepted")]);
    await session.applyHistoryTransaction(transaction);
    await session.addItems([said("later")]);
    await session.applyHistoryTransaction(transaction);
    expect(await session.getItems()).toEqual([said("start"), said("accepted"), said("later")]);
  });
  test("refuses a suffix that is not there, and does not count the operation", async () => {
    const session = await begun(said("start"));
    await expect(session.applyHistoryTransaction(replace("op-1", [said("other")], [said("no")]))).rejects.toThrow("suffix no longer matches");
    await expect(session.applyHistoryTransaction(replace("op-1", [said("too"), said("long")], []))).rejects.toThrow("suffix no longer matches");
    expect(await session.getItems()).toEqual([said("start")]);
    await session.applyHistoryTransaction(replace("op-1", [said("start")], [said("yes")]));
    expect(await session.getItems()).toEqual([said("yes")]);
  });
  test("refuses another transaction under the same id", async () => {
    const session = create();
    await session.applyHistoryTransaction(append("op-1"));
    await expect(session.applyHistoryTransaction(append("op-1", said("one")))).rejects.toThrow("already applied with a different transaction");
    expect(await session.getItems()).toEqual([]);
  });
  test("takes ids that are names of an object's own members", async () => {
    const session = create();
    await session.applyHistoryTransaction(append("constructor", said("one")));
    await session.applyHistoryTransaction(append("constructor", said("one")));
    expect(await session.getItems()).toEqual([said("one")]);
  });
  test("forgets operations when it is cleared", async () => {
    const session = create();
    await session.applyHistoryTransaction(append("op-1", said("one")));
    await session.clearSession();
    await session.applyHistoryTransaction(append("op-1", said("one")));
    expect(await session.getItems()).toEqual([said("one")]);
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const hidden = Object.defineProperty(said("x"), "providerData", { enumerable: false, value: 1 });
  test.each([
    ["a blank id", append("  "), "non-empty string"],
    ["an unknown type", { operationId: "op", transaction: { type: "unknown" } }, "Unsupported session history transaction type"],
    ["no transaction", { operationId: "op", transaction: null }, "must be an object"],
    ["an item that is none", { operationId: "op", transaction: { type: "append_items", items: [42] } }, "invalid or unsupported data"],
    ["a date", append("op", { ...said("x"), providerData: { at: new Date(0) } }), "invalid or unsupported data"],
    ["a cycle", append("op", { ...said("x"), providerData: cycle }), "invalid or unsupported data"],
    ["a big integer", append("op", { ...said("x"), providerData: { value: 1n } }), "invalid or unsupported data"],
    ["a hole", append("op", ...Array.from<AgentInputItem>({ length: 1 })), "invalid or unsupported data"],
    ["a hidden member", append("op", hidden), "invalid or unsupported data"],
  ])("refuses %s before it changes anything", async (_what, args, message) => {
    const session = await begun(said("start"));
    await expect(async () => session.applyHistoryTransaction(args as SessionHistoryTransactionArgs)).rejects.toThrow(message);
    expect(await session.getItems()).toEqual([said("start")]);
  });
});

describe("a session of Throughline's", () => {
  const texts = (items: readonly AgentInputItem[]): readonly string[] => items.map((item) => JSON.stringify(item)).toSorted();

  test("is there after a restart, with its operations", async () => {
    const location = join(folder, "restart.db");
    const before = await runtimeOn(location);
    const session = new ThroughlineSession(before, { sessionId: "s" });
    await session.applyHistoryTransaction(append("op-1", said("one"), said("two")));
    await session.popItem();
    await before.stop();
    const again = new ThroughlineSession(await runtimeOn(location), { sessionId: "s" });
    await again.applyHistoryTransaction(append("op-1", said("one"), said("two")));
    expect(await again.getItems()).toEqual([said("one")]);
  });

  test("loses nothing when two write at once", async () => {
    const location = join(folder, "parallel.db");
    const [left, right] = [await runtimeOn(location), await runtimeOn(location)].map(
      (runtime) => new ThroughlineSession(runtime, { sessionId: "s" }),
    );
    for (let pair = 0; pair < 20; pair++) await Promise.all([left?.addItems([said(`left ${pair}`)]), right?.addItems([said(`right ${pair}`)])]);
    const all = Array.from({ length: 20 }, (_, pair) => [said(`left ${pair}`), said(`right ${pair}`)]).flat();
    expect(texts((await left?.getItems()) ?? [])).toEqual(texts(all));
    expect(await right?.getItems()).toEqual(await left?.getItems());
  });

  test("gives each item to one of those who pop at once", async () => {
    const session = new ThroughlineSession(onFile, { sessionId: "pops" });
    const items = ["a", "b", "c", "d"].map(said);
    await session.addItems(items);
    const popped = await Promise.all(Array.from({ length: 6 }, () => session.popItem()));
    expect(texts(popped.filter((item) => item !== undefined))).toEqual(texts(items));
    expect(await session.getItems()).toEqual([]);
  });

  test("lets one of two replace the same suffix", async () => {
    const session = new ThroughlineSession(onFile, { sessionId: "race" });
    await session.addItems([said("draft")]);
    const results = await Promise.allSettled(["x", "y"].map((id) => session.applyHistoryTransaction(replace(id, [said("draft")], [said(id)]))));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await session.getItems()).toHaveLength(1);
  });

  test("leaves nothing of itself in the log when it is cleared", async () => {
    const session = new ThroughlineSession(inMemory, { sessionId: "cleared" });
    await session.addItems([said("canary")]);
    await session.clearSession();
    expect((await inMemory.sessions.list({ agent: historyAgent.name })).items.length).toBeGreaterThan(0);
    const left: string[] = [];
    for (const { id } of (await inMemory.sessions.list({ agent: historyAgent.name })).items)
      for await (const event of (await inMemory.sessions.get(id)).events({ follow: false })) left.push(JSON.stringify(event));
    expect(left.join("\n")).not.toContain("canary");
  });

  test("reads no more events for the last items, however many came before", async () => {
    const store = await openStore(":memory:");
    let read = 0;
    const counting: typeof store = {
      ...store,
      read: async (request) => {
        const page = await store.read(request);
        read += page?.events.length ?? 0;
        return page;
      },
    };
    const runtime = await createRuntime({ store: counting, agents: [historyAgent] });
    const session = new ThroughlineSession(runtime, { sessionId: "reads" });
    const costs: number[] = [];
    for (const wanted of [20, 400]) {
      for (let items = (await session.getItems()).length; items < wanted; items++) await session.addItems([said("the same")]);
      await session.popItem();
      read = 0;
      expect(await session.getItems(3)).toEqual([said("the same"), said("the same"), said("the same")]);
      costs.push(read);
      read = 0;
      await session.addItems([said("the same")]);
      costs.push(read);
    }
    expect(costs).toEqual([costs[0], 0, costs[0], 0]);
    expect(await session.getItems()).toHaveLength(400);
    await runtime.close();
    await store.close();
  });

  test("keeps the cost of an item the same, however many came before", async () => {
    const session = new ThroughlineSession(onFile, { sessionId: "growth" });
    const sizes: number[] = [];
    for (let turn = 0; turn < 300; turn++) await session.addItems([said(`${turn} ${"x".repeat(190)}`)]);
    const { id } = await onFile.sessions.open({ agent: historyAgent.name, key: "growth" });
    for await (const event of (await onFile.sessions.get(id)).events({ kinds: ["state"], follow: false }))
      sizes.push(JSON.stringify(event.data).length);
    expect(sizes).toHaveLength(300);
    expect(Math.max(...sizes.slice(-20)) - Math.max(...sizes.slice(0, 20))).toBeLessThan(20);
  });
});
