/** Limits of an execution as a plain value. The ledger has the spent and reserved amounts. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { type Spent, type UsageKind, money, totalTokens, usageKinds } from "./spent.ts";

/** Token limits by kind and in total. */
export type TokenLimits = { readonly [Kind in UsageKind | "total"]?: number };

/** Limits of one execution across all its resumes. A missing limit means no limit; 0 allows nothing. */
export interface Budget {
  /** Answered model calls. */
  readonly steps?: number;
  /** Failed model calls. */
  readonly attempts?: number;
  /** Tokens in total, or by kind. */
  readonly tokens?: number | TokenLimits;
  /** Seconds with at least one model or tool call in flight. */
  readonly seconds?: number;
  /** Cost in the unit of the price table. */
  readonly cost?: number;
  /** Time in milliseconds since 1970, after which nothing new starts. */
  readonly deadline?: number;
}

const counts = ["steps", "attempts"] as const;
const limitNames = [...counts, "tokens", "seconds", "cost", "deadline"];
/** Names of token limits. */
export const tokenLimitNames: readonly (UsageKind | "total")[] = ["total", ...usageKinds];

const wrong = (limit: string, message: string): ThroughlineError => new ThroughlineError("budget.invalid", message, { details: { limit } });

function checkLimit(name: string, value: unknown): void {
  if (typeof value !== "number" || Number.isNaN(value) || value < 0)
    throw wrong(name, `The budget's ${name} must be a non-negative number, got ${typeof value === "number" ? value : seen(value)}.`);
  const whole = counts.some((count) => count === name) || name.startsWith("tokens");
  if (whole && Number.isFinite(value) && !Number.isInteger(value)) throw wrong(name, `The budget's ${name} must be a whole number, got ${value}.`);
}

function checkNames(given: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrong(unknown, `A budget has no ${what} "${unknown}"; it has ${known.join(", ")}.`);
}

/** Removes infinite limits. They limit nothing and could not be stored. */
const finite = <Limits extends object>(limits: Limits): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== Number.POSITIVE_INFINITY)) as Limits;

/**
 * Validates and freezes a budget. A limit of `Infinity` is no limit, and `tokens: { total: 5 }` equals `tokens: 5`.
 * @throws `budget.invalid`, which names the invalid limit. Limits must be non-negative numbers, and counts must be whole.
 */
export function createBudget(limits: Budget): Budget {
  if (!isPlainObject(limits)) throw wrong("", `A budget is an object of limits, got ${seen(limits)}.`);
  checkNames(limits, limitNames, "limit");
  const { tokens, ...others }: Budget = limits;
  for (const [name, value] of Object.entries(others)) checkLimit(name, value);
  if (!("tokens" in limits)) return Object.freeze(finite(others));
  if (!isPlainObject(tokens)) checkLimit("tokens", tokens);
  else {
    checkNames(tokens, tokenLimitNames, "limit of tokens");
    for (const [name, value] of Object.entries(tokens)) checkLimit(`tokens.${name}`, value);
  }
  return Object.freeze(withTokens(finite(others), finite(tokenLimits({ tokens: tokens as number | TokenLimits }))));
}

/** Returns the token limits by kind. */
export const tokenLimits = ({ tokens }: Pick<Budget, "tokens">): TokenLimits => (typeof tokens === "number" ? { total: tokens } : (tokens ?? {}));

/** Sets the token limits in their shortest form: a number if only the total is limited, nothing without limits. */
export function withTokens(budget: Budget, tokens: TokenLimits): Budget {
  const { tokens: _tokens, ...others } = budget;
  const { total, ...kinds } = tokens;
  if (Object.keys(kinds).length > 0) return { ...others, tokens: Object.freeze({ ...tokens }) };
  return total === undefined ? others : { ...others, tokens: total };
}

/** Returns all limits of both, and the smaller one if both have a limit. */
function smaller<Limits extends { readonly [name: string]: number }>(left: Limits, right: Limits): Limits {
  const both = { ...left, ...right };
  return Object.fromEntries(
    Object.keys(both).map((name) => [name, Math.min(left[name] ?? Number.POSITIVE_INFINITY, right[name] ?? Number.POSITIVE_INFINITY)]),
  ) as Limits;
}

/** Returns the stricter of two budgets for each limit. The earlier of two deadlines wins. */
export function capBudget(left: Budget, right: Budget): Budget {
  const [one, other] = [createBudget(left), createBudget(right)];
  const { tokens: _left, ...a } = one;
  const { tokens: _right, ...b } = other;
  return Object.freeze(withTokens(smaller({ ...a }, { ...b }), smaller({ ...tokenLimits(one) }, { ...tokenLimits(other) })));
}

/** Tells whether a budget allows nothing: a limit is 0, or the deadline has passed. */
export function isExhausted(budget: Budget, now: number): boolean {
  const { tokens: _tokens, deadline, ...others } = budget;
  const limits = [...Object.values(others), ...Object.values(tokenLimits(budget))];
  return limits.some((limit) => limit === 0) || (deadline !== undefined && deadline <= now);
}

/** Amounts to reserve. A budget can be used too; its seconds and deadline are ignored. */
export type Amount = Pick<Budget, "steps" | "attempts" | "tokens" | "cost">;

/** Names of reservable amounts. Each kind of tokens is a separate name. */
export const reservable = ["steps", "attempts", ...tokenLimitNames, "cost"] as const;
/** A name of {@link reservable}. */
export type Reservable = "steps" | "attempts" | "cost" | keyof TokenLimits;

/** Amounts by name. Absent ones are not reserved. */
export type Amounts = { readonly [Name in Reservable]?: number };

/**
 * Returns an amount by name. Tokens by kind without a total get their sum as the total. Throws `budget.invalid` for a value that is not a
 * non-negative number.
 */
export function amountsOf({ steps, attempts, tokens, cost }: Amount): Amounts {
  const kinds = tokenLimits(tokens === undefined ? {} : { tokens });
  const given = Object.values(kinds);
  const total = kinds.total ?? (given.length === 0 ? undefined : given.reduce((sum, count) => sum + count, 0));
  const named = { steps, attempts, ...kinds, total, cost: cost === undefined ? undefined : money(cost) };
  const amounts = Object.entries(named).filter(([, value]) => value !== undefined);
  for (const [name, value] of amounts) {
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
      throw new ThroughlineError("budget.invalid", `The amount of ${name} to set aside must be a non-negative number, got ${seen(value)}.`, {
        hint: "Set aside a finite amount; leave out what is not known.",
        details: { limit: name },
      });
    }
  }
  return Object.freeze(Object.fromEntries(amounts));
}

/** Returns the spent amounts by name. */
export const amountsSpent = ({ steps, attempts, tokens, cost }: Spent): Required<Amounts> => ({
  ...{ steps, attempts, cost },
  ...tokens,
  total: totalTokens(tokens),
});

/** Returns the limits of a budget that apply to amounts. */
export const amountLimits = (limits: Budget): Amounts => {
  const { steps, attempts, cost } = limits;
  const named = { steps, attempts, ...tokenLimits(limits), cost };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
};

/** Returns the sum of two amounts, or their difference with `-1`. */
export function addAmounts(left: Amounts, right: Amounts, sign: 1 | -1 = 1): Amounts {
  const sums: { [Name in Reservable]?: number } = { ...left };
  for (const name of reservable) {
    const more = right[name];
    if (more !== undefined) sums[name] = money((sums[name] ?? 0) + sign * more);
  }
  return Object.freeze(sums);
}
