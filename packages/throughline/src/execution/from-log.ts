/**
 * Restores the state of a turn's execution by folding the turn's events over the transitions. The model loop makes the same transitions as it runs.
 * So hooks see the same state that the log gives to readers.
 */
import { errorCatalogue, type ErrorCode } from "../kernel/error-catalogue.ts";
import type { ErrorInfo } from "../kernel/error.ts";
import type { ExecutionId, StepId } from "../kernel/id.ts";
import { notJson, type JsonObject, present } from "../kernel/json.ts";
import type { FinishReason, Usage } from "../model/model-port.ts";
import type { Event, EventOf, PendingCall, ToolCall, ToolData, ToolResult, TurnData } from "../session/event.ts";
import type { Message } from "../session/session-messages.ts";
import type { ToolOutcome } from "../state/tool-outcome.ts";
import type { AgentMessageGiven, MessageTags } from "./agent-message.ts";
import { createAgentState, withContext, type AgentState, type AgentStateIn } from "./agent-state.ts";
import { appended, withAppendedMessages } from "./conversation.ts";
import { currentStep, lastText, workOf } from "./read.ts";
import { noUsage } from "./ledger.ts";
import { type OpenStep, stepCalls, type StepResponse, type StopReason, stopReasons, type StopSignal } from "./step.ts";
import {
  beginExecution,
  closeStep,
  failExecution,
  finishExecution,
  openStep,
  pauseExecution,
  recordError,
  recordResponse,
  recordToolResult,
  requestContinuation,
  requestStop,
  resumeExecution,
} from "./transitions.ts";

/** A turn before its execution starts. */
export interface TurnBefore {
  readonly agent_id: string;
  /** Id of the agent whose tool call the turn's session performs. */
  readonly parent_agent_id?: string | undefined;
  /** Time at which the session was created. */
  readonly created_at: number;
  /** Number of the turn in its session. Every earlier turn counts as an execution. */
  readonly number: number;
  /** The messages that the turn answers. */
  readonly answered: readonly (AgentMessageGiven & { readonly at: number })[];
}

/** Converts a message of the log to the form of an agent's state. */
export const answeredMessage = ({ role, text, name }: Message): AgentMessageGiven => ({ role, text, ...present({ name }) });

/** Returns the state before the execution, with the messages that the turn answers. */
export function stateOfTurn({ agent_id, parent_agent_id, created_at, number, answered }: TurnBefore): AgentState {
  const fresh = createAgentState({ agent_id, ...present({ parent_agent_id }), at: created_at });
  const counted: AgentState = Object.freeze({ ...fresh, execution_count: number - 1 });
  return answered.reduce((state, { at, ...message }) => withAppendedMessages(state, [message], { at }), counted);
}

/** Folds events of a turn (kinds `message`, `tool` and `turn`, in order) into the state `before`. */
export function executionFromLog(before: AgentState, execution_id: ExecutionId, events: readonly Event[]): AgentState {
  const answers = answersIn(events);
  const ran = new Map<string, JsonObject>();
  let undecided: readonly PendingCall[] = [];
  let state = before;
  for (const event of events) {
    const change = { at: event.created_at };
    if (event.kind === "turn") {
      undecided = stillUndecided(undecided, event.data);
      const isDecided = event.data.type === "decided" && undecided.length === 0;
      state = isDecided ? resumed(state, change.at) : withEntry(state, event.data, { ...change, execution_id, answers, ran });
    } else if (event.kind === "tool") {
      state = resumed(state, change.at);
      if (event.data.type === "called") ran.set(event.data.call_id, event.data.arguments);
      else state = withResult(state, event.data, { ...change, ran: ran.get(event.data.call_id) });
    } else if (event.kind === "message") state = withMessage(state, event, answers);
  }
  return state;
}

/** Returns the calls that wait for a decision after a journal entry. */
function stillUndecided(before: readonly PendingCall[], data: TurnData): readonly PendingCall[] {
  if (data.type === "paused") return data.pending;
  return data.type === "decided" ? before.filter(({ call_id, index }) => call_id !== data.call_id || index !== data.index) : before;
}

/** Closes the open step if the execution runs and every call has a result. The loop continues only then. */
export function withoutSettled<State extends AgentState>(state: State, at: number): State | AgentStateIn<"running"> {
  const step = currentStep(state);
  const isOver = step !== undefined && state.execution.phase === "running" && step.tool_executions.length === stepCalls(step).length;
  return isOver ? closeStep(state, { at }) : state;
}

/** Answers of steps, by step. */
type Answers = ReadonlyMap<StepId, EventOf<"message">>;

/** Returns the messages of steps: those marked as work, and the reply for a step without one. Substitute replies are excluded. */
function answersIn(events: readonly Event[]): Answers {
  const answers = new Map<StepId, EventOf<"message">>();
  for (const event of events) {
    if (event.kind !== "message" || event.source !== "ai_agent" || event.data.origin === undefined) continue;
    const { step_id, stands_in } = event.data.origin;
    if (stands_in !== true && !answers.has(step_id)) answers.set(step_id, event);
  }
  return answers;
}

interface Entry {
  readonly at: number;
  readonly execution_id: ExecutionId;
  readonly answers: Answers;
  readonly ran: ReadonlyMap<string, JsonObject>;
}

function withEntry(before: AgentState, data: TurnData, { at, execution_id, answers, ran }: Entry): AgentState {
  if (data.type === "started") return beginExecution(before, { execution_id, at });
  if (before.execution.phase === "idle" || before.execution.phase === "done") return before;
  switch (data.type) {
    case "step": {
      const opened = openStep(closeStep(resumed(before, at), { at }), { at: Math.max(0, at - data.ms) });
      return recordResponse(opened, answeredIn(data, answers.get(data.step_id)?.data), { at });
    }
    case "attempt":
      return recordError(closeStep(resumed(before, at), { at }), plainError(data.error), { at });
    case "signal":
      return requestStop(withoutSettled(resumed(before, at), at), signalOf(data), { at });
    case "continue": {
      const waives = (data.waives ?? []).map(reasonOf);
      return requestContinuation(withoutSettled(resumed(before, at), at), { source: data.source, waives }, { at });
    }
    case "paused":
      return pauseExecution(resumed(before, at), data.pending[0]?.kind ?? "approval", { at });
    case "ended":
      return ended(withoutSettled(withUnknown(resumed(before, at), ran, at), at), data.outcome, at);
    default:
      return before;
  }
}

/** Resumes the execution if it is paused. */
const resumed = (state: AgentState, at: number): AgentState => (state.execution.phase === "paused" ? resumeExecution(state, { at }) : state);

/** Returns the answer of a step from its entry and its message. Without the message, only its usage is known. */
function answeredIn(
  { usage, finish_reason, model }: Extract<TurnData, { type: "step" }>,
  message: EventOf<"message">["data"] | undefined,
): StepResponse {
  const text = message === undefined ? "" : textOf(message.parts);
  return stepResponse({ text, calls: message?.calls ?? [], usage: { ...noUsage, ...usage }, finish_reason, model });
}

/** An agent's messages have only text parts. */
const textOf = (parts: EventOf<"message">["data"]["parts"]): string => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

const finishReasons: readonly FinishReason[] = ["stop", "length", "tool_calls", "content_filter", "error", "other"];

/** Returns a model's answer as an execution records it. */
export function stepResponse({
  text,
  calls,
  usage,
  finish_reason,
  model,
}: {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  readonly finish_reason: string;
  readonly model?: string | undefined;
}): StepResponse {
  const known = finishReasons.find((reason) => reason === finish_reason) ?? "other";
  return { text, calls, usage, finish_reason: known, ...present({ model }) };
}

const reasonOf = (reason: string): StopReason => (Object.hasOwn(stopReasons, reason) ? (reason as StopReason) : "unknown");

/** Converts a signal of the log. */
function signalOf({ reason, message, source, context }: Extract<TurnData, { type: "signal" }>): StopSignal {
  return { reason: reasonOf(reason), message, ...present({ source, context }) };
}

/** Records an unknown result for calls that started but have none when the turn ends. */
function withUnknown(state: AgentState, ran: ReadonlyMap<string, JsonObject>, at: number): AgentState {
  const step = currentStep(state);
  const lost = step === undefined ? [] : stepCalls(step).filter(({ call_id }) => ran.has(call_id) && !hasResult(step, call_id));
  return lost.reduce(
    (known, { call_id }) =>
      recordToolResult(known, { call_id, result: { type: "unknown" }, started_at: at, ...withArguments(ran.get(call_id)) }, { at }),
    state,
  );
}

const hasResult = ({ tool_executions }: OpenStep, call_id: string): boolean => tool_executions.some((known) => known.call_id === call_id);

const withArguments = (args: JsonObject | undefined): { readonly arguments?: JsonObject } => (args === undefined ? {} : { arguments: args });

/** Records the result of a call of the open step. `ran` has the arguments of the call. */
export function withResult<State extends AgentState>(
  state: State,
  { call_id, result, ms = 0 }: Extract<ToolData, { type: "returned" }>,
  { at, ran }: { readonly at: number; readonly ran: JsonObject | undefined },
): State | AgentStateIn<"running"> {
  const step = currentStep(state);
  const call = step === undefined ? undefined : stepCalls(step).find((known) => known.call_id === call_id);
  if (step === undefined || call === undefined || hasResult(step, call_id)) return state;
  const given = { call_id, result: outcomeOf(result), started_at: Math.max(0, at - Math.round(ms)), ...withArguments(ran) };
  const recorded = recordToolResult(state, given, { at });
  const { not_stored } = result.type === "ok" ? result : {};
  if (not_stored === undefined) return recorded;
  const error = plainError(not_stored);
  return recordError(recorded, { ...error, details: { ...error.details, tool: call.name } }, { at });
}

/** Returns a tool result without the text that replaces it for the model. */
function outcomeOf(result: ToolResult): ToolOutcome {
  switch (result.type) {
    case "ok":
      return { type: "ok", value: result.value };
    case "error":
      return { type: "error", error: plainError(result.error) };
    case "blocked":
      return { type: "blocked", by: result.by, reason: result.reason };
    case "skipped":
      return { type: "skipped", reason: result.reason };
    case "unknown":
      return { type: "unknown" };
  }
}

/** Returns an error with a code of the catalogue and JSON details. Hooks and imported logs may use other codes, which the details keep. */
function plainError({ code, message, hint, details: given }: ErrorInfo): ErrorInfo {
  const known = Object.hasOwn(errorCatalogue, code);
  const details = given === undefined || notJson(given) !== undefined ? undefined : given;
  const context = known ? details : { ...details, code };
  return { code: known ? code : ("tool.failed" satisfies ErrorCode), message, hint, ...present({ details: context }) };
}

/** Adds the reply, unless it is the text of a step. A substitute reply is marked as work. */
function withMessage(state: AgentState, event: EventOf<"message">, answers: Answers): AgentState {
  const { origin, parts, calls } = event.data;
  const work = workOf(state);
  if (event.source !== "ai_agent" || origin === undefined || work === undefined || state.execution.phase === "done") return state;
  const at = event.created_at;
  // A step without calls ends when its text is marked as work. With calls, their results are still to come.
  if (origin.is_trace === true && origin.stands_in !== true) return calls === undefined ? closeStep(resumed(state, at), { at }) : state;
  const isText = answers.get(origin.step_id) === event && (currentStep(state)?.step_id ?? work.steps.at(-1)?.step_id) === origin.step_id;
  const closed = closeStep(resumed(state, at), { at });
  if (isText) return closed;
  const tags: MessageTags = {
    agent_id: state.agent_id,
    execution_id: work.execution_id,
    step_id: origin.step_id,
    ...(origin.is_trace === true ? { is_trace: true } : {}),
  };
  return withContext(closed, appended(closed.context, [{ role: "assistant", text: textOf(parts) }], { at, tags }), at);
}

function ended(state: AgentState, outcome: Extract<TurnData, { type: "ended" }>["outcome"], at: number): AgentState {
  const work = workOf(state);
  switch (outcome.status) {
    case "completed": {
      const reply = state.context.messages.findLast(
        ({ role, tags }) => role === "assistant" && tags?.execution_id === work?.execution_id && tags?.is_trace !== true,
      );
      const answer = reply?.text ?? (work === undefined ? "" : lastText(work));
      return finishExecution(state, { at, signal: { reason: "completed", message: "The turn was completed." }, answer });
    }
    case "stopped": {
      const { reason, message = "" } = outcome;
      const raised = work?.signals.find((signal) => signal.reason === reason && signal.message === message);
      const signal = raised ?? { reason: reasonOf(reason), message };
      // A turn recorded as stopped must end as stopped, whatever its reason.
      return finishExecution(state, {
        at,
        signal: signal.reason === "completed" || signal.reason === "finish_reason" ? { reason: "unknown", message } : signal,
      });
    }
    case "failed":
      return failExecution(state, plainError(outcome.error), { at });
  }
}
