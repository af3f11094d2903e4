/** What is known of a language, as one plain value: whoever needs another language writes one of these. */

/** An expression of time, as a file has it. */
interface ExpressionFile {
  readonly say: string;
  readonly shift?: number;
  readonly unit?: string;
  readonly number?: number;
  readonly span?: boolean;
  readonly vague?: boolean;
}

/** A language, as `locales/locale.schema.json` describes it. */
interface LocaleFile extends Omit<Locale, "stem" | "time"> {
  readonly time: Omit<TimeWords, "figures" | "expressions"> & { readonly figures: string; readonly expressions: readonly ExpressionFile[] };
}

const units: readonly TimeUnit[] = ["day", "week", "fortnight", "weekend", "month", "year"];
const orders: readonly TimeWords["figures"][] = ["mdy", "dmy", "ymd"];

function expressionFrom({ unit: named, span, vague, ...rest }: ExpressionFile): TimeExpression {
  const unit = units.find((one) => one === named);
  return { ...rest, ...(unit !== undefined && { unit }), ...(span === true && { span }), ...(vague === true && { vague }) };
}

/** The language of a file, with its stemmer. */
export function localeFrom({ time, ...rest }: LocaleFile, stem: Locale["stem"]): Locale {
  const figures = orders.find((one) => one === time.figures) ?? "ymd";
  return Object.freeze<Locale>({ ...rest, stem, time: { ...time, figures, expressions: time.expressions.map(expressionFrom) } });
}

/** A function of a locale that remembers what it made, as long as the locale lives. */
export const oncePerLocale = <Made>(make: (locale: Locale) => Made): ((locale: Locale) => Made) => {
  const made = new WeakMap<Locale, Made>();
  return (locale) => {
    const known = made.get(locale);
    if (known !== undefined) return known;
    const fresh = make(locale);
    made.set(locale, fresh);
    return fresh;
  };
};

/**
 * Texts that make a pattern ready: V8 compiles it for texts within Latin-1 and for others apart, each when it is first used and once more when it is used
 * again, and forgets what was long not used.
 */
export const preparingTexts: readonly string[] = Object.freeze(["a", "a", "…", "…"]);

/** A source of a pattern that does not begin or end within a word. Scripts without spaces have no such boundary. */
export const bounded = (source: string, { scripts = [] }: Locale): string =>
  scripts.length > 0 ? `(?:${source})` : `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`;

/** Unit of time that an expression counts in. `fortnight` is two weeks, a `weekend` is Saturday and Sunday. */
export type TimeUnit = "day" | "week" | "fortnight" | "weekend" | "month" | "year";

/**
 * An expression of time. `say` is the source of a regular expression, read without regard to case and at word boundaries, in which these stand for words of the
 * locale: `{number}`, `{unit}`, `{month}`, `{weekday}`, `{season}`, and for figures `{day}` and `{year}`.
 */
export interface TimeExpression {
  readonly say: string;
  /**
   * With a unit: so many from now, times the number that is said; -1 for "yesterday" and for "{number} {unit} ago". With a weekday, month or season: the last one (-1) or the
   * next (1); when it is left out both are meant.
   */
  readonly shift?: number;
  /** The unit, where none is said. With a weekday, `week`: that day of the week that `shift` names. */
  readonly unit?: TimeUnit;
  /** The number, where none is said: "a couple of {unit} ago". */
  readonly number?: number;
  /** Everything between there and now, and not the day, month or year alone that lies so far away. */
  readonly span?: true;
  /** It speaks of time and gives no date: "for three years". */
  readonly vague?: true;
}

/** How a language speaks of time. */
export interface TimeWords {
  /** January first; each with its abbreviations, separated by spaces. */
  readonly months: readonly string[];
  /** Monday first; likewise. */
  readonly weekdays: readonly string[];
  /** Spring, summer, autumn, winter of the northern half of the earth; likewise. */
  readonly seasons: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly units: Readonly<Partial<Record<TimeUnit, string>>>;
  /** Order of the parts of a date in figures (7/5/2023). */
  readonly figures: "mdy" | "dmy" | "ymd";
  /** In this order: what one has read is not read again by a later one. */
  readonly expressions: readonly TimeExpression[];
}

/** How a language asks. Each is a source of a regular expression, read without regard to case and only at word boundaries. */
export interface QuestionWords {
  /** What a question begins with, when it has no question mark. */
  readonly opens: string;
  /** What makes a text a question wherever it stands; left out where there is nothing of the kind. */
  readonly anywhere?: string;
  readonly when: string;
  readonly howMany: string;
  readonly howOften: string;
  readonly howLong: string;
  readonly who: string;
  readonly where: string;
}

/** A language, as far as memory needs it. Words are written as usual; the tokenizer folds case and accents on both sides. */
export interface Locale {
  /** BCP 47. */
  readonly code: string;
  /** Words that say nothing of what a text is about, separated by white space. In languages without spaces also pairs of characters. */
  readonly stopWords: string;
  /** Words by which a text of this language is told from others, separated by white space: frequent ones that no other language has. */
  readonly telltale: string;
  /** Base forms, each with the forms that no stemmer finds, separated by spaces: `{ go: "went gone goes" }`. */
  readonly irregular: Readonly<Record<string, string>>;
  /** What the forms of a word have in common. It is given folded words of any script, and leaves alone what it does not know. */
  readonly stem: (word: string) => string;
  readonly questions: QuestionWords;
  readonly time: TimeWords;
  /** Words for classes of things, each with things of that class, separated by spaces: `{ "pet animal": "dog cat" }`. Several names of a class are separated by spaces. */
  readonly concepts: Readonly<Record<string, string>>;
  /** Groups of words that say nearly the same, separated by spaces: each of them names the others. */
  readonly synonyms?: readonly string[];
  /** Scripts in which a text without telltale words is of this language: `["Han"]`. */
  readonly scripts?: readonly string[];
}

/** The words of a list. */
export const wordsOf = (list: string): readonly string[] => list.split(/\s+/u).filter((word) => word !== "");
