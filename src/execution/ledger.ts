/**
 * What an execution may spend, has spent, and has set aside: a value, and functions that lead from one to the next. Before something is spent it is
 * set aside (`reserve`), so that what runs side by side cannot spend the same room twice; afterwards it is settled with what it did cost.
 *
 * The law: what is spent and what is set aside, together, are never above a limit because of a `reserve`. What cannot be known before, such as how long
 * a reply is, may come out higher than was set aside; it is charged in full, and reported as an overrun.
 */
import { ThroughlineError } from "../kernel/error.ts";
import { addAmounts, amountLimits, amountsOf, amountsSpent, reservable, type Amount, type Amounts, type Reservable } from "./amount.ts";
import { capBudget, createBudget, isExhausted, tokenLimits, withTokens, type Budget } from "./budget.ts";
import { exhausted, noRoom } from "./exhausted.ts";
import { addSpent, createSpent, money, nothingSpent, type Spent, type StoredSpent } from "./spent.ts";
import type { StopReason, StopSignal } from "./stop.ts";

/** Limits, with spent and reserved amounts. */
export interface Ledger {
  readonly limits: Budget;
  readonly spent: Spent;
  /** What is set aside for what is at work. */
  readonly reserved: Amounts;
}

/** What became of a request to set something aside. */
export type Reservation =
  | { readonly type: "reserved"; readonly ledger: Ledger }
  | { readonly type: "refused"; /** The limits in the way. */ readonly signals: readonly StopSignal[] };

/** What became of a settlement. */
export interface Settlement {
  readonly ledger: Ledger;
  /** By how much it cost more than was set aside, of what was or is limited; undefined if it did not. */
  readonly overrun: Amounts | undefined;
}

const nothingReserved: Amounts = Object.freeze({});

/** A ledger with nothing set aside; `spent` is what earlier attempts and resumes have spent. */
export const createLedger = (limits: Budget, spent: StoredSpent = nothingSpent): Ledger =>
  Object.freeze({ limits: createBudget(limits), spent: createSpent(spent), reserved: nothingReserved });

/** What is left of a limit; infinity where there is none. */
function room({ limits, spent, reserved }: Ledger): (name: Reservable) => number {
  const limited = amountLimits(limits);
  const used = amountsSpent(spent);
  return (name) => {
    const limit = limited[name];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, money(limit - used[name] - (reserved[name] ?? 0)));
  };
}

/**
 * Sets an amount aside, all of it or nothing: it is refused where a limit has less room. `waives` names reasons of limits that do not count, because
 * somebody has asked to go on in spite of them.
 * @throws `budget.invalid` for an amount that is negative or not a number.
 */
export function reserve(ledger: Ledger, amount: Amount, { waives = [] }: { readonly waives?: readonly string[] } = {}): Reservation {
  const wanted = amountsOf(amount);
  const left = room(ledger);
  const signals = reservable
    .filter((name) => (wanted[name] ?? 0) > left(name))
    .map((name) => noRoom(ledger, name, { wanted: wanted[name] ?? 0, left: left(name) }))
    .filter(({ reason }) => !waives.includes(reason));
  if (signals.length > 0) return Object.freeze({ type: "refused", signals: Object.freeze(signals) });
  return Object.freeze({ type: "reserved", ledger: withReserved(ledger, addAmounts(ledger.reserved, wanted)) });
}

const withReserved = ({ limits, spent }: Ledger, reserved: Amounts): Ledger => Object.freeze({ limits, spent, reserved });

/** Gives back what was set aside and is not needed: nothing was spent of it. */
export const release = (ledger: Ledger, amount: Amount): Ledger => settle(ledger, amount, nothingSpent).ledger;

/** Charges an amount that was not reserved. */
export const charge = (ledger: Ledger, spent: StoredSpent): Ledger => settle(ledger, {}, spent).ledger;

/**
 * Releases a reservation, and charges the actual cost, also if it is higher.
 * @throws `budget.invalid` for more than is set aside, and for a cost that is negative or not a number.
 */
export function settle(ledger: Ledger, amount: Amount, actual: StoredSpent): Settlement {
  const given = amountsOf(amount);
  const spent = createSpent(actual);
  for (const name of reservable) {
    const held = ledger.reserved[name] ?? 0;
    if ((given[name] ?? 0) > held) {
      throw new ThroughlineError("budget.invalid", `${given[name]} of ${name} cannot be given back: ${held} is set aside.`, {
        hint: "Settle or release a reservation once, with the amount that it was made with.",
        details: { limit: name },
      });
    }
  }
  const reserved = addAmounts(ledger.reserved, given, -1);
  return Object.freeze({
    ledger: Object.freeze({ limits: ledger.limits, spent: addSpent(ledger.spent, spent), reserved }),
    overrun: overrunOf(ledger, given, spent),
  });
}

/** What was not set aside at all counts where there is a limit that it should have been set aside of. */
function overrunOf({ limits }: Ledger, given: Amounts, spent: Spent): Amounts | undefined {
  const used = amountsSpent(spent);
  const limited = amountLimits(limits);
  const over = reservable
    .map((name) => [name, money(used[name] - (given[name] ?? (name in limited ? 0 : Number.POSITIVE_INFINITY)))] as const)
    .filter(([, excess]) => excess > 0);
  return over.length === 0 ? undefined : Object.freeze(Object.fromEntries(over));
}

/**
 * Sets aside what a model call may cost: a step and the cost must have room, as with {@link reserve}; of the tokens, as many of the estimate as have
 * room, as long as any have. So a reply may exceed a limit of tokens by at most itself, as an estimate would forbid far too much. Returns the
 * amount that was set aside, for `settle`.
 */
export function reserveCall(
  ledger: Ledger,
  estimate: Amount,
  options: { readonly waives?: readonly string[] } = {},
): { readonly type: "reserved"; readonly ledger: Ledger; readonly amount: Amount } | Extract<Reservation, { type: "refused" }> {
  const { tokens: _tokens, ...others } = estimate;
  const left = room(ledger);
  const { steps: _steps, attempts: _attempts, cost: _cost, ...kinds } = amountsOf(estimate);
  const waived = options.waives?.includes("token_limit") === true;
  const names = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((name) => (kinds[name] ?? 0) > 0);
  const full = names.filter((name) => !waived && left(name) === 0).map((name) => noRoom(ledger, name, { wanted: kinds[name] ?? 0, left: 0 }));
  const tokens = Object.fromEntries(names.map((name) => [name, Math.min(kinds[name] ?? 0, left(name))]));
  const amount: Amount = Object.freeze(withTokens({ steps: 1, ...others }, tokens));
  const reservation = reserve(ledger, amount, options);
  if (full.length === 0 && reservation.type === "reserved") return Object.freeze({ ...reservation, amount });
  const signals = [...(reservation.type === "refused" ? reservation.signals : []), ...full];
  return Object.freeze({ type: "refused", signals: Object.freeze(signals) });
}

/** The remaining amounts as a budget, for example for a child. Nothing in it is negative. */
export function remaining(ledger: Ledger): Budget {
  const { limits, spent } = ledger;
  const left = room(ledger);
  const rest: { -readonly [Name in keyof Budget]: Budget[Name] } = {};
  if (limits.steps !== undefined) rest.steps = left("steps");
  if (limits.attempts !== undefined) rest.attempts = left("attempts");
  if (limits.seconds !== undefined) rest.seconds = Math.max(0, limits.seconds - spent.active_ms / 1000);
  if (limits.cost !== undefined) rest.cost = left("cost");
  if (limits.deadline !== undefined) rest.deadline = limits.deadline;
  const kinds = Object.keys(tokenLimits(limits)) as (keyof ReturnType<typeof tokenLimits>)[];
  return Object.freeze(withTokens(rest, Object.fromEntries(kinds.map((name) => [name, left(name)]))));
}

/** A child's share of its parent's budget, set aside; or why there is none. */
export type ChildReservation =
  | { readonly type: "reserved"; readonly ledger: Ledger; /** What the child may spend; also what to settle with. */ readonly budget: Budget }
  | Extract<Reservation, { type: "refused" }>;

/**
 * Reserves a child's budget: its own, capped by the remaining amounts. `siblings` is how many children, this one among them, are yet to get their share: what is
 * left is divided between them, so that the first does not take all. Refused when nothing is left to share of something.
 */
export function reserveChild(
  ledger: Ledger,
  own: Budget,
  { now, siblings = 1 }: { readonly now: number; readonly siblings?: number },
): ChildReservation {
  const left = remaining(ledger);
  const share = shareOf(left, siblings);
  if (isExhausted(share, now)) return Object.freeze({ type: "refused", signals: withoutRoom(ledger, { share, now, siblings }) });
  const budget = capBudget(own, share);
  const reservation = reserve(ledger, budget);
  return reservation.type === "refused" ? reservation : Object.freeze({ ...reservation, budget });
}

/** Why there is nothing to share: what is spent, or else what is set aside for others. */
function withoutRoom(
  ledger: Ledger,
  { share, now, siblings }: { readonly share: Budget; readonly now: number; readonly siblings: number },
): readonly StopSignal[] {
  const spent = exhausted(ledger, now);
  const reasons = new Set<StopReason>(spent.map(({ reason }) => reason));
  const shares = amountLimits(share);
  const taken = reservable
    .filter((name) => shares[name] === 0)
    .map((name) => noRoom(ledger, name, { wanted: name === "cost" ? undefined : siblings, left: room(ledger)(name) }));
  return Object.freeze([...spent, ...taken.filter(({ reason }) => !reasons.has(reason))]);
}

/** One of `parts` equal shares of what can be divided; time passes for all at once. Rounded down, so that all shares together are no more. */
function shareOf(budget: Budget, parts: number): Budget {
  if (parts <= 1) return budget;
  const { steps, attempts, cost, tokens: _tokens, ...time } = budget;
  const divided = [
    ...Object.entries({ steps, attempts }).map(([name, value]) => [name, value === undefined ? undefined : Math.floor(value / parts)] as const),
    ["cost", cost === undefined ? undefined : Math.floor((cost * 1e9) / parts) / 1e9] as const,
  ].filter(([, value]) => value !== undefined);
  const kinds = Object.entries(tokenLimits(budget)).map(([name, value]) => [name, Math.floor(value / parts)] as const);
  return withTokens({ ...time, ...Object.fromEntries(divided) }, Object.fromEntries(kinds));
}

/**
 * Charges a child's spending to its parent, once, and gives back the rest of its share. Its time is not added: the parent counts the time of the call that
 * the child is.
 */
export const settleChild = (ledger: Ledger, budget: Budget, spent: StoredSpent): Settlement => settle(ledger, budget, { ...spent, active_ms: 0 });
