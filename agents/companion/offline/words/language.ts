/** Which language a message is in, told by the small words that a text cannot do without. */
import { folded, lengthOf } from "./fold.ts";
import telling from "./language.data.json" with { type: "json" };

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
