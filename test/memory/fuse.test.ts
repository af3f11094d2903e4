import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DenseHit } from "../../packages/throughline/src/memory/recall/dense.ts";
import { firstStaysWithin, fuseRanks, fuseScores } from "../../packages/throughline/src/memory/recall/recall.ts";
import type { RankedUnit } from "../../packages/throughline/src/memory/recall/unit.ts";

const idsOf = (hits: readonly { readonly id: string }[]): readonly string[] => hits.map(({ id }) => id);
const word = (id: string, score: number): RankedUnit => ({ id, score, parts: { words: score } });
const near = (id: string, score: number): DenseHit => ({ id, score });
const methods = [
  ["scores", fuseScores],
  ["places", fuseRanks],
] as const;

/** Lists as the arms hand them over: each id once, best first. Few ids, so that the arms meet; scores from a coarse grid, so that they tie. */
const listOf = (least: number): fc.Arbitrary<readonly DenseHit[]> =>
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: least, max: 12 })), { maxLength: 30, selector: ([id]) => id })
    .map((pairs) => pairs.map(([id, score]) => near(`e${id}`, score / 10)).toSorted((one, other) => other.score - one.score));
const words = listOf(0).map((hits) => hits.map(({ id, score }) => word(id, score)));
const dense = listOf(-10);

describe.each(methods)("fusion by %s", (_name, fuse) => {
  it("is what the words found where vectors weigh nothing or there are none", () =>
    fc.assert(
      fc.property(words, dense, (one, other) => {
        expect(fuse(one, other, { weight: 0 })).toEqual(one);
        expect(fuse(one, [])).toEqual(one);
      }),
    ));
  it("is what the vectors found where they weigh all or there are no words", () =>
    fc.assert(
      fc.property(words, dense, (one, other) => {
        fc.pre(other.length > 0);
        expect(idsOf(fuse([], other))).toEqual(idsOf(other));
        expect(idsOf(fuse(one, other, { weight: 1 }))).toEqual(idsOf(other));
      }),
    ));
  it("has all that either found, once, best first, the same each time", () =>
    fc.assert(
      fc.property(words, dense, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (one, other, weight) => {
        const fused = fuse(one, other, { weight });
        expect(idsOf(fused).toSorted()).toEqual([...new Set([...idsOf(one), ...idsOf(other)])].toSorted());
        const scores = fused.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(fuse(one, other, { weight })).toEqual(fused);
      }),
    ));
  it("keeps what the words put first among the first, whatever the vectors say, and however few are asked for", () =>
    fc.assert(
      fc.property(words, dense, fc.integer({ min: 1, max: 12 }), (one, other, limit) => {
        const [first] = one;
        fc.pre(first !== undefined);
        expect(idsOf(fuse(one, other)).indexOf(first?.id ?? "")).toBeLessThan(firstStaysWithin);
        expect(idsOf(fuse(one, other, { limit }))).toContain(first?.id);
        expect(fuse(one, other, { limit }).length).toBeLessThanOrEqual(limit);
      }),
    ));
  it("says what each score is made of", () =>
    fc.assert(
      fc.property(words, dense, (one, other) => {
        for (const { score, parts } of fuse(one, other)) {
          expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 10);
        }
      }),
    ));
  it("does not lift what only the vectors found over what the words put first, at the default weight", () =>
    fc.assert(
      fc.property(words, dense, (one, other) => {
        const [first] = one;
        fc.pre(first !== undefined && first.score > 0);
        const fused = idsOf(fuse(one, other));
        const before = fused.slice(0, fused.indexOf(first?.id ?? ""));
        expect(before.filter((id) => !idsOf(one).includes(id))).toEqual([]);
      }),
    ));
});

describe("fusion by hand", () => {
  it("by scores keeps the scale of the words and adds what the vectors give", () => {
    const fused = fuseScores([word("a", 1), word("b", 0.9), word("c", 0.5)], [near("b", 0.8), near("d", 0.6)]);
    // Worth of the vectors: .15 / .85 of the span .5, whole for the nearest and nothing for the least near.
    const worth = (0.15 / 0.85) * 0.5;
    expect(idsOf(fused)).toEqual(["a", "b", "c", "d"]);
    expect(fused[1]).toEqual({ id: "b", score: 0.9 + worth, parts: { words: 0.9, dense: worth } });
    expect(fused[3]).toEqual({ id: "d", score: 0.5, parts: { base: 0.5 } });
  });
  it("by scores lets a near second pass a first that is hardly better", () =>
    expect(idsOf(fuseScores([word("a", 1), word("b", 0.99), word("c", 0)], [near("b", 0.9), near("c", 0.1)]))).toEqual(["b", "a", "c"]));
  it("by places adds reciprocals", () => {
    const fused = fuseRanks([word("a", 9), word("b", 1)], [near("b", 0.8), near("c", 0.7)]);
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      ["b", 1 / 12 + 0.3 / 11],
      ["a", 1 / 11],
      ["c", 0.3 / 12],
    ]);
  });
  it("lifts what was put first out of a crowd of near equals", () => {
    const crowd = Array.from({ length: 20 }, (_, at) => `e${at}`);
    const fused = fuseScores(
      [word("first", 1), ...crowd.map((id) => word(id, 0.999)), word("last", 0)],
      crowd.map((id) => near(id, 0.9)).concat(near("far", 0)),
    );
    expect(idsOf(fused).indexOf("first")).toBe(firstStaysWithin - 1);
    expect(fused[firstStaysWithin - 1]?.parts["first"]).toBeGreaterThan(0);
  });
});
