/** Compiles the time expressions of a language into one pattern. */
import { type Locale, type TimeExpression, type TimeUnit, type TimeWords, wordsOf, bounded, oncePerLocale } from "./locale.ts";

/** A matched time expression. */
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

/** Finds time expressions. */
export interface TimePatterns {
  /** Tells whether a text has any. */
  has(text: string): boolean;
  find(text: string): readonly TimeMatch[];
}

const year = "(?<year>(?:19|20)\\d{2})";
const anyYear = "(?<year>(?:19|20)?\\d{2})";
const month = "(?<month>1[0-2]|0?[1-9])";
const day = "(?<day>3[01]|[12]\\d|0?[1-9])";

/** Numeric dates. A date that starts with the year is unambiguous. For the others, the language defines the order. */
const figures = (order: TimeWords["figures"]): readonly TimeExpression[] => {
  const [first, second] = order === "mdy" ? [month, day] : [day, month];
  return [
    { say: `${year}(?<mark>[-/.])${month}\\k<mark>${day}(?:T[\\d:.]+Z?)?` },
    { say: `${first}/${second}/${anyYear}` },
    // Dates with dots are always day first.
    { say: `${day}\\.${month}\\.${anyYear}` },
    { say: `${year}-${month}` },
  ];
};

const numbersOf = (lists: readonly string[]): ReadonlyMap<string, number> =>
  new Map(lists.flatMap((list, place) => wordsOf(list).map((word) => [word.toLowerCase(), place] as const)));

/** Returns an alternation of words, longest first. Without words, it matches nothing. */
const anyOf = (words: Iterable<string>): string =>
  [...words]
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
    .join("|") || "(?!)";

/** Values of the locale's words, by kind. */
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

/** Returns the pattern source of an expression, with the words of the locale. */
const sourceOf = (say: string, meanings: Meanings): string =>
  say
    .replaceAll("{number}", `(?<number>\\d{1,3}|${anyOf(meanings.number.keys())})`)
    .replaceAll("{day}", day)
    .replaceAll("{year}", year)
    .replaceAll(
      /\{(unit|month|weekday|season)\}/gu,
      (_, kind: "unit" | "month" | "weekday" | "season") => `(?<${kind}>${anyOf(meanings[kind].keys())})`,
    );

/** A year of two digits belongs to this century. */
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

/** Returns every match of a global pattern. `matchAll` would copy the pattern, which V8 may compile again. */
const allOf = (pattern: RegExp, text: string): readonly RegExpExecArray[] => {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match);
    if (match[0] === "") pattern.lastIndex += 1;
  }
  return found;
};

/** Returns the compiled expressions of a locale. The earliest match wins, and at the same index the expression that the locale lists first. */
export const timePatterns = oncePerLocale((locale: Locale): TimePatterns => {
  const meanings = meaningsOf(locale.time);
  const expressions = [...figures(locale.time.figures), ...locale.time.expressions];
  // An empty group after each expression identifies the one that matched.
  const source = bounded(expressions.map(({ say }, place) => `(?:${sourceOf(say, meanings)})(?<e${place}>)`).join("|"), locale);
  // One pattern serves both functions, because V8 needs about 20 ms to compile it.
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
