/** What an agent checks of its sections, and variants of an agent under the same checks. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  exitOn,
  input,
  loop,
  reduced,
  scripted,
  section,
  stage,
  stateFields,
  type PromptPart,
} from "../../packages/throughline/src/index.ts";
import { started } from "./harness.ts";

const state = defineState({ message: input(z.string()), count: reduced(z.number(), { show: "output" }) });
const counting = stage("counting", { state, writes: ["count"] }, ({ state: { count = 0 } }) => ({ count: count + 1 }));
const agent = defineAgent({
  name: "desk",
  version: 3,
  state,
  stages: [counting],
  reply: loop({ model: scripted(["one", "two"]) }),
  sections: [section("tone", () => "Be brief.")],
  apology: "Sorry.",
});

describe("the loop of an agent", () => {
  const other = defineState({ message: input(z.string()), count: reduced(z.number()) });
  const options = { name: "desk", version: 1, state };

  test("may name the agent's state, and so may the test of its exit", async () => {
    const enough = exitOn.when((_step, _calls, read) => read.count === 1, { state });
    const reply = loop({ state, model: ({ count }) => scripted([`chosen at ${count}`]), exit: enough });
    const runtime = await started({ agents: [defineAgent({ ...options, stages: [counting], reply })] });
    const session = await runtime.sessions.create({ agent: "desk" });
    expect((await session.send("Hello.")).reply).toBe("chosen at 1");
    await runtime.close();
  });

  test("names no other state", () => {
    const model = scripted([]);
    expect(() => defineAgent({ ...options, reply: loop({ model, state: other }) })).toThrow(
      'The loop of agent "desk" was declared for another state.',
    );
    const exit = [exitOn.text, exitOn.when(() => true, { state: other })];
    expect(() => defineAgent({ ...options, reply: loop({ model, exit }) })).toThrow(
      'The test of exitOn.when of agent "desk" was declared for another state.',
    );
    for (const nonsense of [null, {}, "state", []] as never[]) {
      expect(() => loop({ model, state: nonsense })).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
      expect(() => exitOn.when(() => true, { state: nonsense })).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
    }
    for (const nonsense of [null, "state", []] as never[])
      expect(() => exitOn.when(() => true, nonsense)).toThrow(expect.objectContaining({ code: "agent.invalid" }) as Error);
  });
});

describe("the sections of an agent", () => {
  const options = { name: "desk", version: 1, state, reply: loop({ model: scripted([]) }) };

  test("name fields that its state has", () => {
    expect(defineAgent({ ...options, sections: [stateFields("known", ["count", "message"])] }).sections).toHaveLength(1);
    expect(() => defineAgent({ ...options, sections: [stateFields("known", ["cuont"] as readonly string[])] })).toThrow(
      expect.objectContaining({
        code: "agent.invalid",
        message: 'Section "known" of agent "desk" names the field "cuont", which the state does not have.',
        hint: 'Did you mean "count"?',
      }) as Error,
    );
  });

  test("were declared for its state", () => {
    const other = defineState({ message: input(z.string()) });
    const own = section("own", ({ state: { count } }) => String(count), { state });
    expect(defineAgent({ ...options, sections: [own] }).sections).toEqual([own]);
    const sections: readonly PromptPart[] = [section("foreign", () => "x", { state: other })];
    expect(() => defineAgent({ ...options, sections })).toThrow('Section "foreign" was declared for another state than that of agent "desk".');
    expect(() => section("x", () => "x", { state: { fields: {} } })).toThrow("a state that was not made by defineState");
  });
});

describe("a session of an agent", () => {
  test("is opened with the agent or its name", async () => {
    const { sessions } = await started({ agents: [agent] });
    const opened = await sessions.open({ agent, customer: "crm-7" });
    expect((await sessions.open({ agent: "desk", customer: "crm-7" })).id).toBe(opened.id);
    expect((await opened.info()).agent).toBe("desk");
    const created = await sessions.create({ agent, idempotencyKey: "k" });
    expect((await sessions.create({ agent: "desk", idempotencyKey: "k" })).id).toBe(created.id);
    expect(await sessions.openOrCreate({ agent, customer: "crm-7" })).toMatchObject({ created: false });
  });

  test("is refused if the runtime knows another agent by that name, or none", async () => {
    const { sessions } = await started({ agents: [agent] });
    const foreign = defineAgent({ name: "desk", version: 1, state: defineState({}), reply: loop({ model: scripted([]) }) });
    for (const refused of [sessions.open({ agent: foreign, key: "k" }), sessions.create({ agent: foreign }), sessions.create({ agent: "other" })])
      await expect(refused).rejects.toMatchObject({ code: "agent.not_found" });
    await expect(sessions.create({} as never)).rejects.toMatchObject({ code: "agent.not_found" });
    expect((await sessions.list()).items).toEqual([]);
  });
});

describe("a variant of an agent", () => {
  test("has the changed options, and keeps the others and the agent itself", () => {
    const variant = agent.with({ name: "thrifty", budget: { steps: 2 } });
    const { version, state: own, stages, reply, sections, apology } = agent;
    expect([variant.name, variant.budget.steps, agent.name, agent.budget.steps]).toEqual(["thrifty", 2, "desk", 20]);
    expect(variant).toMatchObject({ version, state: own, stages, reply, sections, apology });
    expect(Object.isFrozen(variant)).toBe(true);
  });

  test("has variants of its own", () => {
    const variant = agent.with({ budget: { steps: 2 } }).with({ waitingLimit: 7 });
    expect([variant.budget.steps, variant.waitingLimit]).toEqual([2, 7]);
  });

  test("answers next to the agent that it was made from", async () => {
    const { sessions } = await started({ agents: [agent, agent.with({ name: "second" })] });
    for (const name of ["desk", "second"]) {
      const session = await sessions.create({ agent: name });
      expect(await session.send("hi")).toMatchObject({ status: "completed", output: { count: 1 } });
    }
  });

  test.each([
    ["no object", undefined, /takes an object of options, got undefined/],
    ["an unknown option", { budgets: { steps: 1 } }, /has no option "budgets"/],
    ["a wrong budget", { budget: { steps: -1 } }, /steps/],
    ["stages that do not fit", { stages: [counting, counting] }, /two stages named "counting"/],
    ["another state", { state: defineState({}) }, /keeps the agent's state/],
  ])("is refused with %s", (_what, changes, message) => {
    expect(() => agent.with(changes as never)).toThrow(message);
  });
});
