/** Whose variables are whose: the session's before the customer's before the agent's. */
import { describe, expect, it } from "vitest";
import { fixedClock } from "../../../packages/throughline/src/testing.ts";
import { code } from "../harness.ts";
import { everywhere, kinds, knowing, runtimeOf, storeOf, told, values, type Kind } from "./harness.ts";

const twoAgents = () => {
  const one = knowing();
  const other = knowing([], { name: "a2" });
  return { ...one, other };
};

const startedOn = async (kind: Kind) => {
  const { agent, model, other } = twoAgents();
  const clock = fixedClock();
  const runtime = await runtimeOf({ agents: [agent, other.agent], store: await storeOf(kind), clock });
  return { runtime, model, other: other.model, clock };
};

describe.each(kinds)("%s: variables by scope", (kind) => {
  const started = () => startedOn(kind);

  it("I1, I3: what is set is told as JSON from the next turn on, and joined by name", async () => {
    const { runtime, model } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await runtime.customers.setVariables("c1", { set: { tier: "gold", n: 3 } });
    await session.setVariables({ set: { n: 4, since: null } });
    await session.send("hi");
    expect(told(model)).toEqual(['{"n":4,"since":null,"tier":"gold"}']);
  });

  it("I10: what is unset, or was never set, is absent; null is a value", async () => {
    const { runtime, model } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { a: null, b: 1 } });
    await session.setVariables({ unset: ["b", "never"] });
    await session.send("hi");
    expect(values(model)).toEqual({ a: null });
    await session.setVariables({ unset: ["a"] });
    await session.send("hi");
    expect(told(model)).toBeUndefined();
  });

  it("I6, I8: a session's value counts before its customer's, and that before the agent's", async () => {
    const { runtime, model } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const tell = async () => (await session.send("hi"), values(model));
    await runtime.agents.setVariables("a1", { set: { tier: "none", motto: "be kind" } });
    expect(await tell()).toEqual({ tier: "none", motto: "be kind" });
    await session.setVariables({ set: { tier: "gold" } });
    expect(await tell()).toEqual({ tier: "gold", motto: "be kind" });
    await session.setVariables({ set: { tier: null } }, { scope: "session" });
    expect(await tell()).toEqual({ tier: null, motto: "be kind" });
    await session.setVariables({ unset: ["tier"] }, { scope: "session" });
    await session.setVariables({ unset: ["tier"] });
    expect(await tell()).toEqual({ tier: "none", motto: "be kind" });
  });

  it("I11, I23: a customer's are told in all sessions of that customer and in nobody else's; a session's in it alone; an agent's in its own", async () => {
    const { runtime, model, other } = await started();
    const [one, two] = [
      await runtime.sessions.create({ agent: "a1", customer: (await runtime.customers.create({ id: "c1" })).id }),
      await runtime.sessions.create({ agent: "a1", customer: "c1" }),
    ];
    const stranger = await runtime.sessions.open({ agent: "a1", customer: "c2" });
    const elsewhere = await runtime.sessions.open({ agent: "a2", customer: "c1" });
    await one.setVariables({ set: { customers: 1 } });
    await one.setVariables({ set: { sessions: 1 } }, { scope: "session" });
    await runtime.agents.setVariables("a1", { set: { agents: 1 } });
    const tell = async (session: typeof one, asked = model) => (await session.send("hi"), values(asked));
    expect(await tell(one)).toEqual({ agents: 1, customers: 1, sessions: 1 });
    expect(await tell(two)).toEqual({ agents: 1, customers: 1 });
    expect(await tell(stranger)).toEqual({ agents: 1 });
    expect(await tell(elsewhere, other)).toEqual({ customers: 1 });
  });

  it("says where each value comes from, and when it was set", async () => {
    const { runtime, clock } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    expect(await session.variables()).toEqual([]);
    const at = clock.now();
    await runtime.agents.setVariables("a1", { set: { b: 1, c: 1 } });
    clock.advance(10);
    await session.setVariables({ set: { b: 2, a: [1] } });
    clock.advance(10);
    expect(await session.setVariables({ set: { b: 3 } }, { scope: "session" })).toMatchObject({ version: 1, values: { b: 3 } });
    expect(await session.variables()).toEqual([
      { name: "a", value: [1], scope: "customer", checked_at: at + 10, stale: false },
      { name: "b", value: 3, scope: "session", checked_at: at + 20, stale: false },
      { name: "c", value: 1, scope: "agent", checked_at: at, stale: false },
    ]);
    expect(await runtime.agents.variables("a1")).toMatchObject({ version: 1, values: { b: 1, c: 1 }, stale: [] });
  });

  it("keeps strangers apart: two anonymous sessions share nothing but the agent's", async () => {
    const { runtime, model } = await started();
    const one = await runtime.sessions.create({ agent: "a1" });
    const two = await runtime.sessions.create({ agent: "a1" });
    await one.setVariables({ set: { mine: 1 } });
    await one.setVariables({ set: { here: 1 } }, { scope: "session" });
    await two.send("hi");
    expect(told(model)).toBeUndefined();
    expect(await two.variables()).toEqual([]);
  });

  it.each([
    [true, { kept: "the customer's", here: 1, moved: 1 }],
    [false, { kept: "the customer's", here: 1 }],
  ])("identifying (carry: %s) leaves the session's own where they are", async (carry, expected) => {
    const { runtime, model } = await started();
    await runtime.customers.create({ id: "c1", variables: { kept: "the customer's" } });
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.setVariables({ set: { moved: 1, kept: "the visitor's" } });
    await session.setVariables({ set: { here: 1 } }, { scope: "session" });
    await session.identify({ customer: "c1", carry });
    await session.send("hi");
    expect(values(model)).toEqual(expected);
    await session.setVariables({ set: { here: 2 } }, { scope: "session" });
    expect((await runtime.customers.get("c1")).variables.values).not.toHaveProperty("here");
  });
});

describe.each(everywhere)("%s: a session's own", (kind) => {
  const started = () => startedOn(kind);

  it("loses none of many first writes at once", async () => {
    const { runtime } = await started();
    const session = await runtime.sessions.create({ agent: "a1" });
    const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => session.setVariables({ set: { [name]: 1 } }, { scope: "session" })));
    await Promise.all(names.map((name) => runtime.agents.setVariables("a1", { set: { [`a${name}`]: 1 } })));
    const known = await session.variables();
    expect(known.map(({ name, scope }) => `${scope} ${name}`).toSorted()).toEqual(
      [...names.map((name) => `agent a${name}`), ...names.map((name) => `session ${name}`)].toSorted(),
    );
  });

  it("a fork has the session's own as they were, and from then on its own", async () => {
    const { runtime } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { here: 1, shared: 1 } }, { scope: "session" });
    const fork = await session.fork();
    await session.setVariables({ set: { here: 2 } }, { scope: "session" });
    await fork.setVariables({ unset: ["shared"] }, { scope: "session" });
    const of = async (one: typeof session) => (await one.variables()).map(({ name, value }) => [name, value]);
    expect([await of(session), await of(fork)]).toEqual([
      [
        ["here", 2],
        ["shared", 1],
      ],
      [["here", 1]],
    ]);
  });

  it("goes with its session, and cannot be written after", async () => {
    const { runtime } = await started();
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { here: 1 } }, { scope: "session" });
    await runtime.sessions.delete(session.id);
    for (const scope of ["session", "customer"] as const)
      expect(await code(session.setVariables({ set: { here: 2 } }, { scope }))).toBe("session.not_found");
    expect(await code(session.variables())).toBe("session.not_found");
    expect((await runtime.store.list({ of: "variables", owner_id: `own:${session.id}` as never })).items).toEqual([]);
  });
});

describe("what cannot be set", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  it.each([
    ["NaN", Number.NaN],
    ["a cycle", circle],
    ["1 MB", "x".repeat(1024 * 1024)],
    ["undefined", undefined],
    ["a function", () => 1],
    ["a date", new Date(0)],
  ])("I20: %s, in any scope", async (_what, value) => {
    const { agent } = knowing();
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.open({ agent: "a1", customer: "c1" });
    const change = { set: { fine: 1, wrong: value as never } };
    expect(await code(session.setVariables(change))).toBe("variables.invalid");
    expect(await code(session.setVariables(change, { scope: "session" }))).toBe("variables.invalid");
    expect(await code(runtime.agents.setVariables("a1", change))).toBe("variables.invalid");
    expect(await session.variables()).toEqual([]);
  });

  it("a scope that there is not, an agent's from a session, and variables of no agent", async () => {
    const { agent } = knowing();
    const runtime = await runtimeOf({ agents: [agent] });
    const session = await runtime.sessions.create({ agent: "a1" });
    for (const scope of ["agent", "global", null])
      expect(await code(session.setVariables({ set: { a: 1 } }, { scope: scope as never }))).toBe("input.invalid");
    expect(await code(runtime.agents.setVariables("a9", { set: { a: 1 } }))).toBe("agent.not_found");
    expect(await code(runtime.agents.variables("a9"))).toBe("agent.not_found");
  });
});
