/** Steps of an execution, which are model calls with their tool calls, and the signals that stop it. A step's type is derived from its parts and not stored. */
import type { ErrorInfo } from "../kernel/error.ts";
import type { StepId } from "../kernel/id.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { FinishReason, ModelToolCall, Usage } from "../model/model-port.ts";
import type { ToolOutcome } from "../state/tool-outcome.ts";
import type { MessageRange } from "./agent-message.ts";

/** Stop reasons by priority (0 wins). A forced stop ends the execution as `stopped`; others let it end as `completed`. */
export const stopReasons = {
  error_forbade: { priority: 0, forced: true },
  stop_requested: { priority: 1, forced: true },
  steps_limit: { priority: 2, forced: true },
  token_limit: { priority: 3, forced: true },
  time_limit: { priority: 4, forced: true },
  cost_limit: { priority: 5, forced: true },
  deadline: { priority: 6, forced: true },
  attempts_limit: { priority: 7, forced: true },
  retry_limit: { priority: 8, forced: true },
  finish_reason: { priority: 9, forced: false },
  user_requested: { priority: 10, forced: true },
  completed: { priority: 11, forced: false },
  unknown: { priority: 12, forced: true },
} as const;

/** A stop reason. */
export type StopReason = keyof typeof stopReasons;

/** A request to end an execution. It is data, not control flow. */
export interface StopSignal {
  readonly reason: StopReason;
  /** One sentence with the values seen, such as `3 of 3 steps`. */
  readonly message: string;
  /** The requester: a stage, a hook, a limit, or a human. */
  readonly source?: string;
  readonly context?: JsonObject;
}

/** Tells whether a signal ends the execution as `stopped`. */
export const isForced = (signal: StopSignal): boolean => stopReasons[signal.reason].forced;

/** Returns the winning signal: the lowest priority number, and on a tie the earliest. Returns undefined without signals. */
export function highestSignal(signals: readonly StopSignal[]): StopSignal | undefined {
  let highest: StopSignal | undefined;
  for (const signal of signals) {
    if (highest === undefined || stopReasons[signal.reason].priority < stopReasons[highest.reason].priority) highest = signal;
  }
  return highest;
}

/** Returns the signals that a continuation does not waive. */
export const standing = (
  signals: readonly StopSignal[],
  continuation: { readonly waives: readonly StopReason[] } | undefined,
): readonly StopSignal[] => (continuation === undefined ? signals : signals.filter(({ reason }) => !continuation.waives.includes(reason)));

/** Type of a step. Derived, never stored. */
export type StepType = "error" | "tool_execution" | "final_response" | "empty";

/**
 * Type of a model's reply. `filtered`: the provider withheld it. `calls`: it calls tools. `truncated`: it reached the maximum number of output
 * tokens. `failed`: the provider reported an error. `empty`: it is blank. `answer`: complete text.
 */
type ReplyType = "filtered" | "calls" | "truncated" | "failed" | "empty" | "answer";

/** Returns the type of a reply. Only `calls` may be run, and only an `answer` is one. */
export function replyType({ finish_reason, calls, text }: Pick<StepResponse, "finish_reason" | "calls" | "text">): ReplyType {
  if (finish_reason === "content_filter") return "filtered";
  if (calls.length > 0) return "calls";
  if (finish_reason === "length") return "truncated";
  if (finish_reason === "error") return "failed";
  return text.trim() === "" ? "empty" : "answer";
}

/** A tool call and its result. */
export interface ToolExecution {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly result: ToolOutcome;
  readonly started_at: number;
  readonly ended_at: number;
}

/** Returns the value of a successful call, else undefined. */
export const valueOf = ({ result }: ToolExecution): Json | undefined => (result.type === "ok" ? result.value : undefined);

/** Returns the error of a failed call, else undefined. */
export const errorOf = ({ result }: ToolExecution): ErrorInfo | undefined => (result.type === "error" ? result.error : undefined);

/** Tells whether the call was blocked. */
export const wasBlocked = ({ result }: ToolExecution): boolean => result.type === "blocked";

/** A model's answer. */
export interface StepResponse {
  readonly text: string;
  /** The calls that it requests, run or not. */
  readonly calls: readonly ModelToolCall[];
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
  /** The model that answered. */
  readonly model?: string;
}

/** An open step: one model call with its tool calls. */
export interface OpenStep {
  readonly step_id: StepId;
  readonly started_at: number;
  /** Number of messages in the log when the step started: its input. */
  readonly input_upto: number;
  readonly response?: StepResponse;
  readonly tool_executions: readonly ToolExecution[];
  /** Errors of the step itself. Errors of its calls are stored with the calls. */
  readonly errors: readonly ErrorInfo[];
}

/** A closed step. Its type is derived and not stored. */
export interface ClosedStep extends OpenStep {
  readonly ended_at: number;
  /** The messages that it added to the log. */
  readonly output: MessageRange;
  /** Number of stop signals when it was closed. */
  readonly signals_upto: number;
}

/** Returns all errors of a step: those of its calls, then its own. */
export const stepErrors = (step: OpenStep): readonly ErrorInfo[] => [
  ...step.tool_executions.flatMap((execution) => errorOf(execution) ?? []),
  ...step.errors,
];

/**
 * Returns the type of a step. Errors, including those of its calls, outrank calls, and calls outrank text. Without calls, a blank or missing answer
 * is `empty`.
 */
export function agentStepType(step: OpenStep): StepType {
  if (stepErrors(step).length > 0) return "error";
  if ((step.response?.calls.length ?? 0) > 0) return "tool_execution";
  return step.response === undefined || step.response.text.trim() === "" ? "empty" : "final_response";
}

/** Returns the text of a step's answer, or an empty text. */
export const stepText = ({ response }: Pick<OpenStep, "response">): string => response?.text ?? "";

/** Returns the calls that a step's answer requests. */
export const stepCalls = ({ response }: Pick<OpenStep, "response">): readonly ModelToolCall[] => response?.calls ?? [];
