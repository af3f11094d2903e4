/** F: what a tool's declaration refuses. Where the described system accepted a mistake, the title says what happens here. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { reduced } from "../../packages/throughline/src/state/field.ts";
import { append } from "../../packages/throughline/src/state/reducers.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import { errorOf } from "../state/support.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
/** Declares as a program without types does. */
const declare = (options: object) => defineTool({ name: "weather", description: "Tells the weather.", execute: () => 1, ...options });
const refusal = (options: object) => errorOf(() => declare(options));

describe("F. a tool's declaration", () => {
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ["F1 parameters of a type that is none", { parameters: { ...city, type: "invalid" } }, /`parameters`\/type is "invalid"/],
    ["F1 a type that is none further down", { parameters: { type: "object", properties: { a: { type: "str" } } } }, /\/properties\/a\/type is "str"/],
    ["F1 parameters that are no object", { parameters: { type: "string" } }, /must describe an object/],
    ["F1 parameters that may be anything", { parameters: {} }, /must describe an object/],
    ["F1 properties that are no schemas", { parameters: { type: "object", properties: ["city"] } }, /\/properties is \["city"\]/],
    ["F1 a reference to nothing", { parameters: { type: "object", properties: { a: { $ref: "#/$defs/a" } } } }, /points at nothing/],
    ["F1 a pattern that is none", { parameters: { type: "object", properties: { a: { pattern: "(" } } } }, /no regular expression/],
    ["no function", { execute: undefined }, /`execute` is a function; saw undefined/],
    ["F3 no function but a promise of one", { execute: Promise.resolve() }, /`execute` is a function/],
    ["a map that is a list", { outputsToState: ["documents"] }, /`outputsToState` is an object/],
    [
      "F5 a reducer that is a text",
      { outputsToState: { documents: { reduce: "s", source: "docs" } } },
      /documents.reduce` is not a reducer; saw "s"/,
    ],
    [
      "the option `reducer`, which is spelled `reduce`",
      { outputsToState: { documents: { reducer: append() } } },
      /has no `outputsToState.documents` "reducer"/,
    ],
    ["F5 a reducer that is null", { outputsToState: { documents: { reduce: null } } }, /is not a reducer; saw null/],
    ["F5 a reducer that is any function", { outputsToState: { documents: { reduce: () => 1 } } }, /is not a reducer; saw a function/],
    ["F5 a source that is null", { outputsToState: { documents: { source: null } } }, /source` is the name of a member of the result; saw null/],
    ["F5 an empty source", { outputsToState: { documents: { source: "" } } }, /saw ""/],
    ["F6 an output that is a list", { outputsToState: { documents: ["x"] } }, /documents` is an object; saw \["x"\]/],
    ["F6 an output that is a text", { outputsToState: { documents: "docs" } }, /documents` is an object; saw "docs"/],
    ["a misspelt source", { outputsToState: { documents: { sorce: "docs" } } }, /has no `outputsToState.documents` "sorce"/],
    ["F8 a rendering that is no function", { show: { source: 1 } }, /`show` is a function/],
    ["F11 an unknown parameter", { parameters: city, inputsFromState: { k: "nonexistent" } }, /"nonexistent", which it does not have; it has city/],
    ["a parameter that is no name", { parameters: city, inputsFromState: { k: 1 } }, /is the name of a parameter; saw 1/],
    ["a map that is a list", { parameters: city, inputsFromState: ["city"] }, /`inputsFromState` is an object/],
    ["a parameter of a tool without any", { inputsFromState: { location: "city" } }, /it has none/],
    ["H11 two fields for one parameter", { parameters: city, inputsFromState: { a: "city", b: "city" } }, /two values, from "a" and "b"/],
    ["a name with a space", { name: "the weather" }, /`name` is 1 to 64 letters/],
    ["a name that is too long", { name: "w".repeat(65) }, /`name` is 1 to 64 letters/],
    ["no description", { description: " " }, /`description` is a text/],
    ["an unknown option", { inputs_from_state: {} }, /has no option "inputs_from_state"/],
    ["null for an option", { retry: null }, /`retry` is an object; saw null/],
    ["null for a schema", { parameters: null }, /`parameters` is a schema/],
    ["null for effects", { effects: null }, /`effects` is "none", "idempotent", "once"; saw null/],
    ["a time limit of nothing", { timeoutMs: 0 }, /`timeoutMs` is a whole number from 1/],
    ["a time limit that no timer can hold", { timeoutMs: 2 ** 31 }, /`timeoutMs` is a whole number/],
    ["tries of something that must not happen twice", { retry: { tries: 2 } }, /effects "once" is never tried again/],
    ["a misspelt try", { effects: "none", retry: { trys: 2 } }, /has no `retry` "trys"/],
    ["an approval that is a text", { approval: "yes" }, /`approval` is `true` or an object/],
    ["an override of what is not bound", { parameters: city, overridable: ["city"] }, /which `inputsFromState` does not bind/],
    ["a state that is none", { state: { fields: {} } }, /`state` is made by defineState/],
    ["G5 a schema that cannot say its JSON Schema", { parameters: v.object({ a: v.string() }) }, /cannot be written as JSON Schema/],
    ["G5 a schema of something else than an object", { parameters: z.string() }, /must describe an object/],
    ["G5 a schema that answers later", { parameters: z.object({}).refine(async () => true) }, /asynchronously/],
  ];
  it.each(refused)("refuses %s", (_title, options, message) => {
    const error = refusal(options);
    expect(error.code).toBe("tool.invalid");
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe("");
  });

  it.each([
    [{ inputsFormState: {} }, "inputsFromState"],
    [{ outputsToState: { documents: { sorce: "docs" } } }, "source"],
    [{ parameters: city, inputsFromState: { k: "ctiy" } }, "city"],
    [{ parameters: city, inputsFromState: { k: "city" }, overridable: ["citty"] }, "city"],
  ])("%j: suggests the name that was meant", (options, meant) => {
    expect(refusal(options).hint).toBe(`Did you mean \`${meant}\`?`);
  });

  it("refuses what is no object of options", () => {
    expect(errorOf(() => defineTool(null as never)).code).toBe("tool.invalid");
  });

  it("F13, F15 accepts a map to a parameter, and a source that nothing tells of", () => {
    const tool = declare({ parameters: city, inputsFromState: { location: "city" }, outputsToState: { report: { source: "report" }, all: {} } });
    expect(tool.inputsFromState).toEqual({ location: "city" });
    expect(tool.outputsToState).toEqual({ report: { source: "report" }, all: {} });
  });

  it("is frozen, with defaults that are safe: what nobody has thought about is not repeated", () => {
    const tool = declare({});
    expect(Object.isFrozen(tool) && Object.isFrozen(tool.model.parameters) && Object.isFrozen(tool.retry)).toBe(true);
    expect(tool).toMatchObject({ effects: "once", timeoutMs: 60_000, retry: { tries: 1, backoffMs: 200 }, approval: undefined, takesState: false });
    expect(declare({ approval: true }).approval).toEqual({ expiresMs: 86_400_000 });
    expect(declare({ effects: "none", retry: { tries: 3 } }).retry).toEqual({ tries: 3, backoffMs: 200 });
  });

  it("neither keeps nor changes the schema and the maps that it is given", () => {
    const parameters = structuredClone(city);
    const inputsFromState = { location: "city" };
    const tool = declare({ parameters, inputsFromState });
    parameters.properties.city.type = "number";
    inputsFromState.location = "other";
    expect(tool.parameters).toEqual(city);
    expect(tool.inputsFromState).toEqual({ location: "city" });
    expect(Object.isFrozen(parameters)).toBe(false);
  });

  it("takes a reducer for one field", () => {
    const state = defineState({ documents: reduced(z.array(z.string())) });
    expect(declare({ state, outputsToState: { documents: { reduce: append() } } }).outputsToState["documents"]?.reduce?.name).toBe("append");
  });
});
