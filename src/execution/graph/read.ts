/** What can be read of an agent's state. */
import type { ErrorInfo } from "../../kernel/error.ts";
import type { Usage } from "../../model/port.ts";
import { status, type ExecutionStatus } from "../execution.ts";
import type { StepType } from "../step.ts";
import { highestSignal, type StopSignal } from "../stop.ts";
import { addUsage, noUsage } from "../usage.ts";
import { agentStepType, stepErrors, type ClosedStep, type OpenStep } from "./agent-step.ts";
import type { AgentState, AgentWork } from "./agent-state.ts";
import type { ToolExecution } from "./tool-execution.ts";

/** What the execution has done; undefined without one. */
export const workOf = ({ execution }: AgentState): AgentWork | undefined => (execution.phase === "idle" ? undefined : execution);

/** The status that the outside sees. */
export const statusOf = ({ execution }: AgentState): ExecutionStatus => status(execution);

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
export const lastText = (work: AgentWork): string => work.steps.at(-1)?.response?.text ?? "";

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
