/** Bounded cache of words in the languages of a tokenizer. */
import { type Locale, wordsOf } from "./locale.ts";

/** Letters without a Unicode decomposition. */
const plain: Readonly<Record<string, string>> = { ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ı: "i", ё: "е" };
/** Accents of scripts whose words are often written without them. In other scripts a mark makes a different letter. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu;
const joiners = /[\u00ad\p{Join_Control}\p{Variation_Selector}\p{Me}]/gu;
const possessive = /['’‘ʼ＇]s$/u;
const apostrophes = /['’‘ʼ＇]/gu;
/** Thousands separators between digits. */
const separators = /(?<=\d)[.,](?=\d)/gu;
const beyondAscii = /\P{ASCII}/u;
const isWord = /^[\p{L}\p{N}\p{M}]+$/u;

/** Applies NFKC, unless it splits the word: "½" would become a fraction of three parts. */
const composed = (word: string): string => {
  const compatible = word.normalize("NFKC");
  return isWord.test(compatible) ? compatible : word.normalize("NFC");
};

/** Folds a word: lower case, without accents, apostrophes, thousands separators and the English 's. Only the scripts above lose their marks. */
export const fold = (word: string): string => {
  const bare = word.replace(possessive, "").replace(apostrophes, "").replace(separators, "");
  const lower = (beyondAscii.test(bare) ? composed(bare.replace(joiners, "")) : bare).toLowerCase();
  if (!beyondAscii.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(accents, "")
    .normalize("NFC")
    .replace(/[ßøæœłđıё]/gu, (letter) => plain[letter] ?? letter);
};

/** Splits a run of characters of a script without spaces. Each character keeps its marks. */
export const charactersOf = (run: string): readonly string[] =>
  run
    .replace(joiners, "")
    .normalize("NFKC")
    .toLowerCase()
    .match(/\P{M}\p{M}*/gu) ?? [];

/** Cached data of a word. */
export interface Met {
  /** Folded. */
  readonly word: string;
  /** Index of the locale that the word identifies, or -1. */
  readonly telltale: number;
  /** Terms by index of the locale, computed on demand. Empty if the word has no meaning there. */
  readonly terms: (string | undefined)[];
}

/** Words of a list of languages. */
export interface Vocabulary {
  /** Returns the data of a word as written. */
  meet(word: string): Met;
  /** Returns the index term of a word in a locale, by the index of the locale. Empty if the word has no meaning. */
  term(met: Met, locale: number): string;
  /** Tells whether a character, or a pair of characters, of a script without spaces has no meaning. */
  isEmpty(characters: string): boolean;
}

/** Words of web addresses, in any language. */
const everywhere = ["http", "https", "www"];

interface Prepared {
  readonly stops: ReadonlySet<string>;
  readonly irregular: ReadonlyMap<string, string>;
  readonly stem: (word: string) => string;
}

const prepare = ({ stopWords, irregular, stem }: Locale): Prepared => ({
  stops: new Set([...everywhere, ...wordsOf(stopWords).map(fold)]),
  irregular: new Map(
    Object.entries(irregular).flatMap(([base, forms]) => [base, ...wordsOf(forms)].map((form) => [fold(form), stem(fold(base))] as const)),
  ),
  stem,
});

/** A single letter is not a word; a single digit is. */
const isLoneLetter = (word: string): boolean => word.length < 2 && !/\p{N}/u.test(word);

const termOf = (word: string, { stops, irregular, stem }: Prepared): string => {
  if (stops.has(word) || isLoneLetter(word)) return "";
  return irregular.get(word) ?? stem(word);
};

/** Copies a slice, which would otherwise keep the whole text in memory. */
const detached = (slice: string): string => ` ${slice}`.slice(1);

/** Estimated size of a map entry with its value and two stems in bytes, without the characters. */
const entryBytes = 200;

/** Caches recently used words within a size limit in bytes. When the newer half is full, the older half is dropped. */
const remember = (bytes: number, make: (word: string) => Met): ((word: string) => Met) => {
  let newer = new Map<string, Met>();
  let older = new Map<string, Met>();
  let taken = 0;
  return (word) => {
    const known = newer.get(word);
    if (known !== undefined) return known;
    const met = older.get(word) ?? make(word);
    const cost = entryBytes + 6 * word.length;
    taken += cost;
    if (taken > bytes / 2) {
      older = newer;
      newer = new Map();
      taken = cost;
    }
    newer.set(detached(word), met);
    return met;
  };
};

/** Creates a vocabulary with a size limit in bytes. */
export const createVocabulary = (locales: readonly Locale[], cacheBytes: number): Vocabulary => {
  const prepared = locales.map(prepare);
  const tells = new Map(locales.flatMap(({ telltale }, place) => wordsOf(telltale).map((word) => [fold(word), place] as const)).toReversed());
  const stops = new Set(prepared.flatMap((locale) => [...locale.stops]));
  const meet = remember(cacheBytes, (written) => {
    const word = fold(written);
    return { word, telltale: tells.get(word) ?? -1, terms: [] };
  });
  return {
    meet,
    term: (met, place) => {
      const known = met.terms[place];
      if (known !== undefined) return known;
      const locale = prepared[place];
      return (met.terms[place] = locale === undefined ? met.word : termOf(met.word, locale));
    },
    isEmpty: (characters) => stops.has(characters),
  };
};
