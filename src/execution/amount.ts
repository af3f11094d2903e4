/** Amounts of what can be set aside before it is spent. Time cannot: it passes for everybody at once. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { tokenLimitNames, tokenLimits, type Budget, type TokenLimits } from "./budget.ts";
import { money, type Spent } from "./spent.ts";
import { totalTokens } from "./usage.ts";

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
