/** The languages that an index reads, as it needs them. */
import { type Locale, bounded, oncePerLocale, wordsOf, preparingTexts } from "../text/locale.ts";
import { type Tokenizer, type Word, createTokenizer } from "../text/tokenize.ts";
import { type TimeRange, speaksOfTime, timesIn } from "../text/dates.ts";

/** What a text asks for. A text that is no question asks for nothing by itself, but its words may: "tell me when it was". */
interface QuestionFlags {
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
const asksWhen = (text: string, locales: readonly Locale[]): boolean => asks("when", text, locales);

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

/** Classes of things, by index terms. */
export interface Lexicon {
  /** Terms of the members of the class that a term names; empty for most terms. */
  members(term: string): readonly string[];
}

const entriesOf = oncePerLocale((locale: Locale) =>
  [...Object.entries(locale.concepts), ...(locale.synonyms ?? []).map((group) => [group, group] as const)].map(([names, members]) => ({
    names: wordsOf(names),
    members: wordsOf(members).join(" . "),
  })),
);

/** The classes of all languages of a tokenizer, in its terms. A term that names several classes has the members of all, and is never its own. */
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

/** What an index keeps of a text that was said. */
export interface ReadText {
  /** As {@link TextReader.terms} has them. */
  readonly terms: readonly string[];
  /** Whether it is a question. */
  readonly asks: boolean;
  /** Whether it names a time at all, be it one without a date. */
  readonly speaksOfTime: boolean;
  /** Times that it names, read by the moment when it was said. */
  readonly times: readonly TimeRange[];
}

/** Language, as the index needs it. */
export interface TextReader {
  /** The words that carry meaning, as they are indexed. */
  terms(text: string): readonly string[];
  /** Every word, in order. */
  words(text: string): readonly Word[];
  /** Terms that belong to the class which this term names; empty for most. */
  members(term: string): readonly string[];
  /** Times that a text names, read by a moment. */
  times(text: string, at: number): readonly TimeRange[];
  /** All that an index keeps of a text, said at a moment: it is cut into words once. */
  read(text: string, at: number): ReadText;
  /** Whether a question wants a time for an answer. */
  asksWhen(text: string): boolean;
  /** Makes what reading needs, step by step, before it is needed. */
  prepare(): Iterable<unknown>;
}

const noTimes: readonly TimeRange[] = Object.freeze([]);

/** What an index reads with a tokenizer's languages: their words, times, ways to ask, and classes of things (those of a lexicon of one's own, if given). */
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

/** The reader that an index has when it is given none: of the supplied languages. Its tables are made when they are first needed, once for all indexes; it keeps no text. */
export const defaultReader = (): TextReader => (shared ??= createTextReader());
