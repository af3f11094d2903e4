/** Splits texts into words and index terms, with a bounded cache of words. It finds words in all scripts in one pass. */
import { chinese, english, german, spanish } from "./languages.ts";
import { type Locale, wordsOf } from "./locale.ts";

/** Classes of characters. */
const gap = 1;
const letter = 2;
/** Accents and joiners: they continue a word but do not start one. */
const mark = 3;
/** A letter of a script without spaces. */
const unspaced = 4;
const apostrophe = 5;
const digit = 6;

/** Kind of a match: a word, or a character of a script without spaces. */
const wordKind = letter;
const characterKind = unspaced;

const isUnspaced = new RegExp(
  `^(?=[\\p{L}\\p{N}])[${["Han", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar"].map((name) => `\\p{Script_Extensions=${name}}`).join("")}]$`,
  "u",
);
/** Includes the joiners of Persian and Indic scripts, soft hyphens, and the voice marks of half-width kana. */
const isMark = /^[\p{M}\p{Join_Control}\u00ad\uff9e\uff9f]$/u;

const classOf = (character: string): number => {
  if (/^['’‘ʼ＇]$/u.test(character)) return apostrophe;
  if (isMark.test(character)) return mark;
  if (isUnspaced.test(character)) return unspaced;
  if (/^\p{Nd}$/u.test(character)) return digit;
  return /^[\p{L}\p{N}]$/u.test(character) ? letter : gap;
};

/** Classes of the first 65,536 characters, filled on demand. Surrogates have no class. */
const classes = new Uint8Array(0x10000);

/** Returns the class of the character at an index. After the end of the text it is a gap. */
const classIn = (text: string, at: number): number => {
  if (at >= text.length) return gap;
  const code = text.charCodeAt(at);
  const known = classes[code] ?? 0;
  if (known !== 0) return known;
  if (code >= 0xd800 && code <= 0xdfff) return classOf(String.fromCodePoint(text.codePointAt(at) ?? code));
  return (classes[code] = classOf(String.fromCharCode(code)));
};

const widthAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
};

/** Tells whether a thousands separator is at an index: exactly three digits follow. */
const groupsDigits = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  if (code !== 0x2c && code !== 0x2e) return false;
  for (let step = 1; step <= 3; step++) if (classIn(text, at + step) !== digit) return false;
  return classIn(text, at + 4) !== digit;
};

/** Returns the end of the word that starts at an index. Apostrophes between letters and thousands separators between digits are part of the word. */
const endOfWord = (text: string, from: number): number => {
  let at = from;
  let figures = true;
  while (at < text.length) {
    const kind = classIn(text, at);
    if (kind === digit || kind === mark) at += widthAt(text, at);
    else if (kind === letter) {
      figures = false;
      at += widthAt(text, at);
    } else if (kind === apostrophe && classIn(text, at + 1) === letter) at++;
    else if (figures && at > from && groupsDigits(text, at)) at += 4;
    else break;
  }
  return at;
};

/** Returns the end of a character of a script without spaces, including its marks. */
const endOfCharacter = (text: string, from: number): number => {
  let at = from + widthAt(text, from);
  while (at < text.length && classIn(text, at) === mark) at += widthAt(text, at);
  return at;
};

/**
 * Returns words, and single characters of scripts without spaces, as a flat list of start, end and kind. It makes one pass and visits each index a
 * bounded number of times.
 */
export const scan = (text: string): readonly number[] => {
  const found: number[] = [];
  let at = 0;
  while (at < text.length) {
    const kind = classIn(text, at);
    if (kind === letter || kind === digit) {
      const end = endOfWord(text, at);
      found.push(at, end, wordKind);
      at = end;
    } else if (kind === unspaced) {
      const end = endOfCharacter(text, at);
      found.push(at, end, characterKind);
      at = end;
    } else at += widthAt(text, at);
  }
  return found;
};

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
const fold = (word: string): string => {
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
const charactersOf = (run: string): readonly string[] =>
  run
    .replace(joiners, "")
    .normalize("NFKC")
    .toLowerCase()
    .match(/\P{M}\p{M}*/gu) ?? [];

/** Cached data of a word. */
interface Met {
  /** Folded. */
  readonly word: string;
  /** Index of the locale that the word identifies, or -1. */
  readonly telltale: number;
  /** Terms by index of the locale, computed on demand. Empty if the word has no meaning there. */
  readonly terms: (string | undefined)[];
}

/** Words of a list of languages. */
interface Vocabulary {
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
const createVocabulary = (locales: readonly Locale[], cacheBytes: number): Vocabulary => {
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
