import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { englishPack, rulePacks, spanishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import { compilePacks, type Label } from "../../../packages/throughline/src/safety/screen/rule-pack.ts";
import { find, sequenceOf, type Found, type Word } from "../../../packages/throughline/src/safety/screen/matcher.ts";
import { passesOf, search, spellOut } from "../../../packages/throughline/src/safety/screen/evidence.ts";
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
  const sequence = sequenceOf(words, compiled.vocabulary.index);
  const closed = new Uint8Array(words.length);
  const given = { blocked: compiled.packs.map(() => closed), skipped: [] };
  const own = ({ label }: Found<Label>): boolean => label.pack === pack;
  const negations = find(sequence, compiled.negations, given).filter(own);
  for (const { first, after } of negations) closed.fill(1, first, after);
  return [...negations, ...find(sequence, compiled.patterns, given).filter(own)];
}

const sorted = (found: readonly Found<Label>[]): readonly string[] => found.map((one) => JSON.stringify(one)).toSorted();

const texts = fc.array(fc.constantFrom(...sentences), { minLength: 1, maxLength: 8 }).map((said) => said.join(". "));
const spelledIn = (words: readonly Word[]) => compiled.packs.map((pack) => spellOut(words, pack, undefined));

describe("a search with several packs", () => {
  it("finds what each of them finds by itself, wherever something was spelled out", () => {
    const apart = { none: 0, some: 0, all: 0 };
    fc.assert(
      fc.property(texts, (text) => {
        const words = wordsOf(text);
        const spelled = spelledIn(words);
        const all = new Set(words.map(({ sentence }) => sentence)).size;
        for (const { sentences: own } of spelled) apart[own.size === 0 ? "none" : own.size === all ? "all" : "some"] += 1;
        const alone = spelled.flatMap((own, pack) => foundBy(pack, own.words));
        expect(sorted(search(words, spelled, compiled))).toEqual(sorted(alone));
      }),
      { seed: 7, numRuns: 400 },
    );
    expect(Math.min(...Object.values(apart))).toBeGreaterThan(20);
  });

  it("looks at each sentence once for each pack, in the words that the pack reads, and for nothing of the others there", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const words = wordsOf(text);
        const spelled = spelledIn(words);
        const read = passesOf(words, spelled, compiled).flatMap(({ pack, sequence, skipped }) => {
          const those = new Set(sequence.words.map(({ sentence }) => sentence));
          const packs = pack === undefined ? compiled.packs.keys() : [pack];
          return [...packs].flatMap((one) =>
            [...those].filter((sentence) => skipped[one]?.has(sentence) !== true).map((sentence) => `${one} ${sentence}`),
          );
        });
        expect(new Set(read).size).toBe(read.length);
        expect(read).toHaveLength(compiled.packs.length * new Set(words.map(({ sentence }) => sentence)).size);
        for (const { pack, sequence } of passesOf(words, spelled, compiled)) {
          const { from, before } = compiled.packs[pack ?? -1]?.span ?? { from: 1, before: Infinity };
          expect(sequence.elements.flat().filter((element) => element < from || element >= before)).toEqual([]);
        }
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it("looks up in such words less than half of what all packs would", () => {
    const every = compilePacks(rulePacks);
    const text = "idk what to do with u, she said it is late and i am on the bus. xq la casa de mi madre y un dia tan largo, q no. ".repeat(10);
    const words = readWords(tokenize(text), every.vocabulary, { text, offset: 0 });
    const spelled = every.packs.map((pack) => spellOut(words, pack, undefined));
    const again = passesOf(words, spelled, every).filter(({ pack }) => pack !== undefined);
    expect(again.length).toBeGreaterThan(1);
    const looked = (elements: readonly (readonly number[])[]): number => elements.reduce((sum, some) => sum + some.length, 0);
    const own = again.reduce((sum, { sequence }) => sum + looked(sequence.elements), 0);
    const all = again.reduce((sum, { sequence }) => sum + looked(sequenceOf(sequence.words, every.vocabulary.index).elements), 0);
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThan(0.5 * all);
  });
});
