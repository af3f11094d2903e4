/**
 * What an execution spends, its limits, and its budget ledger: an immutable value with limits, spent and reserved amounts, and functions that return the
 * next value. Work reserves its amount before it spends (`reserve`), so parallel work cannot spend the same amount twice. Afterwards it settles the
 * actual cost.
 *
 * Law: a `reserve` never makes the sum of spent and reserved amounts exceed a limit. Amounts that are unknown in advance, such as the length of a
 * reply, may exceed their reservation. They are charged in full and reported as an overrun.
 */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../kernel/json.ts";
import type { Usage } from "../model/model-port.ts";
import type { StopReason, StopSignal } from "./step.ts";

/** Kinds of tokens. */
const usageKinds = ["input", "output", "cache_write", "cache_read", "reasoning"] as const;
/** A kind of tokens. */
type UsageKind = (typeof usageKinds)[number];

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
const tokenLimitNames: readonly (UsageKind | "total")[] = ["total", ...usageKinds];

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
const tokenLimits = ({ tokens }: Pick<Budget, "tokens">): TokenLimits => (typeof tokens === "number" ? { total: tokens } : (tokens ?? {}));

/** Sets the token limits in their shortest form: a number if only the total is limited, nothing without limits. */
function withTokens(budget: Budget, tokens: TokenLimits): Budget {
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
type Reservable = "steps" | "attempts" | "cost" | keyof TokenLimits;

/** Amounts by name. Absent ones are not reserved. */
export type Amounts = { readonly [Name in Reservable]?: number };

/**
 * Returns an amount by name. Tokens by kind without a total get their sum as the total. Throws `budget.invalid` for a value that is not a
 * non-negative number.
 */
function amountsOf({ steps, attempts, tokens, cost }: Amount): Amounts {
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
function addAmounts(left: Amounts, right: Amounts, sign: 1 | -1 = 1): Amounts {
  const sums: { [Name in Reservable]?: number } = { ...left };
  for (const name of reservable) {
    const more = right[name];
    if (more !== undefined) sums[name] = money((sums[name] ?? 0) + sign * more);
  }
  return Object.freeze(sums);
}

/** Limits with spent and reserved amounts. */
export interface Ledger {
  readonly limits: Budget;
  readonly spent: Spent;
  /** Amounts reserved for running work. */
  readonly reserved: Amounts;
}

/** Result of a reservation. */
export type Reservation =
  | { readonly type: "reserved"; readonly ledger: Ledger }
  | { readonly type: "refused"; /** The limits that prevent it. */ readonly signals: readonly StopSignal[] };

/** Result of a settlement. */
export interface Settlement {
  readonly ledger: Ledger;
  /** Excess over the reservation, for limited or reserved amounts. Undefined if there is none. */
  readonly overrun: Amounts | undefined;
}

const nothingReserved: Amounts = Object.freeze({});

/** Creates a ledger without reservations. `spent` is the spending of earlier attempts and resumes. */
export const createLedger = (limits: Budget, spent: StoredSpent = nothingSpent): Ledger =>
  Object.freeze({ limits: createBudget(limits), spent: createSpent(spent), reserved: nothingReserved });

/** Returns a function for the remaining amount of a limit, which is infinite without a limit. */
function room({ limits, spent, reserved }: Ledger): (name: Reservable) => number {
  const limited = amountLimits(limits);
  const used = amountsSpent(spent);
  return (name) => {
    const limit = limited[name];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, money(limit - used[name] - (reserved[name] ?? 0)));
  };
}

/**
 * Reserves an amount completely or not at all. It is refused if a limit has less left. `waives` names stop reasons of limits to ignore, as a
 * continuation requested.
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

/** Releases an unused reservation. */
export const release = (ledger: Ledger, amount: Amount): Ledger => settle(ledger, amount, nothingSpent).ledger;

/** Charges an amount that was not reserved. */
export const charge = (ledger: Ledger, spent: StoredSpent): Ledger => settle(ledger, {}, spent).ledger;

/**
 * Releases a reservation and charges the actual cost, even if it is higher.
 * @throws `budget.invalid` for more than is reserved, and for a cost that is negative or not a number.
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

/** Returns the excess. An amount without a reservation counts if it has a limit. */
function overrunOf({ limits }: Ledger, given: Amounts, spent: Spent): Amounts | undefined {
  const used = amountsSpent(spent);
  const limited = amountLimits(limits);
  const over = reservable
    .map((name) => [name, money(used[name] - (given[name] ?? (name in limited ? 0 : Number.POSITIVE_INFINITY)))] as const)
    .filter(([, excess]) => excess > 0);
  return over.length === 0 ? undefined : Object.freeze(Object.fromEntries(over));
}

/**
 * Reserves the maximum cost of a model call. The step and the cost must fit, as with {@link reserve}. Of the estimated tokens, as many as are left
 * are reserved, as long as any are left. So a reply can exceed a token limit by at most its own size; requiring the full estimate would forbid too
 * much. Returns the reserved amount for `settle`.
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

/** Returns the remaining amounts as a budget, for example for a child. None of them is negative. */
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

/** A child's reserved share of its parent's budget, or the reason for its absence. */
export type ChildReservation =
  | { readonly type: "reserved"; readonly ledger: Ledger; /** The child's budget, which is also the amount to settle. */ readonly budget: Budget }
  | Extract<Reservation, { type: "refused" }>;

/**
 * Reserves a child's budget: its own, capped by its share of the remaining amounts. `siblings` is the number of children, including this one, that
 * still need a share. The rest is divided among them, so that the first does not take all. Refused if a share is empty.
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

/** Returns the reasons for an empty share: spent amounts first, then reserved ones. */
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

/**
 * Returns one of `parts` equal shares. Time limits are not divided, since time passes for all. Shares are rounded down, so that their sum does not
 * exceed the whole.
 */
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
 * Charges a child's spending to its parent once and releases the rest of its share. The child's time is not added, since the parent counts the time
 * of the tool call.
 */
export const settleChild = (ledger: Ledger, budget: Budget, spent: StoredSpent): Settlement => settle(ledger, budget, { ...spent, active_ms: 0 });

/** Options of {@link exhausted}. */
export interface ExhaustedOptions {
  /** The next operation. A call belongs to a started step, so step and attempt limits do not stop it. Default `step`. */
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

/** Returns the stop reason, the wording and the context keys of a limit. */
function wordingOf(name: Reservable): { readonly reason: StopReason; readonly words: string; readonly keys: readonly [string, string] } {
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

/** Returns the signal for a limit with less left than requested. */
function noRoom(ledger: Ledger, name: Reservable, { wanted, left }: { readonly wanted: number | undefined; readonly left: number }): StopSignal {
  const { reason, words, keys } = wordingOf(name);
  const limit = amountLimits(ledger.limits)[name] ?? 0;
  const reserved = ledger.reserved[name] ?? 0;
  const need = wanted === undefined ? "" : ` ${wanted} would be needed and`;
  const aside = reserved > 0 ? `, with ${reserved} set aside` : "";
  return signalOf(reason, `Of ${limit} ${words}${need} ${left} ${left === 1 ? "is" : "are"} left${aside}.`, {
    [keys[0]]: amountsSpent(ledger.spent)[name],
    [keys[1]]: limit,
    reserved,
    ...present({ wanted }),
  });
}

/** Returns a signal for every reached limit, most important first. Reservations do not count, since they belong to running work; `reserve` checks them. */
export function exhausted(ledger: Ledger, now: number, { before = "step" }: ExhaustedOptions = {}): readonly StopSignal[] {
  const { limits, spent } = ledger;
  const counted = amountLimits(limits);
  const used = amountsSpent(spent);
  const reached = (name: Reservable): readonly StopSignal[] => {
    const limit = counted[name];
    if (limit === undefined || used[name] < limit) return [];
    const { reason, words, keys } = wordingOf(name);
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

/** Formats a time as ISO 8601, or as a number beyond the range of dates. */
const timeText = (time: number): string => (time <= 8.64e15 ? new Date(time).toISOString() : String(time));

/** Returns the time left for new work and the signal that ends it, for a timer. Undefined without a time limit. */
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
