/**
 * The agent working on a turn, as an immutable value: one union of phases, and functions that lead from one to the next. A function that is
 * called in the wrong phase throws `execution.phase`; nothing starts an execution implicitly. Each transition costs the same after ten steps and after
 * ten thousand.
 *
 * The phases and their ends are the same for every execution, and what is known of its work is a parameter: here it is what a runtime needs to decide
 * (the ledger), in `graph/` what a reader wants to see (the open step, calls with their results, the messages of each step).
 */
import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { ExecutionId } from "../kernel/id.ts";
import { deepFreeze } from "../kernel/json.ts";
import type { Usage } from "../model/port.ts";
import type { Amount } from "./amount.ts";
import { AppendList } from "./append-list.ts";
import type { Budget } from "./budget.ts";
import { exhausted } from "./exhausted.ts";
import { createLedger, settle, type Ledger } from "./ledger.ts";
import type { Spent, StoredSpent } from "./spent.ts";
import { replyType, type Step } from "./step.ts";
import { highestSignal, isForced, standing, type StopReason, type StopSignal } from "./stop.ts";
import { addUsage, noUsage } from "./usage.ts";

/** A request to go on for one step more. */
export interface Continuation {
  /** Who asks. */
  readonly source: string;
  /** Reasons of signals, and of limits, that do not count for that step. */
  readonly waives: readonly StopReason[];
}

/** What the runtime knows of an execution's work: running and paused executions share it, and done ones keep it. */
export interface Work {
  readonly execution_id: ExecutionId;
  readonly started_at: number;
  /** What it may spend and has spent, also in earlier attempts and by its children. */
  readonly ledger: Ledger;
  readonly steps: AppendList<Step>;
  /** Tokens of its own steps. */
  readonly usage: Usage;
  /** What went wrong on the way: errors of steps, and failed model calls, in order. */
  readonly errors: AppendList<ErrorInfo>;
  /** Every signal raised, in order; the highest decides. */
  readonly signals: readonly StopSignal[];
  /** One more step was asked for. */
  readonly continuation?: Continuation;
}

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly type: "completed"; readonly answer: string; /** Errors that the execution recovered from. */ readonly warnings: readonly ErrorInfo[] }
  | { readonly type: "stopped"; readonly signal: StopSignal }
  | { readonly type: "failed"; readonly error: ErrorInfo };

/** No execution: before the first, and between two. */
export interface Idle {
  readonly phase: "idle";
}
/** An execution at work. */
export type Running<Known = Work> = Known & { readonly phase: "running" };
/** An execution that waits, such as for a person. */
export type Paused<Known = Work> = Known & { readonly phase: "paused"; readonly reason: string };
/** An execution that has ended. */
export type Done<Known = Work> = Known & { readonly phase: "done"; readonly ended_at: number; readonly outcome: ExecutionOutcome };
/** An execution, by phase. */
export type Execution<Known = Work> = Idle | Running<Known> | Paused<Known> | Done<Known>;

/** The status that the outside sees. */
export type ExecutionStatus = "pending" | "in_progress" | "paused" | "completed" | "stopped" | "failed";

/** No execution. */
export const idle: Idle = Object.freeze({ phase: "idle" });

/** The status that the outside sees. */
export function status(execution: Execution<unknown>): ExecutionStatus {
  switch (execution.phase) {
    case "idle":
      return "pending";
    case "running":
      return "in_progress";
    case "paused":
      return "paused";
    case "done":
      return execution.outcome.type;
  }
}

/** Starts an execution: the only place where an execution id enters. `spent` is what earlier attempts at the same turn have spent. */
export function beginExecution(options: {
  readonly execution_id: ExecutionId;
  readonly budget: Budget;
  readonly at: number;
  readonly spent?: StoredSpent;
}): Running {
  return Object.freeze({
    phase: "running",
    execution_id: options.execution_id,
    started_at: options.at,
    ledger: createLedger(options.budget, options.spent),
    steps: AppendList.of<Step>(),
    usage: noUsage,
    errors: AppendList.of<ErrorInfo>(),
    signals: Object.freeze([]),
  });
}

/** The execution, if it is in one of these phases; `what` says what it is to do. Throws `execution.phase` if it is not. */
export function inPhase<Some extends Execution<unknown>, Phase extends Some["phase"]>(
  execution: Some,
  what: string,
  ...phases: readonly Phase[]
): Extract<Some, { readonly phase: Phase }> {
  const isOne = (some: Some): some is Extract<Some, { readonly phase: Phase }> => phases.some((phase) => phase === some.phase);
  if (isOne(execution)) return execution;
  const wanted = phases.join(" or ");
  throw new ThroughlineError("execution.phase", `An execution that is ${execution.phase} cannot ${what}; it must be ${wanted}.`, {
    details: { phase: execution.phase, wanted },
  });
}

/** With its ledger as it is now: something was set aside for a call or a child, or was settled. */
export const withLedger = (execution: Execution, ledger: Ledger): Running =>
  Object.freeze({ ...inPhase(execution, "spend anything", "running"), ledger });

/** How a step or an attempt enters the ledger. */
export interface Charged {
  /** The reserved amount, which is released. */
  readonly reserved?: Amount;
  /** What it cost that is not charged yet. */
  readonly spent?: StoredSpent;
}

/** What a closed step costs: itself, its tokens, its time. */
export const stepSpent = ({ usage, cost = 0, started_at, ended_at }: Step): Spent => ({
  ...{ steps: 1, attempts: 0, tokens: usage, cost },
  active_ms: Math.max(0, ended_at - started_at),
});

/**
 * With a closed step, charged by {@link stepSpent} unless `spent` says otherwise. The same step twice changes nothing. A continuation that was asked for is
 * used up.
 */
export function withStep(execution: Execution, step: Step, { reserved = {}, spent: cost }: Charged = {}): Running {
  const running = inPhase(execution, "take a step", "running");
  const last = running.steps.at(-1);
  if (last !== undefined && step.index <= last.index) {
    if (running.steps.findLast((known) => known.step_id === step.step_id) !== undefined) return running;
    throw new ThroughlineError("execution.invalid", `Step ${step.index} cannot follow step ${last.index}: steps come in order.`, {
      hint: "Number the steps of an execution from 1.",
    });
  }
  const { continuation: _continuation, ...work } = running;
  return Object.freeze({
    ...work,
    ledger: settle(work.ledger, reserved, cost ?? stepSpent(step)).ledger,
    steps: work.steps.with(step),
    usage: addUsage(work.usage, step.usage),
    errors: step.errors.reduce((errors, error) => errors.with(error), work.errors),
  });
}

/** Records a failed model call after which the execution continues: it counts as an attempt, and its error is kept. */
export function withAttempt(execution: Execution, error: ErrorInfo, { reserved = {}, spent: cost = {} }: Charged = {}): Running {
  const running = inPhase(execution, "take a failed attempt", "running");
  const { ledger } = settle(running.ledger, reserved, { ...cost, attempts: cost.attempts ?? 1 });
  return Object.freeze({ ...running, ledger, errors: running.errors.with(deepFreeze(error)) });
}

/** With a signal raised. */
export function withSignal(execution: Execution, signal: StopSignal): Running {
  const running = inPhase(execution, "take a stop signal", "running");
  return Object.freeze({ ...running, signals: Object.freeze([...running.signals, deepFreeze(signal)]) });
}

/**
 * With one more step asked for, though nothing else calls for it. Signals, and limits of the budget, stop it all the same, but for those whose reasons
 * it waives; after that step they count again.
 */
export function withContinuation(
  execution: Execution,
  { source = "", waives = [] }: { readonly source?: string; readonly waives?: readonly StopReason[] } = {},
): Running {
  const running = inPhase(execution, "continue", "running");
  const all = [...(running.continuation?.waives ?? []), ...waives];
  return Object.freeze({ ...running, continuation: Object.freeze({ source, waives: Object.freeze([...new Set(all)]) }) });
}

/** Paused, such as for an approval. */
export const pause = (execution: Execution, reason: string): Paused =>
  Object.freeze({ ...inPhase(execution, "pause", "running"), phase: "paused", reason });

/** Running again: the same execution, not a new one. */
export function resume(execution: Execution): Running {
  const { reason: _reason, ...work } = inPhase(execution, "resume", "paused");
  return Object.freeze({ ...work, phase: "running" });
}

/** What is spent, of all resumes, children included. */
export const spent = (execution: Running | Paused | Done): Spent => execution.ledger.spent;

/** Whether another step follows, and why not. */
export type Next = { readonly next: "step" } | { readonly next: "stop"; readonly signal: StopSignal };

/** Whether the last step ends the execution: it called nothing, and no continuation was requested. */
function isAnswered({ steps, continuation }: Running): boolean {
  const last = steps.at(-1);
  return last !== undefined && continuation === undefined && replyType(last) !== "calls";
}

/**
 * The one decision function: a signal stops; a budget that is used up stops; calls, a continuation and the very first step go on; any other reply ends
 * it, whatever is left of the budget. `answer` says why the last step ends it, or that it does not (`false`), where a policy other than that decides.
 * The same arguments give the same decision.
 */
export function decide(
  execution: Running,
  now: number,
  { answer = isAnswered(execution) && "The model answered." }: { readonly answer?: string | false } = {},
): Next {
  const natural: readonly StopSignal[] = answer === false ? exhausted(execution.ledger, now) : [{ reason: "completed", message: answer }];
  const signal = highestSignal(standing([...execution.signals, ...natural], execution.continuation));
  return signal === undefined ? { next: "step" } : { next: "stop", signal };
}

/** How an execution ends that did not fail: stopped if a signal forces it, else completed with its answer. `warnings`: the errors it recovered from. */
export const outcomeOf = (signal: StopSignal | undefined, answer: string, warnings: readonly ErrorInfo[]): ExecutionOutcome =>
  deepFreeze(signal !== undefined && isForced(signal) ? { type: "stopped", signal } : { type: "completed", answer, warnings });

/** The end of an execution that stopped with `signal`: completed with the last step's text, or stopped if the signal is forced. */
export function finish(execution: Execution, signal: StopSignal, at: number): Done {
  const running = inPhase(execution, "finish", "running");
  const outcome = outcomeOf(signal, running.steps.at(-1)?.text ?? "", running.errors.toArray());
  return Object.freeze({ ...running, phase: "done", ended_at: at, outcome });
}

/** The end of an execution that failed. The error is kept even if no step had begun. */
export function fail(execution: Execution, error: ErrorInfo, at: number): Done {
  const outcome = Object.freeze({ type: "failed", error: deepFreeze(error) } as const);
  return Object.freeze({ ...inPhase(execution, "fail", "running"), phase: "done", ended_at: at, outcome });
}
