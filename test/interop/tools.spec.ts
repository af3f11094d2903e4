/** Tools of the AI SDK and of LangChain, made with their own packages. */
import { DynamicTool, StructuredTool, tool as langChainTool } from "@langchain/core/tools";
import { dynamicTool, jsonSchema, tool as aiTool, zodSchema } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { agent as documents } from "../../examples/langchain-tool/agent.ts";
import { agent as weather } from "../../examples/ai-sdk-tool/agent.ts";
import { fromAiTool } from "../../packages/throughline/src/ai.ts";
import { createRuntime, openStore, type Agent, type Session, type Tool } from "../../packages/throughline/src/index.ts";
import { fromLangChainTool } from "../../packages/throughline/src/tools.ts";
import { resultOf } from "../../packages/throughline/src/tools/results.ts";

async function sessionWith(agent: Agent): Promise<Session> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent] });
  onTestFinished(async () => {
    await runtime.close();
    await store.close();
  });
  return runtime.sessions.create({ agent: agent.name });
}

/** What a call of a tool comes to. */
async function called(tool: Tool, args: object, signal = new AbortController().signal): Promise<unknown> {
  const bound = tool.bind(args as never, {});
  if (!bound.ok) return bound.error;
  const { value, shown } = resultOf(tool, await tool.execute(bound.live, { call_id: "call_1", resources: {}, signal } as never));
  return shown === undefined ? value : { value, shown };
}

describe("the AI SDK", () => {
  test("the example: the place comes from the state, and the weather is written there", async () => {
    const session = await sessionWith(weather);
    expect(await session.send("How warm is it?", { start: { home: "Oslo" } })).toMatchObject({
      status: "completed",
      reply: "Oslo: 21 degrees celsius",
      output: { temperature: 21 },
    });
  });
  test.each([
    ["jsonSchema()", jsonSchema<{ a: number }>({ type: "object", properties: { a: { type: "number" } }, required: ["a"] })],
    ["zodSchema()", zodSchema(z.object({ a: z.coerce.number() }))],
    ["Zod", z.object({ a: z.coerce.number() })],
  ])("an input by %s", async (_title, inputSchema) => {
    const tool = fromAiTool(
      "double",
      aiTool({ description: "Doubles.", inputSchema: inputSchema as typeof inputSchema & z.ZodType<{ a: number }>, execute: ({ a }) => a * 2 }),
    );
    expect(await called(tool, { a: 2 })).toBe(4);
    expect(tool.model.parameters).toMatchObject({ required: ["a"] });
  });
  test("a dynamic tool, one that yields, and one that renders its result", async () => {
    const inputSchema = z.object({});
    expect(await called(fromAiTool("t", dynamicTool({ inputSchema, execute: async () => "found" })), {})).toBe("found");
    const yielding = aiTool({
      inputSchema,
      execute: async function* () {
        yield "looking";
        yield "found";
      },
    });
    expect(await called(fromAiTool("t", yielding), {})).toBe("found");
    const rendering = aiTool({ inputSchema, execute: async () => 3, toModelOutput: ({ output }) => ({ type: "text", value: `it is ${output}` }) });
    expect(await called(fromAiTool("t", rendering), {})).toEqual({ value: 3, shown: [{ type: "text", text: "it is 3" }] });
  });
});

describe("LangChain", () => {
  test("the example: the documents are written to the state, and the model reads a sentence", async () => {
    const session = await sessionWith(documents);
    expect(await session.send("bees", { start: { most: 2 } })).toMatchObject({
      status: "completed",
      reply: "Found 2 documents.",
      output: { documents: ["Bees dance", "Bees hum"] },
    });
  });
  test("a function with Zod, and one with a JSON Schema", async () => {
    const schema = z.object({ a: z.string().transform(Number) });
    const byZod = langChainTool(({ a }: { a: number }) => ({ doubled: a * 2 }), { name: "double", description: "Doubles.", schema });
    expect(await called(fromLangChainTool(byZod), { a: "2" })).toEqual({ doubled: 4 });
    const json = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;
    const byJson = langChainTool((input) => (input as { a: number }).a * 2, { name: "double", description: "Doubles.", schema: json });
    expect(await called(fromLangChainTool(byJson), { a: 2 })).toBe(4);
  });
  test("a class of its own, and a tool that takes a text", async () => {
    class Shout extends StructuredTool {
      name = "shout";
      description = "Shouts.";
      schema = z.object({ text: z.string() });
      protected async _call({ text }: { text: string }): Promise<string> {
        return text.toUpperCase();
      }
    }
    expect(await called(fromLangChainTool(new Shout()), { text: "hey" })).toBe("HEY");
    const echo = new DynamicTool({ name: "echo", description: "Echoes.", func: async (text) => text });
    const parameters = { type: "object", properties: { input: { type: "string" } }, required: ["input"] };
    expect(await called(fromLangChainTool(echo, { parameters }), { input: "hey" })).toBe("hey");
  });
  test("arguments that the tool refuses, and a call that is given up", async () => {
    const schema = z.object({ a: z.number().refine((value) => value > 1, "too small") });
    const slow = langChainTool(() => new Promise<string>(() => {}), { name: "slow", description: "Never ends.", schema });
    const tool = fromLangChainTool(slow);
    await expect(called(tool, { a: 1 })).rejects.toMatchObject({
      code: "tool.arguments_invalid",
      message: expect.stringContaining("too small") as string,
    });
    const controller = new AbortController();
    const waiting = called(tool, { a: 2 }, controller.signal);
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(waiting).rejects.toThrow(/abort|enough/i);
  });
});
