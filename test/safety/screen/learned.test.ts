import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { fit, sampleOf } from "../../../eval/safety/fit.ts";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen, type LearnedWeights, learnedWeights } from "../../../packages/throughline/src/safety.ts";
import { type Folded, foldText, gramsOf, learnedLevel, readLearned } from "../../../packages/throughline/src/safety/screen/learned.ts";

const textOf = ({ codes, length }: Folded): string => String.fromCharCode(...codes.subarray(0, length));
const whole = (text: string) => [{ text, offset: 0 }];

describe("a folded text", () => {
  it.each([
    ["  I’m SO   tired... \n", " im so tired "],
    ["Café\u200B au lait!!! 🎉", " cafe au lait! 🎉 "],
    ["...wait", " wait "],
    ["", "  "],
  ])("%j is %j", (text, expected) => expect(textOf(foldText(text))).toBe(expected));

  it("knows where its characters are in the original", () => {
    const folded = foldText("  Ça  va", 10);
    expect(Array.from(folded.places.subarray(0, folded.length))).toEqual([0, 12, 13, 14, 16, 17, 18]);
  });
});

describe("n-grams", () => {
  const pieces = (text: string): readonly string[] => {
    const folded = foldText(text);
    const { buckets, from, to, characters } = gramsOf(folded, 0, folded.length, 2 ** 20);
    return Array.from(buckets, (_, at) => `${at < characters ? "" : "w:"}${textOf(folded).slice(from[at], to[at])}`);
  };
  it("are 2 to 5 characters, and 1 to 3 words", () => {
    expect(pieces("a bc").toSorted()).toEqual(
      [" a", " a ", " a b", " a bc", " b", " bc", " bc ", "a ", "a b", "a bc", "a bc ", "bc", "bc ", "c ", "w:a", "w:a bc", "w:bc"].toSorted(),
    );
    expect(pieces("one two three four").filter((piece) => piece.startsWith("w:"))).toEqual([
      ...["w:one", "w:two", "w:one two", "w:three", "w:two three", "w:one two three", "w:four", "w:three four", "w:two three four"],
    ]);
  });
  it("count once, and take a Chinese character, a mark and a picture for a word", () => {
    expect(pieces("ha ha ha").filter((piece) => piece === "w:ha")).toHaveLength(1);
    expect(pieces("再见!🎉").filter((piece) => /^w:(?:.|🎉)$/u.test(piece))).toEqual(["w:再", "w:见", "w:!", "w:🎉"]);
  });
  it("are so many for each character at the most, however long a text is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        const folded = foldText(text);
        return gramsOf(folded, 0, folded.length, 2 ** 20).buckets.length <= 7 * folded.length && folded.length <= 2 * text.length + 64;
      }),
    );
  });
});

const raises = [0.8, 1.4, 0.9] as const;
const ruled = { sure: false, other: false, light: false, told: false, words: 12 };

describe("the level by rules and weights", () => {
  it.each([
    // rules, said outright, unclear, grave → level
    [0, false, 0.7, 0, 0],
    [0, false, 0.8, 0, 1],
    [0, false, 0.8, 1.3, 1],
    [0, false, 0.8, 1.4, 2],
    [1, false, 0.8, 0.9, 2],
    [1, false, -0.7, -3, 1],
    [1, false, -0.9, -3, 0],
    [1, true, -3, -3, 1],
    [2, false, -3, -1.4, 2],
    [2, false, -3, -1.6, 1],
    [2, true, -3, -1.9, 2],
    [2, true, -3, -2.1, 1],
    [3, false, -9, -9, 3],
  ] as const)("%d, outright %s, %d and %d is %d", (level, sure, unclear, grave, expected) => {
    expect(learnedLevel({ unclear, grave }, raises, { ...ruled, level, sure })).toBe(expected);
  });
  it("takes more where a frame makes light of it, nothing from what is about another person, and nothing from few words", () => {
    expect(learnedLevel({ unclear: 1.5, grave: 2.1 }, raises, { ...ruled, level: 0, light: true })).toBe(0);
    expect(learnedLevel({ unclear: 1.7, grave: 2.3 }, raises, { ...ruled, level: 0, light: true })).toBe(2);
    expect(learnedLevel({ unclear: -3, grave: -3 }, raises, { ...ruled, level: 1, other: true })).toBe(1);
    expect(learnedLevel({ unclear: 3, grave: 3 }, raises, { ...ruled, level: 1, other: true, words: 8 })).toBe(1);
    expect(learnedLevel({ unclear: 3, grave: 3 }, raises, { ...ruled, level: 1, other: true })).toBe(2);
    expect(learnedLevel({ unclear: -3, grave: -3 }, raises, { ...ruled, level: 1, words: 8 })).toBe(1);
    expect(learnedLevel({ unclear: 3, grave: 3 }, raises, { ...ruled, level: 0, words: 4 })).toBe(0);
  });
  it("takes a grave score where a frame tells what a message is about in which the rules find nothing", () => {
    const told = { ...ruled, level: 0, told: true } as const;
    expect(learnedLevel({ unclear: 9, grave: 2.5 }, raises, told)).toBe(0);
    expect(learnedLevel({ unclear: 9, grave: 2.6 }, raises, told)).toBe(2);
    expect(learnedLevel({ unclear: 0.8, grave: 0.9 }, raises, { ...told, level: 1 })).toBe(2);
  });
  test("a higher score never lowers it", () => {
    const score = fc.float({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(score, score, score, fc.constantFrom(0, 1, 2, 3), fc.boolean(), (unclear, grave, more, level, sure) => {
        const before = learnedLevel({ unclear, grave }, raises, { ...ruled, level, sure });
        return learnedLevel({ unclear: unclear + Math.abs(more), grave: grave + Math.abs(more) }, raises, { ...ruled, level, sure }) >= before;
      }),
    );
  });
});

/** Weights that know no n-gram, so that every text has the same scores. */
const flat = (bias: readonly [number, number]): LearnedWeights =>
  learnedWeights({ version: "t", messages: 1, bias, scale: [1, 1], raises: { en: raises }, steps: Buffer.alloc(4).toString("base64") });

describe("weights", () => {
  const samples = Array.from({ length: 20 }, (_, at) => [
    sampleOf(`the lamp is green ${at % 5}`, 0, 1),
    sampleOf(`the night is endless ${at % 5}`, 2, 1),
  ]).flat();
  const weights = fit(samples, "t");

  it("tell what they were fitted on apart, and are the same for the same messages", () => {
    expect(readLearned(whole("the night is endless"), weights).grave).toBeGreaterThan(1);
    expect(readLearned(whole("the lamp is green"), weights).grave).toBeLessThan(-1);
    expect(fit(samples, "t")).toEqual(weights);
    expect(weights).toMatchObject({ version: "t", messages: 40 });
  });
  it("find a grave part of a long text, and tell where it is", () => {
    const text = `${"The lamp is green. ".repeat(60)}The night is endless. ${"The lamp is green. ".repeat(60)}`;
    const { grave, heaviest } = readLearned(whole(text), weights);
    expect(grave).toBeGreaterThan(readLearned(whole("The lamp is green. ".repeat(120)), weights).grave + 0.5);
    const words = heaviest("grave").map(([from, to]) => text.slice(from, to));
    expect(words.join(" ")).toContain("endless");
    expect(words.join(" ")).not.toContain("lamp");
  });
  it("raise what rules are silent about, and say where", () => {
    const screen = createScreen([{ ...englishPack, weights: { ...weights, raises: { en: [0.1, 0.2, 0.2] } } }]);
    const text = "The night is endless and the night is endless";
    const { level, matches } = screen(text);
    expect(level).toBe(2);
    expect(matches.length).toBeGreaterThan(0);
    for (const { id, strength, span } of matches) {
      expect({ id, strength }).toEqual({ id: "en/words", strength: "soft" });
      expect(text.slice(...span)).toMatch(/^[A-Za-z ]+$/u);
      expect(text.length).toBeGreaterThan(span[1] - span[0]);
    }
    expect(createScreen([englishPack])(text)).toMatchObject({ level: 0, matches: [] });
  });
  it("read both ends of a text that is too long", () => {
    const screen = createScreen([{ ...englishPack, weights: { ...weights, raises: { en: [9, 2, 2] } } }]);
    const text = `${"The lamp is green. ".repeat(600)}${"The night is endless. ".repeat(30)}`;
    const { level, matches } = screen(text);
    expect(level).toBe(2);
    for (const { span } of matches) expect(text.slice(...span)).toMatch(/night|endless|is/u);
  });
  it("keep silent where a question is answered, a crisis is open, or the language is another", () => {
    const screen = createScreen([{ ...englishPack, weights: flat([5, 5]) }]);
    expect(screen("The lamp on my desk is green").level).toBe(2);
    expect(screen("The lamp is green").level).toBe(0);
    expect(screen("no", { asked: "suicide" }).level).toBe(0);
    expect(screen("The lamp on my desk is green", { highest: 2 }).level).toBe(0);
    const others = createScreen([{ ...englishPack, weights: { ...flat([5, 5]), raises: { de: raises } } }]);
    expect(others("The lamp on my desk is green").level).toBe(0);
  });
  it("raise less readily what a frame makes light of, or takes back", () => {
    const screen = createScreen([{ ...englishPack, weights: flat([1, -9]) }]);
    expect(screen("The lamp on my desk is green").level).toBe(1);
    expect(screen("The lamp on my desk is green, and I do not want to kill myself").level).toBe(0);
    expect(screen("these heels are killing me by the evening").level).toBe(0);
  });
  it("take nothing of what was said outright, or is imminent, and ask at least", () => {
    const screen = createScreen([{ ...englishPack, weights: flat([-9, -9]) }]);
    expect(screen("My brother called again today and I want to kill myself").level).toBe(1);
    expect(screen("I want to kill myself").level).toBe(2);
    expect(screen("I took all my pills an hour ago, goodbye everyone").level).toBe(3);
  });
  it("are not consulted where they can change nothing", () => {
    let reads = 0;
    const counted: LearnedWeights = {
      ...flat([5, 5]),
      get steps() {
        reads += 1;
        return new Int8Array(4);
      },
    };
    const screen = createScreen([{ ...englishPack, weights: counted }]);
    screen("I took all my pills an hour ago, goodbye everyone");
    expect(reads).toBe(0);
    screen("The lamp on my desk is green");
    expect(reads).toBeGreaterThan(0);
  });
  const file = { version: "x", messages: 1, bias: [1, 1], scale: [1, 1], raises: {}, steps: "AAAAAA==" };
  it.each([
    { what: "two numbers of a bias", wrong: { bias: [1] } },
    { what: "a finite scale", wrong: { scale: [1, Number.NaN] } },
    { what: "three numbers to raise from", wrong: { raises: { en: [1, 2] } } },
    { what: "steps for 2, 4, 8, … buckets", wrong: { steps: "AAAAAAAA" } },
    { what: "any steps", wrong: { steps: "" } },
  ])("without $what are refused", ({ wrong }) => {
    expect(learnedWeights(file).messages).toBe(1);
    expect(() => learnedWeights({ ...file, ...wrong })).toThrow(expect.objectContaining({ code: "safety.invalid" }));
  });
  it("of the companion raise no plain word and no plain answer, and apply to all its languages", () => {
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
    for (const { weights, language } of packs) expect(weights?.raises[language]).toHaveLength(3);
  });
});
