/** Limits of an execution, as a plain value. What was spent, and is set aside, is in the ledger. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { type Spent, type UsageKind, money, totalTokens, usageKinds } from "./spent.ts";

/** Limits on tokens by kind, and on all of them together. */
export type TokenLimits = { readonly [Kind in UsageKind | "total"]?: number };

/** Limits of one execution, over all its resumes. What is left out has no limit; 0 leaves no room at all. */
export interface Budget {
  /** Model calls that were answered. */
  readonly steps?: number;
  /** Model calls that failed. */
  readonly attempts?: number;
  /** Tokens: all of them, or by kind. */
  readonly tokens?: number | TokenLimits;
  /** Seconds with at least one call, of a model or a tool, in flight. */
  readonly seconds?: number;
  /** In the unit of the price table. */
  readonly cost?: number;
  /** A time, in milliseconds since 1970, after which nothing more begins. */
  readonly deadline?: number;
}

const counts = ["steps", "attempts"] as const;
const limitNames = [...counts, "tokens", "seconds", "cost", "deadline"];
/** What limits on tokens can name. */
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

/** Only what is finite is a limit: an infinite one is none, and could not be stored. */
const finite = <Limits extends object>(limits: Limits): Limits =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== Number.POSITIVE_INFINITY)) as Limits;

/**
 * A budget as given, checked and frozen. A limit of `Infinity` is no limit, and `tokens: { total: 5 }` is `tokens: 5`.
 * @throws `budget.invalid`, which names the limit that is not a non-negative number, or, for what is counted, not a whole one.
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

/** The limits on tokens, by kind. */
export const tokenLimits = ({ tokens }: Pick<Budget, "tokens">): TokenLimits => (typeof tokens === "number" ? { total: tokens } : (tokens ?? {}));

/** With limits on tokens in their shortest form: a number if only the total is limited, nothing if nothing is. */
export function withTokens(budget: Budget, tokens: TokenLimits): Budget {
  const { tokens: _tokens, ...others } = budget;
  const { total, ...kinds } = tokens;
  if (Object.keys(kinds).length > 0) return { ...others, tokens: Object.freeze({ ...tokens }) };
  return total === undefined ? others : { ...others, tokens: total };
}

/** Each limit of either, the smaller where both have one. */
function smaller<Limits extends { readonly [name: string]: number }>(left: Limits, right: Limits): Limits {
  const both = { ...left, ...right };
  return Object.fromEntries(
    Object.keys(both).map((name) => [name, Math.min(left[name] ?? Number.POSITIVE_INFINITY, right[name] ?? Number.POSITIVE_INFINITY)]),
  ) as Limits;
}

/** The stricter of two budgets, limit by limit; of two deadlines the earlier. What neither limits has no limit. */
export function capBudget(left: Budget, right: Budget): Budget {
  const [one, other] = [createBudget(left), createBudget(right)];
  const { tokens: _left, ...a } = one;
  const { tokens: _right, ...b } = other;
  return Object.freeze(withTokens(smaller({ ...a }, { ...b }), smaller({ ...tokenLimits(one) }, { ...tokenLimits(other) })));
}

/** Whether a budget leaves no room from the start: some limit is 0, or the deadline has come. */
export function isExhausted(budget: Budget, now: number): boolean {
  const { tokens: _tokens, deadline, ...others } = budget;
  const limits = [...Object.values(others), ...Object.values(tokenLimits(budget))];
  return limits.some((limit) => limit === 0) || (deadline !== undefined && deadline <= now);
}

/** The amounts to reserve. A budget is one, too: its seconds and its deadline are not looked at. */
export type Amount = Pick<Budget, "steps" | "attempts" | "tokens" | "cost">;

/** What of an amount is set aside by name; the kinds of tokens have names of their own. */
export const reservable = ["steps", "attempts", ...tokenLimitNames, "cost"] as const;
/** A name of {@link reservable}. */
export type Reservable = "steps" | "attempts" | "cost" | keyof TokenLimits;

/** Amounts by name, flat; absent ones are not reserved. */
export type Amounts = { readonly [Name in Reservable]?: number };

/** An amount, flat. Tokens by kind without a total have the sum of them as one. */
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

/** What was spent, by the names of amounts. */
export const amountsSpent = ({ steps, attempts, tokens, cost }: Spent): Required<Amounts> => ({
  ...{ steps, attempts, cost },
  ...tokens,
  total: totalTokens(tokens),
});

/** The limits of a budget that amounts are held to. */
export const amountLimits = (limits: Budget): Amounts => {
  const { steps, attempts, cost } = limits;
  const named = { steps, attempts, ...tokenLimits(limits), cost };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
};

/** The sum, or with `-1` the difference, of two. */
export function addAmounts(left: Amounts, right: Amounts, sign: 1 | -1 = 1): Amounts {
  const sums: { [Name in Reservable]?: number } = { ...left };
  for (const name of reservable) {
    const more = right[name];
    if (more !== undefined) sums[name] = money((sums[name] ?? 0) + sign * more);
  }
  return Object.freeze(sums);
}
