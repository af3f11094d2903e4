/** Spending of an execution. It never decreases. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { Usage } from "../model/port.ts";

/** Kinds of tokens. */
export const usageKinds = ["input", "output", "cache_write", "cache_read", "reasoning"] as const;
/** A kind of tokens. */
export type UsageKind = (typeof usageKinds)[number];

/** Usage without tokens. */
export const noUsage: Usage = Object.freeze({ input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 });

/** Returns the sum of two usages by kind. */
export function addUsage(left: Usage, right: Usage): Usage {
  return Object.freeze({
    input: left.input + right.input,
    output: left.output + right.output,
    cache_write: left.cache_write + right.cache_write,
    cache_read: left.cache_read + right.cache_read,
    reasoning: left.reasoning + right.reasoning,
  });
}

/** Returns the total number of tokens. Cache reads count in full. */
export const totalTokens = (usage: Usage): number => usage.input + usage.output + usage.cache_write + usage.cache_read + usage.reasoning;

/** Returns the stored form, without kinds that are 0. */
export const storedUsage = (usage: Usage): { readonly [Kind in UsageKind]?: number } =>
  Object.fromEntries(usageKinds.filter((kind) => usage[kind] > 0).map((kind) => [kind, usage[kind]]));

/** Spending of an execution. */
export interface Spent {
  /** Answered model calls. */
  readonly steps: number;
  /** Failed model calls. */
  readonly attempts: number;
  readonly tokens: Usage;
  /** Milliseconds with at least one call in flight. */
  readonly active_ms: number;
  /** Cost in the unit of the price table, to nine decimal places. */
  readonly cost: number;
}

/** Stored form of the spending. Zero amounts are left out. */
export interface StoredSpent {
  readonly steps?: number;
  readonly attempts?: number;
  readonly tokens?: { readonly [Kind in keyof Usage]?: number };
  readonly active_ms?: number;
  readonly cost?: number;
}

/** No spending. */
export const nothingSpent: Spent = Object.freeze({ steps: 0, attempts: 0, tokens: noUsage, active_ms: 0, cost: 0 });

/** Rounds an amount of money to nine decimal places, so that adding and subtracting the same amount leaves nothing. */
export const money = (amount: number): number => Math.round(amount * 1e9) / 1e9;

/** Returns the sum of two spendings. */
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
 * Creates a spending from its stored form or from some of its parts.
 * @throws `budget.invalid` for a part that is not a non-negative number, since spending never decreases.
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

/** Returns the stored form of a spending. */
export function storedSpent({ tokens, ...others }: Spent): StoredSpent {
  const kinds = storedUsage(tokens);
  const parts = Object.entries(others).filter(([, value]) => value > 0);
  return { ...Object.fromEntries(parts), ...(Object.keys(kinds).length === 0 ? {} : { tokens: kinds }) };
}
