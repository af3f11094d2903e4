import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Vector } from "../../packages/throughline/src/memory/entry.ts";
import { createVectorIndex, unitVector, vectorData, vectorFrom } from "../../packages/throughline/src/memory/recall/dense.ts";

const provider = { id: "m@4", dimensions: 4 };
const stored = (of: string, values: readonly number[], rest: Partial<Vector> = {}): Vector => ({
  type: "vector",
  of,
  provider: provider.id,
  dimensions: values.length,
  data: vectorData(Float32Array.from(values)),
  digest: "",
  ...rest,
});
const query = (...values: readonly number[]): Float32Array => unitVector(values, values.length) ?? new Float32Array(0);
const numbers = fc
  .array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 4, maxLength: 4 })
  .filter((values) => values.some((value) => Math.abs(value) > 1e-3));

describe("a vector", () => {
  it("comes back from text as it was, little-endian on every machine", () => {
    expect(vectorData(Float32Array.of(1, -2))).toBe(Buffer.from([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]).toString("base64"));
    fc.assert(
      fc.property(fc.float32Array({ noNaN: true, maxLength: 20 }), (vector) => {
        expect(vectorFrom(vectorData(vector), vector.length)).toEqual(vector);
      }),
    );
  });
  it.each([
    ["of other dimensions", vectorData(Float32Array.of(1, 2, 3)), 4],
    ["cut in the middle of a number", vectorData(Float32Array.of(1, 2)).slice(0, -3), 2],
    ["that is no base64", "no vector", 4],
    ["without a number", "", 4],
  ])("%s is none", (_what, data, dimensions) => expect(vectorFrom(data, dimensions)).toBeUndefined());
  it("is brought to length 1, whatever its size", () =>
    fc.assert(
      fc.property(numbers, fc.constantFrom(1e-300, 1e-40, 1, 1e30, 1e304), (values, scale) => {
        const unit = unitVector(
          values.map((value) => value * scale),
          4,
        );
        expect(Math.hypot(...(unit ?? []))).toBeCloseTo(1, 5);
      }),
    ));
  it.each([
    ["zeros", [0, 0, 0, 0]],
    ["NaN", [1, Number.NaN, 0, 0]],
    ["infinity", [1, Number.POSITIVE_INFINITY, 0, 0]],
    ["three numbers", [1, 2, 3]],
    ["five numbers", [1, 2, 3, 4, 5]],
    ["none", []],
  ])("of %s is none", (_what, values) => expect(unitVector(values, 4)).toBeUndefined());
});

describe("an index of vectors", () => {
  it("ranks by the angle, then by id, and takes what it is asked to compare", () => {
    const index = createVectorIndex(provider);
    for (const [id, values] of [
      ["far", [0, 0, 0, 1]],
      ["b", [2, 0, 0, 0]],
      ["a", [9, 0, 0, 0]],
      ["half", [1, 1, 0, 0]],
    ] as const)
      expect(index.add(stored(id, values))).toBe(true);
    const ranked = index.rank(query(1, 0, 0, 0));
    expect(ranked.map(({ id }) => id)).toEqual(["a", "b", "half", "far"]);
    expect(ranked.map(({ score }) => Math.round(score * 1_000))).toEqual([1_000, 1_000, 707, 0]);
    expect(index.rank(query(1, 0, 0, 0), { limit: 1, among: (id) => id !== "a" }).map(({ id }) => id)).toEqual(["b"]);
    expect(index.rank(query(1, 0, 0, 0), { limit: 0 })).toEqual([]);
    expect(index.missing(["a", "new", "b"])).toEqual(["new"]);
  });
  it.each<[string, Vector]>([
    ["another provider", stored("a", [1, 0, 0, 0], { provider: "other@4" })],
    ["the same provider with other dimensions", stored("a", [1, 0, 0], {})],
    ["dimensions that its data has not", stored("a", [1, 0, 0], { dimensions: 4 })],
    ["damaged data", stored("a", [1, 0, 0, 0], { data: "????" })],
    ["numbers that are none", stored("a", [1, Number.NaN, 0, 0])],
    ["zeros", stored("a", [0, 0, 0, 0])],
  ])("keeps no vector of %s", (_what, vector) => {
    const index = createVectorIndex(provider);
    expect(index.add(vector)).toBe(false);
    expect({ size: index.size, has: index.has("a"), missing: index.missing(["a"]) }).toEqual({ size: 0, has: false, missing: ["a"] });
  });
  it("is asked nothing that has other dimensions", () =>
    expect(() => createVectorIndex(provider).rank(query(1, 0, 0))).toThrow(expect.objectContaining({ code: "embedding.invalid" })));
  it("is what a list of all cosines says, after any additions and removals", () => {
    const step = fc.record({ id: fc.integer({ min: 0, max: 12 }), values: fc.option(numbers, { nil: undefined, freq: 4 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), numbers, fc.integer({ min: 0, max: 15 }), (steps, asked, limit) => {
        const index = createVectorIndex(provider);
        const kept = new Map<string, readonly number[]>();
        for (const { id, values } of steps) {
          if (values === undefined) expect(index.remove(`e${id}`)).toBe(kept.delete(`e${id}`));
          else {
            index.add(stored(`e${id}`, values));
            kept.set(`e${id}`, values);
          }
        }
        const unit = query(...asked);
        const cosine = (values: readonly number[]): number =>
          unit.reduce((sum, value, at) => sum + value * (values[at] ?? 0), 0) / Math.hypot(...values);
        const ranked = index.rank(unit, { limit });
        const byHand = [...kept].map(([, values]) => cosine(values)).toSorted((a, b) => b - a);
        expect(index.size).toBe(kept.size);
        expect(ranked).toHaveLength(Math.min(limit, kept.size));
        for (const [at, { id, score }] of ranked.entries()) {
          expect(score).toBeCloseTo(byHand[at] ?? 2, 5);
          expect(score).toBeCloseTo(cosine(kept.get(id) ?? []), 5);
        }
      }),
      { numRuns: 50 },
    );
  });
  it("says how much memory it takes, growing with what is in it", () => {
    const index = createVectorIndex(provider);
    const empty = index.bytes;
    for (let at = 0; at < 1_000; at += 1) index.add(stored(`e${at}`, [1, at, 0, 0]));
    expect(index.bytes - empty).toBeGreaterThan(1_000 * 4 * 4);
  });
});
