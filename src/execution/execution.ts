/**
 * The agent working on a turn, as an immutable value: one union of phases, and functions that lead from one to the next. A function that is
 * called in the wrong phase throws `execution.phase`; nothing starts an execution implicitly.
 */
import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { ExecutionId } from "../kernel/id.ts";
import type { Usage } from "../model/port.ts";
import type { Budget, Spent } from "./budget.ts";
import { exhausted } from "./budget.ts";
import { stepType, type Step } from "./step.ts";
import { highestSignal, isForced, type StopSignal } from "./stop.ts";
import { addUsage, noUsage } from "./usage.ts";

/** What running and paused executions share, and done ones keep. */
interface Work {
  readonly execution_id: ExecutionId;
  readonly started_at: number;
  readonly budget: Budget;
  readonly steps: readonly Step[];
  readonly usage: Usage;
  /** Every signal raised, in order; the highest decides. */
  readonly signals: readonly StopSignal[];
  /** One more step was asked for, though nothing else would call for it. */
  readonly continuation: boolean;
}

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly type: "completed"; readonly answer: string; /** Errors that the execution recovered from. */ readonly warnings: readonly ErrorInfo[] }
  | { readonly type: "stopped"; readonly signal: StopSignal }
  | { readonly type: "failed"; readonly error: ErrorInfo };

export interface Idle {
  readonly phase: "idle";
}
export interface Running extends Work {
  readonly phase: "running";
}
export interface Paused extends Work {
  readonly phase: "paused";
  readonly reason: string;
}
export interface Done extends Work {
  readonly phase: "done";
  readonly ended_at: number;
  readonly outcome: ExecutionOutcome;
}
export type Execution = Idle | Running | Paused | Done;

export type ExecutionStatus = "pending" | "in_progress" | "paused" | "completed" | "stopped" | "failed";

/** No execution yet. */
export const idle: Idle = Object.freeze({ phase: "idle" });

/** The status that the outside sees. */
export function status(execution: Execution): ExecutionStatus {
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

/** Starts an execution: the only place where an execution id enters. */
export function beginExecution(options: { readonly execution_id: ExecutionId; readonly budget: Budget; readonly at: number }): Running {
  return Object.freeze({
    phase: "running",
    execution_id: options.execution_id,
    started_at: options.at,
    budget: options.budget,
    steps: [],
    usage: noUsage,
    signals: [],
    continuation: false,
  });
}

function inPhase<Phase extends Execution["phase"]>(execution: Execution, phase: Phase, what: string): Extract<Execution, { phase: Phase }> {
  if (execution.phase === phase) return execution as Extract<Execution, { phase: Phase }>;
  throw new ThroughlineError("execution.phase", `An execution that is ${execution.phase} cannot ${what}; it must be ${phase}.`, {
    details: { phase: execution.phase, wanted: phase },
  });
}

/** With a closed step. The same step twice changes nothing. A continuation that was asked for is used up. */
export function withStep(execution: Execution, step: Step): Running {
  const running = inPhase(execution, "running", "take a step");
  if (running.steps.some((known) => known.step_id === step.step_id)) return running;
  return Object.freeze({
    ...running,
    steps: Object.freeze([...running.steps, step]),
    usage: addUsage(running.usage, step.usage),
    continuation: false,
  });
}

/** With a signal raised. */
export function withSignal(execution: Execution, signal: StopSignal): Running {
  const running = inPhase(execution, "running", "take a stop signal");
  return Object.freeze({ ...running, signals: Object.freeze([...running.signals, Object.freeze(signal)]) });
}

/** With one more step asked for. It does not overrule a signal. */
export function withContinuation(execution: Execution): Running {
  return Object.freeze({ ...inPhase(execution, "running", "continue"), continuation: true });
}

/** Paused, such as for an approval. */
export const pause = (execution: Execution, reason: string): Paused =>
  Object.freeze({ ...inPhase(execution, "running", "pause"), phase: "paused", reason });

/** Running again: the same execution, not a new one. */
export function resume(execution: Execution): Running {
  const { reason: _reason, ...work } = inPhase(execution, "paused", "resume");
  return Object.freeze({ ...work, phase: "running" });
}

/** What is spent. Active time is the time of the steps. */
export function spent(execution: Running | Paused | Done): Spent {
  return { steps: execution.steps.length, active_ms: execution.steps.reduce((sum, step) => sum + (step.ended_at - step.started_at), 0) };
}

/** Whether another step follows, and why. */
export type Decision = { readonly next: "step" } | { readonly next: "stop"; readonly signal: StopSignal };

/** The one decision function: a signal stops; a budget that is used up stops; calls, a continuation and the very first step go on; text ends it. */
export function decide(execution: Running): Decision {
  const last = execution.steps.at(-1);
  const limits = exhausted(execution.budget, spent(execution));
  const answered = last !== undefined && stepType(last) !== "tool_execution" && !execution.continuation;
  const natural: readonly StopSignal[] = answered ? [{ reason: "completed", message: "The model answered." }] : limits;
  const signal = highestSignal([...execution.signals, ...natural]);
  return signal === undefined ? { next: "step" } : { next: "stop", signal };
}

/** The end of an execution that stopped with `signal`: completed with the last step's text, or stopped if the signal is forced. */
export function finish(execution: Execution, signal: StopSignal, at: number): Done {
  const running = inPhase(execution, "running", "finish");
  const outcome: ExecutionOutcome = isForced(signal)
    ? { type: "stopped", signal }
    : { type: "completed", answer: running.steps.at(-1)?.text ?? "", warnings: running.steps.flatMap((step) => step.errors) };
  return Object.freeze({ ...running, phase: "done", ended_at: at, outcome: Object.freeze(outcome) });
}

/** The end of an execution that failed. The error is kept even if no step had begun. */
export function fail(execution: Execution, error: ErrorInfo, at: number): Done {
  return Object.freeze({ ...inPhase(execution, "running", "fail"), phase: "done", ended_at: at, outcome: Object.freeze({ type: "failed", error }) });
}
