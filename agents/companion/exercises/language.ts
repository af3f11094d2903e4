/** Which language an exercise is said in. */
import { exerciseLanguages, type ExerciseLanguage } from "./definition.ts";
import { exerciseWords } from "./words.ts";

interface Telling {
  readonly language: ExerciseLanguage;
  readonly words: RegExp;
}

let telling: readonly Telling[] | undefined;

/** Words that tell a language, compiled with the first text. */
const tellingWords = (): readonly Telling[] =>
  (telling ??= exerciseLanguages.flatMap((language) => {
    const { tells } = exerciseWords[language];
    return tells === undefined ? [] : [{ language, words: new RegExp(`\\b(?:${tells})\\b`, "gu") }];
  }));

const known = (language: string | undefined): ExerciseLanguage | undefined => {
  const [primary] = (language ?? "").toLowerCase().split("-");
  return exerciseLanguages.find((one) => one === primary);
};

/** The language of a text by its most common words; undefined where there are too few of them to tell. */
export function languageIn(text: string): ExerciseLanguage | undefined {
  const folded = text.slice(0, 2_000).toLowerCase().replaceAll("’", "'");
  if (/\p{Script=Han}/u.test(folded) && !/[ぁ-ヿ가-힣]/u.test(folded)) return "zh";
  const counts = tellingWords()
    .map(({ language, words }) => ({ language, hits: new Set(folded.match(words)).size }))
    .toSorted((a, b) => b.hits - a.hits);
  const [best, second] = counts;
  return best !== undefined && best.hits >= 2 && best.hits > (second?.hits ?? 0) ? best.language : undefined;
}

/** The language to answer in: that of the message, else what was said before it, the newest first, else what the gate took it for, else English. */
export const languageFor = (message: string, before: readonly string[], given?: string): ExerciseLanguage =>
  [message, ...before.slice(-4).toReversed()].map(languageIn).find((language) => language !== undefined) ?? known(given) ?? "en";
