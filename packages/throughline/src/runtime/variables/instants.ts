/** Instants of cron expressions. */
import { Cron } from "croner";
import { invalidAt } from "../../extension/failure.ts";
import { seen, type ThroughlineError } from "../../kernel/error.ts";

/** Returns the next instant after a time, in milliseconds, or undefined if there is none. */
export type Instants = (after: number) => number | undefined;

/**
 * Returns the instants of a cron expression with five fields (minute, hour, day, month, weekday), in UTC or in a time zone. Throws `input.invalid`.
 * @example routines({ routines: [digest], schedules: [{ name: "nightly", at: cron("0 3 * * *", { timezone: "Europe/Berlin" }), routine: digest }] })
 */
export const cron = (expression: string, { timezone }: { readonly timezone?: string } = {}): Instants =>
  instantsOf(expression, timezone, (what) => invalidAt("input.invalid", "cron", `cron ${what}.`));

/** Does the same. `wrong` makes the error. */
export function instantsOf(expression: unknown, timezone: unknown, wrong: (what: string) => ThroughlineError): Instants {
  if (typeof expression !== "string" || expression.trim().split(/\s+/).length !== 5)
    throw wrong(`needs a cron expression of five fields (minute, hour, day, month, weekday), got ${seen(expression)}`);
  const zone = timezone ?? "UTC";
  if (typeof zone !== "string" || !isZone(zone)) throw wrong(`has an unknown timezone: ${seen(timezone)}`);
  let instants: Cron;
  try {
    instants = new Cron(expression.trim(), { timezone: zone, mode: "5-part" });
  } catch {
    throw wrong(`has an invalid cron expression: ${seen(expression)}`);
  }
  return (after) => instants.nextRun(new Date(after))?.getTime();
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
