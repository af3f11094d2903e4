import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { speaksOfTime, timesIn } from "../../../packages/throughline/src/memory/text/dates.ts";
import { chinese, english, german, spanish } from "../../../packages/throughline/src/memory/text/languages.ts";
import type { Locale } from "../../../packages/throughline/src/memory/text/locale.ts";
import { suppliedLocales } from "../../../packages/throughline/src/memory/text/tokenize.ts";

/** A Wednesday afternoon. */
const now = Date.UTC(2023, 4, 17, 15, 30);

/** `2023-05-07` for a day, `2023-05-07..2023-05-10` for more, the last day included. */
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const said = (text: string, locales: readonly Locale[], at = now): string =>
  timesIn(text, at, locales)
    .map(({ from, to }) => (to - from === 86_400_000 ? dayOf(from) : `${dayOf(from)}..${dayOf(to - 1)}`))
    .join(" | ");

type Table = readonly (readonly [text: string, expected: string])[];

const absolute: Table = [
  ["on 7 May 2023", "2023-05-07"],
  ["the 7th of May, 2023", "2023-05-07"],
  ["May 7th, 2023.", "2023-05-07"],
  ["Sept. 5, 2022", "2022-09-05"],
  ["2023-05-07", "2023-05-07"],
  ["2023/5/7", "2023-05-07"],
  ["2023-05-07T10:00:00Z", "2023-05-07"],
  ["5/7/2023", "2023-05-07"],
  ["5/7/23", "2023-05-07"],
  ["07.05.2023", "2023-05-07"],
  ["2023-05", "2023-05-01..2023-05-31"],
  ["in June 2022", "2022-06-01..2022-06-30"],
  ["June of 2022", "2022-06-01..2022-06-30"],
  ["in 2019", "2019-01-01..2019-12-31"],
  ["in the summer of 2022", "2022-06-01..2022-08-31"],
  ["winter 2022", "2022-01-01..2022-02-28 | 2022-12-01..2023-02-28"],
  ["from 3 May 2022 until June 2022", "2022-05-03 | 2022-06-01..2022-06-30"],
  ["29 February 2024", "2024-02-29"],
];

/** Without a year or a week, what is said may lie behind or ahead. */
const open: Table = [
  ["May 7th", "2023-05-07 | 2024-05-07"],
  ["in June", "2022-06-01..2022-06-30 | 2023-06-01..2023-06-30"],
  ["in May", "2023-05-01..2023-05-31 | 2024-05-01..2024-05-31"],
  ["on Friday", "2023-05-12 | 2023-05-19"],
  ["Wednesday", "2023-05-17 | 2023-05-24"],
  ["on the 31st", "2023-03-31 | 2023-05-31"],
  ["Feb 29", "2020-02-29 | 2024-02-29"],
  ["this summer", "2022-06-01..2022-08-31 | 2023-06-01..2023-08-31"],
];

const relative: Table = [
  ["today", "2023-05-17"],
  ["yesterday", "2023-05-16"],
  ["last night", "2023-05-16"],
  ["the day before yesterday", "2023-05-15"],
  ["tomorrow", "2023-05-18"],
  ["two days ago", "2023-05-15"],
  ["10 days ago", "2023-05-07"],
  ["a week ago", "2023-05-08..2023-05-14"],
  ["last week", "2023-05-08..2023-05-14"],
  ["the week before last", "2023-05-01..2023-05-07"],
  ["next week", "2023-05-22..2023-05-28"],
  ["this weekend", "2023-05-20..2023-05-21"],
  ["last weekend", "2023-05-13..2023-05-14"],
  ["last month", "2023-04-01..2023-04-30"],
  ["two months ago", "2023-03-01..2023-03-31"],
  ["a couple of months ago", "2023-03-01..2023-03-31"],
  ["next month", "2023-06-01..2023-06-30"],
  ["last year", "2022-01-01..2022-12-31"],
  ["last Friday", "2023-05-12"],
  ["last Wednesday", "2023-05-10"],
  ["next Wednesday", "2023-05-24"],
  ["Friday last week", "2023-05-12"],
  ["last May", "2022-05-01..2022-05-31"],
  ["next May", "2024-05-01..2024-05-31"],
  ["last summer", "2022-06-01..2022-08-31"],
  ["in the last 3 weeks", "2023-04-26..2023-05-17"],
  ["a few days ago", "2023-05-10..2023-05-17"],
  ["over the next two weeks", "2023-05-17..2023-05-31"],
  ["yesterday and last May", "2023-05-16 | 2022-05-01..2022-05-31"],
];

const none: Table = [
  ["I may go, March on", ""],
  ["she sat in the sun", ""],
  ["room 2023", ""],
  ["10.0.0.1 and 13/13/2023", ""],
  ["30 February 2023", ""],
  ["yesterdays, daylight, monthly", ""],
  ["", ""],
];

const others: readonly (readonly [Locale, string, string])[] = [
  [spanish, "el 7 de mayo de 2023", "2023-05-07"],
  [spanish, "7/5/2023", "2023-05-07"],
  [spanish, "en junio de 2022", "2022-06-01..2022-06-30"],
  [spanish, "ayer", "2023-05-16"],
  [spanish, "anteayer", "2023-05-15"],
  [spanish, "mañana por la mañana", "2023-05-18"],
  [spanish, "hace dos meses", "2023-03-01..2023-03-31"],
  [spanish, "la semana pasada", "2023-05-08..2023-05-14"],
  [spanish, "el año que viene", "2024-01-01..2024-12-31"],
  [spanish, "el viernes pasado", "2023-05-12"],
  [spanish, "el verano pasado", "2022-06-01..2022-08-31"],
  [spanish, "el fin de semana pasado", "2023-05-13..2023-05-14"],
  [german, "am 7. Mai 2023", "2023-05-07"],
  [german, "07.05.2023", "2023-05-07"],
  [german, "im Juni 2022", "2022-06-01..2022-06-30"],
  [german, "gestern Abend", "2023-05-16"],
  [german, "Guten Morgen, bis übermorgen", "2023-05-19"],
  [german, "vor zwei Monaten", "2023-03-01..2023-03-31"],
  [german, "letzte Woche", "2023-05-08..2023-05-14"],
  [german, "nächsten Freitag", "2023-05-19"],
  [german, "letzten Sommer", "2022-06-01..2022-08-31"],
  [german, "in drei Tagen", "2023-05-20"],
  [chinese, "2023年5月7日", "2023-05-07"],
  [chinese, "十二月", "2022-12-01..2022-12-31 | 2023-12-01..2023-12-31"],
  [chinese, "昨天", "2023-05-16"],
  [chinese, "大前天", "2023-05-14"],
  [chinese, "两个月前", "2023-03-01..2023-03-31"],
  [chinese, "上周三", "2023-05-10"],
  [chinese, "下个月", "2023-06-01..2023-06-30"],
  [chinese, "去年夏天", "2022-06-01..2022-08-31"],
];

describe("times in English", () => {
  test.each(absolute)("absolute: %s", (text, expected) => expect(said(text, [english])).toBe(expected));
  test.each(open)("behind or ahead: %s", (text, expected) => expect(said(text, [english])).toBe(expected));
  test.each(relative)("from now: %s", (text, expected) => expect(said(text, [english])).toBe(expected));
  test.each(none)("none: %s", (text, expected) => expect(said(text, [english])).toBe(expected));
});

describe("times in other languages", () => {
  test.each(others.map(([locale, text, expected]) => [locale.code, text, expected, locale] as const))("%s: %s", (_code, text, expected, locale) =>
    expect(said(text, [locale])).toBe(expected),
  );
  test("the first language that finds any counts", () => {
    expect(said("im Juni", [english, german])).toBe(said("im Juni", [german]));
    expect(said("5/7/2023", [english, german])).toBe("2023-05-07");
  });
});

describe("edges", () => {
  test("of a year, a month and a day", () => {
    const newYear = Date.UTC(2024, 0, 1);
    expect(said("yesterday", [english], newYear)).toBe("2023-12-31");
    expect(said("last month", [english], newYear)).toBe("2023-12-01..2023-12-31");
    expect(said("last week", [english], newYear)).toBe("2023-12-25..2023-12-31");
    expect(said("yesterday", [english], newYear - 1)).toBe("2023-12-30");
    expect(said("next month", [english], Date.UTC(2023, 0, 31))).toBe("2023-02-01..2023-02-28");
  });
  test("before 1970", () => expect(said("last Friday", [english], Date.UTC(1969, 11, 31))).toBe("1969-12-26"));
  test("a time that is none", () => expect(timesIn("yesterday", Number.NaN, [english])).toEqual([]));
  test("the end of time", () => expect(timesIn("in 999 years", 8.64e15, [english])).toEqual([]));
  test("any text of such words gives stretches of time", () => {
    const word = fc.constantFrom(
      "last",
      "next",
      "in",
      "May",
      "Friday",
      "2023",
      "31",
      "week",
      "ago",
      "two",
      "summer",
      "/",
      "-",
      "的",
      "去年",
      "5月",
      "ayer",
      "vor",
      "Tagen",
      " ",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.integer({ min: -1e13, max: 1e13 }), (list, at) => {
        for (const separator of [" ", ""]) {
          for (const { from, to } of timesIn(list.join(separator), at, suppliedLocales)) expect(from).toBeLessThan(to);
        }
      }),
    );
  });
  test("a long text of figures is read in no time that grows with its square", () => {
    expect(timesIn(`${"1".repeat(100_000)} ${"last ".repeat(20_000)}`, now, [english])).toEqual([]);
  });
});

describe("whether a text speaks of time", () => {
  test.each([
    ["I went there last year", true],
    ["for three years now", true],
    ["I have had it for a few months", true],
    ["at 5 pm", true],
    ["when I was a kid", true],
    ["every Friday", true],
    ["I may go", false],
    ["My sister is a nurse", false],
    ["", false],
  ])("%s", (text, expected) => expect(speaksOfTime(text, [english])).toBe(expected));
});
