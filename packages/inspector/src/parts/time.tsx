/** Times: relative where a person compares, exact where a machine's order counts. The exact time is in the title. */
import { signal } from "@preact/signals";
import { now } from "../base/browser.ts";

/** Changes every half minute, so that relative times stay true. */
const tick = signal(now());
setInterval(() => (tick.value = now()), 30_000);

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { style: "narrow", numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
const said = new Intl.DateTimeFormat("en", { timeStyle: "medium", hourCycle: "h23" });
const saidBefore = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** Whether the calendar has a time. A log may hold any number. */
const isDated = (at: number): boolean => !Number.isNaN(new Date(at).getTime());
const format = (how: Intl.DateTimeFormat, at: number): string => (isDated(at) ? how.format(at) : String(at));
const dateTime = (at: number): string | undefined => (isDated(at) ? new Date(at).toISOString() : undefined);

/** How long ago a time was. */
export function ago(at: number, present: number): string {
  const past = present - at;
  const [unit, size] = units.find(([, ms]) => past >= ms) ?? [];
  return unit === undefined || size === undefined ? relative.format(0, "second") : relative.format(-Math.floor(past / size), unit);
}

export const Ago = ({ at }: { readonly at: number }) => (
  <time dateTime={dateTime(at)} title={format(exact, at)}>
    {isDated(at) ? ago(at, Math.max(tick.value, at)) : String(at)}
  </time>
);

export const Clock = ({ at }: { readonly at: number }) => (
  <time dateTime={dateTime(at)} title={format(exact, at)}>
    {format(clock, at)}
  </time>
);

/** When something was said: the time of today, and the date of any other day. */
export const Said = ({ at }: { readonly at: number }) => (
  <time dateTime={dateTime(at)} title={format(exact, at)}>
    {format(new Date(at).toDateString() === new Date(tick.value).toDateString() ? said : saidBefore, at)}
  </time>
);

/** How long it is until a time. */
const ahead = (at: number, present: number): string => {
  const [unit, size] = units.find(([, ms]) => at - present >= ms) ?? [];
  return unit === undefined || size === undefined ? relative.format(0, "second") : relative.format(Math.floor((at - present) / size), unit);
};

/** A time to come: its date, and how long it is until then. */
export const Until = ({ at }: { readonly at: number }) => (
  <>
    <Moment at={at} /> ({ahead(at, tick.value)})
  </>
);

/** A date and a time, also in the future. */
export const Moment = ({ at }: { readonly at: number }) => <time dateTime={dateTime(at)}>{format(exact, at)}</time>;
