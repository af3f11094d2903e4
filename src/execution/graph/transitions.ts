/** The way of an execution, as functions from one state to the next. One that is called in the wrong phase throws `execution.phase`. */
import { ThroughlineError, seen, type ErrorInfo } from "../../kernel/error.ts";
import { stepIdOf, type ExecutionId, type StepId } from "../../kernel/id.ts";
import { deepFreeze } from "../../kernel/json.ts";
import { AppendList } from "../append-list.ts";
import { idle, inPhase, outcomeOf, type Running } from "../execution.ts";
import type { StopSignal } from "../stop.ts";
import { noUsage } from "../usage.ts";
import type { ClosedStep, StepResponse } from "./agent-step.ts";
import { changed, type AgentContinuation, type AgentExecution, type AgentState, type AgentWork } from "./agent-state.ts";
import { closedStep } from "./close-step.ts";
import type { Change } from "./conversation.ts";
import { continuationOf } from "./decision.ts";
import { errorsOf, lastText } from "./read.ts";
import { sameJson } from "./same-json.ts";
import * as shapes from "./state-shape.ts";
import type { ToolExecution } from "./tool-execution.ts";

const withExecution = (state: AgentState, execution: AgentExecution, { at }: Change): AgentState =>
  changed(state, { execution: Object.freeze(execution) }, at);

/** Begins an execution: the only place where an execution id enters, and where executions are counted. */
export function beginExecution(state: AgentState, { execution_id, at }: Change & { readonly execution_id: ExecutionId }): AgentState {
  inPhase(state.execution, "begin", "idle", "done");
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
  return changed(state, { execution: deepFreeze({ phase: "running", ...work }), execution_count: state.execution_count + 1 }, at);
}

/** Opens the next step; a continuation for one step is used up. The same state if a step of that id is known. */
export function openStep(state: AgentState, options: Change & { readonly step_id?: StepId }): AgentState {
  const running = inPhase(state.execution, "open a step", "running");
  const next = stepIdOf(running.steps.length + 1);
  const { step_id = next, at } = options;
  if (options.step_id === running.step?.step_id && running.step !== undefined) return state;
  if (running.steps.at(Number(step_id.slice(4)) - 1)?.step_id === step_id) return state;
  if (running.step !== undefined) throw phaseError(`A step is open (${running.step.step_id}); close it before the next.`);
  if (step_id !== next) throw new ThroughlineError("input.invalid", `The next step is ${next}, got ${seen(step_id)}.`);
  const { continuation, ...others } = running;
  const kept = continuation === undefined || continuation.lasts === "step" ? {} : { continuation: { ...continuation, pending: false } };
  const step = deepFreeze({ step_id, started_at: at, input_upto: state.context.messages.length, tool_executions: [], errors: [] });
  return withExecution(state, { ...others, ...kept, step }, options);
}

const phaseError = (message: string): ThroughlineError => new ThroughlineError("execution.phase", message);

function openStepOf(state: AgentState, what: string): { readonly running: Running<AgentWork>; readonly step: NonNullable<AgentWork["step"]> } {
  const running = inPhase(state.execution, what, "running");
  if (running.step === undefined) throw phaseError(`There is no open step to ${what} in; open one first.`);
  return { running, step: running.step };
}

/** Records the model's answer in the open step; the same state if it is on record. */
export function recordResponse(state: AgentState, given: StepResponse, change: Change): AgentState {
  const { running, step } = openStepOf(state, "record an answer");
  const response = deepFreeze(shapes.response(given, "/response"));
  if (step.response !== undefined) {
    if (sameJson(step.response, response)) return state;
    throw phaseError(`The step ${step.step_id} has its answer already.`);
  }
  const ids = new Set(response.calls.map(({ call_id }) => call_id));
  if (ids.size < response.calls.length) throw new ThroughlineError("input.invalid", "Two calls of an answer have the same id.");
  return withExecution(state, { ...running, step: Object.freeze({ ...step, response }) }, change);
}

/** Records what became of a call of the open step; the same state if that is on record. `input.invalid` for a call that the model did not make. */
export function recordToolResult(state: AgentState, given: Omit<ToolExecution, "name" | "arguments" | "ended_at">, change: Change): AgentState {
  const { running, step } = openStepOf(state, "record a result");
  const call = step.response?.calls.find(({ call_id }) => call_id === given.call_id);
  if (call === undefined) throw new ThroughlineError("input.invalid", `The step ${step.step_id} has no call ${seen(given.call_id)}.`);
  const known = step.tool_executions.find(({ call_id }) => call_id === given.call_id);
  if (known !== undefined) {
    if (sameJson(known.result, given.result)) return state;
    throw new ThroughlineError("input.invalid", `The call ${seen(given.call_id)} has a result already.`);
  }
  const { call_id, result, started_at } = given;
  const execution = deepFreeze(
    shapes.toolExecution({ call_id, name: call.name, arguments: call.arguments, result, started_at, ended_at: change.at }, "/tool_execution"),
  );
  return withExecution(
    state,
    { ...running, step: Object.freeze({ ...step, tool_executions: Object.freeze([...step.tool_executions, execution]) }) },
    change,
  );
}

/** Records an error: of the open step, or of the execution if none is open. */
export function recordError(state: AgentState, error: ErrorInfo, change: Change): AgentState {
  const running = inPhase(state.execution, "record an error", "running");
  return withExecution(state, withError(running, error), change);
}

function withError<Work extends AgentWork>(work: Work, error: ErrorInfo): Work {
  const frozen = deepFreeze(shapes.error(error, "/error"));
  if (work.step === undefined) return { ...work, errors: Object.freeze([...work.errors, frozen]) };
  return { ...work, step: Object.freeze({ ...work.step, errors: Object.freeze([...work.step.errors, frozen]) }) };
}

/** Closes the open step: its messages enter the log with their tags. The same state if none is open. */
export function closeStep(state: AgentState, change: Change): AgentState {
  const running = inPhase(state.execution, "close a step", "running");
  if (running.step === undefined) return state;
  const { context, work } = closedStep(state, running, running.step, change);
  return changed(state, { context, execution: Object.freeze(work) }, change.at);
}

/** With a stop signal. It stops nothing by itself: the next decision does. */
export function requestStop(state: AgentState, signal: StopSignal, change: Change): AgentState {
  const working = inPhase(state.execution, "take a stop signal", "running", "paused");
  return withExecution(state, { ...working, signals: Object.freeze([...working.signals, deepFreeze(shapes.signal(signal, "/signal"))]) }, change);
}

/** With a request to go on: one more step by default, in spite of the signals it names and of no other. The last request counts. */
export function requestContinuation(state: AgentState, given: Partial<Omit<AgentContinuation, "pending">>, change: Change): AgentState {
  const running = inPhase(state.execution, "continue", "running");
  const { source = "", waives = [], lasts = "step" } = given;
  const continuation: AgentContinuation = shapes.continuation({ source, waives, lasts, pending: true }, "/continuation");
  return sameJson(continuation, running.continuation) ? state : withExecution(state, { ...running, continuation: deepFreeze(continuation) }, change);
}

/** Pauses, such as for an approval. */
export const pauseExecution = (state: AgentState, reason: string, change: Change): AgentState =>
  withExecution(state, { ...inPhase(state.execution, "pause", "running"), phase: "paused", reason }, change);

/** Continues the same execution; it is not counted again. */
export function resumeExecution(state: AgentState, change: Change): AgentState {
  const { reason: _reason, ...paused } = inPhase(state.execution, "resume", "paused");
  return withExecution(state, { ...paused, phase: "running" }, change);
}

/** Ends the execution: stopped if a signal forces it, else completed, with the errors it recovered from as warnings. An open step is closed. */
export function finishExecution(state: AgentState, change: Change): AgentState {
  const closed = closeStep(state, change);
  const running = inPhase(closed.execution, "finish", "running");
  const decision = continuationOf(closed);
  const signal = decision.next === "stop" && decision.because === "signal" ? decision.signal : undefined;
  const outcome = outcomeOf(signal, lastText(running), errorsOf(closed));
  return withExecution(closed, { ...running, phase: "done", ended_at: change.at, outcome }, change);
}

/** Ends the execution as failed. The error is kept with the open step, which is closed, or with the execution. */
export function failExecution(state: AgentState, error: ErrorInfo, change: Change): AgentState {
  const working = inPhase(state.execution, "fail", "running", "paused");
  const resumed = working.phase === "paused" ? resumeExecution(state, change) : state;
  const closed = closeStep(recordError(resumed, error, change), change);
  const outcome = deepFreeze({ type: "failed", error: shapes.error(error, "/error") } as const);
  return withExecution(closed, { ...inPhase(closed.execution, "fail", "running"), phase: "done", ended_at: change.at, outcome }, change);
}

/** Ready for the next execution: the conversation and what belongs to it stay, the execution goes. The same state if there is none. */
export function forNextExecution(state: AgentState, change: Change): AgentState {
  return inPhase(state.execution, "make room for the next", "idle", "done").phase === "idle" ? state : withExecution(state, idle, change);
}
