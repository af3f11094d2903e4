/** Texts as words and as index terms: the same for what is remembered and for what is asked. */
import { charactersOf, fold } from "./fold.ts";
import type { Locale } from "./locale.ts";
import { suppliedLocales } from "./supplied.ts";
import { scan, wordKind } from "./scan.ts";
import { createVocabulary, type Met } from "./vocabulary.ts";

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
}

/** Longer words are cut here: they are addresses, keys, noise. */
const longestWord = 64;

/** A stretch of a text: a word, or a run of characters without spaces. */
type Stretch = Met | string;

const pairs = (characters: readonly string[]): readonly string[] =>
  characters.length < 2 ? characters : characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);

/** Where most votes lie, the first of equals; -1 if there are none. */
const winner = (votes: readonly number[]): number => {
  const most = Math.max(0, ...votes);
  return most === 0 ? -1 : votes.indexOf(most);
};

/** Makes a tokenizer. Two with the same locales give the same terms. */
export const createTokenizer = ({ locales = suppliedLocales, cacheBytes = 4 * 1024 * 1024 }: TokenizerOptions = {}): Tokenizer => {
  const vocabulary = createVocabulary(locales, cacheBytes);
  const scripts = locales.map(({ scripts: names = [] }) => names.map((name) => new RegExp(`\\p{Script_Extensions=${name}}`, "u")));

  /** The stretches of a text in order. */
  const stretches = (text: string): readonly Stretch[] => {
    const places = scan(text);
    const found: Stretch[] = [];
    for (let index = 0; index < places.length; index += 3) {
      const start = places[index] ?? 0;
      let end = places[index + 1] ?? 0;
      if (places[index + 2] === wordKind) {
        found.push(vocabulary.meet(text.slice(start, Math.min(end, start + longestWord))));
        continue;
      }
      while (places[index + 3] === end && places[index + 5] !== wordKind) {
        index += 3;
        end = places[index + 1] ?? end;
      }
      found.push(text.slice(start, end));
    }
    return found;
  };

  const votesOf = (found: readonly Stretch[]): readonly number[] => {
    const votes = new Array<number>(locales.length).fill(0);
    for (const stretch of found) {
      if (typeof stretch !== "string" && stretch.telltale >= 0) votes[stretch.telltale] = (votes[stretch.telltale] ?? 0) + 1;
    }
    return votes;
  };

  const termsIn = (found: readonly Stretch[], place: number): readonly string[] => {
    const terms: string[] = [];
    for (const stretch of found) {
      if (typeof stretch === "string") terms.push(...pairs(charactersOf(stretch)).filter((pair) => !vocabulary.isEmpty(pair)));
      else {
        const term = vocabulary.term(stretch, place);
        if (term !== "") terms.push(term);
      }
    }
    return terms;
  };

  return Object.freeze<Tokenizer>({
    locales,
    terms: (text, locale) => {
      const found = stretches(text);
      const place = locale === undefined ? (locales.length < 2 ? 0 : winner(votesOf(found))) : locales.indexOf(locale);
      return termsIn(found, Math.max(0, place));
    },
    words: (text) => {
      const places = scan(text);
      const words: Word[] = [];
      for (let index = 0; index < places.length; index += 3) {
        const [start = 0, end = 0] = [places[index], places[index + 1]];
        words.push({ text: fold(text.slice(start, Math.min(end, start + longestWord))), start, end });
      }
      return words;
    },
    localesOf: (text) => {
      if (locales.length < 2) return locales;
      const found = stretches(text);
      const runs = found.filter((stretch) => typeof stretch === "string");
      const characters = runs.reduce((sum, run) => sum + run.length, 0);
      // A pair of characters says about as much as a word.
      if (characters > 2 * (found.length - runs.length)) {
        const named = locales.filter((_, place) => scripts[place]?.some((script) => runs.some((run) => script.test(run))) === true);
        if (named.length > 0) return named;
      }
      const place = winner(votesOf(found));
      return place < 0 ? locales : locales.slice(place, place + 1);
    },
  });
};
