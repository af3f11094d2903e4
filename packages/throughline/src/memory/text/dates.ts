/** Times that a text names, read by the moment when it was said. */
import type { TimeUnit, Locale } from "./locale.ts";
import { timePatterns, type TimeMatch } from "./time-patterns.ts";

/** A stretch of time in milliseconds since 1970: from included, to excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A day, in milliseconds. */
const dayLength = 86_400_000;
const weekLength = 7 * dayLength;

/** The stretch of so many days from the start of a day. */
const daysFrom = (from: number, days = 1): TimeRange => ({ from, to: from + days * dayLength });

/** When the day of a moment began. */
const startOfDay = (at: number): number => Math.floor(at / dayLength) * dayLength;

/** The day of the week of a moment; Monday is 0. The first day of 1970 was a Thursday. */
const weekdayOf = (at: number): number => (((Math.floor(at / dayLength) + 3) % 7) + 7) % 7;

/** When the week of a moment began, on its Monday. */
const startOfWeek = (at: number): number => startOfDay(at) - weekdayOf(at) * dayLength;

/** The year of a moment. */
const yearOf = (at: number): number => new Date(at).getUTCFullYear();

/** The month of a moment; January is 0. */
const monthOf = (at: number): number => new Date(at).getUTCMonth();

/** So many months from the first of a month, which may be beyond December. */
const monthsFrom = (year: number, month: number, count = 1): TimeRange => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + count, 1),
});

/** A day of a month, or undefined if that month has no such day. */
const dayOfMonth = (year: number, month: number, day: number): TimeRange | undefined => {
  const from = Date.UTC(year, month, day);
  return month >= 0 && month < 12 && day > 0 && new Date(from).getUTCMonth() === month ? daysFrom(from) : undefined;
};

/** The day, week, month or year that lies so many of them away from a moment's own. */
const unitAway = (unit: TimeUnit, count: number, at: number): TimeRange => {
  if (unit === "day") return daysFrom(startOfDay(at) + count * dayLength);
  if (unit === "week") return daysFrom(startOfWeek(at) + count * weekLength, 7);
  if (unit === "fortnight") return daysFrom(startOfWeek(at) + 2 * count * weekLength, 14);
  if (unit === "weekend") return daysFrom(startOfWeek(at) + count * weekLength + 5 * dayLength, 2);
  if (unit === "month") return monthsFrom(yearOf(at), monthOf(at) + count);
  return monthsFrom(yearOf(at) + count, 0, 12);
};

/** A moment, so many units away. */
const momentAway = (unit: TimeUnit, count: number, at: number): number => {
  if (unit === "day") return at + count * dayLength;
  if (unit === "month" || unit === "year") return Date.UTC(yearOf(at), monthOf(at) + count * (unit === "year" ? 12 : 1), new Date(at).getUTCDate());
  return at + count * (unit === "fortnight" ? 2 : 1) * weekLength;
};

/** Only so much of a text is read for times. */
const longest = 4_000;

/** The calendar ends: what lies beyond it is no time. */
const isReal = ({ from, to }: TimeRange): boolean => Number.isFinite(from) && Number.isFinite(to) && from < to;

/** The last of something that comes again, the next, or both if neither was said. `past` may still be going on. */
const lastOrNext = (shift: number | undefined, past: TimeRange, next: TimeRange): readonly TimeRange[] => {
  if (shift === undefined || shift === 0) return [past, next];
  return [shift < 0 ? past : next];
};

const weekdays = (weekday: number, { expression: { shift, unit } }: TimeMatch, at: number): readonly TimeRange[] => {
  if (unit === "week") return [daysFrom(startOfWeek(at) + (7 * (shift ?? 0) + weekday) * dayLength)];
  const today = startOfDay(at);
  const back = (weekdayOf(at) - weekday + 7) % 7;
  // "Last Friday", said on a Friday, is a week ago; a Friday that is only named may be today.
  const last = shift === -1 && back === 0 ? 7 : back;
  return lastOrNext(shift, daysFrom(today - last * dayLength), daysFrom(today + (7 - back) * dayLength));
};

/** What comes again each year: the one that has begun last, and the one after it. "Last June", said in June, is the one before. */
const yearly = (inYear: (year: number) => TimeRange | undefined, shift: number | undefined, at: number): readonly TimeRange[] => {
  const now = yearOf(at);
  // The 29th of February comes every fourth year, and at the turn of most centuries after eight.
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

/** March to May, and so on; a winter begins in the December before its year ends. */
const seasons = (season: number, { year, expression: { shift } }: TimeMatch, at: number): readonly TimeRange[] => {
  const inYear = (of: number): TimeRange => monthsFrom(of, 2 + 3 * season, 3);
  if (year === undefined) return yearly(inYear, shift, at);
  // "Winter 2023" may be its beginning or its end.
  return season === 3 ? [{ from: Date.UTC(year, 0, 1), to: Date.UTC(year, 2, 1) }, inYear(year)] : [inYear(year)];
};

/** A day of which only the number is said: in the month that runs or the one before, and the next time. */
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

/** The first locale's that finds any: those that could be meant are asked in order. */
const firstFound = <Found>(locales: readonly Locale[], find: (locale: Locale) => readonly Found[]): readonly Found[] => {
  for (const locale of locales) {
    const found = find(locale);
    if (found.length > 0) return found;
  }
  return [];
};

/**
 * The times that a text names, in UTC and in the order of the text: absolute ("7 May 2023", "2023-05-07", "in June") and by the moment `at` when it
 * was said ("yesterday", "two weeks ago", "next month", "on Friday"). What may lie behind or ahead gives both. Dates that do not exist give none. `locales` are those
 * that the text may be in (a tokenizer's `localesOf`); the first that finds any counts.
 */
export const timesIn = (text: string, at: number, locales: readonly Locale[]): readonly TimeRange[] => {
  if (!Number.isFinite(at)) return [];
  const seen = text.slice(0, longest);
  return firstFound(locales, (locale) => timePatterns(locale).find(seen))
    .flatMap((match) => rangesOf(match, at))
    .filter(isReal);
};

/** Whether a text speaks of a time, be it a date or only a length of time or an hour. */
export const speaksOfTime = (text: string, locales: readonly Locale[]): boolean => {
  const seen = text.slice(0, longest);
  return locales.some((locale) => timePatterns(locale).has(seen));
};
