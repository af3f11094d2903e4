/** Transitions of an execution, as functions from one state to the next. Calls in the wrong phase throw `execution.phase`. */
import { seen, ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import { stepIdOf, type ExecutionId, type StepId } from "../kernel/id.ts";
import { deepFreeze, type JsonObject } from "../kernel/json.ts";
import { outcomeText } from "../state/tool-outcome.ts";
import type { AgentMessageGiven } from "./agent-message.ts";
import {
  changed,
  idle,
  inPhase,
  type AgentContext,
  type AgentContinuation,
  type AgentExecution,
  type AgentState,
  type AgentStateIn,
  type AgentWork,
  type ExecutionOutcome,
  type Running,
} from "./agent-state.ts";
import { AppendList } from "./append-list.ts";
import { appended, type Change } from "./conversation.ts";
import { continuationOf, errorsOf, lastText } from "./read.ts";
import { addUsage, noUsage } from "./ledger.ts";
import { sameJson } from "./state-shape.ts";
import * as shapes from "./state-shape.ts";
import {
  agentStepType,
  type ClosedStep,
  isForced,
  type OpenStep,
  stepErrors,
  type StepResponse,
  type StopSignal,
  type ToolExecution,
} from "./step.ts";

type RunningState = AgentStateIn<"running">;

function withExecution<Execution extends AgentExecution>(
  state: AgentState,
  execution: Execution,
  { at }: Change,
): AgentState & { readonly execution: Execution } {
  Object.freeze(execution);
  return Object.freeze({ ...changed(state, {}, at), execution });
}

/** Starts an execution. Only here, an execution id is set and executions are counted. */
export function beginExecution(state: AgentState, { execution_id, at }: Change & { readonly execution_id: ExecutionId }): RunningState {
  inPhase(state, "begin", "idle", "done");
  if (typeof execution_id !== "string" || execution_id === "")
    throw new ThroughlineError("input.invalid", `An execution needs an id, got ${seen(execution_id)}.`);
  const work: AgentWork = {
    execution_id,
    started_at: at,
    steps: AppendList.of<ClosedStep>(),
    usage: noUsage,
    error_count: 0,
    errors: [],
    signals: [],
  };
  const counted = changed(state, { execution_count: state.execution_count + 1 }, at);
  return withExecution(counted, deepFreeze({ phase: "running", ...work }), { at });
}

/** Opens the next step and uses up a pending continuation. Returns the same state if a step with that id exists. */
export function openStep(state: AgentState, options: Change & { readonly step_id?: StepId }): RunningState {
  const found = inPhase(state, "open a step", "running");
  const running = found.execution;
  const next = stepIdOf(running.steps.length + 1);
  const { step_id = next, at } = options;
  if (options.step_id === running.step?.step_id && running.step !== undefined) return found;
  if (running.steps.at(Number(step_id.slice(4)) - 1)?.step_id === step_id) return found;
  if (running.step !== undefined) throw phaseError(`A step is open (${running.step.step_id}); close it before the next.`);
  if (step_id !== next) throw new ThroughlineError("input.invalid", `The next step is ${next}, got ${seen(step_id)}.`);
  const { continuation, ...others } = running;
  const kept = continuation === undefined ? {} : { continuation: Object.freeze({ ...continuation, pending: false }) };
  const step = deepFreeze({ step_id, started_at: at, input_upto: state.context.messages.length, tool_executions: [], errors: [] });
  return withExecution(state, { ...others, ...kept, step }, options);
}

const phaseError = (message: string): ThroughlineError => new ThroughlineError("execution.phase", message);

function openStepOf(state: AgentState, what: string): { readonly found: RunningState; readonly running: Running; readonly step: OpenStep } {
  const found = inPhase(state, what, "running");
  const { step } = found.execution;
  if (step === undefined) throw phaseError(`There is no open step to ${what} in; open one first.`);
  return { found, running: found.execution, step };
}

/** Records the model's answer in the open step. Returns the same state if it is already recorded. */
export function recordResponse(state: AgentState, given: StepResponse, change: Change): RunningState {
  const { found, running, step } = openStepOf(state, "record an answer");
  const response = deepFreeze(shapes.response(given, "/response"));
  if (step.response !== undefined) {
    if (sameJson(step.response, response)) return found;
    throw phaseError(`The step ${step.step_id} has its answer already.`);
  }
  const ids = new Set(response.calls.map(({ call_id }) => call_id));
  if (ids.size < response.calls.length) throw new ThroughlineError("input.invalid", "Two calls of an answer have the same id.");
  return withExecution(state, { ...running, step: Object.freeze({ ...step, response }) }, change);
}

/** Replaces the answer of the open step, before any of its calls has a result. */
export function reviseResponse(state: AgentState, given: StepResponse, change: Change): RunningState {
  const { running, step } = openStepOf(state, "revise an answer");
  if (step.tool_executions.length > 0) throw phaseError(`The step ${step.step_id} has results of its answer's calls.`);
  const { response: _response, ...asked } = step;
  return recordResponse(withExecution(state, { ...running, step: Object.freeze(asked) }, change), given, change);
}

/** Input of {@link recordToolResult}. */
export interface ToolResultGiven extends Omit<ToolExecution, "name" | "arguments" | "ended_at"> {
  /** The arguments of the call as it ran. Default: those of the model. */
  readonly arguments?: JsonObject;
}

/**
 * Records the result of a call of the open step. Returns the same state if it is already recorded. Throws `input.invalid` for a call that the model
 * did not request.
 */
export function recordToolResult(state: AgentState, given: ToolResultGiven, change: Change): RunningState {
  const { found, running, step } = openStepOf(state, "record a result");
  const call = step.response?.calls.find(({ call_id }) => call_id === given.call_id);
  if (call === undefined) throw new ThroughlineError("input.invalid", `The step ${step.step_id} has no call ${seen(given.call_id)}.`);
  const known = step.tool_executions.find(({ call_id }) => call_id === given.call_id);
  if (known !== undefined) {
    if (sameJson(known.result, given.result)) return found;
    throw new ThroughlineError("input.invalid", `The call ${seen(given.call_id)} has a result already.`);
  }
  const { call_id, result, started_at, arguments: args = call.arguments } = given;
  const execution = deepFreeze(
    shapes.toolExecution({ call_id, name: call.name, arguments: args, result, started_at, ended_at: change.at }, "/tool_execution"),
  );
  return withExecution(
    state,
    { ...running, step: Object.freeze({ ...step, tool_executions: Object.freeze([...step.tool_executions, execution]) }) },
    change,
  );
}

/** Records an error in the open step, or in the execution if no step is open. */
export function recordError(state: AgentState, error: ErrorInfo, change: Change): RunningState {
  const { execution } = inPhase(state, "record an error", "running");
  const frozen = deepFreeze(shapes.error(error, "/error"));
  const { step } = execution;
  if (step === undefined) return withExecution(state, { ...execution, errors: Object.freeze([...execution.errors, frozen]) }, change);
  return withExecution(state, { ...execution, step: Object.freeze({ ...step, errors: Object.freeze([...step.errors, frozen]) }) }, change);
}

/** Closes the open step. Its messages are appended to the log with tags, and its continuation is used up. Returns the same state if no step is open. */
export function closeStep(state: AgentState, change: Change): RunningState {
  const found = inPhase(state, "close a step", "running");
  if (found.execution.step === undefined) return found;
  const { context, work } = closedStep(state, found.execution, found.execution.step, change);
  return withExecution(changed(state, { context }, change.at), work, change);
}

/** Adds a stop signal. It takes effect at the next decision. */
export function requestStop(state: AgentState, signal: StopSignal, change: Change): AgentStateIn<"running" | "paused"> {
  const working = inPhase(state, "take a stop signal", "running", "paused").execution;
  return withExecution(state, { ...working, signals: Object.freeze([...working.signals, deepFreeze(shapes.signal(signal, "/signal"))]) }, change);
}

/**
 * Requests one more step. It waives only the given stop reasons, until that step ends or for the rest of the execution. A second request for the same
 * step adds its waivers.
 */
export function requestContinuation(state: AgentState, given: Partial<Omit<AgentContinuation, "pending">>, change: Change): RunningState {
  const found = inPhase(state, "continue", "running");
  const { source = "", lasts = "step" } = given;
  const before = found.execution.continuation?.pending === true ? found.execution.continuation.waives : [];
  const waives = [...new Set([...before, ...(given.waives ?? [])])];
  const continuation: AgentContinuation = shapes.continuation({ source, waives, lasts, pending: true }, "/continuation");
  if (sameJson(continuation, found.execution.continuation)) return found;
  return withExecution(state, { ...found.execution, continuation: deepFreeze(continuation) }, change);
}

/** Pauses the execution, such as for an approval. */
export const pauseExecution = (state: AgentState, reason: string, change: Change): AgentStateIn<"paused"> =>
  withExecution(state, { ...inPhase(state, "pause", "running").execution, phase: "paused", reason } as const, change);

/** Resumes the same execution. It is not counted again. */
export function resumeExecution(state: AgentState, change: Change): RunningState {
  const { reason: _reason, ...paused } = inPhase(state, "resume", "paused").execution;
  return withExecution(state, { ...paused, phase: "running" } as const, change);
}

/** Returns the outcome of an execution that did not fail. It is stopped if a signal forces it, else completed with its answer and the recovered errors. */
const outcomeOf = (signal: StopSignal | undefined, answer: string, warnings: readonly ErrorInfo[]): ExecutionOutcome =>
  deepFreeze(signal !== undefined && isForced(signal) ? { type: "stopped", signal } : { type: "completed", answer, warnings });

/** Options of {@link finishExecution}. */
export interface FinishOptions extends Change {
  /** The deciding signal, if it is not in the state, such as a budget limit. Default: the decision of `continuationOf`. */
  readonly signal?: StopSignal;
  /** The answer. Default: the text of the last step. */
  readonly answer?: string;
}

/** Ends the execution. It is stopped if a signal forces it, else completed with recovered errors as warnings. An open step is closed. */
export function finishExecution(state: AgentState, { at, signal, answer }: FinishOptions): AgentStateIn<"done"> {
  const closed = closeStep(state, { at });
  const outcome = outcomeOf(signal ?? decidedBy(closed), answer ?? lastText(closed.execution), errorsOf(closed));
  return ended(closed, outcome, { at });
}

function decidedBy(state: AgentState): StopSignal | undefined {
  const decision = continuationOf(state);
  return decision.next === "stop" && decision.because === "signal" ? decision.signal : undefined;
}

/** Ends the execution as failed. The error is recorded in the open step, which is closed, or in the execution. */
export function failExecution(state: AgentState, error: ErrorInfo, change: Change): AgentStateIn<"done"> {
  const working = inPhase(state, "fail", "running", "paused");
  const resumed = working.execution.phase === "paused" ? resumeExecution(state, change) : state;
  const closed = closeStep(recordError(resumed, error, change), change);
  const outcome = deepFreeze({ type: "failed", error: shapes.error(error, "/error") } as const);
  return ended(closed, outcome, change);
}

const ended = (state: RunningState, outcome: ExecutionOutcome, { at }: Change): AgentStateIn<"done"> =>
  withExecution(state, { ...state.execution, phase: "done", ended_at: at, outcome } as const, { at });

/** Prepares the next execution: removes the execution and keeps the conversation. Returns the same state if there is none. */
export function forNextExecution(state: AgentState, change: Change): AgentState {
  return inPhase(state, "make room for the next", "idle", "done").execution.phase === "idle" ? state : withExecution(state, idle, change);
}

/** Returns the context and the execution with a step closed. Calls that did not run are recorded as skipped, so that each has a result. */
export function closedStep(
  { agent_id, context }: AgentState,
  running: Running,
  open: OpenStep,
  { at }: Change,
): { readonly context: AgentContext; readonly work: Running } {
  const step: OpenStep = { ...open, tool_executions: allExecutions(open, at) };
  const type = agentStepType(step);
  const is_trace = type === "error" || type === "tool_execution";
  const tags = { agent_id, execution_id: running.execution_id, step_id: step.step_id, ...(is_trace ? { is_trace } : {}) } as const;
  const after = appended(context, stepMessages(step), { at, tags });
  const output = { from: context.messages.length, to: after.messages.length };
  const closed: ClosedStep = deepFreeze({ ...step, ended_at: at, output, signals_upto: running.signals.length });
  const { step: _open, continuation, ...others } = running;
  const isUsed = continuation?.lasts === "step" && !continuation.pending;
  return {
    context: after,
    work: {
      ...others,
      ...(continuation === undefined || isUsed ? {} : { continuation }),
      steps: running.steps.with(closed),
      usage: step.response === undefined ? running.usage : addUsage(running.usage, step.response.usage),
      error_count: running.error_count + stepErrors(step).length,
    },
  };
}

/** Returns one execution per call, in the order of the calls. */
function allExecutions({ response, tool_executions }: OpenStep, at: number): readonly ToolExecution[] {
  const known = new Map(tool_executions.map((execution) => [execution.call_id, execution]));
  return (response?.calls ?? []).map(
    ({ call_id, name, arguments: args }) =>
      known.get(call_id) ?? {
        call_id,
        name,
        arguments: args,
        result: { type: "skipped", reason: "The step ended before this call was made." },
        started_at: at,
        ended_at: at,
      },
  );
}

/** Returns the messages that a step adds: one with text and calls, then the results. A step without an answer adds none. */
function stepMessages({ response, tool_executions }: OpenStep): readonly AgentMessageGiven[] {
  if (response === undefined || (response.calls.length === 0 && response.text === "")) return [];
  const { text, calls } = response;
  return [
    { role: "assistant", text, ...(calls.length === 0 ? {} : { calls }) },
    ...tool_executions.map(({ call_id, result }): AgentMessageGiven => ({ role: "tool", call_id, text: outcomeText(result) })),
  ];
}
