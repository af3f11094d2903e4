import { describe, expect, it } from "vitest";
import type { EmbeddingProvider } from "../../packages/throughline/src/memory.ts";
import { createQueryVectors, embedBefore } from "../../packages/throughline/src/memory/recall/embed-memory.ts";
import {
  failingEmbedding,
  fixedClock,
  hashEmbedding,
  nanEmbedding,
  slowEmbedding,
  wrongDimensionEmbedding,
} from "../../packages/throughline/src/testing.ts";

const text = "how did Mel sleep?";
const sound = hashEmbedding({ dimensions: 32 });
const returning = (answer: unknown): EmbeddingProvider => ({ ...sound, embed: async () => answer as readonly Float32Array[] });
const counted = (provider: EmbeddingProvider): EmbeddingProvider & { readonly calls: () => number } => {
  let calls = 0;
  return { ...provider, calls: () => calls, embed: (...call) => ((calls += 1), provider.embed(...call)) };
};

describe("the vector of a question", () => {
  it("comes in time", async () => {
    const found = await embedBefore(sound, text);
    expect(found).toMatchObject({ vector: (await sound.embed([text], { kind: "query" }))[0] });
  });
  it.each<[string, EmbeddingProvider, string]>([
    ["fails", failingEmbedding(), "embedding.failed"],
    ["fails with an error of its own", failingEmbedding({ error: new Error(`socket hang up: ${text}`) }), "embedding.failed"],
    ["fails with something that is no error", failingEmbedding({ error: undefined }), "embedding.failed"],
    [
      "throws at once",
      {
        ...sound,
        embed: () => {
          throw new TypeError("no");
        },
      },
      "embedding.failed",
    ],
    ["gives other dimensions", wrongDimensionEmbedding({ dimensions: 32 }), "embedding.invalid"],
    ["gives something that is no number", nanEmbedding({ dimensions: 32 }), "embedding.invalid"],
    ["gives nothing", returning([]), "embedding.invalid"],
    ["gives no list", returning(undefined), "embedding.invalid"],
    ["gives two vectors", returning([new Float32Array(32).fill(1), new Float32Array(32).fill(1)]), "embedding.invalid"],
    ["gives a list of numbers", returning([Array.from({ length: 32 }, () => 1)]), "embedding.invalid"],
    ["gives zeros", returning([new Float32Array(32)]), "embedding.invalid"],
  ])("case 78: of a model that %s is none, and recall goes on by words", async (_what, provider, code) => {
    const found = await embedBefore(provider, text);
    expect(found).toMatchObject({ path: "token_recall_after_embed_error", error: { code } });
    expect(found.vector).toBeUndefined();
    expect(JSON.stringify(found)).not.toContain(text);
  });
  it("is waited for until the deadline, and no longer", async () => {
    const clock = fixedClock();
    const asked = embedBefore(slowEmbedding({ ms: 400, clock }), text, { clock });
    clock.advance(299);
    await Promise.resolve();
    clock.advance(1);
    expect(await asked).toMatchObject({ path: "token_recall_after_embed_timeout", embed_ms: 300 });
    const inTime = embedBefore(slowEmbedding({ ms: 400, clock }), text, { clock, deadlineMs: 401 });
    clock.advance(400);
    expect(await inTime).toMatchObject({ embed_ms: 400, vector: expect.any(Float32Array) as unknown });
  });
  it("is not waited for in a model that does not listen, and its late failure harms nobody", async () => {
    const { promise, reject } = Promise.withResolvers<readonly Float32Array[]>();
    const found = await embedBefore({ ...sound, embed: () => promise }, text, { deadlineMs: 5 });
    expect(found).toMatchObject({ path: "token_recall_after_embed_timeout" });
    reject(new Error("late"));
  });
  it("ends with the turn, by the turn's reason", async () => {
    const stop = new AbortController();
    const reason = new Error("superseded");
    const asked = embedBefore(slowEmbedding({ ms: 60_000 }), text, { signal: stop.signal, deadlineMs: 60_000 });
    stop.abort(reason);
    await expect(asked).rejects.toBe(reason);
    await expect(embedBefore(sound, text, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
  it.each(["", " \n\t"])("of nothing (%j) is not asked for", async (nothing) => {
    const provider = counted(sound);
    expect(await embedBefore(provider, nothing)).toEqual({ path: "token_recall", embed_ms: 0 });
    expect(provider.calls()).toBe(0);
  });
  it("is asked for once, by each provider", async () => {
    const [one, other] = [counted(sound), counted(hashEmbedding({ dimensions: 32, id: "other@32" }))];
    const known = createQueryVectors();
    for (const provider of [one, one, other, other]) expect(await embedBefore(provider, text, { known })).toHaveProperty("vector");
    expect([one.calls(), other.calls(), known.size]).toEqual([1, 1, 2]);
    known.clear();
    await embedBefore(one, text, { known });
    expect(one.calls()).toBe(2);
  });
  it("is not kept when there is none", async () => {
    const known = createQueryVectors();
    await embedBefore(nanEmbedding(), text, { known });
    expect(known.size).toBe(0);
  });
  it("that was not used for the longest time makes room", () => {
    const known = createQueryVectors({ limit: 2 });
    const vector = Float32Array.of(1);
    known.set("m", "a", vector);
    known.set("m", "b", vector);
    known.get("m", "a");
    known.set("m", "c", vector);
    expect(["a", "b", "c"].map((each) => known.get("m", each) === vector)).toEqual([true, false, true]);
  });
});
