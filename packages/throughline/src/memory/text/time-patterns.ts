/** The expressions of time of a language, as one pattern that reads a text in one go. */
import { type Locale, type TimeExpression, type TimeUnit, type TimeWords, wordsOf, bounded, oncePerLocale } from "./locale.ts";

/** An expression as it was met. */
export interface TimeMatch {
  readonly expression: TimeExpression;
  readonly number?: number;
  readonly unit?: TimeUnit;
  /** January is 0. */
  readonly month?: number;
  /** Monday is 0. */
  readonly weekday?: number;
  /** Spring is 0. */
  readonly season?: number;
  readonly day?: number;
  readonly year?: number;
}

/** Reads expressions of time. */
export interface TimePatterns {
  /** Whether a text has any. */
  has(text: string): boolean;
  find(text: string): readonly TimeMatch[];
}

const year = "(?<year>(?:19|20)\\d{2})";
const anyYear = "(?<year>(?:19|20)?\\d{2})";
const month = "(?<month>1[0-2]|0?[1-9])";
const day = "(?<day>3[01]|[12]\\d|0?[1-9])";

/** Dates in figures. Of those that begin with the year there is one reading; of the others the language knows. */
const figures = (order: TimeWords["figures"]): readonly TimeExpression[] => {
  const [first, second] = order === "mdy" ? [month, day] : [day, month];
  return [
    { say: `${year}(?<mark>[-/.])${month}\\k<mark>${day}(?:T[\\d:.]+Z?)?` },
    { say: `${first}/${second}/${anyYear}` },
    // With points it is written day first wherever it is written so.
    { say: `${day}\\.${month}\\.${anyYear}` },
    { say: `${year}-${month}` },
  ];
};

const numbersOf = (lists: readonly string[]): ReadonlyMap<string, number> =>
  new Map(lists.flatMap((list, place) => wordsOf(list).map((word) => [word.toLowerCase(), place] as const)));

/** Any of some words, the longest first; of none, nothing. */
const anyOf = (words: Iterable<string>): string =>
  [...words]
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
    .join("|") || "(?!)";

/** What each kind of word in a locale means. */
interface Meanings {
  readonly number: ReadonlyMap<string, number>;
  readonly unit: ReadonlyMap<string, TimeUnit>;
  readonly month: ReadonlyMap<string, number>;
  readonly weekday: ReadonlyMap<string, number>;
  readonly season: ReadonlyMap<string, number>;
}

const units: readonly TimeUnit[] = ["day", "week", "fortnight", "weekend", "month", "year"];

const meaningsOf = (time: TimeWords): Meanings => ({
  number: new Map(Object.entries(time.numbers)),
  unit: new Map(units.flatMap((unit) => wordsOf(time.units[unit] ?? "").map((word) => [word.toLowerCase(), unit] as const))),
  month: numbersOf(time.months),
  weekday: numbersOf(time.weekdays),
  season: numbersOf(time.seasons),
});

/** The source of an expression, with the words of the locale in it. */
const sourceOf = (say: string, meanings: Meanings): string =>
  say
    .replaceAll("{number}", `(?<number>\\d{1,3}|${anyOf(meanings.number.keys())})`)
    .replaceAll("{day}", day)
    .replaceAll("{year}", year)
    .replaceAll(
      /\{(unit|month|weekday|season)\}/gu,
      (_, kind: "unit" | "month" | "weekday" | "season") => `(?<${kind}>${anyOf(meanings[kind].keys())})`,
    );

/** A year of two figures is one of this century. */
const wholeYear = (figure: string | undefined): number | undefined =>
  figure === undefined ? undefined : Number(figure) + (figure.length === 2 ? 2000 : 0);

const given = (values: Readonly<Record<string, number | string | undefined>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const matchOf = (groups: Readonly<Record<string, string | undefined>>, expression: TimeExpression, meanings: Meanings): TimeMatch => {
  const said = (kind: keyof Meanings): string | undefined => groups[kind]?.toLowerCase();
  const number = (kind: "number" | "month" | "weekday" | "season"): number | undefined => meanings[kind].get(said(kind) ?? "");
  const figure = said("month");
  return {
    expression,
    ...given({
      number: number("number") ?? (groups.number === undefined ? expression.number : Number(groups.number)),
      unit: meanings.unit.get(said("unit") ?? "") ?? expression.unit,
      month: number("month") ?? (figure === undefined ? undefined : Number(figure) - 1),
      weekday: number("weekday"),
      season: number("season"),
      day: groups.day === undefined ? undefined : Number(groups.day),
      year: wholeYear(groups.year),
    }),
  };
};

/** Every match of a global pattern. `matchAll` works on a copy, which V8 may compile anew. */
const allOf = (pattern: RegExp, text: string): readonly RegExpExecArray[] => {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match);
    if (match[0] === "") pattern.lastIndex += 1;
  }
  return found;
};

/** The pattern of a locale's expressions. The earliest in the text comes first, and of those that begin at one place the one that the locale lists first. */
export const timePatterns = oncePerLocale((locale: Locale): TimePatterns => {
  const meanings = meaningsOf(locale.time);
  const expressions = [...figures(locale.time.figures), ...locale.time.expressions];
  // An empty group behind each tells which one it was.
  const source = bounded(expressions.map(({ say }, place) => `(?:${sourceOf(say, meanings)})(?<e${place}>)`).join("|"), locale);
  // One pattern for both: to compile it takes V8 some 20 ms.
  const pattern = new RegExp(source, "giu");
  return {
    has: (text) => text.search(pattern) !== -1,
    find: (text) =>
      allOf(pattern, text).flatMap(({ groups = {} }) => {
        const expression = expressions.find((_, place) => groups[`e${place}`] !== undefined);
        return expression === undefined ? [] : [matchOf(groups, expression, meanings)];
      }),
  };
});
