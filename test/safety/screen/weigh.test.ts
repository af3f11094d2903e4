import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { fit, type Sample } from "../../../eval/safety/fit.ts";
import { createScreen, wordWeights } from "../../../packages/throughline/src/safety.ts";
import { scoreOf, termsOf, weighedLevel } from "../../../packages/throughline/src/safety/screen/weigh-words.ts";

const words = (text: string) => text.split(" ").map((form, at) => ({ forms: [form], from: at, to: at + 1, sentence: 0, clause: 0 }));

describe("terms", () => {
  it("are beginnings of words, pairs, and pairs with a word between", () => {
    expect(termsOf(words("nobody remembers me"))).toEqual([new Set(["nobody", "rememb", "me", "nobod remem", "nobod _ me", "remem me"])]);
  });
  it("are those of parts that overlap, where a text is long", () => {
    const long = Array.from({ length: 100 }, (_, at) => `w${at}`).join(" ");
    const parts = termsOf(words(long));
    expect(parts.map((part) => [part.has("w0"), part.has("w45"), part.has("w99")])).toEqual([
      [true, true, false],
      [false, true, false],
      [false, false, true],
    ]);
  });
  it("of nothing are none", () => expect(termsOf([])).toEqual([new Set()]));
});

describe("the level by rules and words", () => {
  it.each([
    // rules, said outright, unclear, grave → level
    [0, false, 0, 0, 0],
    [0, false, 0.8, 0, 1],
    [0, false, 0.8, 1.3, 1],
    [0, false, 0.8, 1.4, 2],
    [1, false, -1, -3, 0],
    [1, true, -1, -3, 1],
    [1, false, -0.6, 0, 1],
    [1, false, 0.8, 0.9, 2],
    [2, false, 0.5, -1, 1],
    [2, false, -1, -1, 0],
    [2, true, -1, -1, 1],
    [2, false, 0.5, -0.7, 2],
    [3, false, -9, -9, 3],
  ] as const)("%d, outright %s, %d and %d is %d", (level, sure, unclear, grave, expected) => {
    expect(weighedLevel({ unclear, grave }, { level, sure })).toBe(expected);
  });
  test("a higher score never lowers it", () => {
    const score = fc.float({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(score, score, score, fc.constantFrom(0, 1, 2, 3), fc.boolean(), (unclear, grave, more, level, sure) => {
        const before = weighedLevel({ unclear, grave }, { level, sure });
        return weighedLevel({ unclear: unclear + Math.abs(more), grave: grave + Math.abs(more) }, { level, sure }) >= before;
      }),
    );
  });
});

describe("weights", () => {
  const sample = (text: string, level: 0 | 2): Sample => ({ level, parts: termsOf(words(text)) });
  const samples = Array.from({ length: 20 }, (_, at) => [
    sample(`the lamp is green ${at % 5}`, 0),
    sample(`the night is endless ${at % 5}`, 2),
  ]).flat();
  const weights = fit(samples, "t");

  it("tell what they were fitted on apart, and are the same for the same messages", () => {
    const score = (text: string) => scoreOf(termsOf(words(text)), weights);
    expect(score("the night is endless").grave).toBeGreaterThan(0.2);
    expect(score("the lamp is green").grave).toBeLessThan(-0.2);
    expect(fit(samples, "t")).toEqual(weights);
    expect(weights).toMatchObject({ version: "t", messages: 40 });
  });
  it("raise what rules are silent about, and say so", () => {
    const dark = wordWeights({ version: "t", messages: 1, bias: [5, 5], terms: {} });
    const screen = createScreen([{ ...englishPack, weights: dark }]);
    expect(screen("The lamp on my desk is green")).toMatchObject({ level: 2, matches: [{ id: "en/words", strength: "soft", span: [0, 28] }] });
    expect(screen("The lamp is green").level).toBe(0);
    expect(createScreen([englishPack])("The lamp on my desk is green")).toMatchObject({ level: 0, matches: [] });
  });
  it("keep silent where a question is answered, or a crisis is open", () => {
    const dark = wordWeights({ version: "t", messages: 1, bias: [5, 5], terms: {} });
    const screen = createScreen([{ ...englishPack, weights: dark }]);
    expect(screen("no", { asked: "suicide" }).level).toBe(0);
    expect(screen("The lamp on my desk is green", { highest: 2 }).level).toBe(0);
  });
  it("take nothing of what was said outright, or is imminent, and ask at least", () => {
    const light = wordWeights({ version: "t", messages: 1, bias: [-9, -9], terms: {} });
    const screen = createScreen([{ ...englishPack, weights: light }]);
    expect(screen("My brother called again today and I want to kill myself").level).toBe(1);
    expect(screen("I want to kill myself").level).toBe(2);
    expect(screen("I took all my pills an hour ago, goodbye everyone").level).toBe(3);
  });
  it.each([
    { what: "a bias", value: { version: "x", messages: 1, bias: [1], terms: {} } },
    { what: "a weight", value: { version: "x", messages: 1, bias: [1, 1], terms: { lamp: [1, Number.NaN] } } },
  ])("that have no number for $what are refused", ({ value }) => {
    expect(() => wordWeights(value)).toThrow(expect.objectContaining({ code: "safety.invalid" }));
  });
  it("of the companion raise no plain word and no plain answer", () => {
    const screen = createScreen(packs);
    const plain = [
      "it",
      "ok",
      "yes",
      "done",
      "hello",
      "a lamp, a chair, the window and my cup",
      "it's getting dark outside so early now",
      "from now on I will be stronger",
    ];
    expect(plain.filter((text) => screen(text).level > 0)).toEqual([]);
  });
});
