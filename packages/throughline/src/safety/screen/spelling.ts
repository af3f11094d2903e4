/** Reads words as packs know them: undoes disguises and typos. */
import { present } from "../../kernel/json.ts";
import type { Word } from "./matcher.ts";
import { isLiteral, type WordIndex } from "./pack-patterns.ts";
import { foldWord, scriptOf, type Token } from "./screen-tokens.ts";

/** Fewest and most consecutive single letters that are joined. */
const leastSpaced = 3;
const longestSpaced = 120;

const isLetter = ({ word }: Token): boolean => word.length <= 2 && /^[\p{L}@$!|*\d]$/u.test(word) && scriptOf(word) !== "Han";

interface Group {
  readonly tokens: readonly Token[];
  readonly word: string;
}

/** A space between words of spaced letters. It can contain invisible characters. */
const wideSpace = / [\p{Cf}\p{Mn}]* |\s\/\s|\n/u;

/** Joins rows of single letters: "k i l l". Wider spaces between the letters separate words. */
function groups(tokens: readonly Token[], raw: { readonly text: string; readonly offset: number }): readonly Group[] {
  const grouped: Group[] = [];
  for (let at = 0; at < tokens.length;) {
    let end = at;
    while (end < tokens.length && end - at < longestSpaced && tokens[end] !== undefined && isLetter(tokens[end] as Token)) end += 1;
    const run = tokens.slice(at, Math.max(end, at + 1));
    if (run.length < leastSpaced || !run.some(({ word }) => /\p{L}/u.test(word))) {
      for (const token of run) grouped.push({ tokens: [token], word: token.word });
      at += run.length;
      continue;
    }
    const wide = (before: Token, after: Token): boolean => wideSpace.test(raw.text.slice(before.to - raw.offset, after.from - raw.offset));
    let part: Token[] = [];
    for (const [step, token] of run.entries()) {
      const before = run[step - 1];
      if (before !== undefined && wide(before, token)) {
        grouped.push({ tokens: part, word: part.map(({ word }) => word).join("") });
        part = [];
      }
      part.push(token);
    }
    grouped.push({ tokens: part, word: part.map(({ word }) => word).join("") });
    at = end;
  }
  return grouped;
}

function wordsOf(group: Group, vocabulary: Vocabulary): readonly Word[] {
  const [first] = group.tokens;
  const last = group.tokens.at(-1);
  if (first === undefined || last === undefined) return [];
  const place = { from: first.from, to: last.to, sentence: first.sentence, clause: first.clause };
  const written = group.word.replaceAll("'", "");
  if (!written.startsWith(":")) {
    const parts = group.tokens.length > 1 ? (partsOf(written, vocabulary, leastSpaced) ?? spaced(written, vocabulary)) : partsOf(written, vocabulary);
    if (parts !== undefined) return parts.map((part) => ({ ...place, forms: [part] }));
  }
  return [{ ...place, forms: formsOf(group.word, vocabulary), ...(group.word.includes("'") && { written: group.word }) }];
}

/** Reads letters that are both spaced out and disguised: first as letters, then split into words. */
function spaced(word: string, vocabulary: Vocabulary): readonly string[] | undefined {
  const read = word.replace(/[01345@$!|]/g, (sign) => ({ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "@": "a", $: "s" })[sign] ?? "i");
  return read === word ? undefined : isKnown(vocabulary, read) ? [read] : partsOf(read, vocabulary, leastSpaced);
}

/** Joins two halves of a word with a space in it: "su icide". */
function rejoined(words: readonly Word[], vocabulary: Vocabulary): readonly Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const [one = "", other = ""] = [before?.forms[0], word.forms[0]];
    const both = one + other;
    const rare = before !== undefined && before.sentence === word.sentence && (!isKnown(vocabulary, one) || !isKnown(vocabulary, other));
    if (rare && vocabulary.slips.get(both)?.includes(both) === true) joined[joined.length - 1] = { ...before, forms: [both], to: word.to };
    else joined.push(word);
  }
  return joined;
}

/** Most words whose readings are kept. */
const mostKept = 4_096;

/** Reads a word, or returns what it was read as before: most words of most texts are few. */
function readOnce(group: Group, vocabulary: Vocabulary): readonly Reading[] {
  const { readings } = vocabulary;
  const before = readings.get(group.word);
  if (before !== undefined) return before;
  const read = wordsOf(group, vocabulary);
  if (readings.size >= mostKept) readings.clear();
  readings.set(
    group.word,
    read.map(({ forms, written }) => ({ forms, ...present({ written }) })),
  );
  return read;
}

/** Returns the words of a text with disguises undone. */
export function readWords(
  tokens: readonly Token[],
  vocabulary: Vocabulary,
  raw: { readonly text: string; readonly offset: number },
): readonly Word[] {
  const words: Word[] = [];
  for (const group of groups(tokens, raw)) {
    const [token] = group.tokens;
    if (token === undefined) continue;
    const read = group.tokens.length === 1 ? readOnce(group, vocabulary) : wordsOf(group, vocabulary);
    const { from, sentence, clause } = token;
    const to = group.tokens.at(-1)?.to ?? token.to;
    for (const { forms, written } of read) words.push({ forms, ...present({ written }), from, to, sentence, clause });
  }
  return rejoined(words, vocabulary);
}

/** What a word can be, wherever it stands. */
type Reading = Pick<Word, "forms" | "written">;

/** The known words of all packs. */
export interface Vocabulary {
  readonly index: WordIndex;
  /** Frequent words of each language, which need no further reading. */
  readonly ordinary: ReadonlySet<string>;
  /** Words that match with a typo of one letter, by the word itself and by each form with one letter removed. */
  readonly slips: ReadonlyMap<string, readonly string[]>;
  /** Words of the lexicons by their first letter, for masked words. */
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
  /** Words that were read lately, with what they can be. */
  readonly readings: Map<string, readonly Reading[]>;
}

/** Fewest letters for a typo, and for two swapped letters. Below them, too many ordinary words are one letter away. */
const leastForSlips = 5;
const leastForSwaps = 4;
/** Fewest letters of a run-together word that is split. */
const leastJoined = 7;
const longestKnown = 16;

function without(word: string): readonly string[] {
  return Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
}

/** Builds the vocabulary from the compiled words and the packs' lexicons. */
export function vocabularyOf(index: WordIndex, lexicon: readonly string[], ordinary: ReadonlySet<string>): Vocabulary {
  const slips = new Map<string, Set<string>>();
  for (const word of lexicon.map(foldWord).filter(({ length }) => length >= leastForSwaps))
    for (const key of [word, ...without(word)]) slips.set(key, (slips.get(key) ?? new Set()).add(word));
  const byFirst = new Map<string, string[]>();
  for (const word of new Set(lexicon.map(foldWord))) {
    const list = byFirst.get(word.charAt(0));
    if (list === undefined) byFirst.set(word.charAt(0), [word]);
    else list.push(word);
  }
  return { index, ordinary, slips: new Map([...slips].map(([key, words]) => [key, [...words]])), byFirst, readings: new Map() };
}

/** Tells whether any pack knows a word. */
const isKnown = ({ index, ordinary }: Vocabulary, word: string): boolean => ordinary.has(word) || isLiteral(index, word);

const letters: Readonly<Record<string, string>> = {
  "0": "o",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "€": "e",
  "+": "t",
};

/** Reads digits and signs in a word as letters. */
function unmasked(word: string): readonly string[] {
  if (!/[0-9@$!|€+]/.test(word) || !/[a-z]/.test(word)) return [];
  const read = (first: string, next: string): string => {
    let strokes = 0;
    return word.replace(/[0-9@$!|€+]/g, (sign) => letters[sign] ?? (/[1!|]/.test(sign) ? (strokes++ === 0 ? first : next) : ""));
  };
  return [...new Set([read("i", "i"), read("l", "l"), read("i", "l")])];
}

/** Returns the words that a masked one can be: of equal length, or of any greater length if most letters are readable. */
function starred(word: string, { byFirst }: Vocabulary): readonly string[] {
  const [head = "", ...rest] = word.split(/\*+/);
  const tail = rest.join("");
  const readable = head.length + tail.length;
  if (head === "" || rest.length > 2) return [];
  return (byFirst.get(head.charAt(0)) ?? []).filter(
    (known) =>
      known.startsWith(head) && known.endsWith(rest.at(-1) ?? "") && (known.length === word.length || (readable >= 3 && known.length > readable)),
  );
}

/** Shortens drawn-out letters to two and to one. */
const shortened = (word: string): readonly string[] =>
  /(\p{L})\1\1/u.test(word)
    ? [word.replace(/(\p{L})\1{2,}/gu, "$1$1"), word.replace(/(\p{L})\1{2,}/gu, "$1"), word.replace(/(\p{L})\1+/gu, "$1")]
    : [];

/** Tells whether two words differ by one typo: an added, missing, changed or swapped letter. The first letter is right or swapped. */
function oneSlip(one: string, other: string): boolean {
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  let to = 0;
  while (to < Math.min(one.length, other.length) - from && one.at(-1 - to) === other.at(-1 - to)) to += 1;
  const left = one.length - from - to;
  const right = other.length - from - to;
  const swapped = left === 2 && right === 2 && one[from] === other[from + 1] && one[from + 1] === other[from];
  return swapped || (left <= 1 && right <= 1 && from > 0 && other.length >= leastForSlips);
}

/** Returns the lexicon words within one typo of a word. */
function misspelt(word: string, { slips }: Vocabulary): readonly string[] {
  if (word.length < leastForSwaps || word.length > longestKnown) return [];
  const found = new Set<string>();
  for (const key of [word, ...without(word)]) for (const known of slips.get(key) ?? []) if (oneSlip(word, known)) found.add(known);
  return [...found];
}

/** Returns the known words that result from swapping two adjacent letters, except the first. */
function swapped(word: string, vocabulary: Vocabulary): readonly string[] {
  if (word.length < leastForSlips || word.length > longestKnown || !/^[a-z]+$/.test(word)) return [];
  const found: string[] = [];
  for (let at = 1; at < word.length - 1; at += 1) {
    const other = word.slice(0, at) + (word[at + 1] ?? "") + (word[at] ?? "") + word.slice(at + 2);
    // A word that is only known by its beginning is no typo of another: "sacrificed" is not "scarified".
    if (other !== word && (vocabulary.ordinary.has(other) || vocabulary.index.exact.has(other))) found.push(other);
  }
  return found;
}

/** Returns Arabic words without their prefixes: and, so, by, for, the, will. */
function bare(word: string): readonly string[] {
  if (word < "\u0600" || word >= "\u0780") return [];
  const forms: string[] = [];
  let rest = word;
  for (const prefix of [/^[وف](?=.{3})/, /^(?:[بلك](?=.{3})|س(?=[انيت].{2}))/, /^(?:ال(?=.{3})|ل(?=.{3}))/]) {
    const shorter = rest.replace(prefix, "");
    if (shorter !== rest) forms.push(shorter);
    rest = shorter;
  }
  return forms;
}

/** Returns all readings of a word, the original first. */
function formsOf(word: string, vocabulary: Vocabulary): readonly string[] {
  const plain = word.replaceAll("'", "");
  if (word.endsWith("'s")) return [plain, word.slice(0, -2)];
  if (word.includes("*")) return [plain, ...starred(plain, vocabulary)];
  if (vocabulary.ordinary.has(plain) || vocabulary.slips.get(plain)?.includes(plain) === true) return [plain, ...bare(plain)];
  const known = (forms: readonly string[]): readonly string[] => forms.filter((form) => isKnown(vocabulary, form));
  const read = unmasked(plain);
  const candidates = [...read, ...[plain, ...read].flatMap(shortened), ...bare(plain)];
  const found = known(candidates);
  if (found.length > 0) return [plain, ...found];
  return [plain, ...new Set([...[plain, ...candidates].flatMap((form) => misspelt(form, vocabulary)), ...swapped(plain, vocabulary)])];
}

/** Splits a run-together word into as few known words as possible; undefined if it does not consist of them. */
function partsOf(word: string, vocabulary: Vocabulary, least = leastJoined): readonly string[] | undefined {
  if (word.length < least || isKnown(vocabulary, word)) return undefined;
  const best: (readonly [count: number, from: number] | undefined)[] = [[0, 0]];
  for (let to = 1; to <= word.length; to += 1)
    for (let from = Math.max(0, to - longestKnown); from < to; from += 1) {
      const before = best[from];
      const count = (before?.[0] ?? 0) + 1;
      if (before === undefined || count >= (best[to]?.[0] ?? Infinity)) continue;
      const piece = word.slice(from, to);
      if (vocabulary.ordinary.has(piece) || vocabulary.index.exact.has(piece)) best[to] = [count, from];
    }
  const parts: string[] = [];
  for (let to = word.length; to > 0;) {
    const step = best[to];
    if (step === undefined) return undefined;
    parts.unshift(word.slice(step[1], to));
    to = step[1];
  }
  return parts.length > 1 && parts.length <= word.length / 2 ? parts : undefined;
}
