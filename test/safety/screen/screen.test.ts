import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen, type RulePack } from "../../../packages/throughline/src/safety.ts";
import { examples } from "./english.ts";

const screen = createScreen([englishPack]);
const small = (more: Partial<RulePack>): RulePack => ({
  ...englishPack,
  language: "xx",
  concepts: {},
  frames: {},
  abbreviations: {},
  words: {},
  lexicon: [],
  ...more,
});

describe("patterns", () => {
  const found = (pattern: string, text: string, words: RulePack["words"] = {}): boolean =>
    createScreen([small({ concepts: { kill_self: [pattern] }, words })])(text).matches.length > 0;

  it.each([
    ["one two", "one two", true],
    ["one two", "one or two", false],
    ["one ~2 two", "one or the two", true],
    ["one ~2 two", "one or the other two", false],
    ["one or? two", "one two", true],
    ["sui*", "suite", true],
    ["*cide", "the pesticide", true],
    ["a_b|c", "so a b", true],
    ["{list} x", "red car x", true],
    ["^ one", "well, one", true],
    ["^ one", "well one", false],
    ["one $", "one. two", true],
    ["# words", "300 words", true],
    [":knife:", "a 🔪", true],
    ["j'ai", "J’ai faim", true],
    ["one two", "One. Two three.", false],
    ["one two three", "One. Two. Three.", true],
    ["想死", "我想死了", true],
    ["不想~2活", "我不想再活了", true],
  ] as const)("%s in %s: %s", (pattern, text, expected) => {
    expect(found(pattern, text, { list: ["red car", "blue"] })).toBe(expected);
  });

  it.each([
    ["{none} x", /list "none"/],
    ["~2", /no word that must be there/],
    ["a?", /no word that must be there/],
    ["x ~99 y", /gap of 99/],
    ["a*", /too short/],
    ["a| b", /no word/],
  ] as const)("%s is refused", (pattern, message) => {
    const compile = (): unknown => createScreen([small({ concepts: { plan: [pattern] } })]);
    expect(compile).toThrow(message);
    expect(compile).toThrow(/Pack "xx", concepts\.plan/);
  });

  it("that write a word with its apostrophe and without it are about the same word", () => {
    const both = createScreen([small({ concepts: { lethal_place: ["at cliffs"], kill_self: ["off cliff's edge"] } })]);
    for (const text of ["at cliffs", "at cliff's", "off cliffs edge", "off cliff’s edge"])
      expect([text, both(text).matches.length]).toEqual([text, 1]);
  });

  it("of a gap do not pass over a negation", () => {
    const negating = createScreen([small({ concepts: { kill_self: ["i ~3 jump"] }, frames: { negation: ["not"] } })]);
    expect(negating("i will now jump").level).toBe(2);
    expect(negating("i will not jump").level).toBe(0);
  });
});

describe("disguises", () => {
  it.each([
    "I want to k!ll myself",
    "i wаnt tо kіll mуsеlf",
    "I want to kill myself",
    "ＩＷ ant to kill myself".replace("ＩＷ ", "Ｉ w"),
    "I want to k\u200Bill my\u200Dself",
    "i want to killlll myself",
    "i want to k1ll mys3lf",
    "i want to kill mysefl",
    "I WANT TO KILL MYSELF",
    "iwanttokillmyself",
    "i w a n t  t o  k i l l  m y s e l f",
    "I. want. to. kill. myself.",
    "i want to k*ll myself",
    "i want to kill my-self",
    "ⓘ want to ⓚill myself",
    "i wánt to kíll mysélf",
    "i want to kiII myseIf",
    "i want to 𝓴𝓲𝓵𝓵 myself",
    "i want to kill ​ myself",
    "k i l l \u200B m y s e l f",
    "i want to k!\u200B!l myself",
  ])("%s", (text) => {
    expect(screen(text).level).toBeGreaterThanOrEqual(2);
  });

  it("keep the place in the text that was written", () => {
    const text = "hm… I want to k\u200Bill myself, ok";
    const [from, to] = screen(text).matches.find(({ id }) => id === "en/kill_self")?.span ?? [0, 0];
    expect(text.slice(from, to)).toContain("k\u200Bill myself");
  });
});

describe("any text", () => {
  const anything = fc.oneof(
    fc.string({ maxLength: 400, unit: "binary" }),
    fc.string({ maxLength: 200, unit: "grapheme" }),
    fc.constantFrom(...examples.map(({ text }) => text)),
  );

  it("is read without an error, and its matches are places in it", () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        const { level, matches } = screen(one + other);
        return level >= 0 && level <= 3 && matches.every(({ span: [from, to] }) => from >= 0 && from < to && to <= one.length + other.length);
      }),
      { numRuns: 300 },
    );
  });

  const grave = examples.filter(({ text, level }) => level >= 2 && screen(text).level >= 2);

  it("is as grave in other case, with what is invisible, and with more space", () => {
    fc.assert(
      fc.property(fc.constantFrom(...grave), fc.constantFrom("\u200B", "\u2060", "\u00AD", "\u200E"), fc.nat(), ({ text, kind }, invisible, at) => {
        const { level } = screen(text);
        const place = Array.from(text)
          .slice(0, at % text.length)
          .join("").length;
        const variants = [
          text.slice(0, place) + invisible + text.slice(place),
          `  ${text.replaceAll("\n", " ")}  `,
          ...(kind === "obfuscation" ? [] : [text.toLowerCase()]),
        ];
        return variants.every((variant) => screen(variant).level === level);
      }),
      { numRuns: 200 },
    );
  });

  const harmless = ["The weather is nice today.", "I had soup for lunch.", "My sister called.", "We watched the rain.", "It is Monday."];

  it("is no less grave with harmless sentences behind it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...examples),
        fc.array(fc.constantFrom(...harmless), { minLength: 1, maxLength: 4 }),
        ({ text }, more) => screen(`${text}.\n\n${more.join(" ")}`).level >= screen(text).level,
      ),
      { numRuns: 300 },
    );
  });

  it("that says that something was done says so whatever else is said behind it", () => {
    const acts = examples.filter(({ kind, text }) => kind === "act" && screen(text).level === 3);
    const frames = [
      "Just kidding.",
      "It is in the game.",
      "lol",
      "That is a lyric.",
      "Years ago I was better.",
      "I am not suicidal.",
      "My dad died last week.",
    ];
    for (const { text } of acts) for (const more of frames) expect([more, text, screen(`${text}.\n\n${more}`).level]).toEqual([more, text, 3]);
  });

  it("that is too long is read at both ends, and says so", () => {
    const filler = "I went to the market and bought bread. ".repeat(300);
    expect(screen(`I want to die. ${filler}`)).toMatchObject({ level: 2, quality: "degraded", why_degraded: "too_long" });
    expect(screen(`${filler} I want to die.`)).toMatchObject({ level: 2, quality: "degraded" });
    expect(screen(filler).quality).toBe("degraded");
  });

  it("in a language of no pack is not held to be read", () => {
    expect(screen("Мне очень плохо, и я не хочу больше жить")).toMatchObject({ quality: "degraded", why_degraded: "language" });
    expect(screen("死にたい")).toMatchObject({ quality: "degraded", why_degraded: "language" });
    expect(screen("Olen väsynyt enkä jaksa enää mitään tässä elämässä")).toMatchObject({ quality: "degraded", why_degraded: "language" });
    for (const text of ["ok", "Maria", "hi there", "42", "", "😂"]) expect([text, screen(text).quality]).toEqual([text, "full"]);
  });
});
