/** Which language an exercise is said in. */
import { exerciseLanguages, type ExerciseLanguage } from "./definition.ts";

/** Words that stand in nearly every sentence of a language, and in few of the others. */
const common: Readonly<Record<Exclude<ExerciseLanguage, "zh">, RegExp>> = {
  en: /\b(?:the|and|you|help|let's|how|why|please|want|need|exercise|breathing|about|your|my|is|are|what|with|this|that|have|i'm|it's|we|can|do|of|to)\b/gu,
  es: /\b(?:cómo|cuál|el|los|las|que|es|está|estoy|mi|muy|pero|con|por|una|del|qué|puedes?|podemos|quiero|quisiera|hacer|ejercicio|respiración|cuando|y)\b/gu,
  de: /\b(?:was|wie|warum|der|die|das|und|ich|ist|nicht|mir|mit|ein|eine|du|wir|kannst|auf|dir|mich|dich|es|den|können|machen|mach|\p{L}*übung)\b/gu,
  fr: /\b(?:quel|comment|pourquoi|le|les|et|je|est|pas|une|des|mon|ma|tu|nous|avec|dans|que|qui|c'est|j'ai|peux|peut|on|faire|exercice)\b/gu,
  pt: /\b(?:como|qual|não|você|eu|uma|um|os|as|com|meu|minha|estou|está|é|que|para|muito|do|da|isso|podemos|fazer|exercício|respiração)\b/gu,
};

const known = (language: string | undefined): ExerciseLanguage | undefined => {
  const [primary] = (language ?? "").toLowerCase().split("-");
  return exerciseLanguages.find((one) => one === primary);
};

/** The language of a text by its most common words; undefined where there are too few of them to tell. */
export function languageIn(text: string): ExerciseLanguage | undefined {
  const folded = text.slice(0, 2_000).toLowerCase().replaceAll("’", "'");
  if (/\p{Script=Han}/u.test(folded) && !/[ぁ-ヿ가-힣]/u.test(folded)) return "zh";
  const counts = (Object.keys(common) as Exclude<ExerciseLanguage, "zh">[])
    .map((language) => ({ language, hits: new Set(folded.match(common[language])).size }))
    .toSorted((a, b) => b.hits - a.hits);
  const [best, second] = counts;
  return best !== undefined && best.hits >= 2 && best.hits > (second?.hits ?? 0) ? best.language : undefined;
}

/** The language to answer in: that of the message, else what was said before it, the newest first, else what the gate took it for, else English. */
export const languageFor = (message: string, before: readonly string[], given?: string): ExerciseLanguage =>
  [message, ...before.slice(-4).toReversed()].map(languageIn).find((language) => language !== undefined) ?? known(given) ?? "en";
