/** What an execution has spent: only ever more. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { Usage } from "../model/port.ts";

/** The kinds of tokens. */
export const usageKinds = ["input", "output", "cache_write", "cache_read", "reasoning"] as const;
/** A kind of tokens. */
export type UsageKind = (typeof usageKinds)[number];

/** No tokens at all. */
export const noUsage: Usage = Object.freeze({ input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 });

/** The sum of two usages, kind by kind. */
export function addUsage(left: Usage, right: Usage): Usage {
  return Object.freeze({
    input: left.input + right.input,
    output: left.output + right.output,
    cache_write: left.cache_write + right.cache_write,
    cache_read: left.cache_read + right.cache_read,
    reasoning: left.reasoning + right.reasoning,
  });
}

/** All tokens; reading from a cache counts in full. */
export const totalTokens = (usage: Usage): number => usage.input + usage.output + usage.cache_write + usage.cache_read + usage.reasoning;

/** The stored form: kinds of which there were none are left out. */
export const storedUsage = (usage: Usage): { readonly [Kind in UsageKind]?: number } =>
  Object.fromEntries(usageKinds.filter((kind) => usage[kind] > 0).map((kind) => [kind, usage[kind]]));

/** The spending of an execution. */
export interface Spent {
  /** Model calls that were answered. */
  readonly steps: number;
  /** Model calls that failed. */
  readonly attempts: number;
  readonly tokens: Usage;
  /** Milliseconds with at least one call in flight. */
  readonly active_ms: number;
  /** In the unit of the price table, to nine decimal places. */
  readonly cost: number;
}

/** Spending as it is stored: zero amounts are left out. */
export interface StoredSpent {
  readonly steps?: number;
  readonly attempts?: number;
  readonly tokens?: { readonly [Kind in keyof Usage]?: number };
  readonly active_ms?: number;
  readonly cost?: number;
}

/** Nothing at all. */
export const nothingSpent: Spent = Object.freeze({ steps: 0, attempts: 0, tokens: noUsage, active_ms: 0, cost: 0 });

/** A sum of money, to nine decimal places: what is added and taken away again leaves nothing behind. */
export const money = (amount: number): number => Math.round(amount * 1e9) / 1e9;

/** The sum of two. */
export const addSpent = (left: Spent, right: Spent): Spent =>
  Object.freeze({
    steps: left.steps + right.steps,
    attempts: left.attempts + right.attempts,
    tokens: addUsage(left.tokens, right.tokens),
    active_ms: left.active_ms + right.active_ms,
    cost: money(left.cost + right.cost),
  });

const isAmount = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;

/**
 * What was spent, from its stored form, or from the few parts that there are.
 * @throws `budget.invalid` for a part that is not a non-negative number: what is spent never shrinks.
 */
export function createSpent(stored: StoredSpent = {}): Spent {
  const { tokens = {}, ...others } = stored;
  if (!isPlainObject(tokens)) throw new ThroughlineError("budget.invalid", `The tokens spent are an object of numbers by kind, got ${seen(tokens)}.`);
  for (const [name, value] of [...Object.entries(others), ...Object.entries(tokens)]) {
    if (!isAmount(value)) {
      throw new ThroughlineError("budget.invalid", `What was spent of ${name} must be a non-negative number, got ${seen(value)}.`, {
        hint: "What is spent only ever grows; correct the amount.",
        details: { limit: name },
      });
    }
  }
  const { steps = 0, attempts = 0, active_ms = 0, cost = 0 } = others;
  return Object.freeze({ steps, attempts, tokens: Object.freeze({ ...noUsage, ...tokens }), active_ms, cost: money(cost) });
}

/** The stored form of what was spent. */
export function storedSpent({ tokens, ...others }: Spent): StoredSpent {
  const kinds = storedUsage(tokens);
  const parts = Object.entries(others).filter(([, value]) => value > 0);
  return { ...Object.fromEntries(parts), ...(Object.keys(kinds).length === 0 ? {} : { tokens: kinds }) };
}
