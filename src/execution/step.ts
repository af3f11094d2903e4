import type { ErrorInfo } from "../kernel/error.ts";
import { stepIdOf, type StepId } from "../kernel/id.ts";
import { deepFreeze } from "../kernel/json.ts";
import type { FinishReason, ModelToolCall, Usage } from "../model/port.ts";

/** One model call with its tool calls. Its type is derived, never stored. */
export interface Step {
  readonly step_id: StepId;
  /** Counts from 1 within the execution. */
  readonly index: number;
  readonly text: string;
  /** What the model asked for, run or not. */
  readonly calls: readonly ModelToolCall[];
  readonly errors: readonly ErrorInfo[];
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
  /** What it cost, in the unit of the price table; left out without a price. */
  readonly cost?: number;
  readonly started_at: number;
  readonly ended_at: number;
}

/** The type of a step: derived, never stored. */
export type StepType = "error" | "tool_execution" | "final_response" | "empty";

/** A closed step, frozen. */
export const createStep = (step: Omit<Step, "step_id">): Step => deepFreeze({ step_id: stepIdOf(step.index), ...step });

/** What a step was: an error outranks calls, calls outrank text; blank text without calls is `empty`. */
export function stepType({ errors, calls, text }: Pick<Step, "errors" | "calls" | "text">): StepType {
  if (errors.length > 0) return "error";
  if (calls.length > 0) return "tool_execution";
  return text.trim() === "" ? "empty" : "final_response";
}

/**
 * What a model's reply was. `filtered`: the provider held it back; `calls`: it asks for tools; `truncated`: it was cut at the maximum of output
 * tokens; `failed`: the provider says that something went wrong; `empty`: blank; `answer`: text that is whole.
 */
export type ReplyType = "filtered" | "calls" | "truncated" | "failed" | "empty" | "answer";

/** What a step's reply was: only `calls` are to be run, and only an `answer` is one. */
export function replyType({ finish_reason, calls, text }: Pick<Step, "finish_reason" | "calls" | "text">): ReplyType {
  if (finish_reason === "content_filter") return "filtered";
  if (calls.length > 0) return "calls";
  if (finish_reason === "length") return "truncated";
  if (finish_reason === "error") return "failed";
  return text.trim() === "" ? "empty" : "answer";
}
