/** Options that every model call takes, and the system text and tool names that both adapters send. */
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { type Random, systemRandom } from "../../kernel/random.ts";
import type { PromptSection } from "../port.ts";

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

/** The sections as one text for models that take a single system message: each headed by its name. */
export const systemText = (sections: readonly PromptSection[]): string => sections.map(({ name, text }) => `# ${name}\n${text}`).join("\n\n");

/** A tool's name as services take it: a model may have asked for one that there is not, by a name that its service refuses to be told again. */
export const wireName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
