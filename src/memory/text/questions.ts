/** What a question asks for. */
import type { Locale } from "./locale.ts";
import { bounded, oncePerLocale } from "./once.ts";

/** What a text asks for. A text that is no question asks for nothing by itself, but its words may: "tell me when it was". */
export interface QuestionFlags {
  /** It ends with a question mark, or is one sentence that begins as questions do. */
  readonly question: boolean;
  readonly when: boolean;
  /** A number: how many, how much. */
  readonly howMany: boolean;
  readonly howOften: boolean;
  /** A length of time, or an age. */
  readonly howLong: boolean;
  readonly who: boolean;
  readonly where: boolean;
}

const asked = ["when", "howMany", "howOften", "howLong", "who", "where"] as const;

type Patterns = Readonly<Record<(typeof asked)[number] | "opens", RegExp> & { readonly anywhere: RegExp | undefined }>;

const patternsOf = oncePerLocale((locale): Patterns => {
  const { questions } = locale;
  const pattern = (source: string): RegExp => new RegExp(bounded(source, locale), "iu");
  return {
    when: pattern(questions.when),
    howMany: pattern(questions.howMany),
    howOften: pattern(questions.howOften),
    howLong: pattern(questions.howLong),
    who: pattern(questions.who),
    where: pattern(questions.where),
    opens: new RegExp(`^[\\s\\p{P}]*${bounded(questions.opens, locale)}`, "iu"),
    anywhere: questions.anywhere === undefined ? undefined : pattern(questions.anywhere),
  };
});

/** Only so much of a text is looked at for what it asks. */
const longest = 2_000;
const endsWithMark = /[?？؟][\s\p{P}\p{S}]*$/u;
/** The end of a sentence with more behind it. */
const goesOn = /[.!?。！？\n]\s*[\p{L}\p{N}]/u;

/** Whether a text is a question in one of some languages: see `QuestionFlags`. */
export const isQuestion = (text: string, locales: readonly Locale[]): boolean => {
  const seen = text.slice(-longest);
  if (endsWithMark.test(seen)) return true;
  if (text.length > longest || goesOn.test(text)) return false;
  return locales.some((locale) => {
    const { opens, anywhere } = patternsOf(locale);
    return opens.test(text) || anywhere?.test(text) === true;
  });
};

const asks = (flag: (typeof asked)[number], text: string, locales: readonly Locale[]): boolean =>
  locales.some((locale) => patternsOf(locale)[flag].test(text.slice(0, longest)));

/** Whether a text asks when: that flag of {@link questionFlags} alone. */
export const asksWhen = (text: string, locales: readonly Locale[]): boolean => asks("when", text, locales);

/** What a text asks for, in any of some languages: those that a tokenizer's `localesOf` names. */
export const questionFlags = (text: string, locales: readonly Locale[]): QuestionFlags => {
  const of = (flag: (typeof asked)[number]): boolean => asks(flag, text, locales);
  return {
    question: isQuestion(text, locales),
    when: of("when"),
    howMany: of("howMany"),
    howOften: of("howOften"),
    howLong: of("howLong"),
    who: of("who"),
    where: of("where"),
  };
};
