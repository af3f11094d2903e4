/** What can be read of an agent's state. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Usage } from "../model/port.ts";
import type { AgentState, AgentWork, ExecutionStatus } from "./agent-state.ts";
import { addUsage, noUsage } from "./spent.ts";
import { agentStepType, stepCalls, stepErrors, stepText, type ClosedStep, type OpenStep, type StepType, type ToolExecution } from "./step.ts";
import { highestSignal, isForced, standing, type StopSignal } from "./stop.ts";

/** What the execution has done; undefined without one. */
export const workOf = ({ execution }: AgentState): AgentWork | undefined => (execution.phase === "idle" ? undefined : execution);

/** The status that the outside sees. */
export function statusOf({ execution }: AgentState): ExecutionStatus {
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

/** The closed steps of the execution, in order. */
export function stepsOf(state: AgentState): readonly ClosedStep[] {
  const work = workOf(state);
  return work === undefined ? [] : work.steps.toArray();
}

/** The step that is open. */
export const currentStep = (state: AgentState): OpenStep | undefined => workOf(state)?.step;

/** The step that was closed last. */
export function lastStep(state: AgentState): ClosedStep | undefined {
  const work = workOf(state);
  return work === undefined ? undefined : work.steps.at(-1);
}

/** The open step, or else the last one. */
export const currentStepOrLast = (state: AgentState): OpenStep | undefined => currentStep(state) ?? lastStep(state);

/** Closed steps and the open one. Nothing that happens to the conversation changes it. */
export function stepCount(state: AgentState): number {
  const work = workOf(state);
  return work === undefined ? 0 : work.steps.length + (work.step === undefined ? 0 : 1);
}

/** The type of the last closed step. */
export function lastStepType(state: AgentState): StepType | undefined {
  const step = lastStep(state);
  return step === undefined ? undefined : agentStepType(step);
}

/** The last call that has a result, of the open step or one before it. */
export function lastToolExecution(state: AgentState): ToolExecution | undefined {
  const open = currentStep(state)?.tool_executions.at(-1);
  const steps = workOf(state)?.steps;
  if (open !== undefined || steps === undefined) return open;
  return steps.findLast(({ tool_executions }) => tool_executions.length > 0)?.tool_executions.at(-1);
}

/** Tokens of the execution so far, the open step included. */
export function usageOf(state: AgentState): Usage {
  const work = workOf(state);
  if (work === undefined) return noUsage;
  return work.step?.response === undefined ? work.usage : addUsage(work.usage, work.step.response.usage);
}

/** Every error of the execution: those of its steps in order, then those that belong to no step. */
export function errorsOf(state: AgentState): readonly ErrorInfo[] {
  const work = workOf(state);
  if (work === undefined) return [];
  const open = work.step === undefined ? [] : stepErrors(work.step);
  const closed = work.error_count === 0 ? [] : work.steps.toArray().flatMap(stepErrors);
  return [...closed, ...open, ...work.errors];
}

/** Whether there was any error, recovered from or not. */
export function hasErrors(state: AgentState): boolean {
  const work = workOf(state);
  return work !== undefined && (work.error_count > 0 || work.errors.length > 0 || (work.step !== undefined && stepErrors(work.step).length > 0));
}

/** The text of the last closed step. */
export const lastText = ({ steps }: AgentWork): string => stepText(steps.at(-1) ?? {});

/** The answer: the text of the open or last step if it is a final response; undefined if there is none. */
export function finalResponse(state: AgentState): string | undefined {
  const step = currentStepOrLast(state);
  return step !== undefined && agentStepType(step) === "final_response" ? step.response?.text : undefined;
}

/** Whether there is an answer. */
export const hasFinalResponse = (state: AgentState): boolean => finalResponse(state) !== undefined;

/** The answer, or else the text of the open or last step so far. */
export const currentResponse = (state: AgentState): string => currentStepOrLast(state)?.response?.text ?? "";

/** The stop signal that counts: the highest, the earliest among equals, of all that were raised. */
export const stopSignalOf = (state: AgentState): StopSignal | undefined => highestSignal(workOf(state)?.signals ?? []);

/** Milliseconds from the beginning to the end, or to `now` while it lasts; undefined without an execution. */
export function executionDuration({ execution }: AgentState, now: number): number | undefined {
  if (execution.phase === "idle") return undefined;
  return Math.max(0, (execution.phase === "done" ? execution.ended_at : now) - execution.started_at);
}

/** Milliseconds that a step took, or has taken by `now` while it is open. */
export const stepDuration = (step: OpenStep | ClosedStep, now: number): number =>
  Math.max(0, ("ended_at" in step ? step.ended_at : now) - step.started_at);

/** Whether another step follows, and what decided it. */
export type ContinuationDecision =
  | { readonly next: "step"; readonly because: "first_step" | "continuation" | "tool_calls" | "unanswered" }
  | { readonly next: "stop"; readonly because: "no_execution" | "paused" | "done" | "answered" }
  | { readonly next: "stop"; readonly because: "signal"; readonly signal: StopSignal; readonly forced: boolean };

/** What {@link continuationOf} decides by besides the state. */
export interface ContinuationOptions {
  /** The limits that are reached, as `exhausted` returns them. They stop no answer, and a continuation can waive them like signals. */
  readonly limits?: readonly StopSignal[];
  /** Whether the last step is the answer. By default an answer is a step without calls, unless a continuation is requested. */
  readonly answered?: boolean;
}

/** The signals that no continuation waives. */
export function standingSignals({ execution }: AgentState): readonly StopSignal[] {
  if (execution.phase === "idle") return [];
  return standing(execution.signals, execution.continuation);
}

/**
 * The one decision, the same for the same arguments: a signal that stands stops, and so does a limit unless the last step has answered; a continuation, calls and
 * the very first step go on; an answer ends it.
 */
export function continuationOf(state: AgentState, { limits = [], answered }: ContinuationOptions = {}): ContinuationDecision {
  const { execution } = state;
  if (execution.phase === "idle") return { next: "stop", because: "no_execution" };
  if (execution.phase !== "running") return { next: "stop", because: execution.phase };
  const { continuation } = execution;
  const step = currentStepOrLast(state);
  const isAnswered = answered ?? (step !== undefined && continuation?.pending !== true && stepCalls(step).length === 0);
  const signal = highestSignal([...standing(execution.signals, continuation), ...(isAnswered ? [] : standing(limits, continuation))]);
  if (signal !== undefined) return { next: "stop", because: "signal", signal, forced: isForced(signal) };
  if (isAnswered) return { next: "stop", because: "answered" };
  if (continuation?.pending === true) return { next: "step", because: "continuation" };
  if (step === undefined) return { next: "step", because: "first_step" };
  return { next: "step", because: stepCalls(step).length > 0 ? "tool_calls" : "unanswered" };
}

/** Whether no other step follows. */
export const shouldStop = (state: AgentState): boolean => continuationOf(state).next === "stop";

/** The signals and the continuation as text. */
export function explain({ execution }: AgentState): string {
  if (execution.phase === "idle") return "No stop signals; no continuation requested.";
  const { signals, continuation } = execution;
  const raised =
    signals.length === 0 ? "No stop signals" : signals.map(({ reason, message }) => (message === "" ? reason : `${reason}: ${message}`)).join(" | ");
  if (continuation === undefined) return `${raised}; no continuation requested.`;
  const waived = continuation.waives.length === 0 ? "" : ` in spite of ${continuation.waives.join(", ")}`;
  return `${raised}; continuation ${continuation.pending ? "requested" : "granted"}${waived}.`;
}

/** A summary for logs and tests: nine keys. */
export interface AgentStateSummary {
  readonly status: ExecutionStatus;
  readonly executionCount: number;
  readonly hasExecution: boolean;
  readonly executionId: string | undefined;
  readonly steps: number;
  readonly continuation: string;
  readonly hasErrors: boolean;
  readonly errors: readonly ErrorInfo[];
  readonly usage: Usage;
}

/** A summary of the state, for logs and tests. */
export const debug = (state: AgentState): AgentStateSummary => ({
  status: statusOf(state),
  executionCount: state.execution_count,
  hasExecution: state.execution.phase !== "idle",
  executionId: workOf(state)?.execution_id,
  steps: stepCount(state),
  continuation: explain(state),
  hasErrors: hasErrors(state),
  errors: errorsOf(state),
  usage: usageOf(state),
});
