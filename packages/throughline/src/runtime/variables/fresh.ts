/** The validity of a variable's value. */
import { Cron } from "croner";
import { seen, type ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";

/**
 * How long a value is valid: a number of milliseconds, or until the next instant of a cron expression (five fields: minute, hour, day, month,
 * weekday). The time zone is UTC unless one is named.
 */
export type Freshness =
  | { readonly maxAgeMs: number; readonly cron?: never; readonly timezone?: never }
  | { readonly cron: string; readonly timezone?: string; readonly maxAgeMs?: never };

/** Whether a value of one time is still fresh at a later one. */
export type Fresh = (checked: number, now: number) => boolean;

/** Converts the rule to a function. Throws `wrong` for an invalid rule. */
export function freshnessOf(given: unknown, wrong: (what: string) => ThroughlineError): Fresh {
  if (given === undefined) return () => false;
  if (!isPlainObject(given)) throw wrong(`needs { maxAgeMs } or { cron } as fresh, got ${seen(given)}`);
  const { maxAgeMs, cron, timezone, ...rest } = given;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(`has fresh with ${seen(unknown)}; it has maxAgeMs, or cron and timezone`);
  if ((maxAgeMs === undefined) === (cron === undefined)) throw wrong(`needs either maxAgeMs or cron as fresh, got ${seen(given)}`);
  if (cron !== undefined) return untilInstant(cron, timezone, wrong);
  if (timezone !== undefined) throw wrong("has a timezone, and no cron that it is about");
  if (!Number.isSafeInteger(maxAgeMs) || Number(maxAgeMs) < 0) throw wrong(`needs a maxAgeMs that is a whole number from 0, got ${seen(maxAgeMs)}`);
  return (checked, now) => now - checked < Number(maxAgeMs);
}

/** A value is valid until the expression has an instant after the value's time and not after now. */
function untilInstant(cron: unknown, timezone: unknown, wrong: (what: string) => ThroughlineError): Fresh {
  if (typeof cron !== "string" || cron.trim().split(/\s+/).length !== 5)
    throw wrong(`needs a cron expression of five fields (minute, hour, day, month, weekday), got ${seen(cron)}`);
  const zone = timezone ?? "UTC";
  if (typeof zone !== "string" || !isZone(zone)) throw wrong(`has a timezone that there is not: ${seen(timezone)}`);
  let instants: Cron;
  try {
    instants = new Cron(cron.trim(), { timezone: zone, mode: "5-part" });
  } catch {
    throw wrong(`has a cron expression that is none: ${seen(cron)}`);
  }
  return (checked, now) => {
    const next = instants.nextRun(new Date(checked));
    return next === null || next.getTime() > now;
  };
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
