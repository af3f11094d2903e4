import { describe, expect, it, onTestFinished } from "vitest";
import { openaiCompatibleEmbedding, type OpenaiCompatibleEmbeddingOptions } from "../../packages/throughline/src/memory.ts";
import { embeddingChecks, embeddingFaults } from "../../packages/throughline/src/testing.ts";
import { vectorData } from "../../packages/throughline/src/memory/recall/dense.ts";
import { fastClock } from "../model/asking.ts";
import { type Asked, type EmbeddingServer, startEmbeddingServer, type Wire } from "./embedding-server.ts";

const dimensions = 64;
const apiKey = "sk-proj-Zx81hunter2";
const query = { kind: "query" } as const;

/** Entries come last first, as a server may send them. */
const wire: Wire = {
  dimensions,
  answer: (vectors, { body }) => ({
    data: vectors
      .map((embedding, index) => ({
        object: "embedding",
        index,
        embedding:
          body["encoding_format"] === "base64"
            ? vectorData(Float32Array.from(embedding, (value) => (value === null ? Number.NaN : Number(value))))
            : embedding,
      }))
      .toReversed(),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
};

async function started(over: Partial<Wire> = {}): Promise<EmbeddingServer> {
  const server = await startEmbeddingServer({ ...wire, ...over });
  onTestFinished(() => server.close());
  return server;
}

const provider = (server: EmbeddingServer, rest: Partial<OpenaiCompatibleEmbeddingOptions> = {}) =>
  openaiCompatibleEmbedding({ baseURL: `${server.origin}/v1`, model: "m-1", dimensions, apiKey, ...rest });

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each([
  ["float", embeddingFaults],
  ["base64", ["too few", "wrong dimensions", "not a number", "zeros"]],
] as const)("embeddings of OpenAI's wire, numbers as %s", (encoding, faults) => {
  it.each(embeddingChecks(faults).map(({ name, run }) => [name, run] as const))("%s", (_name, run) =>
    run(async () => {
      const server = await startEmbeddingServer(wire);
      return {
        open: (limits) => provider(server, { ...limits, encoding, retries: 0 }),
        misbehave: server.misbehave,
        faults,
        sent: () => server.asked.map(({ body }) => body.input.length),
        secret: apiKey,
        close: server.close,
      };
    }),
  );
});

describe("an embedding request", () => {
  it("has the key, the model and the texts with the prefix of their kind, and not what was not asked for", async () => {
    const server = await started();
    const model = provider(server, {
      queryPrefix: "q: ",
      documentPrefix: "d: ",
      parameters: { user: "u-1", model: "other" },
      headers: { "x-org": "o" },
    });
    await model.embed(["one"], query);
    await model.embed(["two"], { kind: "document" });
    const [first, second] = server.asked;
    expect(first?.path).toBe("/v1/embeddings");
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${apiKey}`, "x-org": "o", "content-type": "application/json" });
    expect(first?.body).toEqual({ model: "m-1", input: ["q: one"], encoding_format: "float", user: "u-1" });
    expect(second?.body.input).toEqual(["d: two"]);
  });
  it("names the dimensions only when it is to shorten", async () => {
    const server = await started();
    await provider(server, { shorten: true }).embed(["one"], query);
    expect(server.asked[0]?.body).toMatchObject({ dimensions });
  });
  it("is repeated while that may help, and no longer", async () => {
    const server = await started();
    const clock = fastClock(40);
    server.misbehave("429");
    const error = await errorOf(provider(server, { clock, retries: 2 }).embed(["one"], query));
    expect({ error, calls: server.asked.length }).toMatchObject({
      error: { code: "embedding.failed", details: { status: 429, attempts: 3 } },
      calls: 3,
    });
    server.misbehave("401");
    expect(await errorOf(provider(server, { clock, retries: 2 }).embed(["one"], query))).toMatchObject({ details: { status: 401, attempts: 1 } });
  });
  it("ends its connection when nobody waits for it any more", async () => {
    const server = await started();
    server.misbehave("hang");
    const stop = new AbortController();
    const asked = errorOf(provider(server).embed(["one"], { kind: "query", signal: stop.signal }));
    await expect.poll(() => server.asked.length).toBe(1);
    stop.abort();
    await asked;
    await expect.poll(() => server.left()).toBe(1);
  });
  it("does not follow a redirect with the key", async () => {
    const elsewhere = await started();
    const server = await started();
    const fetch: typeof globalThis.fetch = async (input, init) => {
      expect(init?.redirect).toBe("manual");
      await globalThis.fetch(input, init);
      return new Response(null, { status: 307, headers: { location: `${elsewhere.origin}/v1/embeddings` } });
    };
    expect(await errorOf(provider(server, { fetch }).embed(["one"], query))).toMatchObject({ code: "embedding.failed" });
    expect(elsewhere.asked).toEqual([]);
  });
  it("that the key cannot be had for is not sent, and what was thrown is not shown", async () => {
    const server = await started();
    const model = provider(server, {
      apiKey: () => {
        throw new Error(`vault: ${apiKey}`);
      },
    });
    const error = await errorOf(model.embed(["one"], query));
    expect(error).toMatchObject({ code: "embedding.failed" });
    expect(JSON.stringify(error)).not.toContain(apiKey);
    expect(server.asked).toEqual([]);
  });
});

describe("an answer", () => {
  const entries = (indices: readonly unknown[]) => (vectors: readonly (readonly unknown[])[], _asked: Asked) => ({
    data: vectors.map((embedding, at) => ({ embedding, ...(indices[at] === undefined ? {} : { index: indices[at] }) })),
  });
  it("without places is taken in its order", async () => {
    const server = await started({ answer: entries([]) });
    const plain = await provider(server).embed(["one", "two"], query);
    expect(plain).toEqual([...(await provider(server).embed(["one"], query)), ...(await provider(server).embed(["two"], query))]);
  });
  it.each([
    ["the same place twice", [0, 0]],
    ["a place beyond the end", [0, 2]],
    ["a place before the beginning", [-1, 0]],
    ["a place between two", [0.5, 1]],
    ["a place that is no number", ["0", "1"]],
  ])("with %s is refused", async (_what, indices) => {
    const server = await started({ answer: entries(indices) });
    expect(await errorOf(provider(server).embed(["one", "two"], query))).toMatchObject({ code: "embedding.invalid" });
  });
  it.each([
    ["no object", 7],
    ["an entry that is none", { data: [null] }],
    ["base64 of another length", { data: [{ index: 0, embedding: "AAAA" }] }],
    ["numbers as texts", { data: [{ index: 0, embedding: Array.from({ length: dimensions }, () => "1") }] }],
  ])("that is %s is refused", async (_what, answer) => {
    const server = await started({ answer: () => answer });
    expect(await errorOf(provider(server).embed(["one"], query))).toMatchObject({ code: "embedding.invalid" });
  });
});

describe("options", () => {
  const options = { baseURL: "http://127.0.0.1:9/v1", model: "m-1", dimensions: 8 };
  it.each<[string, Partial<OpenaiCompatibleEmbeddingOptions>]>([
    ["no dimensions", { dimensions: 0 }],
    ["half a dimension", { dimensions: 1.5 }],
    ["more dimensions than there are", { dimensions: 20_000 }],
    ["no texts at once", { maxBatch: 0 }],
    ["no model", { model: " " }],
    ["no address", { baseURL: "api.openai.com" }],
    ["a password in the address", { baseURL: "http://a:b@127.0.0.1/v1" }],
    ["a key with a line end in it", { apiKey: "sk-1\n2" }],
    ["no time", { timeoutMs: 0 }],
    ["half a retry", { retries: 0.5 }],
  ])("with %s are refused", (_what, rest) =>
    expect(() => openaiCompatibleEmbedding({ ...options, ...rest })).toThrow(expect.objectContaining({ code: "input.invalid" })),
  );
  it("make the id: the model, its dimensions, its revision and its prefixes, and not where it runs", () => {
    const id = (rest: Partial<OpenaiCompatibleEmbeddingOptions> = {}): string => openaiCompatibleEmbedding({ ...options, ...rest }).id;
    expect(id()).toBe("openai:m-1@8");
    expect(id({ baseURL: "http://127.0.0.1:8/v1", maxBatch: 2 })).toBe(id());
    expect(id({ revision: "2026-01" })).toBe("openai:m-1@8#2026-01");
    const ids = [
      id(),
      id({ model: "m-2" }),
      id({ dimensions: 9 }),
      id({ queryPrefix: "a" }),
      id({ documentPrefix: "a" }),
      id({ queryPrefix: "b" }),
      id({ revision: "r" }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
