/** Nights and what can be counted from them. A night is named after the evening on which it began. */

/** A night as far as it is known; times are "HH:MM". */
export interface Night {
  /** "YYYY-MM-DD", the day of the evening. */
  readonly date: string;
  readonly bed?: string | undefined;
  readonly asleep?: string | undefined;
  readonly woke?: string | undefined;
}

/** The calendar day of a moment, `daysAgo` days before, by the machine's time zone. */
export function dayOf(now: number, daysAgo = 0): string {
  const moment = new Date(now);
  return asText(new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - daysAgo));
}

const asText = (day: Date): string => `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;

/** The day before. Noon, because a day may lack its midnight where the clocks change. */
function dayBefore(date: string): string {
  const day = new Date(`${date}T12:00:00`);
  day.setDate(day.getDate() - 1);
  return asText(day);
}

/** How many nights in a row are in the diary, up to last night; 0 if last night and tonight are missing. */
export function streakOf(nights: readonly Night[], now: number): number {
  const known = new Set(nights.map((night) => night.date));
  let day = known.has(dayOf(now)) ? dayOf(now) : dayOf(now, 1);
  let count = 0;
  for (; known.has(day); day = dayBefore(day)) count++;
  return count;
}

/** How long somebody slept, as far as the diary tells: from falling asleep, or going to bed, to waking up; undefined if a time is missing. */
export function lengthOf({ bed, asleep, woke }: Night): string | undefined {
  const from = asleep ?? bed;
  if (from === undefined || woke === undefined) return undefined;
  const minutes = (minutesOf(woke) - minutesOf(from) + 1440) % 1440;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The average of when the nights began, "HH:MM"; undefined without any. Counted from noon, so that 23:30 and 00:30 lie next to each other. */
export function averageBedtime(nights: readonly Night[]): string | undefined {
  const minutes = nights.flatMap((night) => {
    const time = night.bed ?? night.asleep;
    return time === undefined ? [] : [(minutesOf(time) + 720) % 1440];
  });
  if (minutes.length === 0) return undefined;
  const average = (Math.round(minutes.reduce((sum, value) => sum + value, 0) / minutes.length) + 720) % 1440;
  return `${String(Math.floor(average / 60)).padStart(2, "0")}:${String(average % 60).padStart(2, "0")}`;
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const numbers: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 };

/** The evening that a text is about: last night unless it says otherwise, and whether it does. */
export function eveningOf(text: string, now: number): { readonly date: string; readonly given: boolean } {
  const lower = text.toLowerCase();
  const given = (date: string): { readonly date: string; readonly given: true } => ({ date, given: true });
  const written = /\b(20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))\b/.exec(lower)?.[1];
  if (written !== undefined && !Number.isNaN(Date.parse(written)) && written <= dayOf(now)) return given(written);
  const ago = /\b(\d|two|three|four|five|six) (?:nights|days) ago\b/.exec(lower)?.[1];
  if (ago !== undefined) return given(dayOf(now, numbers[ago] ?? Math.max(1, Number(ago))));
  if (/\bnight before last\b|\bday before yesterday\b/.test(lower)) return given(dayOf(now, 2));
  const weekday = /\b(sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b/.exec(lower)?.[1];
  if (weekday !== undefined) return given(dayOf(now, ((new Date(now).getDay() - weekdays.indexOf(weekday) + 6) % 7) + 1));
  // After midnight "tonight" is still the night that began yesterday evening.
  if (/\btonight\b/.test(lower) && new Date(now).getHours() >= 12) return given(dayOf(now));
  return { date: dayOf(now, 1), given: /\b(?:last night|yesterday)\b/.test(lower) };
}

/** The newest night; undefined without any. */
export const lastNight = (nights: readonly Night[]): Night | undefined =>
  nights.toSorted((left, right) => left.date.localeCompare(right.date)).at(-1);
