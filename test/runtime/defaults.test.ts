/** What an agent and a runtime do without being told: a name, a model and nothing else. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createRuntime, defineAgent, defineTool, loop, openStore, persona, scripted, type AgentOptions, type RuntimeOptions } from "throughline";
import { z } from "zod";

const model = scripted(() => "Hello.");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "throughline-defaults-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("an agent needs a name and a model", async () => {
  const spy = scripted(["First.", "Second."]);
  const store = await openStore(":memory:");
  const agent = defineAgent({ name: "plain", model: spy });
  expect([agent.version, agent.stages, agent.sections, Object.keys(agent.state.fields)]).toEqual([1, [], [], ["messages"]]);
  const runtime = await createRuntime({ store, agents: [agent] });
  const session = await runtime.sessions.open({ agent, customer: "ada" });
  expect((await session.send("one")).reply).toBe("First.");
  expect((await session.send("two")).reply).toBe("Second.");
  expect(spy.requests[1]?.messages.map(({ text }) => text)).toEqual(["one", "First.", "two"]);
  await runtime.close();
});

test("instructions are the persona, before the other sections", async () => {
  const spy = scripted(() => "Yes.");
  const runtime = await createRuntime({
    store: await openStore(":memory:"),
    agents: [defineAgent({ name: "polite", instructions: "Be polite.", model: spy })],
  });
  await (await runtime.sessions.open({ agent: "polite", customer: "ada" })).send("hello");
  expect(spy.requests[0]?.sections.map(({ name, text }) => [name, text])).toEqual([["persona", "Be polite."]]);
  await runtime.close();
});

test("model and tools are those of a loop, and a variant replaces them", () => {
  const tool = defineTool({ name: "ping", description: "Pings.", parameters: z.object({}), execute: () => ({ ok: true }) });
  const agent = defineAgent({ name: "a", model, tools: [tool] });
  expect(agent.reply).toMatchObject({ settings: { model, tools: [tool] } });
  const other = scripted(() => "Other.");
  expect(agent.with({ model: other }).reply).toMatchObject({ settings: { model: other, tools: [tool] } });
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ["no model and no reply", {}, /needs a model, or a reply/],
  ["tools without a model", { tools: [] }, /has tools, but no model/],
  ["a model and a reply", { model, reply: loop({ model }) }, /has a reply, and a model or tools/],
  ["tools and a reply", { tools: [], reply: loop({ model }) }, /has a reply, and a model or tools/],
  ["instructions that are no text", { model, instructions: 3 }, /instructions that are a text/],
  ["instructions and a persona", { model, instructions: "x", sections: [persona("y")] }, /instructions and a section "persona"/],
  ["a state that is none", { model, state: null }, /needs a state made by defineState/],
  ["a version that is none", { model, version: 0 }, /needs a version/],
])("an agent with %s is refused", (_what, options, message) => {
  expect(() => defineAgent({ name: "a", ...options } as unknown as AgentOptions<never>)).toThrow(message);
});

test("a runtime without a store opens the database of THROUGHLINE_DB, and closes it", async () => {
  const file = join(folder(), "deep/app.db");
  vi.stubEnv("THROUGHLINE_DB", file);
  const agent = defineAgent({ name: "plain", model });
  const runtime = await createRuntime({ agents: [agent] });
  const { id } = await runtime.sessions.open({ agent, customer: "ada" });
  await runtime.close();
  expect(existsSync(file)).toBe(true);
  await expect(runtime.sessions.get(id)).rejects.toMatchObject({ code: "store.closed" });
  const again = await createRuntime({ agents: [agent] });
  expect((await again.sessions.open({ agent, customer: "ada" })).id).toBe(id);
  await again.close();
  await again.close();
});

test("a store that was passed stays open", async () => {
  const store = await openStore(":memory:");
  const agent = defineAgent({ name: "plain", model });
  const runtime = await createRuntime({ store, agents: [agent] });
  const { id } = await runtime.sessions.open({ agent, customer: "ada" });
  await runtime.close();
  expect((await (await createRuntime({ store, agents: [agent], work: false })).sessions.get(id)).id).toBe(id);
});

test("a wrong option creates no database", async () => {
  const file = join(folder(), "app.db");
  vi.stubEnv("THROUGHLINE_DB", file);
  const agents = [defineAgent({ name: "plain", model })];
  const misspelled = { agents, stor: await openStore(":memory:") } as RuntimeOptions;
  await expect(createRuntime(misspelled)).rejects.toThrow(/no option "stor" \(did you mean "store"\?\)/);
  expect(existsSync(file)).toBe(false);
});

test("a runtime that does not start closes the store that it opened", async () => {
  const file = join(folder(), "app.db");
  vi.stubEnv("THROUGHLINE_DB", file);
  await expect(createRuntime({ agents: [] })).rejects.toThrow(/at least one agent/);
  // Nothing holds the files: an open database would keep its write-ahead log next to it.
  expect([existsSync(file), existsSync(`${file}-wal`)]).toEqual([true, false]);
});
