/** Splits texts into words and index terms. Entries and queries use the same code. */
import type { Locale } from "./locale.ts";
import { german } from "./locales/de.ts";
import { english } from "./locales/en.ts";
import { spanish } from "./locales/es.ts";
import { chinese } from "./locales/zh.ts";
import { scan, wordKind } from "./scan.ts";
import { type Met, type Vocabulary, charactersOf, fold, createVocabulary } from "./vocabulary.ts";

/** English, Spanish, German and Chinese. A text without a detected language counts as English. */
export const suppliedLocales: readonly Locale[] = Object.freeze([english, spanish, german, chinese]);

/** A word, or a run of characters of scripts without spaces. */
type Stretch = Met | string;

/** Maximum length of a word. Longer ones, such as addresses and keys, are cut. */
const longestWord = 64;

/** Returns a word as written. A long word is cut between characters. */
const writtenWord = (text: string, start: number, end: number): string => {
  if (end - start <= longestWord) return text.slice(start, end);
  const cut = start + longestWord;
  return text.slice(start, (text.codePointAt(cut - 1) ?? 0) > 0xffff ? cut - 1 : cut);
};

/** Returns the stretches of a text in order. */
const stretchesOf = (text: string, vocabulary: Vocabulary): readonly Stretch[] => {
  const places = scan(text);
  const found: Stretch[] = [];
  for (let index = 0; index < places.length; index += 3) {
    const start = places[index] ?? 0;
    let end = places[index + 1] ?? 0;
    if (places[index + 2] === wordKind) {
      found.push(vocabulary.meet(writtenWord(text, start, end)));
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

/** Detects languages. */
interface Detector {
  /** Returns the index of the locale with the most telltale words, or -1 if there are none. On a tie, the first wins. */
  place(found: readonly Stretch[]): number;
  /** Returns the possible locales of the stretches, in order. */
  locales(found: readonly Stretch[]): readonly Locale[];
}

const isRun = (stretch: Stretch): stretch is string => typeof stretch === "string";

/** Creates a detector for a list of locales. */
const createDetector = (locales: readonly Locale[]): Detector => {
  const scripts = locales.map(({ scripts: names = [] }) => names.map((name) => new RegExp(`\\p{Script_Extensions=${name}}`, "u")));

  const place = (found: readonly Stretch[]): number => {
    const votes = locales.map(() => 0);
    for (const stretch of found) if (!isRun(stretch) && stretch.telltale >= 0) votes[stretch.telltale] = (votes[stretch.telltale] ?? 0) + 1;
    const most = Math.max(0, ...votes);
    return most === 0 ? -1 : votes.indexOf(most);
  };

  /** Returns the locales that name the script of most of the text. A pair of characters counts as one word. */
  const byScript = (found: readonly Stretch[]): readonly Locale[] => {
    const runs = found.filter(isRun);
    const characters = runs.reduce((sum, run) => sum + run.length, 0);
    if (characters <= 2 * (found.length - runs.length)) return [];
    return locales.filter((_, at) => scripts[at]?.some((script) => runs.some((run) => script.test(run))) === true);
  };

  return {
    place,
    locales: (found) => {
      if (locales.length < 2) return locales;
      const named = byScript(found);
      if (named.length > 0) return named;
      const voted = place(found);
      return voted < 0 ? locales : locales.slice(voted, voted + 1);
    },
  };
};

/** A word of a text. */
export interface Word {
  /** Lower case, without accents and apostrophes, not stemmed. */
  readonly text: string;
  /** Position in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Options of {@link createTokenizer}. */
export interface TokenizerOptions {
  /** Languages of the texts, the most common one first. Default: English, Spanish, German and Chinese. */
  readonly locales?: readonly Locale[];
  /** Size limit of the word cache in bytes. Default 4 MiB. */
  readonly cacheBytes?: number;
}

/** Splits texts into words and terms. It caches single words, never texts. */
export interface Tokenizer {
  readonly locales: readonly Locale[];
  /**
   * Returns the index terms of a text: meaningful words, folded and stemmed, in order, with repetitions. Runs of a script without spaces become pairs
   * of characters; a single character stays. Words of more than 64 characters count by their first 64. Without `locale`, the language is detected
   * (the first of `localesOf`).
   */
  terms(text: string, locale?: Locale): readonly string[];
  /** Returns all words in order, folded. Characters of scripts without spaces are returned one by one. */
  words(text: string): readonly Word[];
  /**
   * Returns the possible languages of a text. The language with the most telltale words wins, and on a tie the earlier one. Without telltale words,
   * all are returned in order. A text mostly in a script without spaces belongs to the locales that name the script.
   */
  localesOf(text: string): readonly Locale[];
  /** Returns `terms` and `localesOf` in one pass. */
  read(text: string): { readonly terms: readonly string[]; readonly locales: readonly Locale[] };
}

const pairs = (characters: readonly string[]): readonly string[] =>
  characters.length < 2 ? characters : characters.slice(1).map((character, index) => `${characters[index] ?? ""}${character}`);

/** Adds the terms of a run of characters. */
const addPairs = (terms: string[], run: string, vocabulary: Vocabulary): void => {
  for (const pair of pairs(charactersOf(run))) if (!vocabulary.isEmpty(pair)) terms.push(pair);
};

/** Returns the terms of stretches in the locale with an index. */
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

/** Creates a tokenizer. Tokenizers with the same locales return the same terms. */
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
