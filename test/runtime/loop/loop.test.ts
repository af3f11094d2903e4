import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, exitOn, hook, persona, replace, scripted, section, type ModelMessage } from "../../../packages/throughline/src/index.ts";
import { collect } from "../harness.ts";
import { calling, callsIn, conversation, scriptedAgent } from "./harness.ts";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: z.object({ city: z.string() }),
  effects: "none",
  execute: ({ city }) => `${city}: sunny`,
});
const save = defineTool({
  name: "save",
  description: "Saves.",
  parameters: z.object({ text: z.string() }),
  effects: "once",
  execute: ({ text }) => ({ saved: text }),
});
const boom = defineTool({
  name: "boom",
  description: "Throws.",
  effects: "idempotent",
  execute: () => {
    throw new Error("it is broken");
  },
});

const lastTool = (messages: readonly ModelMessage[]): string => messages.findLast((message) => message.role === "tool")?.text ?? "";

describe("a loop of model calls", () => {
  test("M1 ends with the first text when there are no tools", async () => {
    const { session } = await conversation(["Berlin"]);
    expect(await session.send("capital?")).toMatchObject({ status: "completed", reply: "Berlin" });
  });

  test("runs what the model calls and shows it the result", async () => {
    const { session, model } = await conversation([calling(["weather", { city: "Rome" }]), "It is sunny."], { loop: { tools: [weather] } });
    expect(await session.send("weather?")).toMatchObject({
      status: "completed",
      reply: "It is sunny.",
      diagnostics: { steps: 2, tool_calls: { weather: 1 } },
    });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["weather"]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(lastTool(model.requests[1]?.messages ?? [])).toBe("Rome: sunny");
  });

  test("M3 asks again after a blank reply, as a step of its own", async () => {
    const { session } = await conversation(["", "sunny"], { loop: { tools: [weather] } });
    expect(await session.send("?")).toMatchObject({ reply: "sunny", diagnostics: { steps: 2 } });
  });

  test("fails after more blank replies than allowed", async () => {
    const { session } = await conversation(["", "", "", "late"], { loop: { tools: [weather] } });
    expect(await session.send("?")).toMatchObject({ status: "failed", error: { code: "model.invalid_response" } });
  });

  test("M5 ends with a tool that is listed second among parallel calls, and answers with what it returned", async () => {
    const { session } = await conversation([calling(["weather", { city: "Rome" }], ["save", { text: "x" }])], {
      loop: { tools: [weather, save], exit: exitOn.tools("save") },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: '{"saved":"x"}' });
  });

  test("M6 M8 goes on when a tool that would end it failed, also when another did not", async () => {
    const { session } = await conversation([calling(["save", { text: "x" }], ["boom"]), calling(["save", { text: "y" }])], {
      loop: { tools: [save, boom], exit: exitOn.tools("save", "boom") },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: '{"saved":"y"}' });
  });

  test("M10 stops at the limit of steps", async () => {
    const { session } = await conversation(() => calling(["weather", { city: "Rome" }]), {
      loop: { tools: [weather] },
      agent: { budget: { steps: 2 } },
    });
    expect(await session.send("?")).toMatchObject({ status: "stopped", reason: "steps_limit" });
  });

  test("M13 asks no model without a step to spend", async () => {
    const { session, model } = await conversation(["x"], { agent: { budget: { steps: 0 } } });
    expect(await session.send("?")).toMatchObject({ status: "stopped", reason: "steps_limit" });
    expect(model.requests).toEqual([]);
  });

  test("asks for a final answer without tools at the limit of steps", async () => {
    const { session, model } = await conversation(
      (request) => (request.tools.length === 0 ? "That is all I know." : calling(["weather", { city: "Rome" }])),
      {
        loop: { tools: [weather], finalAnswer: true },
        agent: { budget: { steps: 3 } },
      },
    );
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "That is all I know." });
    expect(model.requests.length).toBe(3);
  });

  test("text does not end it when only a tool may, and the model is told so", async () => {
    const { session, model } = await conversation(["I think", calling(["save", { text: "x" }])], {
      loop: { tools: [save], exit: exitOn.tools("save") },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: '{"saved":"x"}' });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "system"]);
  });

  test("ends with the first step that passes a test", async () => {
    const { session } = await conversation([calling(["weather", { city: "Rome" }]), "never"], {
      loop: { tools: [weather], exit: exitOn.when((_step, calls) => calls.some(({ result }) => result.type === "ok")) },
    });
    expect(await session.send("?")).toMatchObject({ status: "completed" });
  });

  test.each([
    ["content_filter", "model.filtered"],
    ["error", "model.failed"],
  ] as const)("a reply that ended with %s fails the turn", async (finish, code) => {
    const { session } = await conversation([{ text: "part", finish }]);
    expect(await session.send("?")).toMatchObject({ status: "failed", error: { code } });
  });

  test("a reply that was cut off is the answer, and the log says that it was", async () => {
    const { session } = await conversation([{ text: "The begin", finish: "length" }]);
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "The begin", diagnostics: { truncated: true } });
  });

  test("calls of a reply that was cut off do not run", async () => {
    const { session } = await conversation([{ ...calling(["save", { text: "x" }]), finish: "length" }, "done"], { loop: { tools: [save] } });
    expect(await session.send("?")).toMatchObject({ reply: "done" });
    expect(callsIn(await collect(session))).toEqual(["returned save skipped"]);
  });
});

describe("a call", () => {
  test("L3 three calls of one tool give three results in the order of the calls", async () => {
    const { session, model } = await conversation(
      [calling(["weather", { city: "A" }], ["weather", { city: "B" }], ["weather", { city: "C" }]), "ok"],
      {
        loop: { tools: [weather] },
      },
    );
    await session.send("?");
    expect(model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []))).toEqual([
      "A: sunny",
      "B: sunny",
      "C: sunny",
    ]);
  });

  test("L5 of a tool that there is not tells the model which there are, and the loop goes on", async () => {
    const { session, model } = await conversation([calling(["wether", { city: "A" }]), "ok"], { loop: { tools: [weather] } });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "ok" });
    expect(lastTool(model.requests[1]?.messages ?? [])).toMatch(/There is no tool .*weather/);
  });

  test("L6 that throws tells the model, and the turn completes", async () => {
    const { session, model } = await conversation([calling(["boom"]), "sorry"], { loop: { tools: [boom] } });
    expect(await session.send("?")).toMatchObject({ status: "completed", reply: "sorry" });
    expect(lastTool(model.requests[1]?.messages ?? [])).toContain("it is broken");
  });

  test("L15 with an argument that there is not gets an error with its path, and may be corrected", async () => {
    const strict = defineTool({
      name: "strict",
      description: "Strict.",
      parameters: z.strictObject({ a: z.number() }),
      effects: "none",
      execute: ({ a }) => a + 1,
    });
    const { session, model } = await conversation([calling(["strict", { a: 1, b: 2 }]), calling(["strict", { a: 1 }]), "2"], {
      loop: { tools: [strict] },
    });
    expect(await session.send("?")).toMatchObject({ reply: "2" });
    expect(lastTool(model.requests[1]?.messages ?? [])).toContain("tool.arguments_invalid");
    expect(lastTool(model.requests[2]?.messages ?? [])).toBe("2");
  });

  test("L8 slow and fast: what is replaced is the second call's, what is appended stands in the order of the calls", async () => {
    const write = defineTool({
      name: "write",
      description: "Writes.",
      parameters: z.object({ text: z.string(), ms: z.number() }),
      effects: "none",
      outputsToState: { docs: { source: "doc" }, name: { source: "doc" } },
      execute: async ({ text, ms }) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return { doc: text };
      },
    });
    const { session } = await conversation([calling(["write", { text: "slow", ms: 40 }], ["write", { text: "fast", ms: 1 }]), "ok"], {
      loop: { tools: [write] },
    });
    await session.send("?");
    expect((await session.state()).document).toMatchObject({ docs: ["slow", "fast"], name: "fast" });
  });

  test("L10 of a tool that takes the state and throws leaves the state as it was", async () => {
    const half = defineTool({
      name: "half",
      description: "Writes, then throws.",
      takesState: true,
      effects: "none",
      execute: (_args, { state }) => {
        state.set("name", "half");
        throw new Error("then this");
      },
    });
    const { session } = await conversation([calling(["half"]), "ok"], { loop: { tools: [half] } });
    await session.send("?");
    expect((await session.state()).document).toEqual({});
  });

  test("K20 five calls of a tool that takes the state count to five", async () => {
    const count = defineTool({
      name: "count",
      description: "Counts.",
      takesState: true,
      effects: "none",
      execute: (_args, { state }) => state.set("total", Number(state.get("total", 0)) + 1),
    });
    const { session } = await conversation([calling(["count"], ["count"], ["count"], ["count"], ["count"]), "ok"], { loop: { tools: [count] } });
    await session.send("?");
    expect((await session.state()).document).toEqual({ total: 5 });
  });

  test("reads what another call of the same reply writes, in whatever order the model asked", async () => {
    const fetchAll = defineTool({
      name: "fetch_all",
      description: "Fetches.",
      effects: "none",
      outputsToState: { docs: { reduce: replace() } },
      execute: () => ["one", "two"],
    });
    const read = defineTool({
      name: "read",
      description: "Reads.",
      parameters: z.object({ docs: z.array(z.string()) }),
      effects: "none",
      inputsFromState: { docs: "docs" },
      execute: ({ docs }) => docs.length,
    });
    const { session, model } = await conversation([calling(["read"], ["fetch_all"]), "ok"], { loop: { tools: [fetchAll, read] } });
    await session.send("?");
    expect(model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []))).toEqual(["2", '["one","two"]']);
    expect(model.requests[0]?.tools.find(({ name }) => name === "read")?.parameters).toEqual({ type: "object", properties: {} });
  });

  test("reads what a call that takes the state writes, also of a tool that names no state", async () => {
    const fill = defineTool({
      name: "fill",
      description: "Fills.",
      takesState: true,
      effects: "none",
      execute: (_args, { state }) => state.set("docs", ["one", "two"]),
    });
    const read = defineTool({
      name: "read",
      description: "Reads.",
      parameters: z.object({ docs: z.array(z.string()) }),
      effects: "none",
      inputsFromState: { docs: "docs" },
      execute: ({ docs }) => docs.length,
    });
    const { session, model } = await conversation([calling(["read"], ["fill"]), "ok"], { loop: { tools: [fill, read] } });
    await session.send("?");
    expect(model.requests[1]?.messages.find((message) => message.role === "tool")?.text).toBe("2");
  });

  test("Q5 counts every call, whatever came of it", async () => {
    const { session } = await conversation([calling(["boom"], ["ghost"], ["weather", { city: "A" }]), "ok"], { loop: { tools: [boom, weather] } });
    expect((await session.send("?")).diagnostics).toMatchObject({ tool_calls: { boom: 1, ghost: 1, weather: 1 } });
  });

  test("is on record before it runs and at once when it has run, if it must not run twice: three commits for two", async () => {
    const { session, store } = await conversation([calling(["save", { text: "a" }], ["save", { text: "b" }]), "ok"], { loop: { tools: [save] } });
    await session.send("?");
    const events = await collect(session);
    expect(callsIn(events)).toEqual(["called save", "called save", "returned save ok", "returned save ok"]);
    expect(new Set(events.filter(({ kind }) => kind === "tool").map(({ created_at }) => created_at)).size).toBeLessThanOrEqual(3);
    expect(store).toBeDefined();
  });
});

describe("an agent's loop is refused", () => {
  const refused = (options: object, message: RegExp): void => {
    expect(() => scriptedAgent([], { loop: options })).toThrow(message);
  };

  test.each<[string, object, RegExp]>([
    ["N5 that runs no call at a time", { concurrency: 0 }, /concurrency is a whole number from 1/],
    ["N8 with two tools of one name", { tools: [weather, weather] }, /two tools.*weather/i],
    ["with a tool that is none", { tools: [{ name: "x" }] }, /made by defineTool/],
    ["with an option that is misspelt", { tool: [] }, /did you mean "tools"/],
    ["that ends with a tool it does not have", { exit: exitOn.tools("save") }, /ends with the tool "save"/],
    ["without an exit", { exit: [] }, /exit made by exitOn/],
    ["with a hook that is none", { hooks: [() => undefined] }, /made by hook/],
    ["with half a blank reply", { blankReplies: 0.5 }, /blankReplies/],
    ["with a response format that is no schema", { responseFormat: "json" }, /responseFormat/],
    ["with no room for output", { maxOutputTokens: 0 }, /maxOutputTokens/],
    ["with a policy for conflicts that there is not", { conflicts: "first" }, /"last" or "error"/],
  ])("%s", (_name, options, message) => refused(options, message));

  test("with a map to a field that the state does not have, and says which is meant", () => {
    const wrong = defineTool({ name: "wrong", description: "x", effects: "none", outputsToState: { doc: {} }, execute: () => "x" });
    refused({ tools: [wrong] }, /doc.*docs/s);
  });
});

describe("what reaches the model", () => {
  test("161 the model that the state chooses, the response format and the limit of output", async () => {
    const small = scripted(["small"]);
    const { session } = await conversation([], {
      loop: {
        model: (state) => (state["name"] === "big" ? scripted(["big"]) : small),
        responseFormat: z.object({ a: z.number() }),
        maxOutputTokens: 7,
      },
    });
    expect(await session.send("?")).toMatchObject({ reply: "small" });
    expect(small.requests[0]).toMatchObject({ max_output_tokens: 7, response_format: { type: "object", required: ["a"] } });
  });

  test("160 the sections of the prompt are in no message", async () => {
    const { session, model } = await conversation(["ok"], { agent: { sections: [persona("SYS")] } });
    await session.send("?");
    expect(model.requests[0]).toMatchObject({ sections: [{ name: "persona", text: "SYS" }], messages: [{ role: "user", text: "?" }] });
  });

  test("H13 the conversation, with the message that waits for the call's result, for a tool that reads `messages`", async () => {
    const count = defineTool({
      name: "count",
      description: "Counts messages.",
      parameters: { type: "object", properties: { messages: { type: "array" } } },
      effects: "none",
      inputsFromState: { messages: "messages" },
      execute: ({ messages }) => (messages as readonly { role: string }[]).filter(({ role }) => role !== "tool").length,
    });
    const { session, model } = await conversation([calling(["count"]), "ok"], { loop: { tools: [count] } });
    await session.send("?");
    expect(lastTool(model.requests[1]?.messages ?? [])).toBe("2");
  });

  test("later turns see what was said, and not the work", async () => {
    const { session, model } = await conversation([{ ...calling(["weather", { city: "Rome" }]), text: "I look." }, "Sunny.", "Bye."], {
      loop: { tools: [weather] },
    });
    await session.send("weather?");
    await session.send("thanks");
    expect(model.requests[2]?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "user: weather?",
      "assistant: I look.",
      "assistant: Sunny.",
      "user: thanks",
    ]);
  });
});

describe("what one reply's calls write", () => {
  const put = defineTool({
    name: "put",
    description: "Puts a name.",
    parameters: z.object({ name: z.string() }),
    effects: "none",
    outputsToState: { name: {} },
    execute: ({ name }) => name,
  });

  test("is in the order of the calls, and the last wins", async () => {
    const { session } = await conversation([calling(["put", { name: "a" }], ["put", { name: "b" }]), "ok"], { loop: { tools: [put] } });
    await session.send("?");
    expect((await session.state()).document).toEqual({ name: "b" });
  });

  test("is an error for the later one when conflicts are errors", async () => {
    const { session, model } = await conversation([calling(["put", { name: "a" }], ["put", { name: "b" }]), "ok"], {
      loop: { tools: [put], conflicts: "error" },
    });
    await session.send("?");
    expect((await session.state()).document).toEqual({ name: "a" });
    expect(lastTool(model.requests[1]?.messages ?? [])).toContain("tool.conflict");
  });

  test("is nothing, and an error that the model reads, when the state does not take it", async () => {
    const bad = defineTool({
      name: "bad",
      description: "x",
      effects: "once",
      outputsToState: { total: { source: "n" }, name: { source: "s" } },
      execute: () => ({ s: "x", n: "no number" }),
    });
    const { session, model } = await conversation([calling(["bad"]), "ok"], { loop: { tools: [bad] } });
    expect(await session.send("?")).toMatchObject({ status: "completed" });
    expect((await session.state()).document).toEqual({});
    expect(lastTool(model.requests[1]?.messages ?? [])).toContain("tool.output_invalid");
  });

  test("to a field of the turn is there for the rest of the turn, and gone after it", async () => {
    const jot = defineTool({ name: "jot", description: "x", effects: "none", outputsToState: { note: {} }, execute: () => "noted" });
    const { session, model } = await conversation([calling(["jot"]), "ok", "ok"], {
      loop: { tools: [jot] },
      agent: { sections: [section<{ readonly note?: string }>("note", ({ state }) => state.note)] },
    });
    await session.send("?");
    await session.send("?");
    expect(model.requests.map(({ sections }) => sections.length)).toEqual([0, 1, 0]);
  });

  test("a value that another call reads goes first, and the last call still wins what both replace", async () => {
    const writer = defineTool({ name: "c", description: "x", effects: "none", outputsToState: { docs: {} }, execute: () => ["dep"] });
    const a = defineTool({
      name: "a",
      description: "x",
      parameters: { type: "object", properties: { docs: { type: "array" } } },
      effects: "none",
      inputsFromState: { docs: "docs" },
      outputsToState: { name: {} },
      execute: ({ docs }) => `a saw ${(docs as readonly string[]).length}`,
    });
    const b = defineTool({ name: "b", description: "x", effects: "none", outputsToState: { name: {} }, execute: () => "b" });
    const { session, model } = await conversation([calling(["a"], ["b"], ["c"]), "ok"], { loop: { tools: [a, b, writer] } });
    await session.send("?");
    expect((await session.state()).document).toEqual({ docs: ["dep"], name: "b" });
    expect(model.requests[1]?.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []))).toEqual(["a saw 1", "b", '["dep"]']);
  });
});

test("a call of a tool that a hook has withheld, as all others, is a result that the model reads", async () => {
  const withhold = hook("withhold", { beforeModel: () => ({ request: { tools: [] } }) });
  const { session, model } = await conversation([calling(["weather", { city: "Rome" }]), "ok"], { loop: { tools: [weather], hooks: [withhold] } });
  expect(await session.send("?")).toMatchObject({ status: "completed", reply: "ok" });
  expect(lastTool(model.requests[1]?.messages ?? [])).toContain("tool.not_found");
});
