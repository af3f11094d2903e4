/** Folds text for matching, detects its language by function words, and varies wording deterministically. */
import telling from "./language.data.json" with { type: "json" };
import { lettersOf } from "./trigrams.ts";

/** Lowercase, one kind of apostrophe, single spaces. Accents stay, because cues contain them. */
export const folded = (text: string): string =>
  text
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toLowerCase();

/** The boundary of a word in any script. A pattern's `\b` knows only ASCII letters, so it sees no end after "robô". */
const boundary = "(?:(?<![\\p{L}\\p{M}\\p{N}])(?=[\\p{L}\\p{N}])|(?<=[\\p{L}\\p{M}\\p{N}])(?![\\p{L}\\p{M}\\p{N}]))";

/** Gives each `\b` of a pattern's source the meaning that it has for any script. */
export const bounded = (source: string): string => source.replaceAll(String.raw`\b`, boundary);

/** Returns the first cue in a folded text, if any. */
export const cueIn = (text: string, cues: readonly RegExp[]): RegExp | undefined => cues.find((cue) => cue.test(text));

/** Tells whether a folded text has any of the cues. */
export const has = (text: string, cues: readonly RegExp[]): boolean => cueIn(text, cues) !== undefined;

/** Splits a text into clauses, so that a statement about one person is not read as one about another. */
export const clausesOf = (text: string): readonly string[] =>
  text
    .split(/[.!?;:,。！？；，।،؟؛\n]+|\s(?:but|because|and|so|aber|weil|und|pero|porque|y|mais|parce que|et|mas|e)\s/u)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");

const han = /\p{Script=Han}/gu;

/** Returns the length of a text in words. Two Han characters count as one. */
export const lengthOf = (text: string): number => {
  const dense = text.match(han)?.length ?? 0;
  return Math.ceil(dense / 2) + (text.replaceAll(han, " ").match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*/gu)?.length ?? 0);
};

/** Languages of the rules. All others are answered in English. `hi-latn` is Hindi in Latin letters. */
export const languages = ["en", "es", "de", "fr", "pt", "zh", "id", "hi", "hi-latn", "ar"] as const;
export type OfflineLanguage = (typeof languages)[number];

/** What a frequent word or a mark of a language is worth beside the letters of a text. */
const worthOfWord = 2;

interface Likely {
  readonly language: OfflineLanguage;
  /** Frequent words and marks. */
  readonly words: number;
  /** The same, and the letters. */
  readonly score: number;
}

/** Returns how much a text in Latin letters has of each language. */
function likely(text: string): readonly Likely[] {
  const own = new Set(folded(text).match(/[\p{L}']+/gu) ?? []);
  const elided = [...own].some((word) => /^(?:j|l|d|c|qu|n|m|s|t)'\p{L}/u.test(word)) ? 1 : 0;
  const marks: Readonly<Partial<Record<OfflineLanguage, number>>> = {
    es: /[ñ¿¡]/u.test(text) ? 2 : 0,
    de: /ß/u.test(text) ? 2 : 0,
    pt: /[ãõ]/u.test(text) ? 2 : 0,
    fr: (/[œèùûî]/u.test(text) ? 1 : 0) + elided,
  };
  const letters = lettersOf(text);
  return (["en", "es", "de", "fr", "pt", "id", "hi-latn"] as const).map((language) => {
    const words = telling[language].filter((word) => own.has(word)).length + (marks[language] ?? 0);
    return { language, words, score: words * worthOfWord + (letters.get(language) ?? 0) };
  });
}

/** Returns the language with the highest number, if it is ahead of every other by at least `ahead`. */
function leading(list: readonly Likely[], by: "words" | "score", ahead: number): OfflineLanguage | undefined {
  const [best, next] = list.toSorted((one, other) => other[by] - one[by]);
  return best !== undefined && best[by] - (next?.[by] ?? 0) >= ahead ? best.language : undefined;
}

/** Scripts that tell the language of a text. */
const scripts = [
  ["zh", /\p{Script=Han}/gu],
  ["hi", /\p{Script=Devanagari}/gu],
  ["ar", /\p{Script=Arabic}/gu],
] as const;

/** Letters of scripts that the rules cannot read, such as Cyrillic, kana and Hangul. */
const unread = /(?!\p{Script=Latin}|\p{Script=Han}|\p{Script=Devanagari}|\p{Script=Arabic})\p{L}/gu;

/** How much more a text must have of a language than of any other to be in it, and to leave the language of the texts before it. */
const clear = 2.5;
const leaving = 15;

/** So many frequent words of one language are a sentence of it. */
const wordsOfLeaving = 3;

/** Letters say little of so few words, so that a frequent word among them decides. */
const veryFew = 2;

/** A longer text is in its own language, whatever was spoken before. */
const fewWords = 8;

function detected(text: string): OfflineLanguage | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const countOf = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const unreadable = countOf(unread);
  if (unreadable > 0 && unreadable * 3 >= letters) return "en";
  const script = scripts.find(([, pattern]) => countOf(pattern) > 0 && countOf(pattern) * 2 >= letters);
  if (script !== undefined) return script[0];
  const list = likely(text);
  return (lengthOf(text) <= veryFew ? leading(list, "words", 1) : undefined) ?? leading(list, "score", clear);
}

/** The texts of this turn and of those before it are asked for again and again. */
const known = new Map<string, OfflineLanguage | undefined>();
const mostKnown = 64;

/** Detects the language of a text; undefined if it is too short or ambiguous. A script that the rules cannot read counts as English. */
export function languageOf(text: string): OfflineLanguage | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= mostKnown) known.clear();
  const language = detected(text);
  known.set(text, language);
  return language;
}

/** Tells whether a short text may as well be in the earlier language. */
function mayBe(text: string, spoken: OfflineLanguage, seeming: OfflineLanguage): boolean {
  const scored = likely(text);
  const [own, other] = [spoken, seeming].map((one) => scored.find(({ language }) => language === one));
  const length = lengthOf(text);
  if (length >= fewWords || own === undefined || other === undefined) return false;
  // "hola" and "I want to die" are no slips of the pen.
  const isWorded = other.words - own.words >= (length <= veryFew ? 1 : wordsOfLeaving);
  return other.score - own.score < (isWorded ? clear : leaving);
}

/** Returns the language of a reply: that of the newest text with a clear one, otherwise English. A few ambiguous words follow the earlier language. */
export const languageAmong = (texts: readonly string[]): OfflineLanguage => spokenIn(texts) ?? "en";

/** Returns the language that a person writes in; undefined if no text has a clear one. `texts`: newest first. */
export function spokenIn([newest, ...before]: readonly string[]): OfflineLanguage | undefined {
  if (newest === undefined) return undefined;
  const seeming = languageOf(newest);
  if (seeming === undefined) return spokenIn(before);
  const spoken = before.map(languageOf).find((language) => language !== undefined);
  return spoken !== undefined && spoken !== seeming && mayBe(newest, spoken, seeming) ? spoken : seeming;
}

/** Returns the FNV-1a hash of a text's characters, which distributes short texts well enough for a choice among a few. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** Input of a choice. */
export interface Seed {
  /** Determines the choice. */
  readonly text: string;
  /** Earlier replies, newest first. Variants that they contain are avoided while another exists, and then the one used longest ago is taken. */
  readonly avoid: readonly string[];
}

/** Tells whether a variant was used. One with a placeholder is recognized by the text around it. */
function isUsed(variant: string, replies: string): boolean {
  const parts = variant.split(/\{\w+\}/u).filter((part) => part.trim().length > 1);
  return parts.length > 0 && parts.every((part) => replies.includes(part));
}

/** Chooses one of several variants. `purpose` makes the choices within one reply independent. */
export function pick(variants: readonly string[], { text, avoid }: Seed, purpose = ""): string {
  const used = variants.map((variant) => ({ variant, ago: agoOf(variant, avoid) }));
  const furthest = Math.max(...used.map(({ ago }) => ago));
  const list = used.filter(({ ago }) => ago === furthest).map(({ variant }) => variant);
  return list[hashOf(`${purpose}|${text}`) % Math.max(1, list.length)] ?? "";
}

/** Returns how many replies ago a variant was used; infinite if never. */
export function agoOf(variant: string, replies: readonly string[]): number {
  const at = replies.findIndex((reply) => isUsed(variant, reply));
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
