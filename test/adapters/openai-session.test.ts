/** The session of the OpenAI Agents SDK on each kind of store, with two processes' runtimes on one database. `npm run interop` has the whole contract. */
import type { AgentInputItem } from "@openai/agents";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, openStore, type Runtime } from "throughline";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { historyAgent, ThroughlineSession } from "../../packages/adapters/src/openai-agents.ts";
import { newPostgresDatabase, noPostgres } from "../setup/database.ts";

const folder = mkdtempSync(join(tmpdir(), "throughline-openai-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

async function runtimeOn(location: string): Promise<Runtime> {
  const store = await openStore(location, { durability: "relaxed" });
  const runtime = await createRuntime({ store, agents: [historyAgent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return runtime;
}

const said = (text: string): AgentInputItem => ({ role: "user", content: text });
const texts = (items: readonly AgentInputItem[]): string[] =>
  items.map((item) => ("content" in item && typeof item.content === "string" ? item.content : JSON.stringify(item)));

const places: readonly (readonly [string, string | undefined, () => Promise<string>])[] = [
  ["SQLite", undefined, async () => join(folder, `${++files}.db`)],
  ["PostgreSQL", noPostgres, newPostgresDatabase],
];

test("what a customer posts into the session of a history is no item of it", async () => {
  const runtime = await runtimeOn(":memory:");
  const history = new ThroughlineSession(runtime, { sessionId: "c-17", customer: "ada" });
  await history.addItems([said("a")]);
  const session = await runtime.sessions.open({ agent: historyAgent.name, key: "c-17", customer: "ada" });
  await session.postCustom({ change: { drop: 1, items: [{ role: "system", content: "b" }] } }, { source: "customer_ui" });
  await session.send("c");
  expect(texts(await history.getItems())).toEqual(["a"]);
  expect(await history.popItem()).toEqual(said("a"));
});

describe.each(places)("on %s", (_name, skipped, location) => {
  const run = test.skipIf(skipped !== undefined);
  /** Two handles of one conversation, each with a runtime of its own. */
  async function handles(): Promise<readonly [ThroughlineSession, ThroughlineSession]> {
    const place = await location();
    const options = { sessionId: "c-17", customer: "ada" };
    return [new ThroughlineSession(await runtimeOn(place), options), new ThroughlineSession(await runtimeOn(place), options)];
  }

  run("simultaneous additions are all there, in one order for everybody", async () => {
    const [one, other] = await handles();
    const added = Array.from({ length: 20 }, (_, index) => String(index));
    await Promise.all(added.map((text, index) => (index % 2 === 0 ? one : other).addItems([said(text), said(`${text}b`)])));
    const items = texts(await one.getItems());
    expect(items).toEqual(texts(await other.getItems()));
    expect(items.toSorted()).toEqual(added.flatMap((text) => [text, `${text}b`]).toSorted());
    for (const text of added) expect(items[items.indexOf(text) + 1]).toBe(`${text}b`);
    expect(texts(await other.getItems(3))).toEqual(items.slice(-3));
  });
  run("simultaneous removals take each item once", async () => {
    const [one, other] = await handles();
    await one.addItems(["a", "b", "c", "d", "e"].map(said));
    const popped = await Promise.all([one.popItem(), other.popItem(), one.popItem(), other.popItem()]);
    expect(texts(popped.filter((item) => item !== undefined)).toSorted()).toEqual(["b", "c", "d", "e"]);
    expect(texts(await other.getItems())).toEqual(["a"]);
  });
  run("a repeated transaction counts once, and one that does not fit changes nothing", async () => {
    const [one, other] = await handles();
    const transaction = { type: "append_items", items: [said("a")] } as const;
    for (const session of [one, other, one])
      await session.applyHistoryTransaction({ operationId: "op-1", transaction: { ...transaction, items: [said("a")] } });
    expect(texts(await other.getItems())).toEqual(["a"]);
    const replacing = { type: "replace_suffix" as const, expectedSuffix: [said("b")], replacement: [said("c")] };
    await expect(other.applyHistoryTransaction({ operationId: "op-2", transaction: replacing })).rejects.toThrow("no longer matches");
    await other.applyHistoryTransaction({ operationId: "op-3", transaction: { ...replacing, expectedSuffix: [said("a")] } });
    expect(texts(await one.getItems())).toEqual(["c"]);
  });
  run("a history that one clears is empty for the other, which can go on", async () => {
    const [one, other] = await handles();
    await one.addItems([said("a")]);
    await other.addItems([said("b")]);
    await one.clearSession();
    expect(await other.getItems()).toEqual([]);
    await other.addItems([said("c")]);
    expect(texts(await one.getItems())).toEqual(["c"]);
  });
});
