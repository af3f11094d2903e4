/** What a reply comes to at its edges: beside a stop, a hook's messages, a blank text, or an adapter that reports what it should not. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, exitOn, hook, stopOnFinishReason, type Model, type ModelMessage } from "../../../packages/throughline/src/index.ts";
import { calling, conversation, toolState } from "./harness.ts";

const none = { input: 1, output: 1, cache_write: 0, cache_read: 0, reasoning: 0 };

/** A model that says hello, and reports this usage. */
const reporting = (usage: object): Model => ({
  name: "custom",
  async *stream() {
    yield { type: "text_delta", text: "Hello" };
    yield { type: "finish", reason: "stop", usage: usage as typeof none };
  },
});

const find = defineTool({ name: "find", description: "f", effects: "none", parameters: z.object({}), execute: () => "found" });

const said = (messages: readonly { readonly role: string; readonly text: string }[]): readonly string[] =>
  messages.map(({ role, text }) => `${role}: ${text}`);

test.each([
  ["a kind that is an object", { ...none, details: { cached: 1 } }, "usage.details"],
  ["a kind that does not exist", { ...none, extra: 3 }, "usage.extra as 3"],
  ["a kind that is a text", { ...none, input: "1" }, 'usage.input as "1"'],
])("usage with %s is an invalid response", async (_, usage, told) => {
  const { session } = await conversation([], { loop: { model: reporting(usage) } });
  const { status, error } = await session.send("hi");
  expect([status, error?.code, error?.message]).toEqual(["failed", "model.invalid_response", expect.stringContaining(told)]);
});

describe("a parameter that may be overridden", () => {
  const rename = defineTool({
    ...{ name: "rename", description: "r", effects: "none", state: toolState, parameters: z.object({ name: z.string() }) },
    ...{ inputsFromState: { name: "name" }, overridable: ["name"], outputsToState: { name: {} } },
    execute: ({ name }) => name,
  });
  test("is no read of the state where the model gave it, so that two writers conflict", async () => {
    const { session, model } = await conversation([calling(["rename", { name: "x" }], ["rename", { name: "y" }]), "ok"], {
      loop: { tools: [rename], conflicts: "error" },
    });
    await session.send("hi");
    expect((await session.state()).document).toMatchObject({ name: "x" });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("tool.conflict");
  });
  test("is one where the model left it out, so that the call waits for the writer", async () => {
    const { session } = await conversation([calling(["rename"], ["rename", { name: "y" }]), "ok"], { loop: { tools: [rename], conflicts: "error" } });
    await session.send("hi");
    expect((await session.state()).document).toMatchObject({ name: "y" });
  });
});

describe("a stop beside the answer", () => {
  const stop = hook("stop", { afterStep: () => ({ stop: { message: "That is enough." } }) });
  test("keeps the answer", async () => {
    const { session } = await conversation(["The answer."], { loop: { hooks: [stop] } });
    expect(await session.send("hi")).toMatchObject({ status: "stopped", reason: "stop_requested", reply: "The answer." });
    expect(await session.messages()).toMatchObject([{ role: "user" }, { role: "assistant", text: "The answer.", is_trace: false }]);
  });
  test("keeps what the tool returned that ended the loop", async () => {
    const { session } = await conversation([calling(["find"])], { loop: { hooks: [stop], tools: [find], exit: exitOn.tools("find") } });
    expect(await session.send("hi")).toMatchObject({ status: "stopped", reply: "found", ended_by: { call_id: "call_1_1_1", name: "find" } });
  });
  test("of a step that is none leaves the apology", async () => {
    const { session } = await conversation([{ text: "Let me see.", ...calling(["find"]) }], { loop: { hooks: [stop], tools: [find] } });
    const { status, reply } = await session.send("hi");
    expect([status, reply]).toEqual(["stopped", expect.not.stringContaining("Let me see.")]);
  });
});

test("messages that afterExecution adds come after the reply", async () => {
  const goodbye = hook("goodbye", {
    state: toolState,
    writes: ["messages"],
    afterExecution: () => ({ delta: { messages: { role: "assistant" as const, text: "Goodbye." } } }),
  });
  const { session } = await conversation(["The answer."], { loop: { hooks: [goodbye] } });
  expect((await session.send("hi")).reply).toBe("The answer.");
  expect(said(await session.messages())).toEqual(["user: hi", "assistant: The answer.", "assistant: Goodbye."]);
});

test("the result names the call that ended the loop", async () => {
  const { session } = await conversation([calling(["find"])], { loop: { tools: [find], exit: exitOn.tools("find") } });
  const { offset } = await session.send("hi");
  expect(await session.outcome(offset)).toMatchObject({ status: "completed", reply: "found", ended_by: { call_id: "call_1_1_1", name: "find" } });
});

describe("a step that a hook ends for its finish reason", () => {
  const natural = stopOnFinishReason(["tool_calls"]);
  test("without text is answered with what its last call returned", async () => {
    const { session } = await conversation([calling(["find"])], { loop: { tools: [find], hooks: [natural] } });
    expect(await session.send("hi")).toMatchObject({ status: "completed", reply: "found", ended_by: { name: "find" } });
  });
  test("without text or a result fails: a reply is never blank", async () => {
    const { session } = await conversation([{ text: " \n", ...calling(["missing"]) }], { loop: { tools: [find], hooks: [natural] } });
    const { status, error, reply } = await session.send("hi");
    expect([status, error?.code, reply?.trim()]).toEqual(["failed", "model.invalid_response", expect.stringMatching(/./)]);
  });
});

test("a tool that ends the loop and returns blank text fails the turn", async () => {
  const blank = defineTool({ name: "blank", description: "b", effects: "none", parameters: z.object({}), execute: () => "  " });
  const { session } = await conversation([calling(["blank"])], { loop: { tools: [blank], exit: exitOn.tools("blank") } });
  expect(await session.send("hi")).toMatchObject({ status: "failed", error: { code: "model.invalid_response" } });
});

test("a result says which tool it is from", async () => {
  const { session, model } = await conversation([calling(["find"], ["nowhere"]), "ok"], { loop: { tools: [find] } });
  await session.send("hi");
  const results = model.requests[1]?.messages.flatMap((one: ModelMessage) => (one.role === "tool" ? [[one.name, one.call_id]] : []));
  expect(results).toEqual([
    ["find", "call_1_1_1"],
    ["nowhere", "call_1_1_2"],
  ]);
});

test("a part that a model cannot be shown is named in its place", async () => {
  const picture = defineTool({
    ...{ name: "picture", description: "p", effects: "none", parameters: z.object({}), execute: () => "data" },
    show: () =>
      [
        { type: "text", text: "A chart:" },
        { type: "image", data: "aGk=" },
      ] as never,
  });
  const { session, model } = await conversation([calling(["picture"]), "ok"], { loop: { tools: [picture] } });
  await session.send("hi");
  expect(model.requests[1]?.messages.at(-1)?.text).toBe("A chart:\n[image, left out]");
});
