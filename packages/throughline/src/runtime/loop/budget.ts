/** The budget of a reply at work: amounts are reserved before a model call and charged after it, and time ends what is in flight. */
import type { Amount, Budget } from "../../execution/budget.ts";
import { charge, reserveCall, settle, timeLeft } from "../../execution/ledger.ts";
import { costOf, estimate, priceOf, type Price } from "../../execution/prices.ts";
import type { StopReason, StopSignal } from "../../execution/stop.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Model, ModelRequest, Usage } from "../../model/port.ts";
import { raise, type Work } from "./work.ts";

/** Sets aside what a model call may cost. Undefined, with the signals raised, if the budget has no room for it. */
export function reserveFor(work: Work, model: Model, request: ModelRequest): Amount | undefined {
  const { ledger, execution } = work;
  const { continuation } = execution.execution;
  const { tokens, cost } = ledger.limits;
  // Nobody asks how long a request is as long as no limit depends on it.
  const wanted = tokens === undefined && cost === undefined ? {} : estimate(model, request, cost === undefined ? undefined : priceFor(work, model));
  const reserved = reserveCall(ledger, wanted, { waives: continuation?.waives ?? [] });
  if (reserved.type === "refused") {
    for (const signal of reserved.signals) raise(work, signal);
    return undefined;
  }
  work.ledger = reserved.ledger;
  return reserved.amount;
}

/** The price that a limit of cost needs: without one it would limit nothing. */
function priceFor({ settings }: Work, model: Model): Price {
  const price = priceOf(settings.prices, model.name);
  if (price !== undefined) return price;
  throw new ThroughlineError("budget.invalid", `The budget limits the cost, and the model "${model.name}" has no price.`, {
    hint: "Give its price per million tokens in the loop's prices; 0 if it costs nothing.",
    details: { model: model.name },
  });
}

/** Charges a model call for what it did cost, and gives back the rest. Without usage it has failed. Returns its cost, where there is a price. */
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

/** Charges a step that no model has answered. */
export function spendStep(work: Work): void {
  work.ledger = charge(work.ledger, { steps: 1 });
}

/** Charges time in which tools ran. */
export function spendTime(work: Work, ms: number): void {
  work.activeMs += ms;
  work.ledger = charge(work.ledger, { active_ms: ms });
}

/** A signal that aborts with the turn, or when the budget's time is over. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  /** What the budget has run out of, if it has. */
  reached(): StopSignal | undefined;
  stop(): void;
}

/** Holds what is in flight to the active seconds and the deadline that are left. */
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

/** The limits of time that count for the step at work: somebody may have asked for it in spite of them. */
function limitsOf({ ledger, execution }: Work): Budget {
  const { seconds, deadline } = ledger.limits;
  const { continuation } = execution.execution;
  const counts = (reason: StopReason): boolean => continuation?.waives.includes(reason) !== true;
  return {
    ...(seconds !== undefined && counts("time_limit") ? { seconds } : {}),
    ...(deadline !== undefined && counts("deadline") ? { deadline } : {}),
  };
}
