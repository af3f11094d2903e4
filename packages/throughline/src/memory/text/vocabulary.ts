/** What is known of single words, in the languages that a tokenizer speaks, kept within a bound. */
import { type Locale, wordsOf } from "./locale.ts";

/** Letters that no decomposition takes apart. */
const plain: Readonly<Record<string, string>> = { ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ı: "i", ё: "е" };
/** Accents of scripts in which words are often written without them. Elsewhere a mark makes another letter. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu;
const joiners = /[\u00ad\p{Join_Control}\p{Variation_Selector}\p{Me}]/gu;
const possessive = /['’‘ʼ＇]s$/u;
const apostrophes = /['’‘ʼ＇]/gu;
/** Between the digits of a number, as they separate thousands. */
const separators = /(?<=\d)[.,](?=\d)/gu;
const beyondAscii = /\P{ASCII}/u;
const isWord = /^[\p{L}\p{N}\p{M}]+$/u;

/** NFKC, unless that makes several words of one: of "½" it makes a fraction in three parts. */
const composed = (word: string): string => {
  const compatible = word.normalize("NFKC");
  return isWord.test(compatible) ? compatible : word.normalize("NFC");
};

/** A word in lower case, without accents, apostrophes, separators of thousands and the English 's. Other scripts than those of accents keep their marks. */
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

/** A run of characters of a script without spaces, as its characters, each with its marks. */
export const charactersOf = (run: string): readonly string[] =>
  run
    .replace(joiners, "")
    .normalize("NFKC")
    .toLowerCase()
    .match(/\P{M}\p{M}*/gu) ?? [];

/** What is known of a word once it was met. */
export interface Met {
  /** Folded. */
  readonly word: string;
  /** Place of the locale that it tells of, or -1. */
  readonly telltale: number;
  /** Its term by place of the locale, from when it was first asked for; empty if it carries no meaning there. */
  readonly terms: (string | undefined)[];
}

/** The words of some languages. */
export interface Vocabulary {
  /** What is known of a word as it was written. */
  meet(word: string): Met;
  /** The index term of a word in a locale, by its place; empty if it carries no meaning. */
  term(met: Met, locale: number): string;
  /** Whether a character, or a pair of them, of a script without spaces says nothing. */
  isEmpty(characters: string): boolean;
}

/** Words of addresses, in any language. */
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

/** A lone letter is no word; a lone figure is. */
const isLoneLetter = (word: string): boolean => word.length < 2 && !/\p{N}/u.test(word);

const termOf = (word: string, { stops, irregular, stem }: Prepared): string => {
  if (stops.has(word) || isLoneLetter(word)) return "";
  return irregular.get(word) ?? stem(word);
};

/** A string of its own: a slice keeps the whole text alive that it was cut from. */
const detached = (slice: string): string => ` ${slice}`.slice(1);

/** About what an entry of a map takes with its value and two stems, in bytes, beside two per character of each. */
const entryBytes = 200;

/** Keeps what was used lately within a number of bytes: once one half of it is full, the other half, which is older, goes. */
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

/** The words of some languages, remembered within a number of bytes. */
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
