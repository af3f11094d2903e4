/** Characters as they are compared: without case, accents, disguise and marks. Each one is folded by itself, so that places in the raw text are kept. */

/** Letters of other scripts and styles that are drawn like a Latin one, and that compatibility forms do not reach. */
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

/** Arabic letters that are written for one another, and Persian forms of the same. */
const arabic: Readonly<Record<string, string>> = {
  ...{ أ: "ا", إ: "ا", آ: "ا", ٱ: "ا", ى: "ي", ی: "ي", ې: "ي", ة: "ه", ۀ: "ه", ۃ: "ه", ؤ: "و", ئ: "ي", ک: "ك", ء: "", ـ: "" },
};

/** What a picture stands for; a pattern writes it as it stands here. */
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

/** A character as it is read. */
export interface Character {
  /** As it is compared: blank for what is drawn over nothing (marks, joiners, directions), `:name:` for a picture. */
  readonly folded: string;
  /** Whether it is part of a word: a letter, what is looked past, or a sign that stands for a letter. */
  readonly isLetter: boolean;
  /** Whether it is a word by itself, as in scripts that put no spaces between words. */
  readonly isAlone: boolean;
}

/** Whether a character is a word by itself. */
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
/** More than this many different characters are not kept at hand. */
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

/** A character as it is compared. */
export const foldCharacter = (character: string): string => readCharacter(character).folded;

/** A nasal before a consonant is written as itself or as a dot above: one way for both. */
const nasal = /[\u0919\u091E\u0923\u0928\u092E]\u094D(?=[\u0915-\u0939])/g;

/** What is left to fold once all of a word is there. */
export const foldWhole = (word: string): string => (word >= "\u0900" && word < "\u0980" ? word.replace(nasal, "\u0902") : word);

/** A word of a pack, folded as words of a text are; apostrophes stay. */
export function foldWord(word: string): string {
  let folded = "";
  for (const character of word) folded += foldCharacter(character);
  return foldWhole(folded.replaceAll("’", "'"));
}

export type ScriptName = "Latin" | "Arabic" | "Devanagari" | "Han" | "other";

/** The script of a folded letter. Look-alikes were made Latin by then: see `rawScript` for those. */
export function scriptOf(character: string): ScriptName {
  if (character < "\u0250" || (character >= "\u1E00" && character < "\u1F00")) return "Latin";
  if (character >= "\u0600" && character < "\u0780") return "Arabic";
  if (character >= "\u0900" && character < "\u0980") return "Devanagari";
  // Kana stand alone as Han does, and say that it is no Chinese.
  if (character >= "\u3040" && character < "\u3100") return "other";
  return standsAlone(character) ? "Han" : "other";
}
