/** Tools of LangChain, as objects of the shape that its classes have. The real ones are in test/interop. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fromLangChainTool, type LangChainTool } from "../../packages/throughline/src/tools.ts";
import { calling, conversation } from "../runtime/loop/harness.ts";
import { callOf } from "./mcp/calling.ts";

const search = (invoke: (input: never, config: never) => Promise<unknown>, more: object = {}): LangChainTool => ({
  name: "search",
  description: "Finds documents.",
  schema: z.object({ query: z.string(), most: z.string().transform(Number).default(2) }),
  invoke,
  ...more,
});
const refused = (message: RegExp): unknown => expect.objectContaining({ code: "tool.invalid", message: expect.stringMatching(message) as string });

describe("a call", () => {
  test("gets the arguments as they were given, and the signal", async () => {
    const got: unknown[] = [];
    const tool = search(async (input, config) => void got.push(input, config));
    const adapted = fromLangChainTool(tool, { config: ({ session_id }) => ({ configurable: { thread_id: session_id } }) });
    expect(await callOf(adapted, { query: "bees", most: "3" })).toEqual({ value: null });
    // The tool's schema is run by the tool: what it made of the arguments is nothing that it takes.
    expect(got).toEqual([
      { query: "bees", most: "3" },
      { configurable: { thread_id: "ses_1" }, signal: expect.any(AbortSignal) as AbortSignal },
    ]);
  });
  test("returns what the tool returns, of whatever kind", async () => {
    for (const value of ["text", 3, { documents: ["a"] }, null, false])
      expect(await callOf(fromLangChainTool(search(async () => value)), { query: "q" })).toEqual({ value });
  });
  test("has the artifact as its value, and shows the content", async () => {
    let got: unknown;
    const invoke = async (call: never): Promise<object> => {
      got = call;
      return { tool_call_id: "call_1", content: "1 document", artifact: [{ title: "a" }] };
    };
    const tool = fromLangChainTool(search(invoke, { responseFormat: "content_and_artifact" }));
    expect(await callOf(tool, { query: "q" })).toEqual({ value: [{ title: "a" }], shown: [{ type: "text", text: "1 document" }] });
    expect(got).toEqual({ type: "tool_call", id: "call_1", name: "search", args: { query: "q" } });
  });
  test("has a message's text as its value if that is all there is", async () => {
    const content = [{ type: "text", text: "a" }, { type: "image_url" }, "b"];
    expect(await callOf(fromLangChainTool(search(async () => ({ tool_call_id: "c", content }))), { query: "q" })).toEqual({
      value: "a\n[image_url, left out]\nb",
    });
  });
  test.each([
    ["a message that says that it failed", async () => ({ tool_call_id: "c", content: "no", status: "error" }), "tool.failed"],
    ["a command to a graph", async () => ({ lg_name: "Command", update: {} }), "tool.output_invalid"],
    ["arguments that it refuses", async () => Promise.reject(new (class ToolInputParsingException extends Error {})("q?")), "tool.arguments_invalid"],
  ] as const)("fails with %s", async (_title, invoke, code) => {
    expect((await callOf(fromLangChainTool(search(invoke)), { query: "q" })).error).toMatchObject({ code });
  });
});

test("works in a turn, with the state", async () => {
  const tool = search(async ({ query, most }: { query: string; most: string }) => [`${most} on ${query}`]);
  const tools = [fromLangChainTool(tool, { effects: "none", inputsFromState: { name: "most" }, outputsToState: { docs: {} } })];
  const { session } = await conversation((_request, call) => (call === 0 ? calling(["search", { query: "bees" }]) : "done"), { loop: { tools } });
  await session.edit({ name: "3" });
  expect(await session.send("go")).toMatchObject({ reply: "done" });
  expect((await session.state()).document).toMatchObject({ docs: ["3 on bees"] });
});

describe("definitions", () => {
  const json = { type: "object", properties: { query: { type: "string" } }, required: ["query"] } as const;
  const opaque = { "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } };
  test("a JSON Schema is taken as it is, and stands in for a schema that cannot be told", () => {
    expect(fromLangChainTool(search(async () => 1, { schema: json })).model.parameters).toEqual(json);
    expect(
      fromLangChainTool(
        search(async () => 1, { schema: opaque }),
        { parameters: json, name: "find" },
      ).model,
    ).toMatchObject({ name: "find", parameters: json });
  });
  test.each([
    [search(async () => 1, { schema: opaque }), {}, /of old, cannot be told/],
    [search(async () => 1, { schema: undefined }), {}, /neither a schema/],
    [{ name: "x" }, {}, /no tool of LangChain/],
    [null, {}, /no tool of LangChain/],
    [search(async () => 1), { retries: 2 }, /no option "retries"/],
    [search(async () => 1), null, /options are an object/],
    [search(async () => 1, { name: "a b" }), {}, /`name` is 1 to 64/],
  ] as const)("%# is refused", (tool, options, message) => {
    expect(() => fromLangChainTool(tool as LangChainTool, options as never)).toThrow(refused(message));
  });
});
