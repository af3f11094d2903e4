/** G and H: what a model is told of a tool, and what the tool is called with. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import type { BoundArguments } from "../../packages/throughline/src/tools/tool.ts";

const declare = (options: object) => defineTool({ name: "weather", description: "Tells the weather.", execute: () => 1, ...options });
const shown = (options: object): JsonObject => declare(options).model.parameters;
const live = (bound: BoundArguments): unknown => (bound.ok ? bound.live : bound.error);
const issues = (bound: BoundArguments): Json | undefined => (bound.ok ? undefined : bound.error.details?.["issues"]);

describe("G. what the model is told", () => {
  it("G1 name, description and parameters", () => {
    expect(declare({ parameters: z.object({ city: z.string() }) }).model).toEqual({
      name: "weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    });
    expect(shown({})).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  it("G3 defaults, enumerations, null and descriptions; what has a default is not required", () => {
    const parameters = z.object({
      unit: z.enum(["c", "f"]).default("c").describe("Unit."),
      day: z.string().nullable().optional(),
    });
    expect(shown({ parameters })).toEqual({
      type: "object",
      properties: {
        unit: { type: "string", enum: ["c", "f"], default: "c", description: "Unit." },
        day: { type: ["string", "null"] },
      },
    });
  });

  it("G8 a bound parameter is not in it", () => {
    const parameters = z.object({ city: z.string(), output_format: z.string() });
    expect(shown({ parameters, inputsFromState: { output_format: "output_format" } })).toEqual({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    });
  });

  it("nor is it in a schema that was written by hand", () => {
    const parameters = {
      type: "object",
      properties: { query: { type: "string" }, user: { $ref: "#/$defs/user" } },
      required: ["query", "user"],
      dependentRequired: { query: ["user"], user: ["query"] },
      examples: [{ query: "x", user: "Alice" }],
      default: { user: "Bob" },
      anyOf: [{ required: ["user"] }, { properties: { user: { const: 1 } } }],
      not: { required: ["user", "query"] },
      $defs: { user: { type: "string", description: "A secret of the house." }, other: {} },
    };
    const told = shown({ parameters, inputsFromState: { user_name: "user" } });
    expect(JSON.stringify(told)).not.toMatch(/user|Alice|Bob|secret/);
    expect(told).toMatchObject({ type: "object", properties: { query: { type: "string" } }, required: ["query"], examples: [{ query: "x" }] });
    expect(parameters.required).toEqual(["query", "user"]);
  });

  it("a parameter that the model may override stays, and is not required", () => {
    const parameters = z.object({ city: z.string(), unit: z.string() });
    expect(shown({ parameters, inputsFromState: { unit: "unit" }, overridable: ["unit"] })).toEqual({
      type: "object",
      properties: { city: { type: "string" }, unit: { type: "string" } },
      required: ["city"],
    });
  });

  it("G11 parameters named like keywords are parameters", () => {
    const parameters = z.object({ title: z.string(), properties: z.object({ title: z.string() }).default({ title: "x" }), required: z.string() });
    const told = shown({ parameters, inputsFromState: { a: "required" } });
    expect(told["properties"]).toMatchObject({ title: { type: "string" }, properties: { default: { title: "x" } } });
    expect(told["required"]).toEqual(["title"]);
  });

  it("law: bound parameters never reach the model, whatever the schema looks like", () => {
    const name = fc.stringMatching(/^[a-z]{3,8}$/);
    const member = fc.record({ type: fc.constantFrom("string", "number", "boolean"), description: fc.constant("x") }, { requiredKeys: ["type"] });
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
    const schema = names.chain((all) =>
      fc.record({
        bound: fc.subarray(all),
        properties: fc.tuple(...all.map(() => member)).map((members) => Object.fromEntries(all.map((key, index) => [key, members[index]]))),
        required: fc.subarray(all),
        branches: fc.array(fc.record({ required: fc.subarray(all, { minLength: 1 }) }), { minLength: 1, maxLength: 3 }),
        keyword: fc.constantFrom("allOf", "anyOf", "oneOf"),
      }),
    );
    fc.assert(
      fc.property(schema, ({ bound, properties, required, branches, keyword }) => {
        const parameters = { type: "object", properties, required, [keyword]: branches, if: branches[0], else: branches.at(-1) };
        const tool = declare({ parameters, inputsFromState: Object.fromEntries(bound.map((key) => [`field_${key}`, key])) });
        const text = JSON.stringify(tool.model.parameters);
        for (const key of bound) expect(text.includes(`"${key}"`)).toBe(false);
        for (const key of Object.keys(properties)) if (!bound.includes(key)) expect(text.includes(`"${key}"`)).toBe(true);
        // What the model sends for them is as if it had not been sent.
        const sent = Object.fromEntries(bound.map((key) => [key, "sent by the model"]));
        expect(tool.bind(sent, {})).toEqual(tool.bind({}, {}));
      }),
      { numRuns: 100 },
    );
  });
});

describe("H. what a tool is called with", () => {
  const parameters = z.object({ location: z.string().nullable().default("here") });
  const bound = declare({ parameters, inputsFromState: { k: "location" } });

  it("H1 nothing is taken from the state because its name matches", () => {
    const tool = declare({ parameters: z.object({ location: z.string().optional() }) });
    expect(live(tool.bind({}, { location: "Berlin" }))).toEqual({});
  });
  it("a bound parameter is what the state holds", () => expect(live(bound.bind({}, { k: "Berlin" }))).toEqual({ location: "Berlin" }));
  it("H3 also when the model sends it; the model's value wins only where the tool says so", () => {
    expect(live(bound.bind({ location: "Paris" }, { k: "Berlin" }))).toEqual({ location: "Berlin" });
    expect(live(bound.bind({ location: "Paris" }, {}))).toEqual({ location: "here" });
    const open = declare({ parameters, inputsFromState: { k: "location" }, overridable: ["location"] });
    expect(live(open.bind({ location: "Paris" }, { k: "Berlin" }))).toEqual({ location: "Paris" });
    expect(live(open.bind({}, { k: "Berlin" }))).toEqual({ location: "Berlin" });
  });
  it("null that the model sends for a parameter that it may override is a value", () => {
    const open = declare({ parameters, inputsFromState: { k: "location" }, overridable: ["location"] });
    expect(live(open.bind({ location: null }, { k: "Berlin" }))).toEqual({ location: null });
  });
  it("H5 an absent field leaves the parameter to the tool's default", () => expect(live(bound.bind({}, {}))).toEqual({ location: "here" }));
  it("H6 null in the state is null", () => expect(live(bound.bind({}, { k: null }))).toEqual({ location: null }));

  it.each([
    ["a schema", z.object({ list: z.array(z.any()) })],
    ["a JSON Schema", { type: "object", properties: { list: { type: "array" } } }],
  ])("H10 %s: a tool that changes what it was given changes nothing else", (_title, given) => {
    const tool = declare({ parameters: given, inputsFromState: { docs: "list" } });
    const state = Object.freeze({ docs: Object.freeze([Object.freeze({ title: "a" })]) });
    const { list } = live(tool.bind({}, state)) as { list: { title: string }[] };
    list.push({ title: "b" });
    (list[0] as { title: string }).title = "changed";
    expect(state).toEqual({ docs: [{ title: "a" }] });
    expect(live(tool.bind({}, state))).toEqual({ list: [{ title: "a" }] });
  });
  it("H10 dates, maps and sets are copies too", () => {
    const day = new Date(0);
    const held = { day, map: new Map([["a", [1]]]), set: new Set([1]) };
    const tool = declare({ parameters: z.object({ all: z.any() }), inputsFromState: { k: "all" } });
    const { all } = live(tool.bind({}, { k: held })) as { all: typeof held };
    all.day.setTime(5);
    all.map.get("a")?.push(2);
    all.set.add(2);
    expect([day.getTime(), held.map.get("a"), [...held.set]]).toEqual([0, [1], [1]]);
  });

  it("H13 the messages of the state are one of its fields", () => {
    const tool = declare({ parameters: z.object({ n: z.array(z.any()) }), inputsFromState: { messages: "n" } });
    expect(live(tool.bind({}, { messages: [{ role: "user", text: "hi" }] }))).toEqual({ n: [{ role: "user", text: "hi" }] });
  });
});

describe("arguments that do not match", () => {
  const shapes: readonly (readonly [string, object])[] = [
    ["a schema", z.object({ city: z.string(), days: z.number().optional() })],
    ["a strict schema", z.strictObject({ city: z.string(), days: z.number().optional() })],
    ["a JSON Schema", { type: "object", properties: { city: { type: "string" }, days: { type: "number" } }, required: ["city"] }],
    [
      "a closed JSON Schema",
      { type: "object", properties: { city: { type: "string" }, days: { type: "number" } }, required: ["city"], additionalProperties: false },
    ],
  ];
  describe.each(shapes)("%s", (_title, parameters) => {
    const tool = declare({ parameters });
    it("L15 an argument that there is not is refused, with the name that was meant", () => {
      expect(issues(tool.bind({ city: "Oslo", day: 3 }, {}))).toEqual([{ path: "/day", message: 'is not a parameter; did you mean "days"?' }]);
    });
    it("says where, and what else there is", () => {
      const bound = tool.bind({ days: "three" }, {});
      expect(issues(bound)).toEqual([expect.objectContaining({ path: "/city" }), expect.objectContaining({ path: "/days" })]);
      expect(bound).toMatchObject({ ok: false, error: { code: "tool.arguments_invalid", details: { expected: ["city", "days"] } } });
    });
    it("refuses what is no object, and names that reach a prototype", () => {
      for (const given of [null, [], "city", JSON.parse('{"city":"Oslo","__proto__":{"days":1}}')])
        expect(tool.bind(given as never, {})).toMatchObject({ ok: false, error: { code: "tool.arguments_invalid" } });
    });
  });

  it("an open schema takes what it does not name", () => {
    const open = { type: "object", properties: { a: { type: "string" } }, additionalProperties: true };
    expect(live(declare({ parameters: open }).bind({ b: 1 }, {}))).toEqual({ b: 1 });
    expect(live(declare({ parameters: z.looseObject({ a: z.string() }) }).bind({ a: "x", b: 1 }, {}))).toEqual({ a: "x", b: 1 });
    expect(live(declare({ parameters: z.record(z.string(), z.number()) }).bind({ b: 1 }, {}))).toEqual({ b: 1 });
  });

  it("alternatives name all that any of them has", () => {
    const parameters = z.discriminatedUnion("by", [
      z.object({ by: z.literal("id"), id: z.string() }),
      z.object({ by: z.literal("name"), name: z.string() }),
    ]);
    const tool = declare({ parameters });
    expect(tool.model.parameters["type"]).toBe("object");
    expect(live(tool.bind({ by: "id", id: "7" }, {}))).toEqual({ by: "id", id: "7" });
    expect(tool.bind({ by: "id" }, {}).ok).toBe(false);
    expect(issues(tool.bind({ by: "id", id: "7", other: 1 }, {}))).toEqual([{ path: "/other", message: "is not a parameter" }]);
  });

  it("a tool without parameters takes none", () => {
    expect(live(declare({}).bind({}, {}))).toEqual({});
    expect(issues(declare({}).bind({ city: "Oslo" }, {}))).toEqual([{ path: "/city", message: "is not a parameter" }]);
  });

  it("what the state holds is not told to the model, only that it does not fit", () => {
    const tool = declare({
      parameters: z.object({ q: z.string(), user: z.string().refine((value) => value.length > 99, { error: ({ input }) => `no ${String(input)}` }) }),
      inputsFromState: { user_name: "user" },
    });
    const bound = tool.bind({ q: "x" }, { user_name: "SECRET" });
    expect(JSON.stringify(bound)).not.toContain("SECRET");
    expect(bound).toMatchObject({ error: { details: { expected: ["q"] } } });
    expect(issues(bound)).toEqual([{ path: "/user", message: 'is taken from the field "user_name" of the state, whose value does not fit' }]);
    expect(issues(tool.bind({ q: "x" }, {}))).toEqual([
      { path: "/user", message: 'is taken from the field "user_name" of the state, which is not set yet' },
    ]);
  });

  it("a schema that throws has refused the arguments; one that answers later fails the call", () => {
    const throws = z.object({ a: z.string().transform(() => JSON.parse("{") as unknown) });
    expect(declare({ parameters: throws }).bind({ a: "x" }, {})).toMatchObject({ ok: false });
    const late = z.object({ a: z.string().refine(async () => true) });
    expect(declare({ parameters: late }).bind({ a: "x" }, {})).toMatchObject({ ok: false, error: { code: "tool.failed" } });
  });

  it("names of any kind have their place in a path, and a message is one sentence", () => {
    const bound = declare({ parameters: { type: "object", properties: { "a b%/~é": { type: "string" }, '"q"': {} }, required: ['"q"'] } });
    const result = bound.bind({ "a b%/~é": 1 }, {});
    expect(issues(result)).toEqual([
      { path: '/"q"', message: "is required" },
      { path: "/a b%~1~0é", message: 'Instance type "number" is invalid. Expected "string"' },
    ]);
    expect(result.ok ? "" : result.error.message).toMatch(/"string"\.$/);
  });

  it("takes older drafts of JSON Schema, as servers still send them", () => {
    const parameters = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false } },
    };
    const tool = declare({ parameters });
    expect(tool.bind({ pair: ["a", 1] }, {}).ok).toBe(true);
    expect(tool.bind({ pair: ["a", "b"] }, {}).ok).toBe(false);
  });

  it("the arguments are what the schema returns", () => {
    const tool = declare({ parameters: z.object({ at: z.string().transform((text) => new Date(text)) }) });
    expect(live(tool.bind({ at: "2026-01-01T00:00:00Z" }, {}))).toEqual({ at: new Date("2026-01-01T00:00:00Z") });
  });
});
