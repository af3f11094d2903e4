import type { ErrorInfo } from "../../kernel/error.ts";
import type { StepId } from "../../kernel/id.ts";
import type { FinishReason, ModelToolCall, Usage } from "../../model/port.ts";
import type { StepType } from "../step.ts";
import type { MessageRange } from "./message.ts";
import { errorOf, type ToolExecution } from "./tool-execution.ts";

/** What a model answered. */
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

/** What a step was: an error outranks calls, calls outrank text; blank text without calls is `empty`. */
export function agentStepType(step: OpenStep): StepType {
  if (stepErrors(step).length > 0) return "error";
  if ((step.response?.calls.length ?? 0) > 0) return "tool_execution";
  return (step.response?.text ?? "").trim() === "" ? "empty" : "final_response";
}
