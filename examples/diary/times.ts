/** Clock times as people write them: "23:40", "11pm", "half past eleven", "quarter to two", "midnight". */

const hourWords = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const minuteWords: Readonly<Record<string, number>> = {
  "oh five": 5,
  five: 5,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  "twenty five": 25,
  thirty: 30,
  "thirty five": 35,
  forty: 40,
  "forty five": 45,
  fifty: 50,
  "fifty five": 55,
};

/** Longest first, so that "twenty five" is not read as "twenty"; a hyphen or a space between the words. */
const anyOf = (words: readonly string[]): string =>
  words
    .toSorted((left, right) => right.length - left.length)
    .map((word) => word.replace(" ", "[ -]"))
    .join("|");
const hour = `\\d{1,2}|${anyOf(hourWords.slice(1))}`;
const minute = anyOf(Object.keys(minuteWords));

/**
 * The source of a pattern for one time, with the groups that {@link readTime} reads. What follows must not go on as a number or a length of
 * time: "at 7 days" is no time.
 */
export const timePattern =
  `(?:(?<fixed>midnight|noon|midday)` +
  `|(?<part>half|(?:a )?quarter|${minute}|\\d{1,2})(?: minutes?)? (?<side>past|after|to|before|till) (?<around>midnight|noon|midday|${hour})` +
  `|half (?<half>${hour})` +
  `|(?<clock>\\d{1,2})(?:[:.]|h)(?<minutes>[0-5]\\d)` +
  `|(?<spoken>${hour})(?: (?<spokenMinutes>${minute}))?)` +
  `(?:[ -]?o'?clock|-?ish\\b)?(?:\\s?(?<half12>[ap]\\.?m\\b\\.?)|,? (?:in the (?<day>morning|afternoon|evening)|at (?<night>night)))?` +
  `(?![\\d:%]|[ -]?(?:hours?|hrs?|minutes?|mins?|days?|nights?|weeks?|times?|percent)\\b|\\.\\d|\\p{L})`;

/** What a time without "am" or "pm" stands for: people go to bed around midnight and get up in the morning. */
export type TimeOf = "evening" | "morning";

type Groups = Readonly<Record<string, string | undefined>>;

/** A matched {@link timePattern} as "HH:MM"; undefined if there is no such time of day. */
export function readTime(groups: Groups, meant: TimeOf): string | undefined {
  const { fixed } = groups;
  if (fixed !== undefined) return fixed === "midnight" ? "00:00" : "12:00";
  const parts = partsOf(groups);
  if (parts === undefined || parts.hour > 24 || (parts.hour === 24 && parts.minute > 0)) return undefined;
  const hours = parts.exact ? parts.hour % 24 : inDay(parts.hour, groups, meant);
  if (hours === undefined) return undefined;
  const total = (hours * 60 + parts.minute + 1440) % 1440;
  return `${String(Math.floor(total / 60)).padStart(2, "0")}:${String(total % 60).padStart(2, "0")}`;
}

/** Hour and minute as they were said; a negative minute is one before the hour. `exact`: the hour is one of 24. */
function partsOf(groups: Groups): { readonly hour: number; readonly minute: number; readonly exact: boolean } | undefined {
  const { part, side, around, half, clock, minutes, spoken, spokenMinutes } = groups;
  if (around !== undefined && part !== undefined) {
    const length = minutesOf(part);
    const minute = side === "past" || side === "after" ? length : -length;
    if (length >= 60) return undefined;
    if (around === "midnight") return { hour: 0, minute, exact: true };
    return around === "noon" || around === "midday" ? { hour: 12, minute, exact: true } : withExactness(around, minute);
  }
  if (half !== undefined) return withExactness(half, 30);
  if (clock !== undefined) return withExactness(clock, Number(minutes));
  return spoken === undefined ? undefined : withExactness(spoken, spokenMinutes === undefined ? 0 : minutesOf(spokenMinutes));
}

/** "07:15" and "0:30" and "23:40" can only be meant one way. */
function withExactness(text: string, minute: number): { readonly hour: number; readonly minute: number; readonly exact: boolean } {
  const hours = /^\d/.test(text) ? Number(text) : hourWords.indexOf(text);
  return { hour: hours, minute, exact: text.startsWith("0") || hours === 0 || hours > 12 };
}

function minutesOf(text: string): number {
  if (text === "half") return 30;
  if (text.endsWith("quarter")) return 15;
  return /^\d/.test(text) ? Number(text) : (minuteWords[text.replace("-", " ")] ?? 60);
}

/** The hour of 24 that an hour of 12 stands for. */
function inDay(hours: number, groups: Groups, meant: TimeOf): number | undefined {
  if (hours < 1 || hours > 12) return undefined;
  const of12 = hours % 12;
  const { half12, day, night } = groups;
  if (half12 !== undefined) return half12.startsWith("p") ? of12 + 12 : of12;
  if (day !== undefined) return day === "morning" ? of12 : of12 + 12;
  if (night !== undefined) return of12 >= 6 ? of12 + 12 : of12;
  if (meant === "evening") return of12 >= 7 ? of12 + 12 : of12;
  return hours === 12 ? 12 : of12;
}
