/** Options of every model call, and the system text and tool names that both adapters send. */
import { present } from "../../kernel/json.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { defaultLogger, type Logger } from "../../kernel/log.ts";
import { type Random, systemRandom } from "../../kernel/random.ts";
import type { PromptSection } from "../model-port.ts";

/** Time limits and retries of an adapter. All times are in milliseconds. */
export interface ModelCallOptions {
  /** From the request to the end of the response, including retries. Defaults to 600,000. */
  readonly timeoutMs?: number;
  /** From the request to the first piece of the response. Defaults to 120,000, because a local server may have to load the model first. */
  readonly firstByteMs?: number;
  /** Between two pieces of the response. Defaults to 60,000. */
  readonly stallMs?: number;
  /** Maximum retries of a call that failed before its first text. Defaults to 2; 0 disables them. */
  readonly retries?: number;
  /** Sends the request a second time if nothing has arrived after this time, and uses the response that starts first. Defaults to never. */
  readonly hedgeMs?: number;
  /** Receives what the service refused and how the request was changed. Defaults to the default logger of a runtime. */
  readonly logger?: Logger;
  /** Defaults to the system clock. */
  readonly clock?: Clock;
  /** Randomness for the delays between tries. Defaults to the system's. */
  readonly random?: Random;
}

/** The checked, complete options. */
export interface CallSettings {
  readonly timeoutMs: number;
  readonly firstByteMs: number;
  readonly stallMs: number;
  readonly retries: number;
  readonly hedgeMs: number | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** Checks the options of `name`. Throws `input.invalid` if one is out of range. */
export function callSettings(name: string, options: ModelCallOptions): CallSettings {
  const {
    timeoutMs = 600_000,
    firstByteMs = 120_000,
    stallMs = 60_000,
    retries = 2,
    hedgeMs,
    logger = defaultLogger(),
    clock = systemClock,
    random = systemRandom,
  } = options;
  const limits = { timeoutMs, firstByteMs, stallMs, ...present({ hedgeMs }) };
  for (const [option, value] of Object.entries(limits)) {
    // The maximum delay of a timer.
    if (!(value > 0 && value < 2 ** 31)) throw invalid(name, option, value, "Give milliseconds, more than 0 and less than 2,147,483,648.");
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > 10) throw invalid(name, "retries", retries, "Give a whole number from 0 to 10.");
  return { timeoutMs, firstByteMs, stallMs, retries, hedgeMs, logger, clock, random };
}

const invalid = (name: string, option: string, value: unknown, hint: string): ThroughlineError =>
  new ThroughlineError("input.invalid", `${name}: ${option} is ${seen(value)}.`, { hint, details: { path: option, seen: seen(value) } });

/** Returns the sections as one text, each under its name, for models with a single system message. */
export const systemText = (sections: readonly PromptSection[]): string => sections.map(({ name, text }) => `# ${name}\n${text}`).join("\n\n");

/**
 * Returns a tool's name in the form that services accept. A model may have called an unknown tool by a name that its own service rejects in the next
 * request.
 */
export const wireName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";
