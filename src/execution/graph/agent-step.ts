import type { ErrorInfo } from "../../kernel/error.ts";
import type { StepId } from "../../kernel/id.ts";
import type { FinishReason, ModelToolCall, Usage } from "../../model/port.ts";
import { stepType, type StepType } from "../step.ts";
import type { MessageRange } from "./message.ts";
import { errorOf, type ToolExecution } from "./tool-execution.ts";

/** The answer of a model. */
export interface StepResponse {
  readonly text: string;
  /** The calls that it asks for, run or not. */
  readonly calls: readonly ModelToolCall[];
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
  /** Which model answered. */
  readonly model?: string;
}

/** A step that is at work: one model call with its tool calls. */
export interface OpenStep {
  readonly step_id: StepId;
  readonly started_at: number;
  /** The step was asked with the conversation up to this message. */
  readonly input_upto: number;
  readonly response?: StepResponse;
  readonly tool_executions: readonly ToolExecution[];
  /** Errors of the step itself; those of its calls are with the calls. */
  readonly errors: readonly ErrorInfo[];
}

/** A step that is closed. What it was derives from it; nothing of that is stored. */
export interface ClosedStep extends OpenStep {
  readonly ended_at: number;
  /** The messages that it added to the log. */
  readonly output: MessageRange;
  /** How many stop signals there were when it was closed. */
  readonly signals_upto: number;
}

/** All errors of a step: those of its calls, then its own, each once. */
export const stepErrors = (step: OpenStep): readonly ErrorInfo[] => [
  ...step.tool_executions.flatMap((execution) => errorOf(execution) ?? []),
  ...step.errors,
];

/** The type of a step, by {@link stepType}; errors of its calls count as its errors, and without an answer it is `empty`. */
export const agentStepType = (step: OpenStep): StepType =>
  stepType({ errors: stepErrors(step), calls: step.response?.calls ?? [], text: step.response?.text ?? "" });
