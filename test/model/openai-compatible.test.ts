import { describe, expect, it } from "vitest";
import { openaiCompatible, type Json, type JsonObject, type ModelPart } from "../../packages/throughline/src/index.ts";
import { ask, fastClock, outcomeOf, textOf } from "./asking.ts";
import { answers, choice, startProvider, usageEvent, type Provider, type Script } from "./provider-server.ts";
import { hangMs } from "../setup/limits.ts";

const finishOf = (parts: readonly ModelPart[]): ModelPart | undefined => parts.at(-1);
const model = "m-1";

/** Asks a server that plays this script, without tries. */
async function asked(script: Script): ReturnType<typeof outcomeOf> {
  const { baseURL } = await startProvider(script);
  return outcomeOf(openaiCompatible({ baseURL, model, retries: 0, clock: fastClock(5) }));
}

describe("the request", () => {
  it("asks for a stream with its usage, at the base URL, with the sections as one system message", async () => {
    const provider = await startProvider(answers("Hi there."));
    const parts = await ask(
      openaiCompatible({ baseURL: `${provider.baseURL}/?api-version=7`, model, apiKey: () => "sk-1 \n", headers: { "x-team": "a" } }),
    );
    expect(textOf(parts)).toBe("Hi there.");
    expect(provider.asked[0]).toMatchObject({
      path: "/v1/chat/completions?api-version=7",
      headers: { authorization: "Bearer sk-1", "x-team": "a", "content-type": "application/json" },
    });
    expect(provider.asked[0]?.body).toEqual({
      model,
      messages: [
        { role: "system", content: `# persona\nYou are kind.\n\n# diary\n{"name":"Ada"}` },
        { role: "user", content: "hello" },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });
  it("holds tools, calls and their results, the schema of the answer, limits and parameters", async () => {
    const provider = await startProvider(answers("x"));
    const parameters = { type: "object", properties: { id: { type: "string" } } };
    await ask(openaiCompatible({ baseURL: provider.baseURL, model, parameters: { temperature: 0, stream: false } }), {
      sections: [],
      messages: [
        { role: "system", text: "event" },
        { role: "assistant", text: "", calls: [{ call_id: "c1", name: "look", arguments: { id: "A" } }] },
        { role: "tool", call_id: "c1", text: "sent" },
      ],
      tools: [{ name: "look", description: "Looks.", parameters }],
      response_format: { type: "object" },
      max_output_tokens: 50,
    });
    expect(provider.asked[0]?.body).toMatchObject({
      temperature: 0,
      stream: true,
      max_tokens: 50,
      messages: [
        { role: "system", content: "event" },
        { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: `{"id":"A"}` } }] },
        { role: "tool", tool_call_id: "c1", content: "sent" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters } }],
      response_format: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
    });
  });
  it.each<[string, boolean, JsonObject]>([
    [
      "closed",
      true,
      { type: "object", properties: { a: { type: "array", items: { type: "string" } } }, required: ["a"], additionalProperties: false },
    ],
    ["not closed", false, { type: "object", properties: { a: { type: "string" } }, required: ["a"] }],
    ["optional in a part", false, { anyOf: [{ type: "object", properties: { a: {} }, required: [], additionalProperties: false }] }],
    [
      "a map",
      false,
      { type: "object", properties: { m: { type: "object", additionalProperties: false } }, required: ["m"], additionalProperties: false },
    ],
  ])("wants a schema that is %s kept strictly: %s", async (_name, strict, response_format) => {
    const provider = await startProvider(answers("{}"));
    await ask(openaiCompatible({ baseURL: provider.baseURL, model }), { response_format });
    expect(provider.asked[0]?.body["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema: response_format, ...(strict ? { strict: true } : {}) },
    });
  });
  it("names the limit as OpenAI wants it, there only", async () => {
    const bodies: JsonObject[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      bodies.push(JSON.parse(init?.body as string) as JsonObject);
      return new Response(`data: ${JSON.stringify(choice({ content: "x" }, "stop"))}\n\n`);
    };
    for (const baseURL of ["https://api.openai.com/v1", "https://me.openai.azure.com/openai/v1", "https://openai.com.example.org/v1"])
      await ask(openaiCompatible({ baseURL, model, fetch }), { max_output_tokens: 5 });
    expect(bodies.map((body) => Object.keys(body).at(-1))).toEqual(["max_completion_tokens", "max_completion_tokens", "max_tokens"]);
  });
  it.each([
    [{ baseURL: "localhost:8080", model }, "baseURL"],
    [{ baseURL: "not a url", model }, "baseURL"],
    [{ baseURL: "https://me:pass-word@example.org/v1", model }, "baseURL"],
    [{ baseURL: "http://127.0.0.1/v1", model: " " }, "model"],
    [{ baseURL: "http://127.0.0.1/v1", model, apiKey: "pass-word\nx" }, "apiKey"],
    [{ baseURL: "http://127.0.0.1/v1", model, headers: { "x-key": "pass-word\n\u0001" } }, "headers"],
    [{ baseURL: "http://127.0.0.1/v1", model, timeoutMs: 0 }, "timeoutMs"],
    [{ baseURL: "http://127.0.0.1/v1", model, stallMs: Number.NaN }, "stallMs"],
    [{ baseURL: "http://127.0.0.1/v1", model, firstByteMs: 2 ** 31 }, "firstByteMs"],
    [{ baseURL: "http://127.0.0.1/v1", model, hedgeMs: -1 }, "hedgeMs"],
    [{ baseURL: "http://127.0.0.1/v1", model, retries: 1.5 }, "retries"],
  ])("refuses wrong options %#, without showing a secret", (options, path) => {
    const made = (): unknown => openaiCompatible(options);
    expect(made).toThrow(expect.objectContaining({ code: "input.invalid", details: expect.objectContaining({ path }) as unknown }));
    expect(made).not.toThrow(/pass-word/);
  });
});

describe("the stream", () => {
  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["CR", (text: string) => text.replaceAll("\n", "\r")],
    ["comments and other fields", (text: string) => `: hello\n\nevent: message\nid: 7\nretry: 10\n${text}: ping\n\n`],
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
    ["no space behind the colon", (text: string) => text.replaceAll("data: ", "data:")],
    ["data over several lines", (text: string) => text.replaceAll(`,"delta"`, `,\ndata: "delta"`)],
  ])("is read with %s, cut anywhere", async (_name, form) => {
    const events = [choice({ role: "assistant" }), choice({ content: "Grüße, 🦊 – " }), choice({ content: "日本" }), choice({}, "stop")];
    const bytes = Buffer.from(form(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`));
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
      const fetch: typeof globalThis.fetch = async () => new Response(ReadableStream.from(pieces));
      const parts = await ask(openaiCompatible({ baseURL: "http://127.0.0.1/v1", model, fetch, retries: 0 }));
      expect({ size, text: textOf(parts), end: finishOf(parts) }).toMatchObject({
        text: "Grüße, 🦊 – 日本",
        end: { type: "finish", reason: "stop" },
      });
    }
  });
  it("is handed on as it comes", async () => {
    const { baseURL } = await startProvider(async (reply) => {
      reply.text("one ");
      await reply.asked.left;
    });
    for await (const part of openaiCompatible({ baseURL, model }).stream(
      { sections: [], messages: [], tools: [] },
      { signal: AbortSignal.timeout(hangMs) },
    )) {
      expect(part).toEqual({ type: "text_delta", text: "one " });
      break;
    }
  });
  it("may hold a huge delta, and nothing that the model thinks", async () => {
    const huge = "x".repeat(3_000_000);
    const { text } = await asked((reply) => {
      reply.send(choice({ reasoning_content: "hm", reasoning: "hm" }));
      reply.send(
        choice({
          content: [
            { type: "thinking", thinking: "hm" },
            { type: "text", text: "so: " },
          ],
        }),
      );
      reply.text(huge);
      reply.finish();
    });
    expect(text.length).toBe(huge.length + 4);
  });
  it.each(["[DONE] missing", "the connection left open", "open after [DONE]", "the connection destroyed"])(
    "is whole with a reason of the end, %s",
    async (how) => {
      const { text, error, parts } = await asked(async (reply) => {
        reply.text("fine");
        reply.send(choice({}, "stop"), usageEvent({ prompt_tokens: 3, completion_tokens: 1 }));
        await reply.pause(20);
        if (how === "open after [DONE]") reply.raw("data: [DONE]\n\n");
        if (how === "[DONE] missing") reply.end();
        if (how === "the connection destroyed") reply.cut();
      });
      expect({ text, error, end: parts.at(-1) }).toMatchObject({
        text: "fine",
        error: undefined,
        end: { reason: "stop", usage: { input: 3, output: 1 } },
      });
    },
  );
  it("is read to its end, so that the next request finds the connection open", async () => {
    const provider = await startProvider(async (reply) => {
      reply.text("Hi.");
      reply.send(choice({}, "stop"));
      reply.raw("data: [DONE]\n\n");
      await reply.pause(5);
      reply.end();
    });
    const asking = openaiCompatible({ baseURL: provider.baseURL, model });
    for (let count = 0; count < 5; count += 1) expect(textOf(await ask(asking))).toBe("Hi.");
    // The client may open a second one before it knows that the first is free.
    expect(provider.connections()).toBeLessThanOrEqual(2);
  });
  it("of Ollama is understood", async () => {
    const { parts } = await asked((reply) => {
      const event = { id: "chatcmpl-881", object: "chat.completion.chunk", created: 1, model: "llama3.2:3b", system_fingerprint: "fp_ollama" };
      reply.send(
        { ...event, choices: [{ index: 0, delta: { role: "assistant", content: "Hi" }, finish_reason: null }] },
        { ...event, choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }] },
        { ...event, choices: [], usage: { prompt_tokens: 26, completion_tokens: 2, total_tokens: 28 } },
      );
      reply.raw("data: [DONE]\n\n");
      reply.end();
    });
    expect(parts).toEqual([
      { type: "text_delta", text: "Hi" },
      { type: "finish", reason: "stop", usage: { input: 26, output: 2, cache_write: 0, cache_read: 0, reasoning: 0 } },
    ]);
  });
});

describe("the end", () => {
  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["tool_calls", "tool_calls"],
    ["function_call", "tool_calls"],
    ["error", "error"],
    ["constructor", "other"],
  ])("%s is %s", async (reason, expected) => {
    const { parts } = await asked((reply) => {
      reply.text("half");
      reply.finish(reason);
    });
    expect(parts.map((part) => part.type)).toEqual(["text_delta", "finish"]);
    expect(finishOf(parts)).toMatchObject({ reason: expected });
  });
  it("by a filter that refuses the request is no failure", async () => {
    const { parts, error } = await asked((reply) => reply.refuse(400, { error: { code: "content_filter", message: "The response was filtered" } }));
    expect({ parts, error }).toMatchObject({ parts: [{ type: "finish", reason: "content_filter", usage: { input: 0 } }], error: undefined });
  });
  it("by a filter in the middle comes after the text", async () => {
    const { parts } = await asked((reply) => {
      reply.text("half ");
      reply.send({ error: { code: "content_filter", message: "filtered" } });
      reply.end();
    });
    expect(parts).toMatchObject([{ text: "half " }, { reason: "content_filter" }]);
  });
  it("of a refusal shows the model's words, and why", async () => {
    const { parts } = await asked((reply) => {
      reply.send(choice({ refusal: "I will not." }));
      reply.finish("stop");
    });
    expect(parts).toMatchObject([{ text: "I will not." }, { reason: "content_filter" }]);
  });
  const none = { input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 };
  it.each<[string, JsonObject, object]>([
    ["nothing special", { prompt_tokens: 10, completion_tokens: 4 }, { ...none, input: 10, output: 4 }],
    [
      "cached and thought",
      {
        prompt_tokens: 100,
        completion_tokens: 40,
        total_tokens: 140,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { input: 36, output: 10, cache_write: 0, cache_read: 64, reasoning: 30 },
    ],
    [
      "written to a cache",
      { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
      { input: 10, output: 1, cache_write: 30, cache_read: 60, reasoning: 0 },
    ],
    [
      "DeepSeek's cache",
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 90 },
      { ...none, input: 10, output: 1, cache_read: 90 },
    ],
    [
      "thoughts counted beside",
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 45, completion_tokens_details: { reasoning_tokens: 30 } },
      { ...none, input: 10, output: 5, reasoning: 30 },
    ],
    ["numbers that are none", { prompt_tokens: null, completion_tokens: -3, prompt_tokens_details: null }, none],
    [
      "more cached than sent",
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
      { ...none, output: 1, cache_read: 5 },
    ],
  ])("counts tokens: %s", async (_name, usage, expected) => {
    const { parts } = await asked((reply) => {
      reply.text("x");
      reply.finish("stop", usage);
    });
    expect(finishOf(parts)).toEqual({ type: "finish", reason: "stop", usage: expected });
  });
});

describe("tool calls", () => {
  const callsOf = (parts: readonly ModelPart[]): readonly unknown[] =>
    parts.flatMap((part) => (part.type === "tool_call" ? [[part.call.call_id, part.call.name, part.call.arguments]] : []));
  const delta = (...tool_calls: readonly JsonObject[]): JsonObject => choice({ tool_calls });
  it.each<[string, readonly JsonObject[], readonly unknown[]]>([
    [
      "in pieces, two at once",
      [
        delta({ index: 0, id: "a", type: "function", function: { name: "look", arguments: "" } }),
        delta({ index: 0, function: { arguments: `{"id"` } }, { index: 1, id: "b", function: { name: "go", arguments: "" } }),
        delta({ index: 0, function: { arguments: `:"A"}` } }),
      ],
      [
        ["a", "look", { id: "A" }],
        ["b", "go", {}],
      ],
    ],
    [
      "all numbered 0, with ids",
      [
        delta({ index: 0, id: "a", function: { name: "look", arguments: "{}" } }),
        delta({ index: 0, id: "b", function: { name: "look", arguments: `{"n":2}` } }),
      ],
      [
        ["a", "look", {}],
        ["b", "look", { n: 2 }],
      ],
    ],
    [
      "without numbers, the id repeated, the arguments as an object",
      [
        delta({ id: "a", function: { name: "look", arguments: `{"n":` } }),
        delta({ id: "a", function: { name: "look", arguments: "1}" } }),
        delta({ id: "b", function: { name: "go", arguments: { far: true } } }),
      ],
      [
        ["a", "look", { n: 1 }],
        ["b", "go", { far: true }],
      ],
    ],
    [
      "without an id",
      [delta({ index: 0, function: { name: "look", arguments: "{}" } })],
      [[expect.stringMatching(/^call_[0-9a-f]{24}$/), "look", {}]],
    ],
  ])("%s", async (_name, events, expected) => {
    const { parts, error } = await asked((reply) => {
      reply.send(...events);
      reply.finish("stop");
    });
    expect(error).toBeUndefined();
    expect(callsOf(parts)).toEqual(expected);
    expect(finishOf(parts)).toMatchObject({ reason: "tool_calls" });
  });
  it.each([`{"id": `, "[1]", "yes", `{"a":1}{"a":1}`])("with arguments %s say what came in their place", async (values) => {
    const { error, parts } = await asked((reply) => {
      reply.send(delta({ index: 0, id: "a", function: { name: "look", arguments: values } }));
      reply.finish("tool_calls");
    });
    expect(error).toBeUndefined();
    expect(parts.slice(0, -1)).toEqual([{ type: "tool_call", call: { call_id: "a", name: "look", arguments: {}, malformed: values } }]);
  });
  it("without a name are unreadable", async () => {
    const { error, parts } = await asked((reply) => {
      reply.send(delta({ index: 0, id: "a", function: { arguments: "{}" } }));
      reply.finish("tool_calls");
    });
    expect(error).toMatchObject({ code: "model.invalid_response", details: { attempts: 1 } });
    expect(parts).toEqual([]);
  });
  it("that the limit cut in two are left out", async () => {
    const { parts, error } = await asked((reply) => {
      reply.send(
        delta(
          { index: 0, id: "a", function: { name: "look", arguments: "{}" } },
          { index: 1, id: "b", function: { name: "look", arguments: `{"i` } },
        ),
      );
      reply.finish("length");
    });
    expect({ calls: callsOf(parts), end: finishOf(parts), error }).toMatchObject({
      calls: [["a", "look", {}]],
      end: { reason: "length" },
      error: undefined,
    });
  });
});

describe("a strict schema that the server refuses", () => {
  const schema = { type: "object", properties: { level: { type: "integer" } }, required: ["level"], additionalProperties: false };
  const refusals: readonly Json[] = [
    { error: { message: "Invalid schema for response_format 'answer'", type: "invalid_request_error", param: "response_format", code: null } },
    { error: { message: "no", type: "invalid_request_error", param: null, code: "invalid_json_schema" } },
    { error: "structured outputs with strict are not supported" },
  ];
  const sentStrict = (provider: Provider): readonly unknown[] =>
    provider.asked.map(({ body }) => (body["response_format"] as { readonly json_schema: { readonly strict?: boolean } }).json_schema.strict);
  const asking = { sections: [], messages: [{ role: "user", text: "Hi" }], tools: [], response_format: schema } as const;
  const listening = () => {
    const logged: string[] = [];
    return { logged, logger: { debug() {}, info() {}, warn: (message: string) => void logged.push(message), error() {} } };
  };
  const signal = new AbortController().signal;

  it.each(refusals.map((refusal) => [refusal]))("is sent again without strict, and logged once for the model: %j", async (refusal) => {
    const provider = await startProvider((reply) => reply.refuse(400, refusal), answers("{}"));
    const { logged, logger } = listening();
    const model = openaiCompatible({ baseURL: provider.baseURL, model: "m", retries: 0, logger });
    for (let call = 0; call < 2; call += 1)
      expect((await Array.fromAsync(model.stream(asking, { signal }))).at(-1)).toMatchObject({ type: "finish" });
    expect(sentStrict(provider)).toEqual([true, undefined, undefined]);
    expect(logged).toHaveLength(1);
  });

  it("that fails for another reason, or without strict too, fails as it did", async () => {
    const { logged, logger } = listening();
    const other = await startProvider((reply) => reply.refuse(400, { error: { message: "too long", code: "context_length_exceeded" } }));
    const model = openaiCompatible({ baseURL: other.baseURL, model: "m", retries: 0, logger });
    await expect(Array.fromAsync(model.stream(asking, { signal }))).rejects.toMatchObject({ code: "model.failed" });
    expect([sentStrict(other), logged]).toEqual([[true], []]);
    const never = await startProvider((reply) => reply.refuse(400, refusals[0] ?? null));
    const refusing = openaiCompatible({ baseURL: never.baseURL, model: "m", retries: 0, logger });
    await expect(Array.fromAsync(refusing.stream(asking, { signal }))).rejects.toMatchObject({ code: "model.failed" });
    expect(sentStrict(never)).toEqual([true, undefined]);
  });
});
