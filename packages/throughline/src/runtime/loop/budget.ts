/** The budget of a running reply. Amounts are reserved before a model call and charged after it. The time limit aborts work in progress. */
import { type Amount, type Budget, charge, reserveCall, settle, timeLeft } from "../../execution/ledger.ts";
import { costOf, estimate, priceOf, type Price } from "../../execution/prices.ts";
import type { StopReason, StopSignal } from "../../execution/step.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Model, ModelRequest, Usage } from "../../model/model-port.ts";
import { raise, type Work } from "./work.ts";

/** Reserves the possible cost of a model call. If the budget has no room for it, raises the stop signals and returns undefined. */
export function reserveFor(work: Work, model: Model, request: ModelRequest): Amount | undefined {
  const { ledger, execution } = work;
  const { continuation } = execution.execution;
  const { tokens, cost } = ledger.limits;
  // The size of a request is estimated only if a limit depends on it.
  const wanted = tokens === undefined && cost === undefined ? {} : estimate(model, request, cost === undefined ? undefined : priceFor(work, model));
  const reserved = reserveCall(ledger, wanted, { waives: continuation?.waives ?? [] });
  if (reserved.type === "refused") {
    for (const signal of reserved.signals) raise(work, signal);
    return undefined;
  }
  work.ledger = reserved.ledger;
  return reserved.amount;
}

/** Returns the price that a cost limit needs. Throws if there is none, because the limit would have no effect. */
function priceFor({ settings }: Work, model: Model): Price {
  const price = priceOf(settings.prices, model.name);
  if (price !== undefined) return price;
  throw new ThroughlineError("budget.invalid", `The budget limits the cost, and the model "${model.name}" has no price.`, {
    hint: "Give its price per million tokens in the loop's prices; 0 if it costs nothing.",
    details: { model: model.name },
  });
}

/**
 * Charges a model call for its actual cost and releases the rest of the reservation. A call without usage counts as failed. Returns the cost if there
 * is a price.
 */
export function settleFor(
  work: Work,
  model: Model,
  { reserved, ms, usage }: { readonly reserved: Amount; readonly ms: number; readonly usage?: Usage },
): number | undefined {
  const price = priceOf(work.settings.prices, model.name);
  const cost = usage === undefined || price === undefined ? undefined : costOf(usage, price);
  const spent = { active_ms: ms, ...(usage === undefined ? {} : { steps: 1, tokens: usage }), ...(cost === undefined ? {} : { cost }) };
  const settled = settle(work.ledger, reserved, spent);
  if (settled.overrun !== undefined)
    work.turn.runtime.logger.info("a model call cost more than estimated", { model: model.name, ...settled.overrun });
  work.ledger = settled.ledger;
  return cost;
}

/** Charges a step without a model response. */
export function spendStep(work: Work): void {
  work.ledger = charge(work.ledger, { steps: 1 });
}

/** Charges the time in which tools ran. */
export function spendTime(work: Work, ms: number): void {
  work.activeMs += ms;
  work.ledger = charge(work.ledger, { active_ms: ms });
}

/** A signal that aborts with the turn, or when the budget's time has run out. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Returns the stop signal of the exhausted limit, if there is one. */
  reached(): StopSignal | undefined;
  stop(): void;
}

/** Limits work in progress to the remaining active seconds and to the deadline. */
export function timeLimit(work: Work): TimeLimit {
  const { ledger, turn, reply } = work;
  const left = timeLeft({ ...ledger, limits: limitsOf(work) }, turn.runtime.clock.now());
  const over = new AbortController();
  let reached: StopSignal | undefined;
  const end = (): void => {
    reached = left?.signal;
    over.abort();
  };
  const stopped = new AbortController();
  // The sleep rejects only when the limit is stopped.
  if (left !== undefined) turn.runtime.clock.sleep(left.ms, stopped.signal).then(end, () => {});
  return { signal: AbortSignal.any([reply.signal, over.signal]), reached: () => reached, stop: () => stopped.abort() };
}

/** Returns the time limits of the current step. A request for the step may have waived some. */
function limitsOf({ ledger, execution }: Work): Budget {
  const { seconds, deadline } = ledger.limits;
  const { continuation } = execution.execution;
  const counts = (reason: StopReason): boolean => continuation?.waives.includes(reason) !== true;
  return {
    ...(seconds !== undefined && counts("time_limit") ? { seconds } : {}),
    ...(deadline !== undefined && counts("deadline") ? { deadline } : {}),
  };
}
