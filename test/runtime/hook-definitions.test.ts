import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkHooks, hook, type Hook } from "../../packages/throughline/src/runtime/hooks/hook.ts";
import { approveTools, blockTools, cancelWhen, stopOnFinishReason, stopWhen } from "../../packages/throughline/src/runtime/hooks/guards.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input } from "../../packages/throughline/src/state/field.ts";
import { bench, call, endedFor, loose, rejected, running, state, step, thrown, withSignals } from "./hook-bench.ts";

describe("a definition that is wrong is refused", () => {
  const noop = (): undefined => undefined;
  test.each([
    ["O1: an unknown point, with the one that is meant", { beforeModle: noop }, "beforeModle", `Did you mean "beforeModel"?`],
    ["O1: a point of another style", { before_tool: noop }, "before_tool", `Did you mean "beforeTool"?`],
    ["O1: no function at any point", { priority: 1 }, "no function at any point", "beforeExecution"],
    ["O1: a bare function", noop, "takes an object of options, got a function", `hook("h", { beforeStep`],
    ["O1: something else at a point", { onStop: { run: noop } }, "a function at onStop", "Correct"],
    ["a misspelt option", { beforeStep: noop, priorty: 1 }, "priorty", `Did you mean "priority"?`],
    ["a name of an option that is near nothing", { beforeStep: noop, zzzzzzzzzz: 1 }, "zzzzzzzzzz", "The points are"],
    ["a priority that is no number", { beforeStep: noop, priority: Number.NaN }, "priority that is a number", "Correct"],
    ["no time at all", { beforeStep: noop, timeoutMs: 0 }, "timeoutMs", "Correct"],
    ["another policy", { beforeStep: noop, onFailure: "isolate" }, `"fail" or "ignore"`, "Correct"],
    ["a state that is none", { beforeStep: noop, state: {} }, "defineState", "Correct"],
    ["a field that is misspelt", { beforeStep: noop, state, writes: ["cuont"] }, `"cuont"`, `Did you mean "count"?`],
    ["an input field", { beforeStep: noop, state, writes: ["message"] }, "input field", "turn"],
    ["writes that are no list", { beforeStep: noop, writes: "count" }, "list of fields", "Correct"],
    ["tools that are no names", { beforeTool: noop, tools: [] }, "names of tools", "Correct"],
  ])("%s", (_title, options, message, hint) => {
    const error = thrown(() => loose("h", options));
    expect(error.code).toBe("hook.invalid");
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
  test.each([["has space"], [""], [7], ["1st"]])("the name %j", (name) =>
    expect(thrown(() => loose(name, { beforeStep: noop })).code).toBe("hook.invalid"),
  );

  test("what is made is frozen, and keeps nothing of the lists given", () => {
    const writes = ["count"] as const;
    const made = hook("h", { state, writes, beforeStep: noop });
    expect(made).toMatchObject({ type: "hook", name: "h", writes: ["count"], priority: 0, timeoutMs: 5000, onFailure: "fail", tools: undefined });
    expect([made, made.at, made.writes].every((part) => Object.isFrozen(part))).toBe(true);
    expect(made.writes).not.toBe(writes);
    expect(Object.keys(made.at)).toEqual(["beforeStep"]);
  });

  test("an agent takes hooks of its own state, with names of their own, for fields and tools that it has", () => {
    const other = defineState({ message: input(z.string()) });
    const one = hook("one", { state, beforeStep: noop });
    const check = (hooks: readonly unknown[], tools?: readonly string[]): void => checkHooks("a", state, hooks as readonly Hook[], tools);
    expect(() => check([one, hook("two", { writes: ["count"], beforeStep: noop } as never)], [])).not.toThrow();
    expect(thrown(() => check([one, hook("one", { beforeStep: noop })])).message).toContain(`two hooks named "one"`);
    expect(thrown(() => check([hook("o", { state: other, beforeStep: noop })])).message).toContain("another state");
    expect(thrown(() => check([loose("o", { writes: ["sene"], beforeStep: noop })]))).toMatchObject({
      code: "agent.invalid",
      hint: `Did you mean "seen"?`,
    });
    expect(thrown(() => check([noop])).message).toContain("not made by hook");
    expect(thrown(() => check([undefined])).message).toContain("not made by hook");
    expect(thrown(() => check([blockTools(["ad"], "No.")], ["add"]))).toMatchObject({ code: "agent.invalid", hint: `Did you mean "add"?` });
    expect(() => check([blockTools(["add"], "No.")], ["add"])).not.toThrow();
  });
});

describe("the stock guards", () => {
  test("120: stopOnFinishReason gives the reason, and the list that was configured", async () => {
    const { runner, raised } = bench([stopOnFinishReason(["length", "content_filter"])]);
    await runner.afterStep(running, step);
    await runner.afterStep(running, endedFor("stop"));
    expect(raised).toEqual([
      {
        ...{ reason: "finish_reason", message: "The model stopped with the reason length.", source: "stop_on_finish_reason" },
        context: { finish_reason: "length", stop_reasons: ["length", "content_filter"] },
      },
    ]);
  });

  test("stopWhen stops before a step, with its name, a sentence or a whole signal", async () => {
    const { runner, raised } = bench([
      stopWhen("plain", () => true),
      stopWhen("sentence", ({ state: { count } }) => `Counted ${count}.`, { state, reason: "cost_limit" }),
      stopWhen("whole", async () => ({ reason: "deadline", message: "Too late.", context: { now: 1 } })),
      stopWhen("no", () => false),
      stopWhen("nothing", () => undefined),
    ]);
    await runner.beforeStep(running);
    expect(raised.map(({ reason, message, source }) => [reason, message, source])).toEqual([
      ["stop_requested", `The condition "plain" holds.`, "plain"],
      ["cost_limit", "Counted 0.", "sentence"],
      ["deadline", "Too late.", "whole"],
    ]);
  });

  test("121, 123: cancelWhen asks its source at the beginning and before steps, unless it was cancelled already", async () => {
    let asked = 0;
    const { runner, raised } = bench([cancelWhen(() => (asked++, true))]);
    await runner.beforeExecution(running);
    await runner.beforeStep(running);
    expect(raised.map(({ reason, source }) => [reason, source])).toEqual([
      ["user_requested", "cancel_when"],
      ["user_requested", "cancel_when"],
    ]);
    await runner.beforeStep(withSignals({ reason: "user_requested", message: "." }));
    expect(asked).toBe(2);
    await runner.beforeStep(withSignals({ reason: "steps_limit", message: "." }));
    expect(asked).toBe(3);
  });

  test("136: blockTools and approveTools are for the tools named, and say who they are", async () => {
    const { runner } = bench([
      blockTools(["rm"], "Files stay."),
      approveTools(["add"], (given) => `Add ${JSON.stringify(given.arguments["a"])}?`),
      approveTools(["sub"], undefined, { name: "second" }),
    ]);
    expect(await runner.beforeTool(running, { ...call, name: "rm" })).toMatchObject({ block: { by: "block_tools", reason: "Files stay." } });
    expect(await runner.beforeTool(running, call)).toEqual({ call, approval: { by: "approve_tools", question: "Add 1?" } });
    expect(await runner.beforeTool(running, { ...call, name: "sub" })).toMatchObject({ approval: { by: "second", question: undefined } });
    expect(await runner.beforeTool(running, { ...call, name: "mul" })).toEqual({ call: { ...call, name: "mul" } });
  });

  test("an approval whose question cannot be made is not forgotten: the execution fails", async () => {
    const { runner } = bench([
      approveTools(["add"], () => {
        throw new Error("no words");
      }),
    ]);
    expect((await rejected(runner.beforeTool(running, call))).code).toBe("hook.failed");
  });

  test.each([
    ["no finish reason", () => stopOnFinishReason([])],
    ["a finish reason that is none", () => stopOnFinishReason(["done" as never])],
    ["a predicate that is none", () => stopWhen("x", "yes" as never)],
    ["a source that is none", () => cancelWhen(undefined as never)],
    ["no tools", () => blockTools([], "No.")],
    ["no reason", () => blockTools(["add"], " ")],
    ["a blank question", () => approveTools(["add"], "")],
    ["a name that is none", () => blockTools(["add"], "No.", { name: "no tools!" })],
  ])("refuse %s", (_title, make) => expect(thrown(make).code).toBe("hook.invalid"));
});
