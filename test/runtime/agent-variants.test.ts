/** Variants of an agent: other options under the same checks. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineState, input, loop, reduced, scripted, section, stage } from "../../packages/throughline/src/index.ts";
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

describe("a variant of an agent", () => {
  test("has the changed options, and keeps the others and the agent itself", () => {
    const variant = agent.with({ name: "thrifty", budget: { steps: 2 } });
    const { name: _name, budget, with: _with, ...kept } = variant;
    expect([variant.name, budget.steps, agent.name, agent.budget.steps]).toEqual(["thrifty", 2, "desk", 20]);
    expect(agent).toMatchObject(kept);
    expect(Object.isFrozen(variant)).toBe(true);
  });

  test("has variants of its own", () => {
    const variant = agent.with({ budget: { steps: 2 } }).with({ apology: "Oh." });
    expect([variant.budget.steps, variant.apology]).toEqual([2, "Oh."]);
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
