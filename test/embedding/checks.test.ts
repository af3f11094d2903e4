import { describe, expect, it } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/index.ts";
import type { EmbeddingProvider } from "../../packages/throughline/src/memory.ts";
import {
  embeddingChecks,
  type EmbeddingFault,
  failingEmbedding,
  hashEmbedding,
  nanEmbedding,
  slowEmbedding,
  wrongDimensionEmbedding,
} from "../../packages/throughline/src/testing.ts";

const dimensions = 64;

/** Checks that a provider does not pass, by name; it is asked as it is, without a service to misbehave. */
async function failed(provider: EmbeddingProvider, faults: readonly EmbeddingFault[] = []): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const { name, run } of embeddingChecks(faults)) {
    const rig = { open: () => provider, misbehave: () => {}, faults };
    await run(() => rig).catch(() => failures.push(name));
  }
  return failures;
}

const sound = hashEmbedding({ dimensions, maxBatch: 3 });
type Embed = EmbeddingProvider["embed"];
const broken = (embed: (right: Embed) => Embed): EmbeddingProvider => Object.freeze({ ...sound, embed: embed((...call) => sound.embed(...call)) });

describe("the list of checks for embedding models", () => {
  it.each<[string, EmbeddingProvider, string]>([
    [
      "answers in another order",
      broken(
        (right) =>
          async (...call) =>
            (await right(...call)).toReversed(),
      ),
      "order of the texts",
    ],
    [
      "gives all texts one vector",
      broken(
        (right) => (texts, options) =>
          right(
            texts.map(() => "same"),
            options,
          ),
      ),
      "order of the texts",
    ],
    [
      "gives vectors that are not of length 1",
      broken(
        (right) =>
          async (...call) =>
            (await right(...call)).map((vector) => vector.map((value) => value * 2)),
      ),
      "of length 1",
    ],
    ["gives vectors of other dimensions", wrongDimensionEmbedding({ dimensions, maxBatch: 3 }), "of length 1"],
    ["gives something that is no number", nanEmbedding({ dimensions, maxBatch: 3 }), "of length 1"],
    ["always fails", failingEmbedding({ dimensions, maxBatch: 3 }), "of length 1"],
    [
      "goes on after the signal",
      broken(
        (right) =>
          (texts, { kind }) =>
            right(texts, { kind }),
      ),
      "aborted before",
    ],
    ["can be changed", { ...sound }, "frozen value"],
    [
      "gives the same memory out again",
      broken((right) => {
        const shared = new Float32Array(dimensions);
        return async (texts, options) => (await right(texts, options)).map((vector, at) => (at === 0 ? (shared.set(vector), shared) : vector));
      }),
      "keeps the vectors",
    ],
    ["takes what says nothing", sound, "refuses what says nothing"],
  ])("sees one that %s", async (_what, provider, name) => expect(await failed(provider)).toContainEqual(expect.stringContaining(name)));
  it("sees one that does not tell of a fault", async () =>
    expect(await failed(sound, ["401"])).toContainEqual(expect.stringContaining("does this wrong, and goes on after it: 401")));
  it("gives one that was late on a busy machine a longer timeout, three times at most", async () => {
    const late = embeddingChecks(["hang"]).find(({ name }) => name.endsWith("hang"));
    const opened: number[] = [];
    const run = (slowBelowMs: number): Promise<void> | undefined =>
      late?.run(() => {
        let hangs = false;
        return {
          open: ({ timeoutMs }) => {
            opened.push(timeoutMs);
            return timeoutMs < slowBelowMs
              ? failingEmbedding({ dimensions, maxBatch: 3 })
              : broken(
                  (right) =>
                    (...call) =>
                      hangs ? Promise.reject(new ThroughlineError("embedding.failed")) : right(...call),
                );
          },
          misbehave: (fault) => void (hangs = fault !== undefined),
          faults: ["hang"],
        };
      });
    await run(1_000);
    expect(opened.splice(0)).toEqual([200, 2_000]);
    await expect(run(Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: "embedding.failed" });
    expect(opened).toEqual([200, 2_000, 8_000]);
  });
});

describe("the embedding models for tests", () => {
  it("are the same in every run, near each other for texts that share words, and of length 1 for any text", async () => {
    const [paints, painting, sleeps, symbols, again] = await hashEmbedding().embed(
      ["Mel paints", "Mel is painting", "I sleep badly", "?!", "Mel paints"],
      {
        kind: "query",
      },
    );
    const cosine = (one: Float32Array | undefined, other: Float32Array | undefined): number =>
      (one ?? new Float32Array()).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0);
    expect(again).toEqual(paints);
    expect(cosine(paints, painting)).toBeGreaterThan(cosine(paints, sleeps) + 0.2);
    expect(Math.hypot(...(symbols ?? []))).toBeCloseTo(1, 5);
    expect(paints).toHaveLength(512);
  });
  it("have an id that says what they are", () => {
    const ids = [hashEmbedding(), failingEmbedding(), slowEmbedding({ ms: 1 }), wrongDimensionEmbedding(), nanEmbedding()].map(({ id }) => id);
    expect(ids).toEqual(["test-hash@512", "test-failing@512", "test-slow@512", "test-wrong-dimension@512", "test-nan@512"]);
  });
});
