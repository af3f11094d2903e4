import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { englishPack, spanishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { compilePacks, type Label } from "../../../packages/throughline/src/safety/screen/rule-pack.ts";
import { find, sequenceOf, type Found, type Word } from "../../../packages/throughline/src/safety/screen/matcher.ts";
import { search, spellOut } from "../../../packages/throughline/src/safety/screen/evidence.ts";
import { tokenize } from "../../../packages/throughline/src/safety/screen/screen-tokens.ts";
import { readWords } from "../../../packages/throughline/src/safety/screen/spelling.ts";

const compiled = compilePacks([englishPack, spanishPack]);
const sentences = [
  ...["I want to die", "idk what to do", "kms tonight", "my sister said u should not die", "i dont want to live", "the bus was late"],
  ...["no quiero vivir", "xq me quiero morir", "tqm adios a todos", "q dia tan largo", "it was for a novel", "hoy me voy a matar"],
];

const wordsOf = (text: string): readonly Word[] => readWords(tokenize(text), compiled.vocabulary, { text, offset: 0 });

/** What one pack finds in all of its words, gone through by itself. */
function foundBy(pack: number, words: readonly Word[]): readonly Found<Label>[] {
  const sequence = sequenceOf(words, compiled.vocabulary.index, new Map());
  const active = compiled.packs.map((_, place) => place === pack);
  const closed = new Uint8Array(words.length);
  const blocked = compiled.packs.map(() => closed);
  const negations = find(sequence, compiled.negations, { active, blocked });
  for (const { first, after } of negations) closed.fill(1, first, after);
  return [...negations, ...find(sequence, compiled.patterns, { active, blocked })];
}

const sorted = (found: readonly Found<Label>[]): readonly string[] => found.map((one) => JSON.stringify(one)).toSorted();

describe("a search with several packs", () => {
  it("finds what each of them finds by itself, wherever something was spelled out", () => {
    const texts = fc.array(fc.constantFrom(...sentences), { minLength: 1, maxLength: 8 }).map((said) => said.join(". "));
    const apart = { some: 0, whole: 0 };
    fc.assert(
      fc.property(texts, (text) => {
        const words = wordsOf(text);
        const spelled = compiled.packs.map((pack) => spellOut(words, pack, undefined));
        const all = new Set(words.map(({ sentence }) => sentence)).size;
        for (const { sentences: own } of spelled) if (own.size > 0) apart[own.size * 2 > all ? "whole" : "some"] += 1;
        const alone = spelled.flatMap((own, pack) => foundBy(pack, own.words));
        expect(sorted(search(words, spelled, compiled))).toEqual(sorted(alone));
      }),
      { seed: 7, numRuns: 400 },
    );
    expect(Math.min(apart.some, apart.whole)).toBeGreaterThan(20);
  });
});
