import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen, languageWeights } from "../../../packages/throughline/src/safety.ts";
import { spokenWords } from "../../../packages/throughline/src/safety/screen/language-weights.ts";
import { combine } from "../../../packages/throughline/src/safety/combine.ts";
import { everydayMessages } from "../../../eval/safety/labelled.ts";

const read = (name: string): unknown => parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const uncovered = z.record(z.string(), z.object({ crisis: z.array(z.string()), everyday: z.array(z.string()) })).parse(read("uncovered.yaml"));
const ordinary = z.array(z.array(z.string())).parse(read("ordinary.yaml")).flat();

const screen = createScreen(packs);
const isRead = (text: string): boolean => screen(text).quality === "full";
const levelOf = (text: string, limited: boolean): number => {
  const verdict = {
    ...({ level: 0, risk_types: [], subject: "self", reason_code: "none", confidence: "low", evidence_span: "" } as const),
  };
  return combine({
    text,
    screened: screen(text),
    now: 0,
    ...(limited ? { verdict, limited, path: "union" as const } : { path: "deterministic_only" as const }),
  }).level;
};

describe("what counts as read", () => {
  it("leaves out nearly every sentence of a person in a crisis in another language", () => {
    const crisis = Object.values(uncovered).flatMap((sentences) => sentences.crisis);
    const missed = crisis.filter((text) => screen(text).level === 0 && isRead(text));
    expect(missed.length / crisis.length, missed.join("\n")).toBeLessThanOrEqual(0.05);
  });
  it("leaves out most everyday sentences in another language", () => {
    const everyday = Object.values(uncovered).flatMap((sentences) => sentences.everyday);
    expect(everyday.filter(isRead).length / everyday.length).toBeLessThanOrEqual(0.05);
  });
  it.each(ordinary)("has %j", (text) => expect(isRead(text)).toBe(true));
  it("has nearly every everyday message in a covered language", () => {
    const everyday = everydayMessages();
    expect(everyday.filter(({ text }) => !isRead(text)).length / everyday.length).toBeLessThanOrEqual(0.003);
  });
});

describe.each([
  ["no classifier", false],
  ["rules for a classifier", true],
])("with %s", (_, limited) => {
  it.each([
    "Voglio uccidermi stanotte",
    "Chcę się zabić dziś w nocy",
    "Ölmek istiyorum",
    "Ik wil niet meer leven",
    "Tôi muốn chết",
    "میں مرنا چاہتا ہوں",
  ])("%j is asked about", (text) => expect(levelOf(text, limited)).toBe(1));
  it.each(["ok", "haha", "what a day", "danke schön"])("%j stays ordinary", (text) => expect(levelOf(text, limited)).toBe(0));
});

describe("the language so far", () => {
  it("decides where a few words could be either", () => {
    const text = "Come si fa? gelato";
    const [alone, within] = ["nm u bro pls xoxo", text].map((some) => [screen(some).quality, screen(some, { language: "en" }).quality]);
    expect(alone).toEqual(["full", "full"]);
    expect(within?.[0]).toBe("degraded");
    expect(screen("Hyvää yötä kulta", { language: "en" }).quality).toBe("degraded");
  });
});

describe("a pack without language weights", () => {
  const dutch = {
    ...({
      language: "nl",
      version: "1",
      coverage: "A sketch.",
      support: "partial",
      words: {},
      abbreviations: {},
      lexicon: [],
      concepts: {},
      frames: {},
    } as const),
    detect: { words: ["ik", "wil", "niet", "meer"] },
  };
  it("covers what its frequent words show", () => {
    expect(createScreen([...packs, dutch])("Ik wil niet meer leven").quality).toBe("full");
    expect(createScreen([...packs, dutch])("Ölmek istiyorum").quality).toBe("degraded");
  });
});

describe("language weights", () => {
  it("must have a power of two of steps and of known words", () => {
    const file = {
      version: "v",
      bias: 0,
      scale: 1,
      unknown: 1,
      steps: Buffer.alloc(4).toString("base64"),
      known: Buffer.alloc(4).toString("base64"),
    };
    expect(languageWeights(file).steps).toHaveLength(4);
    expect(() => languageWeights({ ...file, steps: "" })).toThrow("steps");
    expect(() => languageWeights({ ...file, known: Buffer.alloc(3).toString("base64") })).toThrow("known words");
  });
  it("read words without addresses, numbers, marks and apostrophes", () =>
    expect(spokenWords("I'm sooooo at https://a.example/x with @bob, #tag 42!")).toEqual(["im", "soo", "at", "with"]));
});
