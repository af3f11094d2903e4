/** Metrics of turns and of the store, read by a parser of the exposition format, and the route that serves them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, openStore, type Model } from "../../packages/throughline/src/index.ts";
import { defineExtension } from "../../packages/throughline/src/extension.ts";
import { createMetrics, createRegistry, type Metrics } from "../../packages/throughline/src/telemetry.ts";
import { root } from "../../scripts/root.ts";
import { code, started } from "../runtime/harness.ts";
import { newSqliteFile } from "../setup/database.ts";
import { parseExposition, type Sample } from "./exposition.ts";

const State = defineState({ message: input(z.string()) });
const usage = { input: 10, output: 5, cache_read: 3, cache_write: 0, reasoning: 2 };

const look = defineTool({
  name: "look_up",
  description: "Looks up an order.",
  effects: "none",
  retry: { tries: 1, backoffMs: 1 },
  parameters: z.object({ order: z.string() }),
  execute: ({ order }) => {
    if (order === "lost") throw new Error("no such order");
    return order;
  },
});

/** A model that calls the tool with the customer's text, and then answers. */
const model: Model = {
  name: "clerk",
  async *stream({ messages }) {
    const last = messages.at(-1);
    if (last?.text === "fail") throw new Error("down");
    if (last?.role === "tool") {
      yield { type: "text_delta", text: "Done." };
      yield { type: "finish", reason: "stop", usage };
      return;
    }
    yield { type: "tool_call", call: { call_id: "c", name: "look_up", arguments: { order: last?.text ?? "" } } };
    yield { type: "finish", reason: "tool_calls", usage };
  },
};

const watching = defineExtension({
  name: "watching",
  answer: async (turn, { draft, next }) => {
    await turn.observed(
      { kind: "guardrail", name: "watching" },
      () => Promise.resolve(2),
      (level) => ({ level }),
    );
    await turn.observed(
      { kind: "retrieval", name: "search_memory" },
      () => Promise.resolve(0),
      (found) => ({ found }),
    );
    return next(draft);
  },
});

async function desk() {
  const metrics = createMetrics();
  const agent = defineAgent({
    name: "desk",
    version: 1,
    state: State,
    reply: loop({ model, tools: [look], prices: { clerk: { input: 1, output: 2 } } }),
  });
  const runtime = await started({ store: metrics.measured(await openStore(":memory:")), agents: [agent], extensions: [metrics, watching] });
  return { metrics, runtime };
}

const samplesOf = (metrics: Pick<Metrics, "text">, name: string): readonly Sample[] => parseExposition(metrics.text()).get(name)?.samples ?? [];
/** Values by the labels' values. */
const valuesOf = (metrics: Pick<Metrics, "text">, name: string): Readonly<Record<string, number>> =>
  Object.fromEntries(samplesOf(metrics, name).map(({ labels, value }) => [Object.values(labels).join(" "), value]));
const countOf = (metrics: Pick<Metrics, "text">, name: string): number | undefined =>
  samplesOf(metrics, name).find((sample) => sample.name === `${name}_count`)?.value;

describe("the metrics of turns", () => {
  it("count outcomes, calls, tokens, cost, tools and levels, and measure the times", async () => {
    const { metrics, runtime } = await desk();
    const session = await runtime.sessions.create({ agent: "desk" });
    await session.send("17");
    await session.send("lost");
    await session.send("fail");
    expect(valuesOf(metrics, "throughline_turns_total")).toEqual({ "desk completed": 2, "desk failed": 1 });
    expect(valuesOf(metrics, "throughline_turn_errors_total")).toEqual({ "desk model.failed": 1 });
    expect(valuesOf(metrics, "throughline_model_calls_total")).toEqual({ "clerk tool_calls": 2, "clerk stop": 2, "clerk model.failed": 1 });
    expect(valuesOf(metrics, "throughline_model_tokens_total")).toMatchObject({
      "clerk input": 40,
      "clerk output": 20,
      "clerk cache_read": 12,
      "clerk reasoning": 8,
    });
    expect(valuesOf(metrics, "throughline_model_cost_total")["clerk"]).toBeGreaterThan(0);
    expect(valuesOf(metrics, "throughline_tool_calls_total")).toEqual({ "look_up ok": 1, "look_up error": 1 });
    expect(valuesOf(metrics, "throughline_gate_levels_total")).toEqual({ 2: 3 });
    expect(countOf(metrics, "throughline_retrieval_seconds")).toBe(3);
    expect(countOf(metrics, "throughline_turn_wait_seconds")).toBe(3);
    expect(countOf(metrics, "throughline_turn_first_delta_seconds")).toBe(2);
    expect(countOf(metrics, "throughline_turn_seconds")).toBe(3);
    expect(countOf(metrics, "throughline_model_call_seconds")).toBe(5);
    expect(countOf(metrics, "throughline_tool_call_seconds")).toBe(2);
    expect(valuesOf(metrics, "throughline_turns_running")).toEqual({ "": 0 });
  });

  it("show nothing of a runtime that is closed", async () => {
    const metrics = createMetrics();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow: Model = {
      name: "slow",
      async *stream() {
        begun.resolve();
        await go.promise;
        yield { type: "finish", reason: "stop", usage };
      },
    };
    const agent = defineAgent({ name: "desk", version: 1, state: State, reply: loop({ model: slow }) });
    const { sessions } = await started({ agents: [agent], extensions: [metrics] });
    const closed = await started({ agents: [agent], extensions: [metrics] });
    await closed.close();
    const sent = (await sessions.create({ agent: "desk" })).send("one");
    await begun.promise;
    expect(valuesOf(metrics, "throughline_turns_running")).toEqual({ "": 1 });
    go.resolve();
    await sent;
  });

  it("show the turns that run and those that wait for a slot", async () => {
    const metrics = createMetrics();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow: Model = {
      name: "slow",
      async *stream() {
        begun.resolve();
        await go.promise;
        yield { type: "text_delta", text: "Done." };
        yield { type: "finish", reason: "stop", usage };
      },
    };
    const agent = defineAgent({ name: "desk", version: 1, state: State, reply: loop({ model: slow }) });
    const { sessions } = await started({ agents: [agent], extensions: [metrics], concurrency: 1 });
    const first = await sessions.create({ agent: "desk" });
    const second = await sessions.create({ agent: "desk" });
    const one = first.send("one");
    await begun.promise;
    const two = second.send("two");
    await expect.poll(() => valuesOf(metrics, "throughline_turns_waiting")[""], { timeout: 10_000 }).toBe(1);
    expect(valuesOf(metrics, "throughline_turns_running")[""]).toBe(1);
    go.resolve();
    await Promise.all([one, two]);
    expect(valuesOf(metrics, "throughline_turns_waiting")[""]).toBe(0);
  });

  it("count a turn that was taken from its process", async () => {
    const { metrics, runtime } = await desk();
    const begun = Promise.withResolvers<void>();
    const hanging: Model = {
      name: "hanging",
      async *stream(_request, { signal }) {
        begun.resolve();
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("over"))));
        yield { type: "finish", reason: "stop", usage };
      },
    };
    const agent = defineAgent({ name: "hung", version: 1, state: State, reply: loop({ model: hanging }) });
    const { sessions } = await started({ store: runtime.store, agents: [agent], extensions: [metrics] });
    const session = await sessions.create({ agent: "hung" });
    const { offset } = await session.post("one");
    await begun.promise;
    await session.stop();
    await session.outcome(offset);
    await expect.poll(() => valuesOf(metrics, "throughline_leases_lost_total")[""], { timeout: 10_000 }).toBe(1);
    expect(valuesOf(metrics, "throughline_turns_total")["hung lost"]).toBe(1);
  });
});

describe("the metrics of the store", () => {
  it("count commits by result, and measure each call", async () => {
    const { metrics, runtime } = await desk();
    const session = await runtime.sessions.create({ agent: "desk" });
    await session.send("17", { idempotencyKey: "m" });
    await session.send("17", { idempotencyKey: "m" });
    expect(valuesOf(metrics, "throughline_commits_total")).toMatchObject({ committed: 5, key_used: 1 });
    const operations = new Set(samplesOf(metrics, "throughline_store_seconds").map(({ labels }) => labels["operation"]));
    expect([...operations]).toEqual(expect.arrayContaining(["commit", "load", "claim", "open"]));
  });

  it("count errors by their code", async () => {
    const metrics = createMetrics();
    const store = metrics.measured(await openStore(":memory:"));
    await store.close();
    expect(await code(store.open({ open_key: "nothing" }))).toBe("store.closed");
    expect(valuesOf(metrics, "throughline_store_errors_total")).toEqual({ "open store.closed": 1 });
  });

  it("leave the drafts and events of a SQLite file readable while they come", async () => {
    const metrics = createMetrics();
    const agent = defineAgent({ name: "desk", version: 1, state: State, reply: loop({ model, tools: [look] }) });
    const store = metrics.measured(await openStore(newSqliteFile()));
    const { sessions } = await started({ store, agents: [agent], extensions: [metrics] });
    const session = await sessions.create({ agent: "desk" });
    let text = "";
    for await (const part of session.stream("17")) if (part.type === "text.delta") text += part.text;
    expect(text).toBe("Done.");
    await store.migrate();
    const stop = await store.watchErasures(() => {});
    stop();
  });
});

describe("a registry", () => {
  it("writes what the format needs: escaped values, a type, and buckets that add up", () => {
    const registry = createRegistry();
    registry.counter({ name: "a_total", help: 'A "count"\\ of\nlines.', labels: ["what"] }).add({ what: 'one "two"\n\\three' }, 2.5);
    const times = registry.histogram({ name: "b_seconds", help: "Times.", buckets: [1, 10] });
    for (const seconds of [0.5, 1, 5, 50]) times.observe({}, seconds);
    const families = parseExposition(registry.text());
    expect(families.get("a_total")?.samples).toEqual([{ name: "a_total", labels: { what: 'one "two"\n\\three' }, value: 2.5 }]);
    expect(families.get("b_seconds")?.samples.map(({ name, labels: { le = "" }, value }) => [name, le, value])).toEqual([
      ["b_seconds_bucket", "1", 2],
      ["b_seconds_bucket", "10", 3],
      ["b_seconds_bucket", "+Inf", 4],
      ["b_seconds_sum", "", 56.5],
      ["b_seconds_count", "", 4],
    ]);
  });

  it("keeps few series, whatever the values are", () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: "a_total", help: "A.", labels: ["id"] });
    for (let id = 0; id < 10_000; id++) counter.add({ id: `id ${id}` });
    const samples = parseExposition(registry.text()).get("a_total")?.samples ?? [];
    expect(samples.length).toBeLessThanOrEqual(201);
    expect(samples.find(({ labels }) => labels["id"] === "other")?.value).toBe(9_800);
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(10_000);
  });

  it("refuses two metrics of one name, and ignores amounts that a counter cannot take", async () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: "a_total", help: "A." });
    for (const amount of [-1, Number.NaN, Infinity]) counter.add({}, amount);
    expect(valuesOf(registry, "a_total")).toEqual({ "": 0 });
    expect(() => registry.gauge({ name: "a_total", help: "A." })).toThrow(/declared twice/);
    expect(() => registry.gauge({ name: "a-total", help: "A." })).toThrow(/lowercase letters/);
  });
});

describe("etc/grafana-dashboard.json", () => {
  const dashboard = z
    .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })) })
    .parse(JSON.parse(readFileSync(join(root, "etc/grafana-dashboard.json"), "utf8")));
  const families = parseExposition(createMetrics().text());
  const namesIn = (expr: string): readonly string[] => expr.match(/throughline_\w+/g) ?? [];

  it("asks only for metrics that exist", () => {
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets)
        for (const name of namesIn(expr)) {
          const family = families.get(name.replace(/_bucket$/, ""));
          expect(family, `${title}: ${name}`).toBeDefined();
          expect(name.endsWith("_bucket"), name).toBe(family?.type === "histogram");
        }
  });

  it("shows every metric", () => {
    const shown = new Set(
      dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namesIn(expr).map((name) => name.replace(/_bucket$/, "")))),
    );
    expect([...families.keys()].filter((name) => !shown.has(name))).toEqual([]);
  });
});
