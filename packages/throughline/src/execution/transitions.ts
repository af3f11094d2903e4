/** The way of an execution, as functions from one state to the next. One that is called in the wrong phase throws `execution.phase`. */
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
import { addUsage, noUsage } from "./spent.ts";
import { sameJson } from "./state-shape.ts";
import * as shapes from "./state-shape.ts";
import { agentStepType, stepErrors, type ClosedStep, type OpenStep, type StepResponse, type ToolExecution } from "./step.ts";
import { isForced, type StopSignal } from "./stop.ts";

type RunningState = AgentStateIn<"running">;

function withExecution<Execution extends AgentExecution>(
  state: AgentState,
  execution: Execution,
  { at }: Change,
): AgentState & { readonly execution: Execution } {
  Object.freeze(execution);
  return Object.freeze({ ...changed(state, {}, at), execution });
}

/** Begins an execution: the only place where an execution id enters, and where executions are counted. */
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

/** Opens the next step: the one that a continuation has requested. The same state if a step of that id is known. */
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

/** Records the model's answer in the open step; the same state if it is on record. */
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

/** With another answer of the open step, before any of its calls has a result. */
export function reviseResponse(state: AgentState, given: StepResponse, change: Change): RunningState {
  const { running, step } = openStepOf(state, "revise an answer");
  if (step.tool_executions.length > 0) throw phaseError(`The step ${step.step_id} has results of its answer's calls.`);
  const { response: _response, ...asked } = step;
  return recordResponse(withExecution(state, { ...running, step: Object.freeze(asked) }, change), given, change);
}

/** What {@link recordToolResult} records. */
export interface ToolResultGiven extends Omit<ToolExecution, "name" | "arguments" | "ended_at"> {
  /** The arguments that it ran with; those of the model by default. */
  readonly arguments?: JsonObject;
}

/** Records what became of a call of the open step; the same state if that is on record. `input.invalid` for a call that the model did not make. */
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

/** Records an error: of the open step, or of the execution if none is open. */
export function recordError(state: AgentState, error: ErrorInfo, change: Change): RunningState {
  const { execution } = inPhase(state, "record an error", "running");
  const frozen = deepFreeze(shapes.error(error, "/error"));
  const { step } = execution;
  if (step === undefined) return withExecution(state, { ...execution, errors: Object.freeze([...execution.errors, frozen]) }, change);
  return withExecution(state, { ...execution, step: Object.freeze({ ...step, errors: Object.freeze([...step.errors, frozen]) }) }, change);
}

/** Closes the open step: its messages enter the log with their tags, and the continuation that it was is used up. The same state if none is open. */
export function closeStep(state: AgentState, change: Change): RunningState {
  const found = inPhase(state, "close a step", "running");
  if (found.execution.step === undefined) return found;
  const { context, work } = closedStep(state, found.execution, found.execution.step, change);
  return withExecution(changed(state, { context }, change.at), work, change);
}

/** With a stop signal. It stops nothing by itself: the next decision does. */
export function requestStop(state: AgentState, signal: StopSignal, change: Change): AgentStateIn<"running" | "paused"> {
  const working = inPhase(state, "take a stop signal", "running", "paused").execution;
  return withExecution(state, { ...working, signals: Object.freeze([...working.signals, deepFreeze(shapes.signal(signal, "/signal"))]) }, change);
}

/**
 * Requests one more step, in spite of the signals and limits that it names and of no other; until that step has ended, or for the rest of the execution. A
 * second request for the same step adds what it waives.
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

/** Pauses, such as for an approval. */
export const pauseExecution = (state: AgentState, reason: string, change: Change): AgentStateIn<"paused"> =>
  withExecution(state, { ...inPhase(state, "pause", "running").execution, phase: "paused", reason } as const, change);

/** Continues the same execution; it is not counted again. */
export function resumeExecution(state: AgentState, change: Change): RunningState {
  const { reason: _reason, ...paused } = inPhase(state, "resume", "paused").execution;
  return withExecution(state, { ...paused, phase: "running" } as const, change);
}

/** How an execution ends that did not fail: stopped if a signal forces it, else completed with its answer and the errors it recovered from. */
const outcomeOf = (signal: StopSignal | undefined, answer: string, warnings: readonly ErrorInfo[]): ExecutionOutcome =>
  deepFreeze(signal !== undefined && isForced(signal) ? { type: "stopped", signal } : { type: "completed", answer, warnings });

/** Options of {@link finishExecution}. */
export interface FinishOptions extends Change {
  /** The signal that decided, where it is not one of the state, such as a limit of the budget; by default what `continuationOf` says. */
  readonly signal?: StopSignal;
  /** The answer; the text of the last step by default. */
  readonly answer?: string;
}

/** Ends the execution: stopped if a signal forces it, else completed, with the errors it recovered from as warnings. An open step is closed. */
export function finishExecution(state: AgentState, { at, signal, answer }: FinishOptions): AgentStateIn<"done"> {
  const closed = closeStep(state, { at });
  const outcome = outcomeOf(signal ?? decidedBy(closed), answer ?? lastText(closed.execution), errorsOf(closed));
  return ended(closed, outcome, { at });
}

function decidedBy(state: AgentState): StopSignal | undefined {
  const decision = continuationOf(state);
  return decision.next === "stop" && decision.because === "signal" ? decision.signal : undefined;
}

/** Ends the execution as failed. The error is kept with the open step, which is closed, or with the execution. */
export function failExecution(state: AgentState, error: ErrorInfo, change: Change): AgentStateIn<"done"> {
  const working = inPhase(state, "fail", "running", "paused");
  const resumed = working.execution.phase === "paused" ? resumeExecution(state, change) : state;
  const closed = closeStep(recordError(resumed, error, change), change);
  const outcome = deepFreeze({ type: "failed", error: shapes.error(error, "/error") } as const);
  return ended(closed, outcome, change);
}

const ended = (state: RunningState, outcome: ExecutionOutcome, { at }: Change): AgentStateIn<"done"> =>
  withExecution(state, { ...state.execution, phase: "done", ended_at: at, outcome } as const, { at });

/** Ready for the next execution: the conversation and what belongs to it stay, the execution goes. The same state if there is none. */
export function forNextExecution(state: AgentState, change: Change): AgentState {
  return inPhase(state, "make room for the next", "idle", "done").execution.phase === "idle" ? state : withExecution(state, idle, change);
}

/** The context and the execution with a step closed. Calls that were not run are on record as skipped, so that each has its result. */
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

/** One execution of each call, in the order of the calls. */
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

/** What a step adds to the conversation: one message with prose and calls, then the results. A step without an answer adds nothing. */
function stepMessages({ response, tool_executions }: OpenStep): readonly AgentMessageGiven[] {
  if (response === undefined || (response.calls.length === 0 && response.text === "")) return [];
  const { text, calls } = response;
  return [
    { role: "assistant", text, ...(calls.length === 0 ? {} : { calls }) },
    ...tool_executions.map(({ call_id, result }): AgentMessageGiven => ({ role: "tool", call_id, text: outcomeText(result) })),
  ];
}
