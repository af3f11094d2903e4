/** Days, weeks, months and years in UTC, as stretches of time. */
import type { TimeUnit } from "./locale.ts";

/** A stretch of time in milliseconds since 1970: from included, to excluded. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A day, in milliseconds. */
export const dayLength = 86_400_000;
const weekLength = 7 * dayLength;

/** The stretch of so many days from the start of a day. */
export const daysFrom = (from: number, days = 1): TimeRange => ({ from, to: from + days * dayLength });

/** When the day of a moment began. */
export const startOfDay = (at: number): number => Math.floor(at / dayLength) * dayLength;

/** The day of the week of a moment; Monday is 0. The first day of 1970 was a Thursday. */
export const weekdayOf = (at: number): number => (((Math.floor(at / dayLength) + 3) % 7) + 7) % 7;

/** When the week of a moment began, on its Monday. */
export const startOfWeek = (at: number): number => startOfDay(at) - weekdayOf(at) * dayLength;

/** The year of a moment. */
export const yearOf = (at: number): number => new Date(at).getUTCFullYear();

/** The month of a moment; January is 0. */
export const monthOf = (at: number): number => new Date(at).getUTCMonth();

/** So many months from the first of a month, which may be beyond December. */
export const monthsFrom = (year: number, month: number, count = 1): TimeRange => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + count, 1),
});

/** A day of a month, or undefined if that month has no such day. */
export const dayOfMonth = (year: number, month: number, day: number): TimeRange | undefined => {
  const from = Date.UTC(year, month, day);
  return month >= 0 && month < 12 && day > 0 && new Date(from).getUTCMonth() === month ? daysFrom(from) : undefined;
};

/** The day, week, month or year that lies so many of them away from a moment's own. */
export const unitAway = (unit: TimeUnit, count: number, at: number): TimeRange => {
  if (unit === "day") return daysFrom(startOfDay(at) + count * dayLength);
  if (unit === "week") return daysFrom(startOfWeek(at) + count * weekLength, 7);
  if (unit === "fortnight") return daysFrom(startOfWeek(at) + 2 * count * weekLength, 14);
  if (unit === "weekend") return daysFrom(startOfWeek(at) + count * weekLength + 5 * dayLength, 2);
  if (unit === "month") return monthsFrom(yearOf(at), monthOf(at) + count);
  return monthsFrom(yearOf(at) + count, 0, 12);
};

/** A moment, so many units away. */
export const momentAway = (unit: TimeUnit, count: number, at: number): number => {
  if (unit === "day") return at + count * dayLength;
  if (unit === "month" || unit === "year") return Date.UTC(yearOf(at), monthOf(at) + count * (unit === "year" ? 12 : 1), new Date(at).getUTCDate());
  return at + count * (unit === "fortnight" ? 2 : 1) * weekLength;
};
