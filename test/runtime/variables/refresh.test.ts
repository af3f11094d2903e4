/** Variables that are bound to a function: when it is asked, and what becomes of its answer. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineTool,
  hook,
  loop,
  scripted,
  section,
  stage,
  ThroughlineError,
  variable,
  type Logger,
} from "../../../packages/throughline/src/index.ts";
import type { RefreshContext } from "../../../packages/throughline/src/agent.ts";
import { fixedClock } from "../../../packages/throughline/src/testing.ts";
import { code, collect, gate } from "../harness.ts";
import { calling } from "../loop/harness.ts";
import { counted, everywhere, kinds, knowing, runtimeOf, state, storeOf, told, values, type Kind } from "./harness.ts";

const at = (time: string): number => Date.parse(`2026-03-02T${time}Z`);
const day = 24 * 3_600_000;
const someMs = expect.any(Number) as number;
const throwing = (error: Error) => (): never => {
  throw error;
};

describe.each(kinds)("%s: refreshing", (kind: Kind) => {
  it("happens when a turn begins, and is in force in that very turn", async () => {
    const { bound, calls } = counted("orders", (call) => [call]);
    const { agent, model } = knowing([bound]);
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind) });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    for (const expected of [1, 2]) {
      await session.send("hi");
      expect([calls(), values(model)]).toEqual([expected, { orders: [expected] }]);
    }
    expect((await runtime.customers.get("c1")).variables).toMatchObject({ version: 2, values: { orders: [2] } });
  });

  it("writes no new version of a value that holds still, but when it was looked at", async () => {
    const { bound } = counted("orders", () => ({ open: [1, { id: "o-1" }] }));
    const { agent } = knowing([bound]);
    const clock = fixedClock();
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind), clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    clock.advance(500);
    await session.send("hi");
    expect((await runtime.customers.get("c1")).variables.version).toBe(1);
    expect(await session.variables()).toMatchObject([{ name: "orders", checked_at: clock.now(), stale: false }]);
  });

  it("writes for whom it is asked: customer, session or agent", async () => {
    const given: Record<string, RefreshContext> = {};
    const keep = (name: string) => (context: RefreshContext) => ((given[name] = context), name);
    const { agent, model } = knowing([
      variable("of_customer", { refresh: keep("customer") }),
      variable("of_session", { scope: "session", refresh: keep("session") }),
      variable("of_agent", { scope: "agent", refresh: keep("agent") }),
    ]);
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind), resources: { shop: "open" } });
    await runtime.customers.create({ id: "c1", name: "Ada", variables: { tier: "gold" }, metadata: { secret: 1 } });
    await runtime.agents.setVariables("a1", { set: { motto: "be kind" } });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    expect(values(model)).toEqual({ motto: "be kind", of_agent: "agent", of_customer: "customer", of_session: "session", tier: "gold" });
    expect((await session.variables()).map(({ name, scope }) => `${scope} ${name}`)).toEqual(
      expect.arrayContaining(["customer of_customer", "session of_session", "agent of_agent"]),
    );
    const known = { customer: { id: "c1", name: "Ada" }, session_id: session.id, variables: { motto: "be kind", tier: "gold" } };
    expect(given["customer"]).toMatchObject({ ...known, resources: { shop: "open" } });
    expect(given["session"]).toMatchObject(known);
    // An agent's value is everybody's: it cannot be made of what is somebody's.
    expect(given["agent"]).toMatchObject({ customer: undefined, session_id: undefined, variables: { motto: "be kind" } });
    expect(JSON.stringify(given["agent"])).not.toMatch(/Ada|c1|gold|ses_/);
  });
});

describe.each(everywhere)("%s: whoever refreshes", (kind: Kind) => {
  it("I16: what fails keeps the last value, marked stale, until it is refreshed again", async () => {
    const { bound } = counted("orders", (call) => {
      if (call === 2) throw new Error("no orders for you");
      return call;
    });
    const { agent, model } = knowing([bound]);
    const clock = fixedClock();
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind), clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    const first = clock.now();
    clock.advance(500);
    expect(await session.send("hi")).toMatchObject({ status: "completed", reply: "ok" });
    expect(told(model)).toEqual(['{"orders":1}', 'Possibly out of date, because they could not be refreshed: ["orders"]']);
    expect(await session.variables()).toEqual([{ name: "orders", value: 1, scope: "customer", checked_at: first, stale: true }]);
    expect((await runtime.customers.get("c1")).variables).toMatchObject({ version: 1, stale: ["orders"] });
    await session.send("hi");
    expect(told(model)).toEqual(['{"orders":3}']);
  });

  it("two turns of one customer at once do not fight: the last writer's value stays", async () => {
    const { bound, calls } = counted("orders", async (call) => (await new Promise((done) => setTimeout(done, 20)), call));
    const { agent } = knowing([bound]);
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind) });
    const sessions = await Promise.all(Array.from({ length: 6 }, (_, key) => runtime.sessions.open({ agent: "a1", customer: "c1", key: `k${key}` })));
    const results = await Promise.all(sessions.map((session) => session.send("hi")));
    expect(results.map(({ status }) => status)).toEqual(sessions.map(() => "completed"));
    expect(calls()).toBe(6);
    expect((await runtime.customers.get("c1")).variables.values["orders"]).toBeTypeOf("number");
  });

  it("as do turns of all customers on a variable of their agent that nobody has written yet", async () => {
    const { agent } = knowing([variable("motto", { scope: "agent", refresh: async () => "be kind" })]);
    const runtime = await runtimeOf({ agents: [agent], store: await storeOf(kind) });
    const sessions = await Promise.all(Array.from({ length: 6 }, () => runtime.sessions.create({ agent: "a1" })));
    const results = await Promise.all(sessions.map((session) => session.send("hi")));
    expect(results.map(({ status }) => status)).toEqual(sessions.map(() => "completed"));
    expect((await runtime.agents.variables("a1")).values).toEqual({ motto: "be kind" });
  });
});

describe("how long a value holds", () => {
  const quarterly = { cron: "0,15,30,45 * * * *" };
  it.each([
    ["I13: no quarter between", quarterly, at("10:01:00"), at("10:14:00"), false],
    ["a quarter between", quarterly, at("10:01:00"), at("10:16:00"), true],
    ["at the quarter itself", quarterly, at("10:01:00"), at("10:15:00"), true],
    ["set at the quarter", quarterly, at("10:15:00"), at("10:29:59"), false],
    ["I15: the next day, in the same process", quarterly, at("10:01:00"), at("10:01:00") + day, true],
    ["in UTC", { cron: "0 10 * * *" }, at("09:30:00"), at("09:59:59"), false],
    ["in UTC, past it", { cron: "0 10 * * *" }, at("09:30:00"), at("10:00:00"), true],
    ["in a zone", { cron: "0 10 * * *", timezone: "Europe/Amsterdam" }, at("08:30:00"), at("09:00:00"), true],
    ["in a zone, past it", { cron: "0 10 * * *", timezone: "Europe/Amsterdam" }, at("09:30:00"), at("10:30:00"), false],
    ["an instant that never comes", { cron: "0 0 30 2 *" }, at("10:00:00"), at("10:00:00") + 400 * day, false],
    ["younger than its age", { maxAgeMs: 60_000 }, at("10:00:00"), at("10:00:59"), false],
    ["of its age", { maxAgeMs: 60_000 }, at("10:00:00"), at("10:01:00"), true],
    ["a clock that was set back", { maxAgeMs: 60_000 }, at("10:00:00"), at("09:00:00"), false],
  ])("%s", async (_what, fresh, before, after, due) => {
    const { bound, calls } = counted("orders", (call) => call, { fresh });
    const { agent } = knowing([bound]);
    const clock = fixedClock(before);
    const runtime = await runtimeOf({ agents: [agent], clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    clock.advance(after - before);
    await session.send("hi");
    expect(calls()).toBe(due ? 2 : 1);
  });

  it("a value that is set by hand holds as long as one that was refreshed", async () => {
    const { bound, calls } = counted("orders", (call) => call, { fresh: { maxAgeMs: 60_000 } });
    const { agent, model } = knowing([bound]);
    const clock = fixedClock();
    const runtime = await runtimeOf({ agents: [agent], clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    clock.advance(59_000);
    await session.setVariables({ set: { orders: "by hand" } });
    clock.advance(59_000);
    await session.send("hi");
    expect([calls(), values(model)]).toEqual([1, { orders: "by hand" }]);
    clock.advance(1_000);
    await session.send("hi");
    expect([calls(), values(model)]).toEqual([2, { orders: 2 }]);
  });

  it("without a value, or with a stale one, it does not hold", async () => {
    const { bound, calls } = counted("orders", (call) => (call === 1 ? undefined : call === 2 || call === 4 ? call : Number.NaN), {
      fresh: { maxAgeMs: 60_000 },
    });
    const { agent, model } = knowing([bound]);
    const clock = fixedClock();
    const runtime = await runtimeOf({ agents: [agent], clock });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const tell = async (waits = 0) => (clock.advance(waits), await session.send("hi"), [calls(), told(model)?.[0], told(model)?.length]);
    expect(await tell()).toEqual([1, undefined, undefined]);
    expect(await tell()).toEqual([2, '{"orders":2}', 1]);
    expect(await tell()).toEqual([2, '{"orders":2}', 1]);
    expect(await tell(60_000)).toEqual([3, '{"orders":2}', 2]);
    expect(await tell()).toEqual([4, '{"orders":4}', 1]);
    expect(await tell()).toEqual([4, '{"orders":4}', 1]);
  });
});

describe("what a function may come to", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const secret = "s3cret words";
  it.each([
    ["throws", () => Promise.reject(new Error(secret)), "variable.refresh_failed"],
    ["throws at once", throwing(new ThroughlineError("connection.failed", secret)), "connection.failed"],
    ["returns NaN", () => Number.NaN, "variables.invalid"],
    ["returns a cycle", () => circle, "variables.invalid"],
    ["returns an instance", () => new Date(0), "variables.invalid"],
    ["returns too much", () => "x".repeat(65_537), "variables.invalid"],
  ])("I16: one that %s is logged without its words, and the turn goes on", async (_what, answer, expected) => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const { bound } = counted("orders", (call) => (call === 1 ? "last" : answer()));
    const { agent, model } = knowing([bound]);
    const runtime = await runtimeOf({ agents: [agent], logger });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.send("hi");
    const { turn_id } = await session.send("hi");
    expect(values(model)).toEqual({ orders: "last" });
    expect(lines).toHaveLength(1);
    const [message, fields] = lines[0] as readonly unknown[];
    expect([message, fields]).toMatchObject(["variable not refreshed", { turn_id, variable: "orders", code: expected }]);
    expect(JSON.stringify([message, fields, await collect(session)])).not.toContain(secret);
  });

  it("I16: one that hangs is left after its time, told so, and not listened to any more", async () => {
    const asked = gate();
    let late: ((value: string) => void) | undefined;
    let told_reason: unknown;
    const clock = fixedClock();
    const { agent, model } = knowing([
      variable("slow", {
        timeoutMs: 5_000,
        refresh: ({ signal }) => {
          signal.addEventListener("abort", () => (told_reason = signal.reason as unknown));
          asked.open();
          return new Promise<string>((done) => (late = done));
        },
      }),
      variable("quick", { refresh: () => "here" }),
    ]);
    const runtime = await runtimeOf({ agents: [agent], clock, leaseMs: 30_000, heartbeatMs: 5_000 });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { slow: "before" } });
    const sent = session.send("hi");
    await asked.opened;
    clock.advance(5_000);
    expect(await sent).toMatchObject({ status: "completed" });
    late?.("too late");
    expect(told(model)).toEqual(['{"quick":"here","slow":"before"}', expect.stringContaining('["slow"]')]);
    expect(ThroughlineError.is(told_reason, "timeout")).toBe(true);
    expect(values(model)).toEqual({ quick: "here", slow: "before" });
    expect((await runtime.customers.get("c1")).variables.values).toEqual({ quick: "here", slow: "before" });
  });

  it("undefined takes the value away, null is a value, and what was given cannot be changed afterwards", async () => {
    const list = [1];
    const answers: unknown[] = [list, null, undefined, undefined];
    const { bound } = counted("orders", (call) => answers[call - 1]);
    const { agent, model } = knowing([bound]);
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const tell = async () => (await session.send("hi"), values(model));
    expect(await tell()).toEqual({ orders: [1] });
    list.push(2);
    expect((await runtime.customers.get("c1")).variables.values).toEqual({ orders: [1] });
    expect(await tell()).toEqual({ orders: null });
    expect(await tell()).toBeUndefined();
    expect(await tell()).toBeUndefined();
    expect((await runtime.customers.get("c1")).variables.version).toBe(3);
  });

  it("all that are due run side by side, once a turn, and their time is in the diagnostics", async () => {
    const both = gate();
    let running = 0;
    const refresh = async (): Promise<number> => {
      if (++running === 2) both.open();
      await both.opened;
      return running;
    };
    const seen: unknown[] = [];
    const look = stage("look", { state, writes: [] }, ({ context }) => void seen.push(context.variables.values));
    const { agent } = knowing([variable("one", { refresh }), variable("two", { refresh })], { stages: [look] });
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const { diagnostics } = await session.send("hi");
    expect([running, seen]).toEqual([2, [{ one: 2, two: 2 }]]);
    expect(diagnostics).toMatchObject({ refresh_timings: { one: someMs, two: someMs } });
    const started = (await collect(session)).find((event) => event.kind === "turn");
    expect(started?.data).toMatchObject({ type: "started", versions: { variables: 1 }, refreshed: { one: someMs } });
  });

  it("nobody is asked for a turn that is not run: a person has the session", async () => {
    const { bound, calls } = counted("orders", (call) => call);
    const { agent } = knowing([bound]);
    const store = await storeOf("memory");
    const accepting = await runtimeOf({ agents: [agent], store, work: false });
    const session = await accepting.sessions.open({ agent: "a1", customer: "c1" });
    const { offset } = await session.post("hi");
    const claim = await store.claim({ kind: "session", session_id: session.id, worker: "w", lease_ms: 1 });
    await store.commit({ commit_id: "cmt_00000000000000000000000001", at: 0, session: { session_id: session.id, header: { mode: "manual" } } });
    expect(claim).toBeDefined();
    const working = await runtimeOf({ agents: [agent], store });
    const handle = await working.sessions.get(session.id);
    expect(await handle.outcome(offset)).toMatchObject({ status: "waiting" });
    expect(calls()).toBe(0);
  });

  it("a stop while they run ends the turn, and nothing is written", async () => {
    const asked = gate();
    const { agent } = knowing([variable("slow", { refresh: () => (asked.open(), new Promise<never>(() => {})) })]);
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const sent = session.send("hi");
    await asked.opened;
    expect(await session.stop()).toBe(true);
    expect(await sent).toMatchObject({ status: "stopped" });
    expect(await session.variables()).toEqual([]);
  });

  it("a turn that was taken from its worker writes nothing", async () => {
    const asked = gate();
    let answer: ((value: string) => void) | undefined;
    const { agent } = knowing([variable("orders", { refresh: () => (asked.open(), new Promise<string>((done) => (answer = done))) })]);
    const store = await storeOf("memory");
    const runtime = await runtimeOf({ agents: [agent], store, leaseMs: 30_000, heartbeatMs: 10_000 });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    session.send("hi").catch(() => {});
    await asked.opened;
    const { epoch } = (await store.open({ session_id: session.id }))!;
    await store.commit({ commit_id: "cmt_00000000000000000000000001", at: 0, session: { session_id: session.id, depends: { epoch }, fence: true } });
    answer?.("old news");
    await new Promise((done) => setTimeout(done, 20));
    expect((await runtime.customers.get("c1")).variables.values).toEqual({});
  });

  it("what kills the process is not asked a third time: the turn ends, and the session goes on", async () => {
    const { bound, calls } = counted("orders", (call) => call);
    const { agent } = knowing([bound]);
    const store = await storeOf("memory");
    const accepting = await runtimeOf({ agents: [agent], store, work: false });
    const session = await accepting.sessions.open({ agent: "a1", customer: "c1" });
    const { offset } = await session.post("hi");
    for (const _attempt of [1, 2]) {
      const claim = await store.claim({ kind: "session", session_id: session.id, worker: "w", lease_ms: 1 });
      expect(claim).toBeDefined();
      await new Promise((done) => setTimeout(done, 5));
    }
    const working = await runtimeOf({ agents: [agent], store });
    const handle = await working.sessions.get(session.id);
    expect(await handle.outcome(offset)).toMatchObject({ status: "failed", error: { code: "turn.poisoned" } });
    expect(calls()).toBe(0);
  });
});

describe("what an agent's variables may be", () => {
  const refresh = () => 1;
  it.each([
    ["a name that is none", "", { refresh }],
    ["a name that objects have", "__proto__", { refresh }],
    ["a long name", "x".repeat(201), { refresh }],
    ["no options", "x", undefined],
    ["nothing to say", "x", {}],
    ["an unknown option", "x", { refresh, ttl: 5 }],
    ["a refresh that is no function", "x", { refresh: "later" }],
    ["a scope that there is not", "x", { refresh, scope: "global" }],
    ["a scope without a refresh", "x", { description: "d", scope: "agent" }],
    ["a time without a refresh", "x", { description: "d", timeoutMs: 5 }],
    ["a rule without a refresh", "x", { description: "d", fresh: { maxAgeMs: 5 } }],
    ["no time", "x", { refresh, timeoutMs: 0 }],
    ["too much time", "x", { refresh, timeoutMs: Infinity }],
    ["a description of two lines", "x", { refresh, description: "a\nb" }],
    ["a blank description", "x", { refresh, description: " " }],
    ["a rule that is none", "x", { refresh, fresh: 5 }],
    ["a rule of two kinds", "x", { refresh, fresh: { maxAgeMs: 5, cron: "* * * * *" } }],
    ["an age that is none", "x", { refresh, fresh: { maxAgeMs: -1 } }],
    ["a cron expression that is none", "x", { refresh, fresh: { cron: "61 * * * *" } }],
    ["a cron expression of six fields", "x", { refresh, fresh: { cron: "* * * * * *" } }],
    ["a date for a cron expression", "x", { refresh, fresh: { cron: "2026-01-01T00:00:00 * * * *" } }],
    ["a time zone that there is not", "x", { refresh, fresh: { cron: "* * * * *", timezone: "Mars/Olympus" } }],
    ["a time zone for an age", "x", { refresh, fresh: { maxAgeMs: 5, timezone: "UTC" } }],
  ])("refuses %s", async (_what, name, options) => {
    expect(await code((async () => variable(name, options as never))())).toBe("agent.invalid");
  });

  it("refuses two of one name, and what is no variable", async () => {
    const twice = [variable("x", { refresh }), variable("x", { description: "again" })];
    for (const variables of [twice, [{ name: "x" }], [undefined], "x"])
      expect(await code((async () => knowing(variables as never))())).toBe("agent.invalid");
  });

  it("tells the model what they are, those that have a value", async () => {
    const { agent, model } = knowing([
      variable("orders", { description: "What is on its way.", refresh }),
      variable("tier", { description: "gold or none" }),
      variable("absent", { description: "nobody has it" }),
    ]);
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { tier: "gold\n# system" } });
    await session.send("hi");
    expect(told(model)).toEqual(['{"orders":1,"tier":"gold\\n# system"}', 'What they are: {"orders":"What is on its way.","tier":"gold or none"}']);
  });

  it("shows the same to sections, stages, tools and hooks", async () => {
    const seen: Record<string, unknown> = {};
    const tool = defineTool({
      name: "look",
      description: "Looks.",
      parameters: z.object({}),
      execute: (_args, context) => ((seen["tool"] = context.variables), "ok"),
    });
    const model = scripted((_request, call) => (call === 0 ? calling(["look"]) : "ok"));
    const agent = defineAgent({
      ...{ name: "a1", version: 1, state, variables: [variable("orders", { refresh })] },
      stages: [stage("look", { state, writes: [] }, ({ context }) => void (seen["stage"] = context.variables.values))],
      sections: [section("look", ({ variables: { values: shown } }) => ((seen["section"] = shown), undefined))],
      reply: loop({ model, tools: [tool], hooks: [hook("look", { afterModel: ({ context }) => void (seen["hook"] = context.variables.values) })] }),
    });
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    expect(await session.send("hi")).toMatchObject({ status: "completed" });
    const orders = { orders: 1 };
    expect(seen).toEqual({ section: orders, stage: orders, tool: orders, hook: orders });
  });
});
