import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, isDrop } from "../../eval/compare.ts";
import { confidence, distinct, mean, recallAt, reciprocalRank } from "../../eval/metrics.ts";

describe("recall and rank", () => {
  test.each([
    { what: "half of the gold", ranked: ["a", "b", "c"], gold: ["b", "x"], k: 3, recall: 0.5, rank: 1 / 2 },
    { what: "all of it", ranked: ["a", "b", "c"], gold: ["a", "c"], k: 3, recall: 1, rank: 1 },
    { what: "gold beyond the depth", ranked: ["a", "b", "c"], gold: ["c"], k: 2, recall: 0, rank: 1 / 3 },
    { what: "none", ranked: ["a", "b"], gold: ["z"], k: 2, recall: 0, rank: 0 },
    { what: "an empty ranking", ranked: [], gold: ["z"], k: 10, recall: 0, rank: 0 },
    { what: "gold named twice", ranked: ["a"], gold: ["a", "a"], k: 1, recall: 1, rank: 1 },
    { what: "a hit twice", ranked: ["a", "a", "b"], gold: ["a", "b"], k: 2, recall: 0.5, rank: 1 },
    { what: "no gold", ranked: ["a"], gold: [], k: 1, recall: 0, rank: 0 },
  ])("$what", ({ ranked, gold, k, recall, rank }) => {
    expect(recallAt(ranked, gold, k)).toBe(recall);
    expect(reciprocalRank(ranked, gold)).toBe(rank);
  });

  test("recall grows with depth and stays a share", () => {
    const ids = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"));
    fc.assert(
      fc.property(ids, ids, fc.nat(8), (ranked, gold, k) => {
        const [here, deeper] = [recallAt(ranked, gold, k), recallAt(ranked, gold, k + 1)];
        expect(here).toBeLessThanOrEqual(deeper);
        expect(deeper).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("what was found twice counts once, at its first place", () => expect(distinct(["b", "a", "b", "c", "a"])).toEqual(["b", "a", "c"]));
});

describe("the bootstrap", () => {
  const coin = Array.from({ length: 400 }, (_, place) => place % 2);

  test("encloses the mean, as widely as the normal approximation says", () => {
    const [low, high] = confidence(coin);
    // 1.96 · √(.25 / 400) = .049
    expect(low).toBeGreaterThan(0.5 - 0.06);
    expect(low).toBeLessThan(0.5 - 0.04);
    expect(high).toBeGreaterThan(0.5 + 0.04);
    expect(high).toBeLessThan(0.5 + 0.06);
    expect(mean(coin)).toBe(0.5);
  });
  test("is the same each time", () => expect(confidence(coin)).toEqual(confidence(coin)));
  test("has no width where there is no doubt", () => expect(confidence([1, 1, 1])).toEqual([1, 1]));
});

describe("comparing two runs", () => {
  const before = Array.from({ length: 200 }, () => 1);
  const worse = (questions: number): readonly number[] => before.map((_, place) => (place < questions ? 0 : 1));

  test.each([
    { what: "the same", after: before, difference: 0, drop: false },
    { what: "one of 200 lost", after: worse(1), difference: -0.005, drop: false },
    { what: "two lost: a point, and no more than that", after: worse(2), difference: -0.01, drop: false },
    { what: "ten lost", after: worse(10), difference: -0.05, drop: true },
  ])("$what", ({ after, difference, drop }) => {
    const comparison = compare(before, after);
    expect(comparison.difference).toBeCloseTo(difference, 12);
    expect(isDrop(comparison)).toBe(drop);
  });

  test("as many gains as losses are no drop", () => {
    const flipped = before.map((_, place) => place % 2);
    expect(
      isDrop(
        compare(
          flipped,
          flipped.map((value) => 1 - value),
        ),
      ),
    ).toBe(false);
  });
  test("an improvement is no drop", () => expect(isDrop(compare(worse(50), before))).toBe(false));
  test("refuses runs over different questions", () => expect(() => compare([1], [1, 0])).toThrow("the same questions"));
  test("of nothing is no drop", () => expect(isDrop(compare([], []))).toBe(false));
});
