/** Folds text for matching, detects its language by function words, and varies wording deterministically. */
import telling from "./language.data.json" with { type: "json" };

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

const scores = (text: string): readonly { readonly language: OfflineLanguage; readonly score: number }[] => {
  const words = new Set(folded(text).match(/[\p{L}']+/gu) ?? []);
  const elided = [...words].some((word) => /^(?:j|l|d|c|qu|n|m|s|t)'\p{L}/u.test(word)) ? 1 : 0;
  const marks: Readonly<Partial<Record<OfflineLanguage, number>>> = {
    es: /[ñ¿¡]/u.test(text) ? 2 : 0,
    de: /ß/u.test(text) ? 2 : 0,
    pt: /[ãõ]/u.test(text) ? 2 : 0,
    fr: (/[œèùûî]/u.test(text) ? 1 : 0) + elided,
  };
  return (["en", "es", "de", "fr", "pt", "id", "hi-latn"] as const).map((language) => ({
    language,
    score: telling[language].filter((word) => words.has(word)).length + (marks[language] ?? 0),
  }));
};

/** Scripts that tell the language of a text. */
const scripts = [
  ["zh", /\p{Script=Han}/gu],
  ["hi", /\p{Script=Devanagari}/gu],
  ["ar", /\p{Script=Arabic}/gu],
] as const;

/** Letters of scripts that the rules cannot read, such as Cyrillic, kana and Hangul. */
const unread = /(?!\p{Script=Latin}|\p{Script=Han}|\p{Script=Devanagari}|\p{Script=Arabic})\p{L}/gu;

/** Detects the language of a text; undefined if it is too short or ambiguous. A script that the rules cannot read counts as English. */
export function languageOf(text: string): OfflineLanguage | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const countOf = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const unreadable = countOf(unread);
  if (unreadable > 0 && unreadable * 3 >= letters) return "en";
  const script = scripts.find(([, pattern]) => countOf(pattern) > 0 && countOf(pattern) * 2 >= letters);
  if (script !== undefined) return script[0];
  const [best, next] = scores(text).toSorted((one, other) => other.score - one.score);
  return best === undefined || best.score === 0 || best.score === next?.score ? undefined : best.language;
}

/** A text with fewer words changes the language only if it matches by more than one word. */
const fewWords = 8;

/** Tells whether a short text fits the earlier language as well as the detected one, or has only one word of the latter among several. */
function mayBe(text: string, spoken: OfflineLanguage, seeming: OfflineLanguage): boolean {
  const scored = scores(text);
  const scoreOf = (one: OfflineLanguage): number => scored.find(({ language }) => language === one)?.score ?? 0;
  if (lengthOf(text) >= fewWords || !scored.some(({ language }) => language === seeming)) return false;
  return scoreOf(spoken) > 0 ? scoreOf(seeming) - scoreOf(spoken) <= 1 : scoreOf(seeming) === 1 && lengthOf(text) > 2;
}

/** Returns the language of the reply: that of the newest text with a clear one, otherwise English. A few ambiguous words follow the earlier language. */
export function languageAmong([newest, ...before]: readonly string[]): OfflineLanguage {
  if (newest === undefined) return "en";
  const seeming = languageOf(newest);
  if (seeming === undefined) return languageAmong(before);
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
