import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { aiSdkEmbedding, type AiSdkEmbeddingCall, type AiSdkEmbeddingModel } from "../../packages/throughline/src/memory.ts";
import { embeddingChecks, hashEmbedding, type EmbeddingFault } from "../../packages/throughline/src/testing.ts";
import { fastClock } from "../model/asking.ts";

const dimensions = 64;
const secret = "sk-proj-Zx81hunter2";
const query = { kind: "query" } as const;

/** An error as the SDK's providers throw them: with the request in it, and what the service wrote. */
class AiApiCallError extends Error {
  override readonly name = "AI_APICallError";
  readonly statusCode: number;
  readonly isRetryable: boolean;
  readonly requestBodyValues: unknown;
  readonly responseHeaders: Readonly<Record<string, string>> = { "retry-after-ms": "5", authorization: secret };

  constructor(statusCode: number, values: unknown) {
    super(`refused: ${secret} ${JSON.stringify(values)}`);
    this.statusCode = statusCode;
    this.isRetryable = statusCode === 429 || statusCode >= 500;
    this.requestBodyValues = values;
  }
}

interface FakeModel extends AiSdkEmbeddingModel {
  readonly calls: readonly AiSdkEmbeddingCall[];
  readonly misbehave: (fault: EmbeddingFault | undefined) => void;
}

const faults: readonly EmbeddingFault[] = [
  ...(["401", "429", "500", "hang", "no list", "too few", "too many", "wrong dimensions", "not a number", "zeros", "thrown"] as const),
];

function fakeModel(over: Partial<Pick<AiSdkEmbeddingModel, "specificationVersion" | "maxEmbeddingsPerCall">> = {}): FakeModel {
  const sound = hashEmbedding({ dimensions });
  const calls: AiSdkEmbeddingCall[] = [];
  let fault: EmbeddingFault | undefined;
  const wrong = (vectors: readonly number[][], values: readonly string[]): unknown => {
    const [first = [], ...rest] = vectors;
    if (fault === undefined) return vectors;
    if (fault === "401" || fault === "429" || fault === "500") throw new AiApiCallError(Number(fault), values);
    if (fault === "thrown") throw new TypeError(`undefined is not a function: ${values.join()} ${secret}`);
    if (fault === "no list") return undefined;
    if (fault === "too few") return rest;
    if (fault === "too many") return [first, ...vectors];
    if (fault === "wrong dimensions") return [[...first, 1], ...rest];
    if (fault === "zeros") return [first.map(() => 0), ...rest];
    return [[Number.NaN, ...first.slice(1)], ...rest];
  };
  return {
    specificationVersion: "v3",
    provider: "fake.embedding",
    modelId: "m-1",
    maxEmbeddingsPerCall: undefined,
    ...over,
    calls,
    misbehave: (next) => void (fault = next),
    async doEmbed(call) {
      calls.push(call);
      // It does not listen to the signal: a provider need not.
      if (fault === "hang") await delay(60_000, undefined, { ref: false });
      const vectors = (await sound.embed(call.values, query)).map((vector) => [...vector]);
      return { embeddings: wrong(vectors, call.values) as number[][], warnings: [] };
    },
  };
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("embeddings of the AI SDK", () => {
  it.each(embeddingChecks(faults).map(({ name, run }) => [name, run] as const))("%s", (_name, run) =>
    run(() => {
      const model = fakeModel();
      return {
        open: (limits) => aiSdkEmbedding(model, { dimensions, ...limits, retries: 0 }),
        misbehave: model.misbehave,
        faults,
        sent: () => model.calls.map(({ values }) => values.length),
        secret,
      };
    }),
  );
  it.each([
    ["a number", 2],
    ["a number that comes later", Promise.resolve(2)],
    ["no limit", Number.POSITIVE_INFINITY],
    ["a limit that nobody knows", Promise.resolve(undefined)],
  ])("hold no more texts than the model takes: %s", async (_what, maxEmbeddingsPerCall) => {
    const model = fakeModel({ maxEmbeddingsPerCall });
    await aiSdkEmbedding(model, { dimensions, maxBatch: 3 }).embed(["one", "two", "three", "four"], query);
    const limited = (await maxEmbeddingsPerCall) === 2;
    expect(model.calls.map(({ values }) => values.length)).toEqual(limited ? [2, 2] : [3, 1]);
  });
  it("are repeated while that may help", async () => {
    const model = fakeModel();
    model.misbehave("500");
    const error = await errorOf(aiSdkEmbedding(model, { dimensions, retries: 2, clock: fastClock(40) }).embed(["one"], query));
    expect({ error, calls: model.calls.length }).toMatchObject({
      error: { code: "embedding.failed", message: "m-1 at fake.embedding answered 500 (AI_APICallError).", details: { attempts: 3 } },
      calls: 3,
    });
  });
  it("are asked for with the options of every call", async () => {
    const model = fakeModel({ specificationVersion: "v4" });
    const options = { dimensions, shorten: true, queryPrefix: "q: ", headers: { "x-org": "o" }, providerOptions: { fake: { user: "u" } } };
    await aiSdkEmbedding(model, options).embed(["one"], query);
    expect(model.calls[0]).toMatchObject({ values: ["q: one"], dimensions, headers: { "x-org": "o" }, providerOptions: { fake: { user: "u" } } });
  });
  it("have an id of the provider, the model and its dimensions", () =>
    expect(aiSdkEmbedding(fakeModel(), { dimensions }).id).toBe("fake.embedding:m-1@64"));
  it.each([
    ["a name", "openai/text-embedding-3-small"],
    ["a model of another kind", { specificationVersion: "v3", provider: "p", modelId: "m", doStream: () => undefined }],
    ["a model of an older version", { specificationVersion: "v1", provider: "p", modelId: "m", doEmbed: () => undefined }],
    ["nothing", undefined],
  ])("are not made of %s", (_what, model) =>
    expect(() => aiSdkEmbedding(model as never, { dimensions })).toThrow(expect.objectContaining({ code: "input.invalid" })),
  );
});
