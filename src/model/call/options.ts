import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { systemRandom, type Random } from "../../kernel/random.ts";

/** How patient an adapter is with its service. All times are milliseconds. */
export interface ModelCallOptions {
  /** From the request to the end of the answer, every try included; 600,000 by default. */
  readonly timeoutMs?: number;
  /** From the request to the first piece of the answer; 120,000 by default, since a local server may have to load the model first. */
  readonly firstByteMs?: number;
  /** Between two pieces of the answer; 60,000 by default. */
  readonly stallMs?: number;
  /** How often a call is repeated that failed before any text came; 2 by default, 0 for never. */
  readonly retries?: number;
  /** Sends the request a second time when nothing has come after so long, and takes the answer that begins first; never by default. */
  readonly hedgeMs?: number;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Randomness for the pauses between tries; the machine's by default. */
  readonly random?: Random;
}

/** The options, checked and complete. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly firstByteMs: number;
  readonly stallMs: number;
  readonly retries: number;
  readonly hedgeMs: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Checks the options of `name`; `input.invalid` if one is out of range. */
export function callSettings(name: string, options: ModelCallOptions): CallSettings {
  const { timeoutMs = 600_000, firstByteMs = 120_000, stallMs = 60_000, retries = 2, hedgeMs, clock = systemClock, random = systemRandom } = options;
  const limits = { timeoutMs, firstByteMs, stallMs, ...(hedgeMs === undefined ? {} : { hedgeMs }) };
  for (const [option, value] of Object.entries(limits)) {
    // A greater one is more than a timer can wait.
    if (!(value > 0 && value < 2 ** 31)) throw invalid(name, option, value, "Give milliseconds, more than 0 and less than 2,147,483,648.");
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw invalid(name, "retries", retries, "Give a whole number from 0 to 10.");
  return { timeoutMs, firstByteMs, stallMs, retries, hedgeMs, clock, random };
}

const invalid = (name: string, option: string, value: unknown, hint: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `${name}: ${option} is ${seen(value)}.`, { hint, details: { path: option, seen: seen(value) } });
