/** Tools against the state of their agent: what would fail at the first call is refused when the agent is built. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, loaded, reduced, turn } from "../../packages/throughline/src/state/field.ts";
import { replace } from "../../packages/throughline/src/state/reducers.ts";
import { checkTools } from "../../packages/throughline/src/tools/check-tools.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import { errorOf } from "../state/support.ts";

const fields = {
  message: input(z.string()),
  user_name: reduced(z.string()),
  age: reduced(z.number().nullable()),
  anything: reduced(z.any()),
  recalled: loaded(z.array(z.string())),
  note: turn(z.string()),
};
const state = defineState(fields);
const declare = (options: object) => defineTool({ name: "search", description: "Searches.", execute: () => 1, ...options });
const city = { type: "object", properties: { city: { type: "string" }, days: { type: ["integer", "null"] }, any: {} } };
const refusal = (...tools: readonly unknown[]) => errorOf(() => checkTools("desk", state, tools as never));

describe("checkTools", () => {
  it("accepts maps to fields that there are", () => {
    checkTools("desk", state, [
      declare({
        parameters: city,
        inputsFromState: { user_name: "city", age: "days", anything: "any" },
        outputsToState: { user_name: {}, recalled: {}, note: {}, messages: { source: "said" } },
      }),
      declare({ name: "other", parameters: city, inputsFromState: { anything: "city", message: "any" } }),
      declare({ name: "taking", state, takesState: true }),
      declare({ name: "elsewhere", state: defineState({ user_name: reduced(z.string()) }), outputsToState: { user_name: {} } }),
    ]);
  });

  it.each<readonly [string, object, RegExp]>([
    ["I10 an unknown field that is written", { outputsToState: { user_nmae: {} } }, /"search", which writes the field "user_nmae"/],
    ["an unknown field that is read", { parameters: city, inputsFromState: { user_nmae: "city" } }, /which reads the field "user_nmae"/],
    ["an inherited name", { outputsToState: { toString: {} } }, /which writes the field "toString"/],
    ["an input field that is written", { outputsToState: { message: {} } }, /writes the field "message", an input field/],
    [
      "a field of another type",
      { parameters: city, inputsFromState: { user_name: "days" } },
      /"user_name", string, to its parameter "days", number or null/,
    ],
    ["messages that are replaced", { outputsToState: { messages: { reduce: replace() } } }, /writes `messages` through a reducer of its own/],
    ["the state of somebody else", { state: defineState(fields), takesState: true }, /takes the state of another definition/],
  ])("refuses %s", (_title, options, message) => {
    const error = refusal(declare(options));
    expect([error.code, error.message]).toEqual(["agent.invalid", expect.stringMatching(message)]);
    expect(error.message).toContain('Agent "desk"');
  });

  it("suggests the field that was meant", () => {
    expect(refusal(declare({ outputsToState: { user_nmae: {} } })).hint).toBe("Did you mean `user_name`?");
  });
  it("F18, N8 refuses two tools of one name, and what is no tool", () => {
    expect(refusal(declare({}), declare({})).message).toContain('two tools named "search"');
    for (const tool of [null, {}, () => 1, "search"]) expect(refusal(tool).message).toContain("was not made by defineTool");
    expect(errorOf(() => checkTools("desk", state, "search" as never)).code).toBe("agent.invalid");
  });
});
