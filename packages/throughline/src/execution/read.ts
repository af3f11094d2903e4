/** Reads values from an agent's state. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { Usage } from "../model/model-port.ts";
import type { AgentState, AgentWork, ExecutionStatus } from "./agent-state.ts";
import { addUsage, noUsage } from "./ledger.ts";
import {
  agentStepType,
  type ClosedStep,
  highestSignal,
  isForced,
  type OpenStep,
  standing,
  stepCalls,
  stepErrors,
  stepText,
  type StepType,
  type StopSignal,
  type ToolExecution,
} from "./step.ts";

/** Returns the work of the execution, or undefined without one. */
export const workOf = ({ execution }: AgentState): AgentWork | undefined => (execution.phase === "idle" ? undefined : execution);

/** Returns the public status. */
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

/** Returns the closed steps of the execution in order. */
export function stepsOf(state: AgentState): readonly ClosedStep[] {
  const work = workOf(state);
  return work === undefined ? [] : work.steps.toArray();
}

/** Returns the open step. */
export const currentStep = (state: AgentState): OpenStep | undefined => workOf(state)?.step;

/** Returns the last closed step. */
export function lastStep(state: AgentState): ClosedStep | undefined {
  const work = workOf(state);
  return work === undefined ? undefined : work.steps.at(-1);
}

/** Returns the open step, else the last closed one. */
export const currentStepOrLast = (state: AgentState): OpenStep | undefined => currentStep(state) ?? lastStep(state);

/** Counts the closed steps and the open one. Changes to the conversation do not affect it. */
export function stepCount(state: AgentState): number {
  const work = workOf(state);
  return work === undefined ? 0 : work.steps.length + (work.step === undefined ? 0 : 1);
}

/** Returns the type of the last closed step. */
export function lastStepType(state: AgentState): StepType | undefined {
  const step = lastStep(state);
  return step === undefined ? undefined : agentStepType(step);
}

/** Returns the last tool call with a result, of the open step or an earlier one. */
export function lastToolExecution(state: AgentState): ToolExecution | undefined {
  const open = currentStep(state)?.tool_executions.at(-1);
  const steps = workOf(state)?.steps;
  if (open !== undefined || steps === undefined) return open;
  return steps.findLast(({ tool_executions }) => tool_executions.length > 0)?.tool_executions.at(-1);
}

/** Returns the tokens of the execution so far, including the open step. */
export function usageOf(state: AgentState): Usage {
  const work = workOf(state);
  if (work === undefined) return noUsage;
  return work.step?.response === undefined ? work.usage : addUsage(work.usage, work.step.response.usage);
}

/** Returns all errors of the execution: those of its steps in order, then those outside of steps. */
export function errorsOf(state: AgentState): readonly ErrorInfo[] {
  const work = workOf(state);
  if (work === undefined) return [];
  const open = work.step === undefined ? [] : stepErrors(work.step);
  const closed = work.error_count === 0 ? [] : work.steps.toArray().flatMap(stepErrors);
  return [...closed, ...open, ...work.errors];
}

/** Tells whether there was any error, including recovered ones. */
export function hasErrors(state: AgentState): boolean {
  const work = workOf(state);
  return work !== undefined && (work.error_count > 0 || work.errors.length > 0 || (work.step !== undefined && stepErrors(work.step).length > 0));
}

/** Returns the text of the last closed step. */
export const lastText = ({ steps }: AgentWork): string => stepText(steps.at(-1) ?? {});

/** Returns the answer: the text of the open or last step if it is a final response, else undefined. */
export function finalResponse(state: AgentState): string | undefined {
  const step = currentStepOrLast(state);
  return step !== undefined && agentStepType(step) === "final_response" ? step.response?.text : undefined;
}

/** Tells whether there is an answer. */
export const hasFinalResponse = (state: AgentState): boolean => finalResponse(state) !== undefined;

/** Returns the text of the open or last step. */
export const currentResponse = (state: AgentState): string => currentStepOrLast(state)?.response?.text ?? "";

/** Returns the deciding stop signal of all raised ones: the highest priority, and on a tie the earliest. */
export const stopSignalOf = (state: AgentState): StopSignal | undefined => highestSignal(workOf(state)?.signals ?? []);

/** Returns the duration of the execution in milliseconds, up to `now` while it runs. Undefined without an execution. */
export function executionDuration({ execution }: AgentState, now: number): number | undefined {
  if (execution.phase === "idle") return undefined;
  return Math.max(0, (execution.phase === "done" ? execution.ended_at : now) - execution.started_at);
}

/** Returns the duration of a step in milliseconds, up to `now` while it is open. */
export const stepDuration = (step: OpenStep | ClosedStep, now: number): number =>
  Math.max(0, ("ended_at" in step ? step.ended_at : now) - step.started_at);

/** Whether another step follows, and the reason. */
export type ContinuationDecision =
  | { readonly next: "step"; readonly because: "first_step" | "continuation" | "tool_calls" | "unanswered" }
  | { readonly next: "stop"; readonly because: "no_execution" | "paused" | "done" | "answered" }
  | { readonly next: "stop"; readonly because: "signal"; readonly signal: StopSignal; readonly forced: boolean };

/** Additional inputs of {@link continuationOf}. */
export interface ContinuationOptions {
  /** Reached limits, as `exhausted` returns them. They do not stop an answer, and a continuation can waive them like signals. */
  readonly limits?: readonly StopSignal[];
  /** Whether the last step is the answer. By default, a step without calls is, unless a continuation is requested. */
  readonly answered?: boolean;
}

/** Returns the signals that no continuation waives. */
export function standingSignals({ execution }: AgentState): readonly StopSignal[] {
  if (execution.phase === "idle") return [];
  return standing(execution.signals, execution.continuation);
}

/**
 * Decides whether another step follows, depending only on the arguments. An active signal stops, and so does a limit unless the last step is the
 * answer. A continuation, tool calls and the first step go on. An answer stops.
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

/** Tells whether no other step follows. */
export const shouldStop = (state: AgentState): boolean => continuationOf(state).next === "stop";

/** Describes the signals and the continuation as text. */
export function explain({ execution }: AgentState): string {
  if (execution.phase === "idle") return "No stop signals; no continuation requested.";
  const { signals, continuation } = execution;
  const raised =
    signals.length === 0 ? "No stop signals" : signals.map(({ reason, message }) => (message === "" ? reason : `${reason}: ${message}`)).join(" | ");
  if (continuation === undefined) return `${raised}; no continuation requested.`;
  const waived = continuation.waives.length === 0 ? "" : ` in spite of ${continuation.waives.join(", ")}`;
  return `${raised}; continuation ${continuation.pending ? "requested" : "granted"}${waived}.`;
}

/** A summary with nine keys, for logs and tests. */
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

/** Returns a summary of the state for logs and tests. */
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
