/** Text as the cues are held against it: folded, in a language that its small words tell, and varied without chance. */
import telling from "./language.data.json" with { type: "json" };

/** Lower case, one kind of apostrophe, single spaces; accents stay, because cues are written with them. */
export const folded = (text: string): string =>
  text
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toLowerCase();

/** The first cue that a folded text has, if any. */
export const cueIn = (text: string, cues: readonly RegExp[]): RegExp | undefined => cues.find((cue) => cue.test(text));

/** Whether a folded text has one of the cues. */
export const has = (text: string, cues: readonly RegExp[]): boolean => cueIn(text, cues) !== undefined;

/** Sentences and clauses, so that what is said of one person is not read as said of another. */
export const clausesOf = (text: string): readonly string[] =>
  text
    .split(/[.!?;:,。！？；，\n]+|\s(?:but|because|and|so|aber|weil|und|pero|porque|y|mais|parce que|et|mas|e)\s/u)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== "");

const han = /\p{Script=Han}/gu;

/** How long a text is, in words; two Han characters count as one. */
export const lengthOf = (text: string): number => {
  const dense = text.match(han)?.length ?? 0;
  return Math.ceil(dense / 2) + (text.replaceAll(han, " ").match(/[\p{L}\p{N}][\p{L}\p{N}'-]*/gu)?.length ?? 0);
};

/** Languages that the rules answer in; everything else is answered in English. */
export const languages = ["en", "es", "de", "fr", "pt", "zh"] as const;
export type OfflineLanguage = (typeof languages)[number];

const scores = (text: string): readonly { readonly language: OfflineLanguage; readonly score: number }[] => {
  const words = new Set(folded(text).match(/[\p{L}']+/gu) ?? []);
  const elided = [...words].some((word) => /^(?:j|l|d|c|qu|n|m|s|t)'\p{L}/u.test(word)) ? 1 : 0;
  const marks: Readonly<Partial<Record<OfflineLanguage, number>>> = {
    es: /[ñ¿¡]/u.test(text) ? 2 : 0,
    de: /ß/u.test(text) ? 2 : 0,
    pt: /[ãõ]/u.test(text) ? 2 : 0,
    fr: (/[œêèù]/u.test(text) ? 1 : 0) + elided,
  };
  return (["en", "es", "de", "fr", "pt"] as const).map((language) => ({
    language,
    score: telling[language].filter((word) => words.has(word)).length + (marks[language] ?? 0),
  }));
};

/** Letters of languages that the rules have no words in: Cyrillic, kana, Hangul, Arabic, Devanagari and all others. */
const unread = /(?!\p{Script=Latin}|\p{Script=Han})\p{L}/gu;

/** The language of a text; undefined if it does not tell: too short, or evenly of two. English stands for what the rules have no words in. */
export function languageOf(text: string): OfflineLanguage | undefined {
  const unreadable = text.match(unread)?.length ?? 0;
  if (unreadable > 0 && unreadable * 3 >= (text.match(/\p{L}/gu)?.length ?? 0)) return "en";
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han > 0 && han * 2 >= (text.match(/\p{L}/gu)?.length ?? 0)) return "zh";
  const [best, next] = scores(text).toSorted((one, other) => other.score - one.score);
  return best === undefined || best.score === 0 || best.score === next?.score ? undefined : best.language;
}

/** A text of fewer words changes the language of a conversation only if it tells it by more than a word. */
const fewWords = 8;

/** Whether a short text may be of that language as well as of the one that it seems to be in. */
function mayBe(text: string, spoken: OfflineLanguage, seeming: OfflineLanguage): boolean {
  const scored = scores(text);
  const scoreOf = (one: OfflineLanguage): number => scored.find(({ language }) => language === one)?.score ?? 0;
  return lengthOf(text) < fewWords && scoreOf(spoken) > 0 && scoreOf(seeming) - scoreOf(spoken) <= 1;
}

/** The language to answer in: of the newest text that tells, English where none does. A few words that many languages have go with what was spoken before. */
export function languageAmong([newest, ...before]: readonly string[]): OfflineLanguage {
  if (newest === undefined) return "en";
  const seeming = languageOf(newest);
  if (seeming === undefined) return languageAmong(before);
  const spoken = before.map(languageOf).find((language) => language !== undefined);
  return spoken !== undefined && spoken !== seeming && mayBe(newest, spoken, seeming) ? spoken : seeming;
}

/** FNV-1a over the characters of a text: spreads short texts well enough to choose among a handful. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}

/** What a choice depends on. */
export interface Seed {
  /** What the choice is made by. */
  readonly text: string;
  /** What was said lately: a variant that stands in it is passed over while there is another. */
  readonly said: string;
}

/** Whether a variant was said: one with a blank is known by what stands before it, or after it. */
function wasSaid(variant: string, said: string): boolean {
  const parts = variant.split(/\{\w+\}/u).filter((part) => part.trim().length > 1);
  return parts.length > 0 && parts.every((part) => said.includes(part));
}

/** One of several ways to say the same. `purpose` keeps choices of one reply from moving together. */
export function pick(variants: readonly string[], { text, said }: Seed, purpose = ""): string {
  const fresh = variants.filter((variant) => !wasSaid(variant, said));
  const list = fresh.length > 0 ? fresh : variants;
  return list[hashOf(`${purpose}|${text}`) % Math.max(1, list.length)] ?? "";
}
