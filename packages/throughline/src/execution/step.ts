/** Steps of an execution: a model call with its tool calls. What a step was derives from its parts and is not stored. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { StepId } from "../kernel/id.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { FinishReason, ModelToolCall, Usage } from "../model/port.ts";
import type { ToolOutcome } from "../state/tool-outcome.ts";
import type { MessageRange } from "./agent-message.ts";

/** The type of a step: derived, never stored. */
export type StepType = "error" | "tool_execution" | "final_response" | "empty";

/**
 * What a model's reply was. `filtered`: the provider held it back; `calls`: it asks for tools; `truncated`: it was cut at the maximum of output
 * tokens; `failed`: the provider says that something went wrong; `empty`: blank; `answer`: text that is whole.
 */
export type ReplyType = "filtered" | "calls" | "truncated" | "failed" | "empty" | "answer";

/** What a reply was: only `calls` are to be run, and only an `answer` is one. */
export function replyType({ finish_reason, calls, text }: Pick<StepResponse, "finish_reason" | "calls" | "text">): ReplyType {
  if (finish_reason === "content_filter") return "filtered";
  if (calls.length > 0) return "calls";
  if (finish_reason === "length") return "truncated";
  if (finish_reason === "error") return "failed";
  return text.trim() === "" ? "empty" : "answer";
}

/** A call and what became of it. */
export interface ToolExecution {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly result: ToolOutcome;
  readonly started_at: number;
  readonly ended_at: number;
}

/** The value that a call came back with; undefined if it did not. */
export const valueOf = ({ result }: ToolExecution): Json | undefined => (result.type === "ok" ? result.value : undefined);

/** The error of a call that failed; undefined if it did not. */
export const errorOf = ({ result }: ToolExecution): ErrorInfo | undefined => (result.type === "error" ? result.error : undefined);

/** Whether something forbade the call. */
export const wasBlocked = ({ result }: ToolExecution): boolean => result.type === "blocked";

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

/**
 * What a step was: an error outranks calls, calls outrank text; blank text without calls is `empty`. Errors of its calls count as its errors, and without
 * an answer it is `empty`.
 */
export function agentStepType(step: OpenStep): StepType {
  if (stepErrors(step).length > 0) return "error";
  if ((step.response?.calls.length ?? 0) > 0) return "tool_execution";
  return step.response === undefined || step.response.text.trim() === "" ? "empty" : "final_response";
}

/** The text of a step's answer; empty without one. */
export const stepText = ({ response }: Pick<OpenStep, "response">): string => response?.text ?? "";

/** The calls that a step's answer asks for. */
export const stepCalls = ({ response }: Pick<OpenStep, "response">): readonly ModelToolCall[] => response?.calls ?? [];
