/** Laws of the loop, over random agents, models, people and budgets. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRuntime, type Event, type Session, type Store, type TurnResult } from "../../../packages/throughline/src/index.ts";
import type { JsonObject } from "../../../packages/throughline/src/kernel/json.ts";
import { applyPatch } from "../../../packages/throughline/src/kernel/json-patch.ts";
import { collect, emptyStore } from "../harness.ts";
import { agentOf, world, type World } from "./random-agents.ts";

const numRuns = Number(process.env["LAW_RUNS"] ?? 40);

/** Sends a message, and decides what its turn waits for until it has ended. */
async function play(store: Store, one: World) {
  const { agent, model, ran } = agentOf(one);
  const runtime = await createRuntime({ store, agents: [agent], leaseMs: 60_000, heartbeatMs: 5_000, pollMs: 20 });
  const session = await runtime.sessions.create({ agent: "a1" });
  let outcome = await session.send("go");
  for (let word = 0; outcome.status === "paused"; word++) {
    expect(word).toBeLessThan(60);
    const [call] = (await session.pending()).calls;
    if (call === undefined) throw new Error("A paused turn waits for something.");
    const said = one.words[word % one.words.length] ?? "reject";
    const { call_id, arguments_hash, index, kind } = call;
    const fits = kind === "question" ? said === "answer" : said === "approve" || said === "edit";
    const decision = fits || said === "nonsense" ? said : "reject";
    await session.decide({ call_id, arguments_hash, index, decision, arguments: { n: 7 }, answer: "This one." });
    outcome = await session.outcome(outcome.offset);
  }
  return { runtime, session, outcome, events: await collect(session), model, ran };
}
type Played = Awaited<ReturnType<typeof play>>;

const turnEvents = (events: readonly Event[]) => events.flatMap((event) => (event.kind === "turn" ? [event.data] : []));
const toolEvents = (events: readonly Event[]) => events.flatMap((event) => (event.kind === "tool" ? [event.data] : []));

function folded(events: readonly Event[]): JsonObject {
  return events.reduce<JsonObject>((state, event) => (event.kind === "state" ? (applyPatch(state, event.data.patch) as JsonObject) : state), {});
}

/** Every call in a request has one result, right after the message that asks for it, in the order of the calls. */
function expectPaired({ model }: Played): void {
  for (const { messages } of model.requests) {
    const results = new Set<string>();
    for (const [at, message] of messages.entries()) {
      if (message.role === "tool") expect(results.delete(message.call_id), "a result without its call").toBe(true);
      if (message.role === "tool" || message.calls === undefined) continue;
      const after = messages.slice(at + 1, at + 1 + message.calls.length);
      expect(after.map((one) => (one.role === "tool" ? one.call_id : one.role))).toEqual(message.calls.map(({ call_id }) => call_id));
      for (const { call_id } of message.calls) results.add(call_id);
    }
    expect(results.size).toBe(0);
  }
}

/** What ran is what the log says: nothing that was blocked or skipped, nothing twice that must not, and nothing without a word on it. */
function expectRunOnce({ events, ran }: Played, { tools, hooks }: World): void {
  const results = new Map<string, string>();
  for (const data of toolEvents(events)) {
    if (data.type !== "returned") continue;
    expect(results.has(data.call_id), "a second result").toBe(false);
    results.set(data.call_id, data.result.type);
  }
  const called = new Set(toolEvents(events).flatMap((data) => (data.type === "called" ? [data.key] : [])));
  for (const { key } of ran) expect(called.has(key), "ran without being on record").toBe(true);
  // Whoever waives a stop lets the calls of its step run.
  const forbidding = new Set<string>(["blocks", "withholds", ...(hooks.some(({ does }) => does === "waives") ? [] : ["stops calls"])]);
  const forbidden = new Set(hooks.filter(({ does }) => forbidding.has(does)).map(({ tool }) => `tool_${tool % tools.length}`));
  expect(ran.filter(({ name }) => forbidden.has(name))).toEqual([]);
  const asked = events.flatMap((event) => (event.kind === "message" ? (event.data.calls ?? []) : []));
  for (const { call_id, name } of asked) {
    const runs = ran.filter(({ key }) => key.endsWith(`.${call_id}`)).length;
    const kind = tools[Number(name.split("_")[1])];
    // A question is asked by a run of its own, after which the call is run again with the answer.
    if (results.get(call_id) === "skipped" || (results.get(call_id) === "blocked" && kind?.does !== "asks")) expect(runs).toBe(0);
    if (kind?.effects === "once" && kind.does !== "asks") expect(runs).toBeLessThanOrEqual(1);
  }
}

/** The list that tools append to has the calls whose results are stored, each once, and in their order where no call reads what another one writes. */
function expectMerged({ events }: Played, { tools }: World, document: JsonObject): void {
  const named = new Map(
    events.flatMap((event) => (event.kind === "message" ? (event.data.calls ?? []) : [])).map(({ call_id, name }) => [call_id, name]),
  );
  const wrote = toolEvents(events).flatMap((data) => {
    if (data.type !== "returned" || data.result.type !== "ok" || data.result.not_stored !== undefined) return [];
    const uses = tools[Number(named.get(data.call_id)?.split("_")[1])]?.uses ?? "";
    return ["writes", "both", "takes"].includes(uses) ? [data.call_id] : [];
  });
  const docs = (document["docs"] ?? []) as readonly string[];
  expect(docs.toSorted()).toEqual(wrote.toSorted());
  if (tools.every(({ uses }) => uses === "writes" || uses === "nothing")) {
    const order = [...named.keys()].filter((call_id) => wrote.includes(call_id));
    expect(docs).toEqual(order);
    expect(document["name"]).toBe(order.at(-1));
  }
}

function expectWithinBudget({ outcome, events }: Played, { steps: limit }: World): void {
  const data = turnEvents(events);
  const steps = data.filter(({ type }) => type === "step");
  const waived = data.filter((one) => one.type === "continue" && (one.waives ?? []).includes("steps_limit")).length;
  expect(steps.length).toBeLessThanOrEqual(limit + waived);
  const counts = steps.flatMap((one) => (one.type === "step" ? Object.values<number>({ ...one.usage }) : []));
  expect(outcome.diagnostics.tokens ?? 0).toBe(counts.reduce((sum, count) => sum + count, 0));
}

/** The log without what differs from one run of the same agent to the next. */
function comparable(events: readonly Event[]): readonly string[] {
  return events.map(({ kind, source, data }) =>
    JSON.stringify({ kind, source, data })
      .replaceAll(/,?"(ms|turn_total_ms|expires_at)":[\d.]+/g, "")
      .replaceAll(/(ses|trn|exe)_[0-9a-z]+/g, "$1")
      .replaceAll(/"stage_timings":\{[^}]*\}/g, '"stage_timings":{}'),
  );
}

const ended: readonly TurnResult["status"][] = ["completed", "stopped", "failed"];

async function expectUsable(session: Session): Promise<void> {
  const fork = await session.fork();
  expect((await fork.state()).document).toEqual((await session.state()).document);
  expect([...ended, "paused"]).toContain((await fork.send("and now?")).status);
  await session.withdraw({ from: 1 });
  expect((await session.state()).document).toEqual({});
  expect(await session.messages()).toEqual([]);
}

describe("whatever the agent, the model, the people and the budget are", () => {
  test("a turn ends, and its log, its state, its results, its budget and what has run agree", { timeout: 60_000 + numRuns * 200 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        const played = await play(await emptyStore("memory"), one);
        try {
          const { document } = await played.session.state();
          expect(ended).toContain(played.outcome.status);
          expect(document).toEqual(folded(played.events));
          expectPaired(played);
          expectRunOnce(played, one);
          expectMerged(played, one, document);
          expectWithinBudget(played, one);
          await expectUsable(played.session);
        } finally {
          await played.runtime.close({ drainMs: 0 });
        }
      }),
      { numRuns },
    );
  });

  test("memory and SQLite have the same log", { timeout: 60_000 + numRuns * 200 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (one) => {
        const logs: (readonly string[])[] = [];
        for (const kind of ["memory", "sqlite"] as const) {
          const played = await play(await emptyStore(kind), {
            ...one,
            tools: one.tools.map((tool) => ({ ...tool, does: tool.does === "waits" ? "returns" : tool.does })),
          });
          await played.runtime.close({ drainMs: 0 });
          logs.push(comparable(played.events));
        }
        expect(logs[1]).toEqual(logs[0]);
      }),
      { numRuns: Math.ceil(numRuns / 5) },
    );
  });
});
