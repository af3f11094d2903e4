import { inspect } from "node:util";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { aiSdk, type AiSdkCall, type AiSdkLanguageModel, type AiSdkWarning } from "../../packages/throughline/src/ai.ts";
import type { ModelPart } from "../../packages/throughline/src/index.ts";
import { ask, everythingOf, fastClock, outcomeOf, textOf } from "./asking.ts";

const versions = ["v2", "v3", "v4"] as const;
type Version = (typeof versions)[number];
type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

interface Mock extends AiSdkLanguageModel {
  readonly calls: readonly AiSdkCall[];
}

/** Plays one list of parts for each call, the last one for ever; an error is thrown instead, "hang" never ends. */
function mock(specificationVersion: Version, ...plays: readonly (readonly (Part | "hang")[] | Error)[]): Mock {
  const calls: AiSdkCall[] = [];
  return {
    specificationVersion,
    provider: "mock.chat",
    modelId: "m-1",
    calls,
    doStream: async (call) => {
      const play = plays[calls.push(call) - 1] ?? plays.at(-1) ?? [];
      if (play instanceof Error) throw play;
      const stream = new ReadableStream<Part>({
        async start(controller) {
          for (const part of play) {
            if (part === "hang") return;
            controller.enqueue(part);
          }
          controller.close();
        },
      });
      return { stream };
    },
  };
}

const usageIn = (version: Version): unknown =>
  version === "v2"
    ? { inputTokens: 100, outputTokens: 40, totalTokens: 140, cachedInputTokens: 60, reasoningTokens: 30 }
    : { inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 }, outputTokens: { total: 40, text: 10, reasoning: 30 } };
const reasonIn = (version: Version, unified: string): unknown => (version === "v2" ? unified : { unified, raw: "raw" });
const finish = (version: Version, reason = "stop"): Part => ({ type: "finish", usage: usageIn(version), finishReason: reasonIn(version, reason) });
const text = (...deltas: readonly string[]): readonly Part[] => [
  { type: "text-start", id: "1" },
  ...deltas.map((delta) => ({ type: "text-delta", id: "1", delta })),
  { type: "text-end", id: "1" },
];
const prelude: readonly Part[] = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "r" },
];
const apiError = (statusCode: number, headers: Record<string, string> = {}): APICallError =>
  new APICallError({
    message: "no: my secret sk-1",
    url: "https://example.org/?key=sk-1",
    requestBodyValues: { said: "my secret" },
    statusCode,
    responseHeaders: headers,
    responseBody: "sk-1",
  });

describe.each(versions)("a model of version %s", (version) => {
  it("is given prompt, tools and format, and streams", async () => {
    const model = mock(version, [
      ...prelude,
      { type: "reasoning-start", id: "0" },
      { type: "reasoning-delta", id: "0", delta: "hm" },
      ...text("Hi ", "Ada."),
      ...(version === "v4" ? [{ type: "ping" }] : []),
      finish(version),
    ]);
    const parts = await ask(aiSdk(model, { settings: { temperature: 0 }, providerOptions: { mock: { fast: true } }, headers: { "x-a": "1" } }), {
      messages: [
        { role: "user", text: "hello" },
        { role: "system", text: `{"order":1}` },
        {
          role: "assistant",
          text: "I look.",
          calls: [
            { call_id: "c1", name: "look", arguments: { id: "A" } },
            { call_id: "c2", name: "go", arguments: {} },
          ],
        },
        { role: "tool", call_id: "c1", text: "sent" },
        { role: "tool", call_id: "c2", text: "gone" },
      ],
      tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
      response_format: { type: "object" },
      max_output_tokens: 9,
    });
    const { abortSignal, ...call } = model.calls[0] ?? ({} as AiSdkCall);
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(call).toEqual({
      temperature: 0,
      providerOptions: { mock: { fast: true } },
      headers: { "x-a": "1" },
      maxOutputTokens: 9,
      tools: [{ type: "function", name: "look", description: "Looks.", inputSchema: { type: "object" } }],
      responseFormat: { type: "json", name: "answer", schema: { type: "object" } },
      prompt: [
        { role: "system", content: `# persona\nYou are kind.\n\n# diary\n{"name":"Ada"}` },
        { role: "user", content: [{ type: "text", text: "hello" }] },
        { role: "user", content: [{ type: "text", text: `[from the system, not from the customer:] {"order":1}` }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool-call", toolCallId: "c1", toolName: "look", input: { id: "A" } },
            { type: "tool-call", toolCallId: "c2", toolName: "go", input: {} },
          ],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "sent" } },
            { type: "tool-result", toolCallId: "c2", toolName: "go", output: { type: "text", value: "gone" } },
          ],
        },
      ],
    });
    expect(textOf(parts)).toBe("Hi Ada.");
    expect(parts.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      usage:
        version === "v2"
          ? { input: 40, output: 10, cache_write: 0, cache_read: 60, reasoning: 30 }
          : { input: 30, output: 10, cache_write: 10, cache_read: 60, reasoning: 30 },
    });
  });
  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content_filter"],
    ["tool-calls", "tool_calls"],
    ["error", "error"],
    ["other", "other"],
    ["unknown", "other"],
    ["toString", "other"],
  ])("ends with %s as %s", async (reason, expected) => {
    expect((await ask(aiSdk(mock(version, [...text("x"), finish(version, reason)])))).at(-1)).toMatchObject({ reason: expected });
  });
  it("calls tools; what the provider runs itself is none of ours", async () => {
    const parts = await ask(
      aiSdk(
        mock(version, [
          { type: "tool-input-start", id: "a", toolName: "look" },
          { type: "tool-call", toolCallId: "a", toolName: "look", input: `{"id":"A"}` },
          { type: "tool-call", toolCallId: "b", toolName: "search", input: "{}", providerExecuted: true },
          { type: "tool-call", toolCallId: "c", toolName: "go", input: "" },
          finish(version),
        ]),
      ),
    );
    expect(parts.slice(0, -1)).toEqual([
      { type: "tool_call", call: { call_id: "a", name: "look", arguments: { id: "A" } } },
      { type: "tool_call", call: { call_id: "c", name: "go", arguments: {} } },
    ] satisfies ModelPart[]);
    expect(parts.at(-1)).toMatchObject({ reason: "tool_calls" });
    const wrong = await outcomeOf(aiSdk(mock(version, [{ type: "tool-call", toolCallId: "a", toolName: "look", input: "{no" }, finish(version)])));
    expect(wrong.parts[0]).toEqual({ type: "tool_call", call: { call_id: "a", name: "look", arguments: {}, malformed: "{no" } });
    const { error } = await outcomeOf(aiSdk(mock(version, [{ type: "tool-call", toolCallId: "a", toolName: "", input: "{}" }, finish(version)])));
    expect(error).toMatchObject({ code: "model.invalid_response" });
  });
  it("that fails before any text is asked again, as often as it may be", async () => {
    const clock = fastClock(60);
    const model = mock(version, apiError(429, { "retry-after": "3" }), [{ type: "error", error: apiError(503) }], [...text("ok"), finish(version)]);
    expect(await outcomeOf(aiSdk(model, { clock }))).toMatchObject({ text: "ok", error: undefined });
    expect(clock.slept).toContain(3_000);
    expect(model.calls.length).toBe(3);
    const refusing = mock(version, apiError(401));
    const { error } = await outcomeOf(aiSdk(refusing));
    expect(error).toMatchObject({
      code: "model.failed",
      message: "m-1 at mock.chat answered 401 (AI_APICallError).",
      details: { status: 401, attempts: 1 },
    });
    const shown = error === undefined ? "sk-1" : everythingOf(error, (value) => inspect(value, { depth: 10 }));
    expect([shown.includes("sk-1"), shown.includes("my secret")]).toEqual([false, false]);
  });
  it("that breaks off after some text is not asked again", async () => {
    for (const [end, code] of [
      [[], "model.invalid_response"],
      [[{ type: "error", error: new Error("my secret") }], "model.failed"],
      [[{ type: "error", error: "my secret" }], "model.failed"],
      [["hang"], "model.failed"],
    ] satisfies readonly [readonly (Part | "hang")[], string][]) {
      const model = mock(version, [...text("half "), ...end]);
      const { text: said, error } = await outcomeOf(aiSdk(model, { stallMs: 60 }));
      expect({ said, code: error?.code, calls: model.calls.length }).toEqual({ said: "half ", code, calls: 1 });
      expect(JSON.stringify(error)).not.toContain("my secret");
    }
  });
  it("that hangs is aborted, by the signal with its reason and by the time limits", async () => {
    const model = mock(version, [...prelude, "hang"]);
    const stop = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => stop.abort(reason), 30);
    await expect(outcomeOf(aiSdk(model), {}, stop.signal)).rejects.toBe(reason);
    expect(model.calls[0]?.abortSignal.aborted).toBe(true);
    expect((await outcomeOf(aiSdk(model, { firstByteMs: 40, retries: 0 }))).error?.message).toContain("did not begin to answer within 40 ms");
    expect((await outcomeOf(aiSdk(model, { timeoutMs: 40 }))).error?.message).toContain("within 40 ms");
  });
  it("that is slow is asked a second time, and the first answer wins", async () => {
    const model = mock(version, ["hang"], [...text("second"), finish(version)]);
    expect(await outcomeOf(aiSdk(model, { hedgeMs: 30 }))).toMatchObject({ text: "second" });
    expect(model.calls.map((call) => call.abortSignal.aborted)).toEqual([true, true]);
  });
});

it("a stream that version 4 calls interrupted is cut", async () => {
  const { text: said, error } = await outcomeOf(aiSdk(mock("v4", [...text("half"), finish("v4", "interrupted")])));
  expect({ said, code: error?.code }).toEqual({ said: "half", code: "model.invalid_response" });
});

it("a request that a provider's filter refuses is no failure", async () => {
  const refused = (code: string): Promise<Awaited<ReturnType<typeof outcomeOf>>> =>
    outcomeOf(aiSdk(mock("v4", Object.assign(apiError(400), { data: { error: { code } } }))));
  expect((await refused("content_filter")).parts).toMatchObject([{ type: "finish", reason: "content_filter", usage: { input: 0 } }]);
  expect((await refused("bad_request")).error?.code).toBe("model.failed");
});

it.each([
  ["v2", "unknown", { inputTokens: undefined, outputTokens: undefined }],
  ["v3", { unified: "other", raw: undefined }, { inputTokens: {}, outputTokens: {} }],
] as const)("a stream that version %s ends without a reason and without usage is cut", async (version, finishReason, usage) => {
  const { error } = await outcomeOf(aiSdk(mock(version, [...text("half"), { type: "finish", finishReason, usage }])));
  expect(error?.code).toBe("model.invalid_response");
});

it("a connection that breaks in the middle is a cut, whatever the status was", async () => {
  const { text: said, error } = await outcomeOf(aiSdk(mock("v4", [...text("half"), { type: "error", error: apiError(200) }])));
  expect({ said, code: error?.code, message: error?.message }).toEqual({
    said: "half",
    code: "model.invalid_response",
    message: "m-1 at mock.chat ended its answer before it was finished.",
  });
});

it("usage that a provider does not know is none", async () => {
  const unknown = { inputTokens: { total: 9 }, outputTokens: { total: undefined } };
  const parts = await ask(aiSdk(mock("v3", [...text("x"), { type: "finish", finishReason: { unified: "stop" }, usage: unknown }])));
  expect(parts.at(-1)).toMatchObject({ usage: { input: 9, output: 0, cache_read: 0, cache_write: 0, reasoning: 0 } });
});

it("warnings of every version are told", async () => {
  const warnings = [
    { type: "unsupported-setting", setting: "topK" },
    { type: "unsupported-tool", tool: { type: "function", name: "look" }, details: "no tools" },
    { type: "unsupported", feature: "seed", details: "ignored" },
    { type: "deprecated", setting: "topP", message: "use another" },
    { type: "other", message: "hm" },
    "nonsense",
  ];
  const told: AiSdkWarning[] = [];
  await ask(aiSdk(mock("v4", [{ type: "stream-start", warnings }, ...text("x"), finish("v4")]), { onWarning: (warning) => told.push(warning) }));
  expect(told).toEqual([
    { type: "unsupported-setting", about: "topK" },
    { type: "unsupported-tool", about: "look", message: "no tools" },
    { type: "unsupported", about: "seed", message: "ignored" },
    { type: "deprecated", about: "topP", message: "use another" },
    { type: "other", message: "hm" },
    { type: "other" },
  ]);
});

it.each([
  ["a name", "openai/gpt-5"],
  ["nothing", undefined],
  ["an older version", { ...mock("v2"), specificationVersion: "v1" }],
])("refuses what is no model: %s", (_name, model) => {
  expect(() => aiSdk(model as never)).toThrow(expect.objectContaining({ code: "input.invalid" }));
});
