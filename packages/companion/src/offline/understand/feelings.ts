/** Detects feelings, topics and terms of the companion's pages in a message, from closed lists. */
import { clausesOf, folded, languageOf, type OfflineLanguage } from "../words/folded-words.ts";
import file from "./feelings.data.json" with { type: "json" };
import termsFile from "./terms.data.json" with { type: "json" };
import topicsFile from "./topics.data.json" with { type: "json" };

const feelings = [
  ...["overwhelmed", "anxious", "angry", "ashamed", "lonely", "tired", "sad", "hurt", "stressed", "numb", "confused", "jealous", "rough"],
  ...["relieved", "proud", "calm", "happy"],
] as const;
export type Feeling =
  | "overwhelmed"
  | "anxious"
  | "angry"
  | "ashamed"
  | "lonely"
  | "tired"
  | "sad"
  | "hurt"
  | "stressed"
  | "numb"
  | "confused"
  | "jealous"
  | "rough"
  | Glad;
/** Positive feelings. */
type Glad = "relieved" | "proud" | "calm" | "happy";

export const isGlad = (feeling: Feeling): feeling is Glad =>
  feeling === "relieved" || feeling === "proud" || feeling === "calm" || feeling === "happy";

const ready = new Map<Feeling, RegExp>();

/** Returns the pattern of a feeling. Compiles it on first use. */
function cueOf(feeling: Feeling): RegExp {
  const { latin, han } = file[feeling];
  const cue = ready.get(feeling) ?? new RegExp(`(?<![\\p{L}\\p{N}])(?:${latin})(?![\\p{L}\\p{N}])|${han}`, "u");
  ready.set(feeling, cue);
  return cue;
}

/** A feeling that the writer denies, or that another person has. */
const denied =
  /(?:\bnot\b|n't|\bno longer\b|\bnever\b|\bnicht\b|\bkein\w*\b|\bno (?=\p{L}+ (?:tan|muy)?\s?\p{L}*$)|\bne\b|\bpas\b|\bnão\b|不(?!安|起)|没有)[^,.;!?]{0,14}$/u;
const somebodyElse =
  /^(?:(?:and|but|so) )?(?:(?:my|our|his|her|their) \p{L}+(?: \p{L}+)?|he|she|they|(?:mi|su) \p{L}+|él|ella|(?:mein|meine|sein|seine|ihr|ihre) \p{L}+|er|(?:mon|ma|son|sa) \p{L}+|il|elle|(?:meu|minha|seu|sua) \p{L}+|ele|ela|他|她|我(?:妈|爸|朋友|老板))(?:'s| is| are| was| were| feels?| felt| seems?| gets?| got| está| ist| fühlt| est| se sent|很|好|在|说)/u;
const feelsAbout = /\b(?:i|me|i'm|my|ich|mich|yo|me|je|j'|moi|eu)\b|我(?!妈|爸|朋友|老板)/u;

/** Tells whether a feeling in a clause is the writer's own and not denied. */
function isTheirs(clause: string, at: number): boolean {
  const before = clause.slice(0, at);
  if (denied.test(before)) return false;
  const other = somebodyElse.exec(clause);
  return other === null || feelsAbout.test(clause.slice(other[0].length, at)) || at < other[0].length - 1;
}

/** Words such as "alone" and "calm" in phrases that name no feeling: "leave me alone", "calm down". */
const noFeeling = /leave me alone|let (?:me|him|her|them|it) alone|\bcalm (?:down|him|her|them)|keep calm/u;

/** Returns the feeling in a folded text; undefined if it has none of the list, or another person's. */
export function feelingIn(text: string): Feeling | undefined {
  const clauses = clausesOf(text);
  return feelings.find((feeling) =>
    clauses.some((clause) => {
      const found = cueOf(feeling).exec(clause);
      return found !== null && isTheirs(clause, found.index) && !(noFeeling.test(clause) && (feeling === "lonely" || feeling === "calm"));
    }),
  );
}

interface Topic {
  readonly cues: RegExp;
  readonly names: Readonly<Record<OfflineLanguage, string>>;
}

interface Topics {
  /** In the order of matching. */
  readonly topics: readonly Topic[];
  /** The same for Chinese. */
  readonly han: readonly { readonly cues: RegExp; readonly name: string }[];
}

let readyTopics: Topics | undefined;

/** Returns the topics. Compiles them for the first message. */
const compiled = (): Topics =>
  (readyTopics ??= {
    topics: topicsFile.topics.map(({ cues, names }) => ({
      cues: new RegExp(`(?<![\\p{L}\\p{N}])(?:${cues})(?![\\p{Script=Latin}\\p{N}])`, "u"),
      names,
    })),
    han: topicsFile.han.map(({ cues, name }) => ({ cues: new RegExp(cues, "u"), name })),
  });

/** Returns the topic of a folded text, named in a language; undefined if it has none of the list. */
export function topicIn(text: string, language: OfflineLanguage): string | undefined {
  const { topics, han } = compiled();
  const found = topics.find(({ cues }) => cues.test(text));
  return found?.names[language] ?? (language === "zh" ? han.find(({ cues }) => cues.test(text))?.name : undefined);
}

const terms = termsFile.terms.map(({ term, cues }) => [term, new RegExp(cues, "u")] as const);

/** Returns the English terms of a question. Returns the question itself if it is English or has no known term. */
export function inEnglish(question: string): string {
  const text = folded(question);
  const found = terms.flatMap(([english, cues]) => (cues.test(text) ? [english] : []));
  return found.length === 0 || languageOf(text) === "en" ? question : found.join(" ");
}
