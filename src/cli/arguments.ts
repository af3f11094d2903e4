/** Values of arguments and options, read from text. */
import { InvalidArgumentError } from "commander";
import { ThroughlineError } from "../kernel/error.ts";
import type { StatePlace } from "./commands/state.ts";

const greatestInteger = 2_147_483_647;

/** A whole number within bounds. */
export const whole =
  (least: number, greatest: number = greatestInteger) =>
  (text: string): number => {
    const value = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= greatest) return value;
    throw new InvalidArgumentError(`It is a whole number from ${least}${greatest === greatestInteger ? "" : ` to ${greatest}`}.`);
  };

export const offset = whole(0);

/** An offset, or a session with or without one. */
export function place(text: string): StatePlace {
  const [, session, at] = /^(ses_[0-9a-z]+)(?:@(\d+))?$/u.exec(text) ?? [];
  if (session === undefined) return { at: offset(text) };
  return at === undefined ? { session } : { session, at: offset(at) };
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 };

/** A duration such as `90d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdwy])$/u.exec(text) ?? [];
  const size = units[unit];
  if (count === undefined || size === undefined)
    throw new ThroughlineError("cli.usage", `"${text}" is no duration.`, { hint: "Write a number and s, m, h, d, w or y, such as 90d." });
  return Number(count) * size;
}
