import { describe, expect, test } from "vitest";
import { createLexicon } from "../../../packages/throughline/src/memory/recall/language.ts";
import type { Locale } from "../../../packages/throughline/src/memory/text/locale.ts";
import { english } from "../../../packages/throughline/src/memory/text/languages.ts";
import { suppliedLocales, createTokenizer } from "../../../packages/throughline/src/memory/text/tokenize.ts";

const tokenizer = createTokenizer();
const lexicon = createLexicon(tokenizer);

describe("classes of things", () => {
  test.each([
    ["Which instruments does she play?", "violin"],
    ["What pets do they have?", "cat"],
    ["What are her hobbies?", "painting"],
    ["Which countries has he visited?", "Spain"],
    ["What is her job?", "nurse"],
    ["¿Qué mascotas tiene?", "perro"],
    ["Welches Haustier hat sie?", "Katze"],
    ["你有什么宠物？", "小狗"],
  ])("%s: %s", (question, member) => {
    const members = new Set(tokenizer.terms(question).flatMap((term) => lexicon.members(term)));
    const [locale] = tokenizer.localesOf(question);
    expect(tokenizer.terms(member, locale).every((term) => members.has(term))).toBe(true);
  });
  test("most words name no class", () => expect(lexicon.members("carolin")).toEqual([]));
  test("a class is not its own member", () => {
    for (const term of ["pet", "game", "job"]) {
      expect(lexicon.members(term)).not.toHaveLength(0);
      expect(lexicon.members(term)).not.toContain(term);
    }
  });
  test("every class of a language has names and members that are terms there", () => {
    for (const locale of suppliedLocales) {
      for (const [names, members] of Object.entries(locale.concepts)) {
        expect(tokenizer.terms(names, locale), names).not.toHaveLength(0);
        expect(tokenizer.terms(members, locale).length, names).toBeGreaterThan(1);
      }
    }
  });
});

test("a language of one's own is a plain value", () => {
  const never = "(?!)";
  const pirate: Locale = {
    ...english,
    code: "x-pirate",
    telltale: "arr ye",
    stopWords: "arr ye be",
    irregular: { ship: "vessel" },
    stem: (word) => word.replace(/s$/u, ""),
    questions: { opens: never, when: never, howMany: never, howOften: never, howLong: never, who: never, where: never },
    concepts: { loot: "gold rum" },
  };
  const own = createTokenizer({ locales: [english, pirate] });
  expect(own.terms("Arr, ye sail on vessels, a vessel!")).toEqual(["sail", "on", "vessel", "ship"]);
  expect(own.terms("The vessels")).toEqual(["vessel"]);
  expect(createLexicon(own).members("loot")).toEqual(["gold", "rum"]);
});
