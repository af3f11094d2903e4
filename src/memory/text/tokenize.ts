/** Texts as words and as index terms: the same for what is remembered and for what is asked. */
import { createDetector } from "./detect.ts";
import { charactersOf, fold } from "./fold.ts";
import type { Locale } from "./locale.ts";
import { scan } from "./scan.ts";
import { stretchesOf, writtenWord, type Stretch } from "./stretches.ts";
import { suppliedLocales } from "./supplied.ts";
import { createVocabulary, type Vocabulary } from "./vocabulary.ts";

/** A word of a text. */
export interface Word {
  /** In lower case, without accents and apostrophes; not stemmed. */
  readonly text: string;
  /** Where it lies in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** What `createTokenizer` may be given. */
export interface TokenizerOptions {
  /** The languages that are spoken, the usual one first; by default English, Spanish, German and Chinese. */
  readonly locales?: readonly Locale[];
  /** Most memory that remembered words may take, in bytes: 4 MiB by default. */
  readonly cacheBytes?: number;
}

/** Cuts texts into words and terms. It keeps no text, only single words that it met. */
export interface Tokenizer {
  readonly locales: readonly Locale[];
  /**
   * What a text is found by: the words that carry meaning, folded and stemmed, in order and as often as they stand there. Runs of a script without spaces
   * become pairs of characters; a lone character stays. Words of more than 64 characters count by their first 64. The language is told from the text
   * (the first of `localesOf`) unless it is given.
   */
  terms(text: string, locale?: Locale): readonly string[];
  /** Every word in order, folded; characters of scripts without spaces one by one. */
  words(text: string): readonly Word[];
  /**
   * The languages that a text may be in: the one that most telltale words are of, the earlier one of equals; without any, all of them in their order. A text mostly in
   * a script without spaces is of the locales that name the script.
   */
  localesOf(text: string): readonly Locale[];
  /** `terms` and `localesOf` in one go. */
  read(text: string): { readonly terms: readonly string[]; readonly locales: readonly Locale[] };
}

const pairs = (characters: readonly string[]): readonly string[] =>
  characters.length < 2 ? characters : characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);

/** Adds the terms of a run of characters. */
const addPairs = (terms: string[], run: string, vocabulary: Vocabulary): void => {
  for (const pair of pairs(charactersOf(run))) if (!vocabulary.isEmpty(pair)) terms.push(pair);
};

/** The terms of stretches, in the locale at a place. */
const termsOf = (found: readonly Stretch[], vocabulary: Vocabulary, place: number): readonly string[] => {
  const terms: string[] = [];
  for (const stretch of found) {
    if (typeof stretch === "string") addPairs(terms, stretch, vocabulary);
    else {
      const term = vocabulary.term(stretch, place);
      if (term !== "") terms.push(term);
    }
  }
  return terms;
};

/** Makes a tokenizer. Two with the same locales give the same terms. */
export const createTokenizer = ({ locales = suppliedLocales, cacheBytes = 4 * 1024 * 1024 }: TokenizerOptions = {}): Tokenizer => {
  const vocabulary = createVocabulary(locales, cacheBytes);
  const detector = createDetector(locales);
  return Object.freeze<Tokenizer>({
    locales,
    terms: (text, locale) => {
      const found = stretchesOf(text, vocabulary);
      const place = Math.max(0, locale === undefined ? detector.place(found) : locales.indexOf(locale));
      return termsOf(found, vocabulary, place);
    },
    words: (text) => {
      const places = scan(text);
      const words: Word[] = [];
      for (let index = 0; index < places.length; index += 3) {
        const [start = 0, end = 0] = [places[index], places[index + 1]];
        words.push({ text: fold(writtenWord(text, start, end)), start, end });
      }
      return words;
    },
    localesOf: (text) => (locales.length < 2 ? locales : detector.locales(stretchesOf(text, vocabulary))),
    read: (text) => {
      const found = stretchesOf(text, vocabulary);
      return { terms: termsOf(found, vocabulary, Math.max(0, detector.place(found))), locales: detector.locales(found) };
    },
  });
};
