/** Language functions of an index. */
import { type Locale, bounded, oncePerLocale, wordsOf, preparingTexts } from "../text/locale.ts";
import { type Tokenizer, type Word, createTokenizer } from "../text/tokenize.ts";
import { type TimeRange, speaksOfTime, timesIn } from "../text/dates.ts";

/** Question types of a text. A text that is not a question may still have them, as in "tell me when it was". */
interface QuestionFlags {
  /** The text ends with a question mark, or is one sentence that starts like a question. */
  readonly question: boolean;
  readonly when: boolean;
  /** Asks for a number: how many, how much. */
  readonly howMany: boolean;
  readonly howOften: boolean;
  /** Asks for a duration or an age. */
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

/** Maximum number of characters searched for question words. */
const longest = 2_000;
const endsWithMark = /[?？؟][\s\p{P}\p{S}]*$/u;
/** The end of a sentence that is followed by more text. */
const goesOn = /[.!?。！？\n]\s*[\p{L}\p{N}]/u;

/** Tells whether a text is a question in one of the languages. See {@link QuestionFlags}. */
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

/** Tells whether a text asks for a time: only the `when` flag of {@link questionFlags}. */
const asksWhen = (text: string, locales: readonly Locale[]): boolean => asks("when", text, locales);

/** Returns the question types of a text, in any of the languages from `localesOf`. */
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

/** Classes of things, by index terms. */
export interface Lexicon {
  /** Returns the terms of the members of the class that a term names. Empty for most terms. */
  members(term: string): readonly string[];
}

const entriesOf = oncePerLocale((locale: Locale) =>
  [...Object.entries(locale.concepts), ...(locale.synonyms ?? []).map((group) => [group, group] as const)].map(([names, members]) => ({
    names: wordsOf(names),
    members: wordsOf(members).join(" . "),
  })),
);

/** Creates the classes of all languages of a tokenizer, as its terms. A term that names several classes has all their members, but never itself. */
export const createLexicon = (tokenizer: Tokenizer): Lexicon => {
  const classes = new Map<string, string[]>();
  for (const locale of tokenizer.locales) {
    for (const { names, members } of entriesOf(locale)) {
      const terms = tokenizer.terms(members, locale);
      for (const name of names.flatMap((word) => tokenizer.terms(word, locale))) classes.set(name, [...(classes.get(name) ?? []), ...terms]);
    }
  }
  const members = new Map([...classes].map(([name, terms]) => [name, Object.freeze([...new Set(terms)].filter((term) => term !== name))] as const));
  return { members: (term) => members.get(term) ?? [] };
};

/** Indexed properties of a text. */
export interface ReadText {
  /** See {@link TextReader.terms}. */
  readonly terms: readonly string[];
  /** Whether the text is a question. */
  readonly asks: boolean;
  /** Whether the text mentions a time, with or without a date. */
  readonly speaksOfTime: boolean;
  /** Times in the text, relative to the time of the message. */
  readonly times: readonly TimeRange[];
}

/** Language functions of an index. */
export interface TextReader {
  /** Returns the index terms of a text. */
  terms(text: string): readonly string[];
  /** Returns every word, in order. */
  words(text: string): readonly Word[];
  /** Returns the terms of the class that this term names. Empty for most terms. */
  members(term: string): readonly string[];
  /** Returns the times in a text, relative to a time. */
  times(text: string, at: number): readonly TimeRange[];
  /** Returns the indexed properties of a text in one pass. */
  read(text: string, at: number): ReadText;
  /** Tells whether a question asks for a time. */
  asksWhen(text: string): boolean;
  /** Prepares the reader step by step before its first use. */
  prepare(): Iterable<unknown>;
}

const noTimes: readonly TimeRange[] = Object.freeze([]);

/** Creates a reader with a tokenizer's languages: words, times, question patterns and classes. `lexicon` replaces the classes. */
export const createTextReader = (tokenizer: Tokenizer = createTokenizer(), lexicon?: Lexicon): TextReader => {
  let classes = lexicon;
  const members = (term: string): readonly string[] => (classes ??= createLexicon(tokenizer)).members(term);
  return Object.freeze<TextReader>({
    terms: (text) => tokenizer.terms(text),
    words: (text) => tokenizer.words(text),
    members,
    times: (text, at) => timesIn(text, at, tokenizer.localesOf(text)),
    read: (text, at) => {
      const { terms, locales } = tokenizer.read(text);
      const timed = speaksOfTime(text, locales);
      return { terms, asks: isQuestion(text, locales), speaksOfTime: timed, times: timed ? timesIn(text, at, locales) : noTimes };
    },
    asksWhen: (text) => asksWhen(text, tokenizer.localesOf(text)),
    prepare: function* () {
      yield members("");
      for (const locale of tokenizer.locales) {
        for (const text of preparingTexts) {
          yield speaksOfTime(text, [locale]);
          yield isQuestion(text, [locale]);
          yield asksWhen(text, [locale]);
        }
      }
    },
  });
};

let shared: TextReader | undefined;

/** Returns the shared default reader of the supplied languages. Its tables are created on first use, once for all indexes. It stores no texts. */
export const defaultReader = (): TextReader => (shared ??= createTextReader());
