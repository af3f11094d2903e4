import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { assertSchema, isSchema, jsonSchemaOf, type Schema, validate } from "../../packages/throughline/src/kernel/schema.ts";

describe("validating", () => {
  it.each([
    ["zod", z.object({ "a/b": z.array(z.number()) })],
    ["valibot", v.object({ "a/b": v.array(v.number()) })],
  ] as const)("gives the value, or issues with JSON Pointers: %s", (_name, schema) => {
    expect(validate(schema, { "a/b": [1] })).toEqual({ ok: true, value: { "a/b": [1] } });
    const result = validate(schema, { "a/b": [1, "x"] });
    expect(result).toMatchObject({ ok: false, issues: [{ path: "/a~1b/1" }] });
    expect(!result.ok && result.issues[0]?.message).toMatch(/number/);
  });

  it("gives what the schema makes of a value", () => {
    expect(validate(z.string().default("x"), undefined)).toEqual({ ok: true, value: "x" });
  });

  it.each([
    ["zod", z.string().refine(() => Promise.resolve(true))],
    [
      "valibot",
      v.pipeAsync(
        v.string(),
        v.checkAsync(() => Promise.reject(new Error("nobody waits for this"))),
      ),
    ],
  ])("refuses a schema that is asynchronous: %s", (_name, schema) => {
    expect(() => validate(schema as Schema, "x")).toThrow(expect.objectContaining({ code: "schema.async" }));
  });

  it("takes a schema that throws as a refusal", () => {
    const broken = v.pipe(
      v.string(),
      v.check((): boolean => {
        throw new Error("boom");
      }),
    );
    expect(validate(broken, "x")).toEqual({ ok: false, issues: [{ path: "", message: "the schema threw: boom" }] });
  });

  it.each([null, undefined, "string", { type: "string" }, { "~standard": {} }, () => true])("refuses %s, which is no schema", (value) => {
    expect(isSchema(value)).toBe(false);
    expect(() => validate(value as never, 1)).toThrow(expect.objectContaining({ code: "schema.unsupported" }));
    expect(() => assertSchema(value)).toThrow(ThroughlineError);
  });

  it("takes a schema that is a function, as ArkType's are", () => {
    const schema = Object.assign(() => true, { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } });
    expect(validate(schema as unknown as Schema, 1)).toEqual({ ok: true, value: 1 });
  });
});

describe("JSON Schema", () => {
  it("is what the schema says of its input and its output", () => {
    const schema = z.object({ a: z.string().default("x") });
    expect(jsonSchemaOf(schema, "input")).toEqual({ type: "object", properties: { a: { type: "string", default: "x" } } });
    expect(jsonSchemaOf(schema, "output")).toMatchObject({ required: ["a"] });
  });

  it("leaves open what cannot be said", () => {
    expect(jsonSchemaOf(z.object({ at: z.date() }), "output")).toMatchObject({ properties: { at: {} } });
    expect(jsonSchemaOf(v.string(), "output")).toEqual({});
    expect(jsonSchemaOf("no schema" as never, "output")).toEqual({});
    const throws = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: () => ({ value: 1 }),
        jsonSchema: { input: () => expect.fail("x"), output: () => ({ a: 1n }) },
      },
    };
    expect(jsonSchemaOf(throws as unknown as Schema, "input")).toEqual({});
    expect(jsonSchemaOf(throws as unknown as Schema, "output")).toEqual({});
  });
});
