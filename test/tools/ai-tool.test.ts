/** Tools of the AI SDK, as plain objects of the shape that its functions return. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromAiTool, type AiTool } from "../../packages/throughline/src/ai.ts";
import { calling, conversation } from "../runtime/loop/harness.ts";
import { callOf } from "./mcp/calling.ts";

const add: AiTool = {
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.coerce.number().default(1) }),
  execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
};
/** What `jsonSchema()` of the SDK returns. */
const wrapped = (jsonSchema: unknown, validate?: unknown): object => ({ [Symbol.for("vercel.ai.schema")]: true, jsonSchema, validate });
const object = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { a: { type: "number" } }, required: ["a"] };
const refused = (message: RegExp): unknown => expect.objectContaining({ code: "tool.invalid", message: expect.stringMatching(message) as string });

describe("the input", () => {
  test("is what the tool's own schema makes of it", async () => {
    expect(await callOf(fromAiTool("add", add), { a: 2 })).toEqual({ value: { sum: 3 } });
    expect(fromAiTool("add", add).model).toMatchObject({ name: "add", description: "Adds two numbers.", parameters: { required: ["a"] } });
  });
  test.each([
    ["a JSON Schema", wrapped(object)],
    ["a JSON Schema with a check", wrapped(object, (value: unknown) => ({ success: true, value }))],
    ["a JSON Schema with a check that takes its time", wrapped(object, async (value: unknown) => ({ success: true, value }))],
    ["a schema that is made when it is needed", () => wrapped(object)],
  ])("may be described by %s", async (_title, inputSchema) => {
    const tool = fromAiTool("same", { description: "The same.", inputSchema, execute: (input: object) => input });
    expect(await callOf(tool, { a: 2 })).toEqual({ value: { a: 2 } });
    expect(tool.model.parameters).toEqual({ type: "object", properties: { a: { type: "number" } }, required: ["a"] });
  });
  test("is refused with words that the model can use", async () => {
    const even = z.object({ a: z.number().refine(async (value) => value % 2 === 0, "is odd") });
    const { error } = await callOf(fromAiTool("even", { ...add, inputSchema: even }), { a: 3 });
    expect(error).toMatchObject({ code: "tool.arguments_invalid", details: { issues: [{ path: "/a", message: "is odd" }] } });
    const strict = wrapped(object, () => ({ success: false, error: new Error("not today") }));
    expect((await callOf(fromAiTool("t", { ...add, inputSchema: strict }), { a: 3 })).error?.message).toContain("not today");
    expect(fromAiTool("add", add).bind({ a: "two" }, {})).toMatchObject({ ok: false, error: { code: "tool.arguments_invalid" } });
  });
});

describe("a call", () => {
  test("gets its id, the signal and a context", async () => {
    let got: unknown;
    const tool: AiTool = { ...add, execute: (_input: object, options: object) => void (got = options) };
    expect(await callOf(fromAiTool("t", tool), { a: 1 })).toEqual({ value: null });
    expect(got).toMatchObject({
      toolCallId: "call_1",
      messages: [],
      abortSignal: expect.any(AbortSignal) as AbortSignal,
      context: { clock: "a clock" },
    });
    await callOf(fromAiTool("t", tool, { context: ({ session_id }) => session_id }), { a: 1 });
    expect(got).toMatchObject({ context: "ses_1", experimental_context: "ses_1" });
  });
  test("has the last of the results that a tool yields", async () => {
    const execute = async function* (): AsyncGenerator<string> {
      yield "looking";
      yield "found";
    };
    expect(await callOf(fromAiTool("t", { ...add, execute }), { a: 1 })).toEqual({ value: "found" });
  });
  test("has the tool's own `this`", async () => {
    const tool = {
      ...add,
      unit: "km",
      execute(this: { unit: string }) {
        return this.unit;
      },
    };
    expect(await callOf(fromAiTool("t", tool), { a: 1 })).toEqual({ value: "km" });
  });
  test.each([
    [
      { type: "text", value: "three" },
      { value: { sum: 3 }, shown: [{ type: "text", text: "three" }] },
    ],
    [
      { type: "json", value: { it: 3 } },
      { value: { sum: 3 }, shown: [{ type: "json", value: { it: 3 } }] },
    ],
    [
      { type: "content", value: [{ type: "text", text: "3" }, { type: "file" }] },
      {
        value: { sum: 3 },
        shown: [
          { type: "text", text: "3" },
          { type: "text", text: "[file, left out]" },
        ],
      },
    ],
    [{ type: "hologram" }, { value: { sum: 3 } }],
    [{ type: "error-text", value: "no" }, { error: { code: "tool.failed", message: "no" } }],
    [{ type: "execution-denied", reason: "no" }, { error: { code: "tool.rejected", message: "no" } }],
  ] as const)("shows what toModelOutput makes of its result: %o", async (said, expected) => {
    let got: unknown;
    const toModelOutput = async (given: object): Promise<object> => {
      got = given;
      return said;
    };
    expect(await callOf(fromAiTool("t", { ...add, toModelOutput }), { a: 2 })).toMatchObject(expected);
    expect(got).toEqual({ toolCallId: "call_1", input: { a: 2, b: 1 }, output: { sum: 3 } });
  });
  test.each([
    [true, true],
    [({ a }: { a: number }) => a > 1, true],
    [({ a }: { a: number }) => a > 2, false],
    [async () => false, true],
    [false, undefined],
  ])("asks a person if it needs approval: %o", (needsApproval, asked) => {
    const { approval } = fromAiTool("t", { ...add, needsApproval });
    expect(approval && (approval.when?.({ a: 2 }) ?? true)).toBe(asked);
    expect(fromAiTool("t", { ...add, needsApproval }, { approval: false }).approval).toBeUndefined();
  });
});

test("works in a turn, with the state", async () => {
  const tool = fromAiTool("add", add, { effects: "none", inputsFromState: { total: "b" }, outputsToState: { total: { source: "sum" } } });
  const { session, model } = await conversation((_request, call) => (call < 2 ? calling(["add", { a: 2, b: 100 }]) : "done"), {
    loop: { tools: [tool] },
  });
  expect(await session.send("go")).toMatchObject({ reply: "done" });
  expect((await session.state()).document).toMatchObject({ total: 5 });
  expect(model.requests[0]?.tools[0]?.parameters["properties"]).toEqual({ a: { type: "number" } });
});

describe("what is no tool that can be run here", () => {
  test.each([
    ["nothing", undefined, /no tool of the AI SDK/],
    ["a tool without a function", { ...add, execute: undefined }, /no `execute`/],
    ["a tool of the provider", { ...add, type: "provider" }, /at the model's provider/],
    ["a tool of the provider, in older words", { ...add, type: "provider-defined" }, /at the model's provider/],
    ["a tool without a schema", { ...add, inputSchema: undefined }, /no `inputSchema`/],
    ["a schema that is told with a promise", { ...add, inputSchema: wrapped(Promise.resolve(object)) }, /with a promise/],
    [
      "a schema that cannot be told",
      { ...add, inputSchema: { "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } } },
      /of old, cannot be told/,
    ],
    ["a schema of a text", { ...add, inputSchema: z.string() }, /must describe an object/],
  ] as const)("%s", (_title, tool, message) => {
    expect(() => fromAiTool("t", tool as AiTool)).toThrow(refused(message));
  });
  test("options that it does not have", () => {
    expect(() => fromAiTool("t", add, { retries: 1 } as never)).toThrow(refused(/no option "retries"/));
    expect(() => fromAiTool("t", add, null as never)).toThrow(refused(/options are an object/));
    expect(() => fromAiTool("t", add, { inputsFromState: { total: "c" } })).toThrow(refused(/"c"/));
  });
});
