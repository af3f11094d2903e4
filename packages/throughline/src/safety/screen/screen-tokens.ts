/** Splits a text into folded words, without case, accents and disguise. Positions refer to the original text. */

/** A folded word of a text, with its position in the original. */
export interface Token {
  readonly word: string;
  readonly from: number;
  readonly to: number;
  /** Numbers of its sentence and its clause. No match crosses a sentence, and no negation crosses a clause. */
  readonly sentence: number;
  readonly clause: number;
}

const apostrophes = "'’ʼ`´";
/** Marks that stand for a letter within a word. */
const insideWord = "@$!|€*";
const sentenceEnds = ".!?。！？؟।॥;；";
const clauseEnds = ',،、，:：—–()[]"“”„«»「」『』《》';
/** Of a word longer than twice this, only both ends are read. */
const longestWord = 200;

const isPlain = (character: string): boolean =>
  (character >= "a" && character <= "z") || (character >= "A" && character <= "Z") || (character >= "0" && character <= "9");
const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && (isPlain(character) || (character > "\u007F" && /[\p{L}\p{M}\p{N}\p{Cf}]/u.test(character)));

interface Reading {
  readonly tokens: Token[];
  word: string;
  from: number;
  to: number;
  sentence: number;
  clause: number;
  /** Whether the previous letter is lowercase: a capital I after it is an l, or an i (`myseIf`). */
  small: boolean;
}

function close(reading: Reading): void {
  const { word: read, from, to, sentence, clause } = reading;
  if (read === "") return;
  reading.word = "";
  const word = foldWhole(read);
  const parts = word.length > 2 * longestWord ? [word.slice(0, longestWord), word.slice(-longestWord)] : elision(word);
  for (const part of parts) reading.tokens.push({ word: part, from, to, sentence, clause });
}

/** Splits elisions of French and related languages: `j'ai` is two words. */
function elision(word: string): readonly string[] {
  const at = word.indexOf("'");
  if (at < 1 || at === word.length - 1 || !/^(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)$/.test(word.slice(0, at))) return [word];
  return [word.slice(0, at), ...elision(word.slice(at + 1))];
}

/** Ends a clause or a sentence at a mark between words. Consecutive dots are a pause, not an end. */
function part(reading: Reading, mark: string, text: { readonly all: string; readonly at: number }): void {
  const next = visibleAfter(text.all, text.at);
  const before = text.all[text.at - 1];
  if (mark === "." && (next === "." || before === "." || (isWordCharacter(next) && isWordCharacter(before)))) reading.clause += next === "." ? 1 : 0;
  else if (sentenceEnds.includes(mark) || (mark === "\n" && next === "\n")) reading.sentence = reading.clause += 1;
  else if (clauseEnds.includes(mark)) reading.clause += 1;
}

/** Most invisible characters to skip in a row. */
const mostInvisible = 4;

function placeAfter(all: string, at: number): number {
  let next = at + 1;
  while (next <= at + mostInvisible && next < all.length && foldCharacter(all[next] ?? "") === "") next += 1;
  return next;
}

const visibleAfter = (all: string, at: number): string => all[placeAfter(all, at)] ?? "";

/** Tells whether a mark stands for a letter: within a word, or at the end of a masked one. */
function standsForLetter(mark: string, text: { readonly all: string; readonly at: number; readonly word: string }): boolean {
  const { all, at, word } = text;
  if (!insideWord.includes(mark)) return false;
  const next = visibleAfter(all, at);
  if (word === "") return mark === "$" && /[a-z]/i.test(next);
  if (mark === "*" && (word.endsWith("*") || next === "*")) return true;
  if (mark === "!" && next === "!") return /[a-z0-9]/i.test(visibleAfter(all, placeAfter(all, at)));
  return /[a-z0-9]/i.test(next) || insideWord.includes(next && next !== "!" && next !== "|" ? next : "\u0000");
}

/** Adds text to the current word. */
function grow(reading: Reading, more: string, from: number, to: number): void {
  if (reading.word === "") reading.from = from;
  reading.word += more;
  reading.to = to;
}

/** Returns the first position from `at` on that is not a lowercase ASCII letter. Most of most texts consists of these. */
function afterSmall(all: string, at: number): number {
  let end = at;
  while (all.charCodeAt(end) >= 0x61 && all.charCodeAt(end) <= 0x7a) end += 1;
  return end;
}

/** Adds a letter to the current word, or a whole word if it stands alone. Adds nothing for an invisible character. */
function readLetter(reading: Reading, character: string, { folded, isAlone }: Character, from: number): void {
  if (isAlone) close(reading);
  if (folded !== "") {
    const disguised = character === "I" && reading.small && reading.word !== "";
    grow(reading, disguised ? "|" : folded, from, from + character.length);
    reading.small = disguised || (character >= "a" && character <= "z");
  }
  if (isAlone) close(reading);
}

/** Splits a text into words, in linear time. Invisible characters are skipped, and emoji are words. `offset`: position of the text within the original. */
export function tokenize(all: string, offset = 0): readonly Token[] {
  const reading: Reading = { tokens: [], word: "", from: 0, to: 0, sentence: 0, clause: 0, small: false };
  for (let at = 0; at < all.length;) {
    const small = afterSmall(all, at);
    if (small > at) {
      grow(reading, all.slice(at, small), offset + at, offset + small);
      reading.small = true;
      at = small;
      continue;
    }
    const character = String.fromCodePoint(all.codePointAt(at) ?? 0);
    const read = readCharacter(character);
    const { folded } = read;
    const from = offset + at;
    const to = from + character.length;
    if (folded.length > 2 && folded.startsWith(":")) {
      close(reading);
      grow(reading, folded, from, to);
      close(reading);
    } else if (read.isLetter) readLetter(reading, character, read, from);
    else if (apostrophes.includes(character) && reading.word !== "" && isWordCharacter(visibleAfter(all, at))) grow(reading, "'", from, to);
    else if (standsForLetter(character, { all, at, word: reading.word })) grow(reading, character, from, to);
    else {
      close(reading);
      part(reading, folded, { all, at });
    }
    at += character.length;
  }
  close(reading);
  return joinSentences(reading.tokens);
}

/** Joins words that are separated by periods ("I. want. to. die.") into one sentence. */
function joinSentences(tokens: readonly Token[]): readonly Token[] {
  const single = (at: number): boolean => {
    const sentence = tokens[at]?.sentence;
    return sentence !== undefined && tokens[at - 1]?.sentence !== sentence && tokens[at + 1]?.sentence !== sentence;
  };
  const joined: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    const previous = joined.at(-1);
    const joins = previous !== undefined && single(at) && single(at - 1) && (single(at - 2) || single(at + 1));
    joined.push(joins ? { ...token, sentence: previous.sentence, clause: previous.clause } : token);
  }
  return joined;
}

/** Letters of other scripts and styles that look like a Latin one and that compatibility forms do not cover. */
const lookalikes: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    в: "b",
    е: "e",
    ё: "e",
    з: "3",
    и: "u",
    і: "i",
    ї: "i",
    ј: "j",
    к: "k",
    м: "m",
    н: "h",
    о: "o",
    п: "n",
    р: "p",
    с: "c",
    т: "t",
    у: "y",
    х: "x",
    ѕ: "s",
  },
  ...{ ԁ: "d", ԛ: "q", ԝ: "w", һ: "h", ӏ: "l", ь: "b", ү: "y", ғ: "f", г: "r", ѵ: "v", ո: "n", ս: "u", օ: "o", հ: "h" },
  ...{
    α: "a",
    β: "b",
    γ: "y",
    δ: "d",
    ε: "e",
    η: "n",
    ι: "i",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    σ: "o",
    τ: "t",
    υ: "u",
    χ: "x",
    ω: "w",
    ϲ: "c",
    ϳ: "j",
  },
  ...{
    ᴀ: "a",
    ʙ: "b",
    ᴄ: "c",
    ᴅ: "d",
    ᴇ: "e",
    ꜰ: "f",
    ɢ: "g",
    ʜ: "h",
    ɪ: "i",
    ᴊ: "j",
    ᴋ: "k",
    ʟ: "l",
    ᴍ: "m",
    ɴ: "n",
    ᴏ: "o",
    ᴘ: "p",
    ʀ: "r",
    ꜱ: "s",
    ᴛ: "t",
    ᴜ: "u",
    ᴠ: "v",
    ᴡ: "w",
    ʏ: "y",
    ᴢ: "z",
  },
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ɑ: "a", ɡ: "g", ħ: "h", ŧ: "t", ɩ: "i", ƙ: "k" },
};

/** Arabic letters that are used interchangeably, and their Persian forms. */
const arabic: Readonly<Record<string, string>> = {
  ...{ أ: "ا", إ: "ا", آ: "ا", ٱ: "ا", ى: "ي", ی: "ي", ې: "ي", ة: "ه", ۀ: "ه", ۃ: "ه", ؤ: "و", ئ: "ي", ک: "ك", ء: "", ـ: "" },
};

/** The words for emoji. Patterns use the same names. */
const pictures: Readonly<Record<string, string>> = {
  ...{
    "🔪": ":knife:",
    "🗡": ":knife:",
    "🪒": ":blade:",
    "💊": ":pills:",
    "⚰": ":coffin:",
    "🔫": ":gun:",
    "💀": ":skull:",
    "☠": ":skull:",
    "🪦": ":grave:",
  },
  ...{
    "🩸": ":blood:",
    "🌉": ":bridge:",
    "🪢": ":rope:",
    "🚆": ":train:",
    "🚂": ":train:",
    "🚇": ":train:",
    "💉": ":needle:",
    "👋": ":wave:",
    "🕊": ":dove:",
  },
  ...{
    "😂": ":laugh:",
    "🤣": ":laugh:",
    "😹": ":laugh:",
    "😭": ":cry:",
    "😢": ":cry:",
    "💔": ":heartbreak:",
    "👍": ":yes:",
    "👎": ":no:",
    "🔚": ":end:",
  },
};

const devanagariMark = /[\u0900-\u0903\u093A-\u094F\u0955-\u0957\u0962\u0963]/;

function foldOther(character: string): string {
  const lower = character.normalize("NFKC").toLowerCase();
  let folded = "";
  for (const part of lower.normalize("NFD")) {
    if (part === "\u093C") continue;
    if (part === "\u0901") folded += "\u0902";
    else if (devanagariMark.test(part)) folded += part;
    else if (/\p{M}/u.test(part)) continue;
    else folded += arabic[part] ?? lookalikes[part] ?? part;
  }
  return folded;
}

/** A folded character. */
interface Character {
  /** The folded form: blank for an invisible character (marks, joiners, directions), `:name:` for an emoji. */
  readonly folded: string;
  /** Whether it is part of a word: a letter, an invisible character, or a sign for a letter. */
  readonly isLetter: boolean;
  /** Whether it is a word by itself, as in scripts without spaces. */
  readonly isAlone: boolean;
}

/** Tells whether a character is a word by itself. */
export const standsAlone = (character: string): boolean =>
  character >= "\u2E80" && /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character);

function readNew(character: string): Character {
  const isInvisible = /[\p{Cf}\p{Mn}\uFE0F]/u.test(character) && !devanagariMark.test(character);
  const folded = pictures[character] ?? (isInvisible ? "" : foldOther(character));
  const isLetter = folded === "" || /[\p{L}\p{M}\p{N}\p{Cf}]/u.test(character) || (folded !== character && /^[\p{L}\p{N}\p{M}]+$/u.test(folded));
  return { folded, isLetter, isAlone: standsAlone(folded) };
}

const plain: readonly Character[] = Array.from({ length: 0x80 }, (_, code) => readNew(String.fromCharCode(code)));
const cached = new Map<string, Character>();
/** Most distinct characters in the cache. */
const mostCached = 4_096;

/** Reads a character. */
export function readCharacter(character: string): Character {
  const known = character.length === 1 ? (plain[character.charCodeAt(0)] ?? cached.get(character)) : cached.get(character);
  if (known !== undefined) return known;
  const read = readNew(character);
  if (cached.size >= mostCached) cached.clear();
  cached.set(character, read);
  return read;
}

/** Returns the folded form of a character. */
const foldCharacter = (character: string): string => readCharacter(character).folded;

/** A nasal before a consonant can be written as a letter or as a dot above. Both fold to the dot. */
const nasal = /[\u0919\u091E\u0923\u0928\u092E]\u094D(?=[\u0915-\u0939])/g;

/** Applies the folding that needs the whole word. */
const foldWhole = (word: string): string => (word >= "\u0900" && word < "\u0980" ? word.replace(nasal, "\u0902") : word);

/** Folds a word of a pack like the words of a text. Apostrophes stay. */
export function foldWord(word: string): string {
  let folded = "";
  for (const character of word) folded += foldCharacter(character);
  return foldWhole(folded.replaceAll("’", "'"));
}

type ScriptName = "Latin" | "Arabic" | "Devanagari" | "Han" | "other";

/** Returns the script of a folded letter. Look-alikes are already Latin at this point; `foreign` in screen.ts reads the original letters. */
export function scriptOf(character: string): ScriptName {
  if (character < "\u0250" || (character >= "\u1E00" && character < "\u1F00")) return "Latin";
  if (character >= "\u0600" && character < "\u0780") return "Arabic";
  if (character >= "\u0900" && character < "\u0980") return "Devanagari";
  // Kana stand alone like Han characters, and show that a text is not Chinese.
  if (character >= "\u3040" && character < "\u3100") return "other";
  return standsAlone(character) ? "Han" : "other";
}
