/** Finds times in a text, relative to the time of the message. The time expressions of a language are compiled into one pattern. */
import { bounded, type Locale, oncePerLocale, type TimeExpression, type TimeUnit, type TimeWords, wordsOf } from "./locale.ts";

/** A matched time expression. */
interface TimeMatch {
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
interface TimePatterns {
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

/**
 * Returns a pattern source whose groups have names that no other group of the pattern has, because Node 22 compiles no pattern with two groups of one
 * name. A backreference means the last such group before it.
 */
const numbered = (source: string, place: number): string => {
  const latest = new Map<string, string>();
  let count = 0;
  return source.replaceAll(/(\(\?|\\k)<(\w+)>/gu, (_, start: string, name: string) => {
    if (start === "(?") latest.set(name, `${name}_${place}_${++count}`);
    return `${start}<${latest.get(name) ?? name}>`;
  });
};

/** Returns what the groups of one expression have matched, by their plain names. */
const ownGroups = (groups: Readonly<Record<string, string | undefined>>, place: number): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([unique, value]) => {
      const [name = "", at] = unique.split("_");
      return at === String(place) && value !== undefined ? [[name, value]] : [];
    }),
  );

/** Returns the compiled expressions of a locale. The earliest match wins, and at the same index the expression that the locale lists first. */
const timePatterns = oncePerLocale((locale: Locale): TimePatterns => {
  const meanings = meaningsOf(locale.time);
  const expressions = [...figures(locale.time.figures), ...locale.time.expressions];
  // An empty group after each expression identifies the one that matched.
  const source = bounded(expressions.map(({ say }, place) => `(?:${numbered(sourceOf(say, meanings), place)})(?<e${place}>)`).join("|"), locale);
  // One pattern serves both functions, because V8 needs about 20 ms to compile it.
  const pattern = new RegExp(source, "giu");
  return {
    has: (text) => text.search(pattern) !== -1,
    find: (text) =>
      allOf(pattern, text).flatMap(({ groups = {} }) => {
        const place = expressions.findIndex((_, index) => groups[`e${index}`] !== undefined);
        const expression = expressions[place];
        return expression === undefined ? [] : [matchOf(ownGroups(groups, place), expression, meanings)];
      }),
  };
});

/** A time range in milliseconds since 1970. `from` is included, `to` is excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Length of a day in milliseconds. */
const dayLength = 86_400_000;
const weekLength = 7 * dayLength;

/** Returns a range of days from the start of a day. */
const daysFrom = (from: number, days = 1): TimeRange => ({ from, to: from + days * dayLength });

/** Returns the start of a time's day. */
const startOfDay = (at: number): number => Math.floor(at / dayLength) * dayLength;

/** Returns the weekday of a time; Monday is 0. The first day of 1970 was a Thursday. */
const weekdayOf = (at: number): number => (((Math.floor(at / dayLength) + 3) % 7) + 7) % 7;

/** Returns the start of a time's week, on Monday. */
const startOfWeek = (at: number): number => startOfDay(at) - weekdayOf(at) * dayLength;

/** Returns the year of a time. */
const yearOf = (at: number): number => new Date(at).getUTCFullYear();

/** Returns the month of a time; January is 0. */
const monthOf = (at: number): number => new Date(at).getUTCMonth();

/** Returns a range of months. The first month may be beyond December. */
const monthsFrom = (year: number, month: number, count = 1): TimeRange => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + count, 1),
});

/** Returns a day of a month, or undefined if the month has no such day. */
const dayOfMonth = (year: number, month: number, day: number): TimeRange | undefined => {
  const from = Date.UTC(year, month, day);
  return month >= 0 && month < 12 && day > 0 && new Date(from).getUTCMonth() === month ? daysFrom(from) : undefined;
};

/** Returns the day, week, month or year that lies a number of units away from a time. */
const unitAway = (unit: TimeUnit, count: number, at: number): TimeRange => {
  if (unit === "day") return daysFrom(startOfDay(at) + count * dayLength);
  if (unit === "week") return daysFrom(startOfWeek(at) + count * weekLength, 7);
  if (unit === "fortnight") return daysFrom(startOfWeek(at) + 2 * count * weekLength, 14);
  if (unit === "weekend") return daysFrom(startOfWeek(at) + count * weekLength + 5 * dayLength, 2);
  if (unit === "month") return monthsFrom(yearOf(at), monthOf(at) + count);
  return monthsFrom(yearOf(at) + count, 0, 12);
};

/** Returns the time that lies a number of units away. */
const momentAway = (unit: TimeUnit, count: number, at: number): number => {
  if (unit === "day") return at + count * dayLength;
  if (unit === "month" || unit === "year") return Date.UTC(yearOf(at), monthOf(at) + count * (unit === "year" ? 12 : 1), new Date(at).getUTCDate());
  return at + count * (unit === "fortnight" ? 2 : 1) * weekLength;
};

/** Maximum number of characters searched for times. */
const longest = 4_000;

/** Tells whether a range is within the limits of the calendar. */
const isReal = ({ from, to }: TimeRange): boolean => Number.isFinite(from) && Number.isFinite(to) && from < to;

/** Returns the last or next occurrence, or both if the text names neither. `past` may still be in progress. */
const lastOrNext = (shift: number | undefined, past: TimeRange, next: TimeRange): readonly TimeRange[] => {
  if (shift === undefined || shift === 0) return [past, next];
  return [shift < 0 ? past : next];
};

const weekdays = (weekday: number, { expression: { shift, unit } }: TimeMatch, at: number): readonly TimeRange[] => {
  if (unit === "week") return [daysFrom(startOfWeek(at) + (7 * (shift ?? 0) + weekday) * dayLength)];
  const today = startOfDay(at);
  const back = (weekdayOf(at) - weekday + 7) % 7;
  // "Last Friday" on a Friday is a week ago. A plain "Friday" may be today.
  const last = shift === -1 && back === 0 ? 7 : back;
  return lastOrNext(shift, daysFrom(today - last * dayLength), daysFrom(today + (7 - back) * dayLength));
};

/** Returns the last and next occurrence of a yearly range. "Last June" in June is the previous one. */
const yearly = (inYear: (year: number) => TimeRange | undefined, shift: number | undefined, at: number): readonly TimeRange[] => {
  const now = yearOf(at);
  // February 29 occurs every 4 years, and across most turns of a century after 8 years.
  const found = [-8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 8].map((step) => inYear(now + step)).filter((range) => range !== undefined);
  const past = found.findLast(({ from, to }) => (shift === -1 ? to <= at : from <= at));
  const next = found.find(({ from }) => from > at);
  return past === undefined || next === undefined ? [] : lastOrNext(shift, past, next);
};

const months = (month: number, { day, year, expression: { shift } }: TimeMatch, at: number): readonly TimeRange[] => {
  const inYear = (of: number): TimeRange | undefined => (day === undefined ? monthsFrom(of, month) : dayOfMonth(of, month, day));
  if (year === undefined) return yearly(inYear, shift, at);
  const range = inYear(year);
  return range === undefined ? [] : [range];
};

/** Returns the range of a season. Spring is March to May. A winter starts in December of its year. */
const seasons = (season: number, { year, expression: { shift } }: TimeMatch, at: number): readonly TimeRange[] => {
  const inYear = (of: number): TimeRange => monthsFrom(of, 2 + 3 * season, 3);
  if (year === undefined) return yearly(inYear, shift, at);
  // "Winter 2023" may refer to its start or its end.
  return season === 3 ? [{ from: Date.UTC(year, 0, 1), to: Date.UTC(year, 2, 1) }, inYear(year)] : [inYear(year)];
};

/** Returns the ranges for a day without a month: its last occurrence and the next one. */
const daysOfMonth = (day: number, shift: number | undefined, at: number): readonly TimeRange[] => {
  const found = [-2, -1, 0, 1, 2].flatMap((step) => {
    const { from } = monthsFrom(yearOf(at), monthOf(at) + step);
    const range = dayOfMonth(yearOf(from), monthOf(from), day);
    return range === undefined ? [] : [range];
  });
  const past = found.findLast(({ from }) => from <= at);
  const next = found.find(({ from }) => from > at);
  return past === undefined || next === undefined ? [] : lastOrNext(shift, past, next);
};

const away = ({ number = 1, unit = "day", expression: { shift = 0, span } }: TimeMatch, at: number): TimeRange => {
  if (span !== true) return unitAway(unit, shift * number, at);
  const far = startOfDay(momentAway(unit, shift * number, at));
  const today = startOfDay(at);
  return { from: Math.min(far, today), to: Math.max(far, today) + dayLength };
};

const rangesOf = (match: TimeMatch, at: number): readonly TimeRange[] => {
  const { expression, month, weekday, season, day, year } = match;
  if (expression.vague === true) return [];
  if (weekday !== undefined) return weekdays(weekday, match, at);
  if (month !== undefined) return months(month, match, at);
  if (season !== undefined) return seasons(season, match, at);
  if (year !== undefined) return [monthsFrom(year, 0, 12)];
  if (day !== undefined) return daysOfMonth(day, expression.shift, at);
  return [away(match, at)];
};

/** Returns the result of the first locale that finds anything. */
const firstFound = <Found>(locales: readonly Locale[], find: (locale: Locale) => readonly Found[]): readonly Found[] => {
  for (const locale of locales) {
    const found = find(locale);
    if (found.length > 0) return found;
  }
  return [];
};

/**
 * Returns the times that a text names, in UTC and in text order. They are absolute ("7 May 2023", "2023-05-07", "in June") or relative to the time
 * `at` ("yesterday", "two weeks ago", "next month", "on Friday"). An expression that may be past or future gives both ranges. Invalid dates give
 * none. `locales` are the text's possible languages (see `localesOf`), and the first with a match wins.
 */
export const timesIn = (text: string, at: number, locales: readonly Locale[]): readonly TimeRange[] => {
  if (!Number.isFinite(at)) return [];
  const seen = text.slice(0, longest);
  return firstFound(locales, (locale) => timePatterns(locale).find(seen))
    .flatMap((match) => rangesOf(match, at))
    .filter(isReal);
};

/** Tells whether a text mentions a time: a date, a duration or a time of day. */
export const speaksOfTime = (text: string, locales: readonly Locale[]): boolean => {
  const seen = text.slice(0, longest);
  return locales.some((locale) => timePatterns(locale).has(seen));
};
