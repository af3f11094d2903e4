/** Which limits of a ledger are reached, as stop signals with the numbers seen. */
import type { JsonObject } from "../kernel/json.ts";
import { amountLimits, amountsSpent, type Reservable } from "./amount.ts";
import { tokenLimits, type Budget } from "./budget.ts";
import type { Ledger } from "./ledger.ts";
import type { StopReason, StopSignal } from "./stop.ts";
import { usageKinds, type UsageKind } from "./usage.ts";

/** Options of {@link exhausted}. */
export interface ExhaustedOptions {
  /** What is about to begin. A call belongs to a step that has begun, so limits of steps and attempts do not stop it. `step` by default. */
  readonly before?: "step" | "call";
}

const signalOf = (reason: StopReason, message: string, context: JsonObject): StopSignal =>
  Object.freeze({ reason, message, source: "budget", context: Object.freeze(context) });

const kindNames: { readonly [Kind in UsageKind]: { readonly name: string; readonly key: string } } = {
  input: { name: "input", key: "inputTokens" },
  output: { name: "output", key: "outputTokens" },
  cache_write: { name: "cache write", key: "cacheWriteTokens" },
  cache_read: { name: "cache read", key: "cacheReadTokens" },
  reasoning: { name: "reasoning", key: "reasoningTokens" },
};

const capitalised = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** How a limit is spoken of, and what its numbers are called. */
function described(name: Reservable): { readonly reason: StopReason; readonly words: string; readonly keys: readonly [string, string] } {
  switch (name) {
    case "steps":
      return { reason: "steps_limit", words: "steps", keys: ["currentSteps", "maxSteps"] };
    case "attempts":
      return { reason: "attempts_limit", words: "failed model calls", keys: ["currentAttempts", "maxAttempts"] };
    case "cost":
      return { reason: "cost_limit", words: "cost units", keys: ["cost", "maxCost"] };
    case "total":
      return { reason: "token_limit", words: "tokens", keys: ["totalTokens", "maxTotalTokens"] };
    default:
      return {
        reason: "token_limit",
        words: `${kindNames[name].name} tokens`,
        keys: [kindNames[name].key, `max${capitalised(kindNames[name].key)}`],
      };
  }
}

/** A limit that has less room than was wanted. */
export function noRoom(
  ledger: Ledger,
  name: Reservable,
  { wanted, left }: { readonly wanted: number | undefined; readonly left: number },
): StopSignal {
  const { reason, words, keys } = described(name);
  const limit = amountLimits(ledger.limits)[name] ?? 0;
  const reserved = ledger.reserved[name] ?? 0;
  const need = wanted === undefined ? "" : ` ${wanted} would be needed and`;
  const aside = reserved > 0 ? `, with ${reserved} set aside` : "";
  return signalOf(reason, `Of ${limit} ${words}${need} ${left} ${left === 1 ? "is" : "are"} left${aside}.`, {
    [keys[0]]: amountsSpent(ledger.spent)[name],
    [keys[1]]: limit,
    reserved,
    ...(wanted === undefined ? {} : { wanted }),
  });
}

/**
 * A signal for every reached limit, the most important first; empty if none is reached. What is set aside does not count,
 * as it belongs to what is at work; `reserve` looks at it.
 */
export function exhausted(ledger: Ledger, now: number, { before = "step" }: ExhaustedOptions = {}): readonly StopSignal[] {
  const { limits, spent } = ledger;
  const counted = amountLimits(limits);
  const used = amountsSpent(spent);
  const reached = (name: Reservable): readonly StopSignal[] => {
    const limit = counted[name];
    if (limit === undefined || used[name] < limit) return [];
    const { reason, words, keys } = described(name);
    return [signalOf(reason, `${used[name]} of ${limit} ${words} are spent.`, { [keys[0]]: used[name], [keys[1]]: limit })];
  };
  return Object.freeze([
    ...(before === "step" ? reached("steps") : []),
    ...reached("total"),
    ...usageKinds.filter((kind) => kind in tokenLimits(limits)).flatMap((kind) => reached(kind)),
    ...timeOver(limits, spent.active_ms),
    ...reached("cost"),
    ...deadlinePassed(limits, now),
    ...(before === "step" ? reached("attempts") : []),
  ]);
}

function timeOver({ seconds }: Budget, active_ms: number): readonly StopSignal[] {
  if (seconds === undefined || active_ms < seconds * 1000) return [];
  const elapsedSeconds = active_ms / 1000;
  return [signalOf("time_limit", `${elapsedSeconds.toFixed(1)} of ${seconds} seconds are spent.`, { elapsedSeconds, maxSeconds: seconds })];
}

function deadlinePassed({ deadline }: Budget, now: number): readonly StopSignal[] {
  if (deadline === undefined || now < deadline) return [];
  return [signalOf("deadline", `The deadline ${timeText(deadline)} has passed.`, { deadline, now })];
}

/** A time as people read it; far beyond the calendar, its number. */
const timeText = (time: number): string => (time <= 8.64e15 ? new Date(time).toISOString() : String(time));

/** How long may what begins now go on, and what stops it then; undefined without a limit of time. For a timer that ends it. */
export function timeLeft({ limits, spent }: Ledger, now: number): { readonly ms: number; readonly signal: StopSignal } | undefined {
  const seconds = limits.seconds === undefined ? undefined : Math.max(0, limits.seconds * 1000 - spent.active_ms);
  const deadline = limits.deadline === undefined ? undefined : Math.max(0, limits.deadline - now);
  if (seconds !== undefined && seconds <= (deadline ?? seconds)) {
    const context = { elapsedSeconds: limits.seconds ?? 0, maxSeconds: limits.seconds ?? 0 };
    return { ms: seconds, signal: signalOf("time_limit", `The ${limits.seconds} seconds of the budget are over.`, context) };
  }
  if (deadline === undefined || limits.deadline === undefined) return undefined;
  return { ms: deadline, signal: signalOf("deadline", `The deadline ${timeText(limits.deadline)} has passed.`, { deadline: limits.deadline }) };
}
