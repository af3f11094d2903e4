import { describe, expect, it } from "vitest";
import { costOf, createPriceTable, estimate, priceOf, type PriceTable } from "../../packages/throughline/src/execution/prices.ts";
import type { Model, ModelRequest } from "../../packages/throughline/src/model/model-port.ts";
import { rules } from "../../packages/throughline/src/model/scripted.ts";

const usage = { input: 1_000_000, output: 2_000_000, cache_read: 0, cache_write: 0, reasoning: 0 };
const request = (text: string): ModelRequest => ({ sections: [], messages: [{ role: "user", text }], tools: [] });
const model = rules([]);
const counting = (tokens: number): Model => ({ ...model, countTokens: () => tokens });
const tokensOf = (text: string): number => (estimate(model, request(text)).tokens as { readonly input: number }).input;
const thrown = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe("what tokens cost", () => {
  it("is the price of a million of each kind", () => {
    const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, reasoning: 20 };
    expect(costOf(usage, price)).toBe(33);
    expect(costOf({ input: 0, output: 0, cache_read: 1_000_000, cache_write: 1_000_000, reasoning: 1_000_000 }, price)).toBe(24.05);
  });
  it("is that of input for caches, and that of output for reasoning, unless the table says otherwise", () => {
    expect(costOf({ input: 0, output: 0, cache_read: 1_000_000, cache_write: 1_000_000, reasoning: 1_000_000 }, { input: 1, output: 10 })).toBe(12);
  });
  it("is exact to nine decimal places", () => {
    expect(costOf({ ...usage, input: 1, output: 0 }, { input: 0.1, output: 0 })).toBe(1e-7);
  });
});

describe("a price table", () => {
  it("knows the models that it has, and no others", () => {
    const table = createPriceTable({ "m-1": { input: 1, output: 2 } });
    expect([priceOf(table, "m-1"), priceOf(table, "m-2"), priceOf(table, "constructor")]).toEqual([{ input: 1, output: 2 }, undefined, undefined]);
  });
  it.each([
    [{ "m-1": { input: 1 } }, /price of model "m-1" for output/],
    [{ "m-1": { input: -1, output: 1 } }, /for input must be a non-negative number, got -1/],
    [{ "m-1": { input: 1, output: Infinity } }, /for output/],
    [{ "m-1": { input: 1, output: 1, cached: 1 } }, /has no "cached"/],
    [{ "m-1": { input: 1, output: 1, reasoning: undefined } }, /for reasoning/],
    [{ "m-1": 3 }, /is an object, got 3/],
    [null, /price table is an object/],
  ])("refuses %j", (table, message) => {
    const error = thrown(() => createPriceTable(table as unknown as PriceTable));
    expect(error).toMatchObject({ code: "budget.invalid" });
    expect(String(error)).toMatch(message);
  });
});

describe("an estimate", () => {
  it("is what the model counts and a fifth, and the most that it may answer", () => {
    expect(estimate(counting(100), { ...request("x"), max_output_tokens: 50 })).toEqual({ tokens: { input: 120, output: 50 } });
    expect(estimate(counting(1), request("x"))).toEqual({ tokens: { input: 2, output: 4096 } });
    expect(estimate(counting(0), request("x"))).toMatchObject({ tokens: { input: 0 } });
  });
  it("costs each part at the dearest rate that it may have", () => {
    const given = { ...request("x"), max_output_tokens: 100 };
    expect(estimate(counting(100), given, { input: 1, output: 10 }).cost).toBe(0.00112);
    expect(estimate(counting(100), given, { input: 1, cache_write: 2, cache_read: 0.1, output: 10, reasoning: 20 }).cost).toBe(0.00224);
  });
  it("covers what such a call can come to cost, of whatever kinds its tokens are", () => {
    const price = { input: 1, cache_write: 1.25, cache_read: 0.1, output: 5, reasoning: 6 };
    const { cost = 0 } = estimate(counting(100), { ...request("x"), max_output_tokens: 50 }, price);
    for (const kinds of [
      { cache_write: 120, reasoning: 50 },
      { input: 120, output: 50 },
      { cache_read: 120, output: 25, reasoning: 25 },
    ])
      expect(costOf({ input: 0, output: 0, cache_read: 0, cache_write: 0, reasoning: 0, ...kinds }, price)).toBeLessThanOrEqual(cost);
  });
  it("of a model that cannot count goes by the script of the text", () => {
    const empty = tokensOf("");
    const added = (text: string): number => Math.round(((tokensOf(text) - empty) * 5) / 6);
    expect(added("a".repeat(4000))).toBe(1000);
    expect(added("я".repeat(4000))).toBe(2000);
    expect(added("語".repeat(4000))).toBe(4000);
    expect(added("한".repeat(4000))).toBe(4000);
    expect(added("🙂".repeat(1000))).toBe(2000);
  });
  it.each([Number.NaN, -1, Infinity])("refuses a count of %s", (tokens) => {
    expect(thrown(() => estimate(counting(tokens), request("x")))).toMatchObject({ code: "model.invalid_response" });
  });
});
