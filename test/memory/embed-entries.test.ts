import { describe, expect, it } from "vitest";
import type { EmbeddingProvider, Fact, Kept } from "../../packages/throughline/src/memory.ts";
import { ThroughlineError } from "../../packages/throughline/src/index.ts";
import { embedEntries, planVectors, vectorWrites, type VectorPlan } from "../../packages/throughline/src/memory/recall/embed-memory.ts";
import type { RememberedTurn, Entry } from "../../packages/throughline/src/memory/entry.ts";
import { createVectorIndex } from "../../packages/throughline/src/memory/recall/dense.ts";
import { decodeEntry } from "../../packages/throughline/src/memory/write/decode.ts";
import { failingEmbedding, hashEmbedding, nanEmbedding, wrongDimensionEmbedding } from "../../packages/throughline/src/testing.ts";

const source = { session_id: "sess_1" as RememberedTurn["source"]["session_id"], offset: 3, at: 1_000 };
const turn = (text: string, rest: Partial<RememberedTurn> = {}): RememberedTurn => ({
  ...{ type: "turn", text, source, episode: 1, recorded_at: 1_000, sensitivity: "ordinary" },
  ...rest,
});
const fact: Fact = {
  ...{ type: "fact", category: "preference", subject: { type: "User", id: "user" }, predicate: "LIKES", object: { type: "Thing", id: "tea" } },
  ...{ quote: "I like tea", confidence: "high", authority: "extraction", sources: [source], written: "promotion", reason: "said", policy: "1" },
  ...{ recorded_at: 1_000, sensitivity: "ordinary" },
};
const kept = (entry_id: string, entry: Entry, version = 1): Kept<Entry> => ({ entry_id, version, entry });
const provider = hashEmbedding({ dimensions: 32, maxBatch: 4 });
const idsOf = ({ missing }: VectorPlan): readonly string[] => missing.map(({ entry_id }) => entry_id);

/** Entries with the vectors that a first run gives them. */
async function embedded(entries: readonly Kept<Entry>[], model = provider): Promise<readonly Kept<Entry>[]> {
  const { vectors } = await embedEntries(model, planVectors(entries, model).missing);
  const writes = vectorWrites(vectors, (id) => entries.find(({ entry_id }) => entry_id === id));
  return [...entries, ...writes.map(({ entry_id, data }) => kept(entry_id, data as unknown as Entry, 9))];
}

const entries = [kept("a", turn("Mel paints"), 1), kept("b", turn("we moved to Lyon"), 2), kept("c", fact, 3)];

describe("which entries need a vector", () => {
  it("all at first, the newest before the others, facts with what was said", () => {
    const { missing, obsolete } = planVectors(entries, provider);
    expect(missing.map(({ entry_id, text }) => [entry_id, text])).toEqual([
      ["c", "preference likes tea. I like tea"],
      ["b", "we moved to Lyon"],
      ["a", "Mel paints"],
    ]);
    expect(obsolete).toEqual([]);
  });
  it("none when all have one, whatever else became of them", async () => {
    const all = await embedded(entries);
    expect(planVectors(all, provider)).toEqual({ missing: [], obsolete: [] });
    const pinned = all.map((each) => (each.entry_id === "a" ? kept("a", turn("Mel paints", { pinned: true }), 20) : each));
    expect(planVectors(pinned, provider)).toEqual({ missing: [], obsolete: [] });
  });
  it("those that say something else by now", async () => {
    const all = (await embedded(entries)).map((each) => (each.entry_id === "a" ? kept("a", turn("Mel paints horses"), 20) : each));
    expect(planVectors(all, provider)).toMatchObject({ missing: [{ entry_id: "a", text: "Mel paints horses" }], obsolete: [] });
  });
  it.each([
    ["another model", hashEmbedding({ dimensions: 32, id: "other@32" })],
    ["the same with other dimensions", hashEmbedding({ dimensions: 16, id: provider.id })],
  ])("all again for %s", async (_what, other) => {
    expect(idsOf(planVectors(await embedded(entries), other))).toEqual(["c", "b", "a"]);
  });
  it("not those that a model has refused before", () =>
    expect(idsOf(planVectors(entries, provider, { except: new Set(["b"]) }))).toEqual(["c", "a"]));
  it.each<[string, Partial<RememberedTurn>]>([
    ["withdrawn", { retracted_at: 5 }],
    ["replaced", { superseded_by: "x" }],
    ["never recalled", { never_recall: true }],
  ])("not what is %s: it is sent to no model, and its vector goes", async (_what, rest) => {
    const after = (await embedded(entries)).map((each) => (each.entry_id === "a" ? kept("a", turn("Mel paints", rest), 20) : each));
    expect(planVectors(after, provider)).toEqual({ missing: [], obsolete: [{ entry_id: "vec:a", kind: "vector", data: null }] });
  });
  it("and takes away the vector of what is gone, also one of another model", async () => {
    const after = (await embedded(entries, hashEmbedding({ dimensions: 16 }))).filter(({ entry_id }) => entry_id !== "a");
    expect(planVectors(after, provider).obsolete).toEqual([{ entry_id: "vec:a", kind: "vector", data: null }]);
  });
  it("by at most 2,000 characters of each, and nothing for what says nothing", () => {
    const { missing } = planVectors([kept("long", turn("x".repeat(50_000))), kept("blank", turn("  "))], provider);
    expect(missing.map(({ text }) => text.length)).toEqual([2_000]);
  });
});

describe("embedding a batch", () => {
  const { missing } = planVectors(entries, provider);
  const refusing = (status: number, ...words: readonly string[]): EmbeddingProvider => ({
    ...provider,
    embed: async (texts, options) => {
      if (texts.some((text) => words.some((word) => text.includes(word))))
        throw new ThroughlineError("embedding.failed", "no", { details: { status } });
      return provider.embed(texts, options);
    },
  });
  it.each([400, 413, 422])("leaves out the one text that a service answers with %i", async (status) => {
    const { vectors, refused } = await embedEntries(refusing(status, "Lyon"), missing);
    expect({ of: vectors.map(({ of }) => of), refused }).toEqual({ of: ["c", "a"], refused: ["b"] });
  });
  it("of one leaves out that one", async () =>
    expect(await embedEntries(refusing(400, "Lyon"), missing.slice(1, 2))).toEqual({ vectors: [], refused: ["b"] }));
  it.each<[string, EmbeddingProvider]>([
    ["is overloaded", refusing(429, "Lyon")],
    ["refuses everything", refusing(400, "")],
    ["cannot be reached", failingEmbedding({ dimensions: 32 })],
    ["gives other dimensions", wrongDimensionEmbedding({ dimensions: 32 })],
    ["gives something that is no number", nanEmbedding({ dimensions: 32 })],
    ["gives too few vectors", { ...provider, embed: async (texts, options) => (await provider.embed(texts, options)).slice(1) }],
  ])("fails with a service that %s", async (_what, model) => {
    await expect(embedEntries(model, missing)).rejects.toThrow(expect.objectContaining({ code: expect.stringMatching(/^embedding\./) as unknown }));
  });
  it("of nothing asks nobody twice", async () => expect(await embedEntries(provider, [])).toEqual({ vectors: [], refused: [] }));
  it("ends with the signal", async () => {
    const reason = new Error("closing");
    await expect(embedEntries(provider, missing, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("writing vectors", () => {
  it("gives what the index takes, by way of the database", async () => {
    const all = await embedded(entries);
    const index = createVectorIndex(provider);
    for (const { entry_id, version, entry } of all.filter((each) => each.entry.type === "vector")) {
      const read = decodeEntry({ owner_id: "cust_1", entry_id, version, kind: "vector", data: { ...entry }, created_at: 1 } as never);
      expect(read).toMatchObject({ entry: { type: "vector" } });
      if (entry.type === "vector") expect(index.add(entry)).toBe(true);
    }
    const [query] = await provider.embed(["we moved to Lyon"], { kind: "query" });
    expect(index.rank(query ?? new Float32Array(32))[0]).toMatchObject({ id: "b", score: expect.closeTo(1, 5) as unknown });
  });
  it.each<[string, Kept<Entry> | undefined]>([
    ["is gone", undefined],
    ["says something else by now", kept("a", turn("Mel paints no more"))],
    ["was withdrawn", kept("a", turn("Mel paints", { retracted_at: 5 }))],
    ["is never to be recalled", kept("a", turn("Mel paints", { never_recall: true }))],
  ])("leaves out one whose entry %s since it was asked for", async (_what, now) => {
    const { vectors } = await embedEntries(provider, planVectors(entries, provider).missing);
    const writes = vectorWrites(vectors, (id) => (id === "a" ? now : entries.find(({ entry_id }) => entry_id === id)));
    expect(writes.map(({ entry_id }) => entry_id)).toEqual(["vec:c", "vec:b"]);
  });
});
