import { present } from "../../kernel/json.ts";
/** Definition of a language as one plain value. Add a language by writing one of these. */

/** A time expression of a data file. */
interface ExpressionFile {
  readonly say: string;
  readonly shift?: number;
  readonly unit?: string;
  readonly number?: number;
  readonly span?: boolean;
  readonly vague?: boolean;
}

/** Data file of a language, as described in `locales/locale.schema.json`. */
interface LocaleFile extends Omit<Locale, "stem" | "time"> {
  readonly time: Omit<TimeWords, "figures" | "expressions"> & { readonly figures: string; readonly expressions: readonly ExpressionFile[] };
}

const units: readonly TimeUnit[] = ["day", "week", "fortnight", "weekend", "month", "year"];
const orders: readonly TimeWords["figures"][] = ["mdy", "dmy", "ymd"];

function expressionFrom({ unit: named, span, vague, ...rest }: ExpressionFile): TimeExpression {
  const unit = units.find((one) => one === named);
  return { ...rest, ...present({ unit }), ...(span === true && { span }), ...(vague === true && { vague }) };
}

/** Builds a locale from its data file and stemmer. */
export function localeFrom({ time, ...rest }: LocaleFile, stem: Locale["stem"]): Locale {
  const figures = orders.find((one) => one === time.figures) ?? "ymd";
  return Object.freeze<Locale>({ ...rest, stem, time: { ...time, figures, expressions: time.expressions.map(expressionFrom) } });
}

/** Memoizes a function of a locale. The result lives as long as the locale. */
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
 * Texts that compile a pattern before its first use. V8 compiles a pattern separately for Latin-1 and other texts, on first use and again on the
 * second. It drops code that was not used for a long time.
 */
export const preparingTexts: readonly string[] = Object.freeze(["a", "a", "…", "…"]);

/** Adds word boundaries to a pattern source. Scripts without spaces have none. */
export const bounded = (source: string, { scripts = [] }: Locale): string =>
  scripts.length > 0 ? `(?:${source})` : `(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`;

/** Unit of a time expression. `fortnight` is two weeks, `weekend` is Saturday and Sunday. */
export type TimeUnit = "day" | "week" | "fortnight" | "weekend" | "month" | "year";

/**
 * A time expression. `say` is a case-insensitive regular expression with word boundaries. Placeholders stand for words of the locale: `{number}`,
 * `{unit}`, `{month}`, `{weekday}`, `{season}`. `{day}` and `{year}` stand for digits.
 */
export interface TimeExpression {
  readonly say: string;
  /**
   * With a unit: number of units from now, multiplied by the number in the text. It is -1 for "yesterday" and for "{number} {unit} ago". With a
   * weekday, month or season: the last one (-1) or the next one (1). Absent means both.
   */
  readonly shift?: number;
  /** Unit if the text has none. `week` with a weekday: that day of the week that `shift` selects. */
  readonly unit?: TimeUnit;
  /** Number if the text has none, as in "a couple of {unit} ago". */
  readonly number?: number;
  /** The range between now and then, instead of only the day, month or year that far away. */
  readonly span?: true;
  /** The expression is about time but gives no date, such as "for three years". */
  readonly vague?: true;
}

/** Time vocabulary of a language. */
export interface TimeWords {
  /** Starts with January. Each entry has its abbreviations, separated by spaces. */
  readonly months: readonly string[];
  /** Starts with Monday. Each entry has its abbreviations, separated by spaces. */
  readonly weekdays: readonly string[];
  /** Spring, summer, autumn, winter of the northern hemisphere. Each entry has its variants, separated by spaces. */
  readonly seasons: readonly string[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly units: Readonly<Partial<Record<TimeUnit, string>>>;
  /** Order of the parts of a numeric date (7/5/2023). */
  readonly figures: "mdy" | "dmy" | "ymd";
  /** In order of precedence. Text matched by one expression is not matched again by a later one. */
  readonly expressions: readonly TimeExpression[];
}

/** Question patterns of a language. Each is a case-insensitive regular expression with word boundaries. */
export interface QuestionWords {
  /** Words that start a question without a question mark. */
  readonly opens: string;
  /** Pattern that marks a question anywhere in the text. Optional. */
  readonly anywhere?: string;
  readonly when: string;
  readonly howMany: string;
  readonly howOften: string;
  readonly howLong: string;
  readonly who: string;
  readonly where: string;
}

/** Language data for memory. Words are spelled normally; the tokenizer folds case and accents on both sides. */
export interface Locale {
  /** BCP 47 code. */
  readonly code: string;
  /** Words without topical meaning, separated by white space. In languages without spaces, also pairs of characters. */
  readonly stopWords: string;
  /** Frequent words that no other language has, separated by white space. They identify the language of a text. */
  readonly telltale: string;
  /** Base forms with their irregular forms, separated by spaces: `{ go: "went gone goes" }`. */
  readonly irregular: Readonly<Record<string, string>>;
  /** Returns the stem of a folded word of any script. Returns unknown words unchanged. */
  readonly stem: (word: string) => string;
  readonly questions: QuestionWords;
  readonly time: TimeWords;
  /** Names of classes with their members, separated by spaces: `{ "pet animal": "dog cat" }`. A class may have several names, separated by spaces. */
  readonly concepts: Readonly<Record<string, string>>;
  /** Groups of near synonyms, separated by spaces. Each word stands for the others. */
  readonly synonyms?: readonly string[];
  /** Scripts that identify this language in a text without telltale words: `["Han"]`. */
  readonly scripts?: readonly string[];
}

/** Splits a list into words. */
export const wordsOf = (list: string): readonly string[] => list.split(/\s+/u).filter((word) => word !== "");
