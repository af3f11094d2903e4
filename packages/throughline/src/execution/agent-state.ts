/** The complete state of an agent as one immutable value: its identity, its messages and the current execution. */
import { seen, ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { ExecutionId } from "../kernel/id.ts";
import { assertJson, deepFreeze, isPlainObject, jsonEqual, type Json, type JsonObject } from "../kernel/json.ts";
import type { Usage } from "../model/model-port.ts";
import type { AgentMessage, MessageRange, MessageSummary } from "./agent-message.ts";
import { AppendList } from "./append-list.ts";
import type { ClosedStep, OpenStep, StopReason, StopSignal } from "./step.ts";

/** Messages of an agent and their data. */
export interface AgentContext {
  /** All messages since the start, by id. */
  readonly messages: AppendList<AgentMessage>;
  /** Message ranges by section. `messages` has the conversation, and `buffer` the messages to summarize next. Other sections belong to the caller. */
  readonly sections: { readonly [name: string]: readonly MessageRange[] };
  /** Summaries of message ranges, ordered by start. */
  readonly summaries: readonly MessageSummary[];
  readonly metadata: JsonObject;
  readonly system_prompt: string;
  readonly response_format: Json;
}

/** A request for one additional step. */
export interface AgentContinuation {
  /** The requester. */
  readonly source: string;
  /** Stop reasons of signals and budget limits that are waived for that step. */
  readonly waives: readonly StopReason[];
  /** Duration of the waiver: until the requested step ends, or for the rest of the execution. */
  readonly lasts: "step" | "execution";
  /** Whether the requested step has not started yet. */
  readonly pending: boolean;
}

/** The work of an execution in any phase but idle. The budget ledger is separate, because it also counts earlier attempts and children. */
export interface AgentWork {
  readonly execution_id: ExecutionId;
  readonly started_at: number;
  readonly steps: AppendList<ClosedStep>;
  readonly step?: OpenStep;
  /** Sum over the closed steps. */
  readonly usage: Usage;
  readonly error_count: number;
  /** Errors outside of steps, such as those of failed model calls. */
  readonly errors: readonly ErrorInfo[];
  /** All raised signals, in order. */
  readonly signals: readonly StopSignal[];
  readonly continuation?: AgentContinuation;
}

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly type: "completed"; readonly answer: string; /** Errors that the execution recovered from. */ readonly warnings: readonly ErrorInfo[] }
  | { readonly type: "stopped"; readonly signal: StopSignal }
  | { readonly type: "failed"; readonly error: ErrorInfo };

/** No execution: before the first, or between two. */
export interface Idle {
  readonly phase: "idle";
}
/** A running execution. */
export interface Running extends AgentWork {
  readonly phase: "running";
}
/** An execution that waits, such as for a human approval. */
export interface Paused extends AgentWork {
  readonly phase: "paused";
  readonly reason: string;
}
/** An execution that has ended. */
export interface Done extends AgentWork {
  readonly phase: "done";
  readonly ended_at: number;
  readonly outcome: ExecutionOutcome;
}
/** An execution, by phase. */
export type AgentExecution = Idle | Running | Paused | Done;

/** Public status of an execution. */
export type ExecutionStatus = "pending" | "in_progress" | "paused" | "completed" | "stopped" | "failed";

/** No execution. */
export const idle: Idle = Object.freeze({ phase: "idle" });

/** The complete state of an agent. */
export interface AgentState {
  readonly agent_id: string;
  /** Id of the agent whose tool call this agent performs. */
  readonly parent_agent_id?: string;
  readonly created_at: number;
  /** Time of the last change to the content. */
  readonly updated_at: number;
  /** Name of a model configuration. The configuration itself may hold a secret and is never stored here. */
  readonly model?: string;
  /** Number of started executions. Resuming one does not count. */
  readonly execution_count: number;
  readonly context: AgentContext;
  readonly execution: AgentExecution;
}

/** A state whose execution is in one of these phases. */
export type AgentStateIn<Phase extends AgentExecution["phase"]> = AgentState & {
  readonly execution: Extract<AgentExecution, { readonly phase: Phase }>;
};

/** Returns the state if its execution is in one of these phases. Throws `execution.phase` otherwise. `what` names the attempted operation. */
export function inPhase<Phase extends AgentExecution["phase"]>(state: AgentState, what: string, ...phases: readonly Phase[]): AgentStateIn<Phase> {
  const isOne = (one: AgentState): one is AgentStateIn<Phase> => phases.some((phase) => phase === one.execution.phase);
  if (isOne(state)) return state;
  const { phase } = state.execution;
  const wanted = phases.join(" or ");
  throw new ThroughlineError("execution.phase", `An execution that is ${phase} cannot ${what}; it must be ${wanted}.`, {
    details: { phase, wanted },
  });
}

/** Initial values of a new state. */
export interface NewAgentState {
  readonly agent_id: string;
  readonly parent_agent_id?: string;
  readonly at: number;
  readonly system_prompt?: string;
}

/** Returns a time. Throws `input.invalid` if it is not a whole number of milliseconds. */
export function checkedTime(at: number): number {
  if (Number.isSafeInteger(at) && at >= 0) return at;
  throw new ThroughlineError("input.invalid", `A time is a whole number of milliseconds, got ${seen(at)}.`);
}

const checkedId = (name: string, id: unknown): string => {
  if (typeof id === "string" && id.trim() !== "") return id;
  throw new ThroughlineError("input.invalid", `${name} must be a text that is not blank, got ${seen(id)}.`);
};

/** Creates a state without messages and executions. Throws `input.invalid` for a blank id or an invalid time. */
export function createAgentState(given: NewAgentState): AgentState {
  if (!isPlainObject(given)) throw new ThroughlineError("input.invalid", `A new state needs an agent_id and a time, got ${seen(given)}.`);
  const { agent_id, parent_agent_id, at, system_prompt = "" } = given;
  return deepFreeze({
    agent_id: checkedId("agent_id", agent_id),
    ...(parent_agent_id === undefined ? {} : { parent_agent_id: checkedId("parent_agent_id", parent_agent_id) }),
    created_at: checkedTime(at),
    updated_at: at,
    execution_count: 0,
    context: {
      messages: AppendList.of<AgentMessage>(),
      sections: { messages: [] },
      summaries: [],
      metadata: {},
      system_prompt,
      response_format: null,
    },
    execution: idle,
  });
}

/** Returns the state with some parts replaced and `updated_at` set. `updated_at` never decreases, even if the clock was set back. */
export const changed = (state: AgentState, parts: Partial<AgentState>, at: number): AgentState =>
  Object.freeze({ ...state, ...parts, updated_at: Math.max(state.updated_at, checkedTime(at)) });

/** Returns the state with some parts of its context replaced. */
export const withContext = (state: AgentState, parts: Partial<AgentContext>, at: number): AgentState =>
  changed(state, { context: Object.freeze({ ...state.context, ...parts }) }, at);

/** Sets an entry of metadata. Returns the same state if the value is unchanged. Throws `json.invalid` for a value that is not JSON. */
export function withMetadata(state: AgentState, key: string, value: Json, options: { readonly at: number }): AgentState {
  const { metadata } = state.context;
  const checked = assertJson(value, `metadata.${key}`);
  const present = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (present !== undefined && jsonEqual(present, checked)) return state;
  // A key such as __proto__ is stored like any other.
  return withContext(state, { metadata: deepFreeze(Object.fromEntries([...Object.entries(metadata), [key, structuredClone(checked)]])) }, options.at);
}

/** Removes an entry of metadata. Returns the same state if it does not exist. */
export function withoutMetadata(state: AgentState, key: string, options: { readonly at: number }): AgentState {
  const { metadata } = state.context;
  if (!Object.hasOwn(metadata, key)) return state;
  return withContext(state, { metadata: Object.freeze(Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key))) }, options.at);
}

/** Sets the system prompt. */
export const withSystemPrompt = (state: AgentState, system_prompt: string, { at }: { readonly at: number }): AgentState =>
  system_prompt === state.context.system_prompt ? state : withContext(state, { system_prompt }, at);

/** Sets the response format (JSON Schema), or null for none. */
export const withResponseFormat = (state: AgentState, response_format: Json, { at }: { readonly at: number }): AgentState =>
  jsonEqual(response_format, state.context.response_format)
    ? state
    : withContext(state, { response_format: deepFreeze(structuredClone(assertJson(response_format, "response_format"))) }, at);

/** Sets the name of the model configuration, or removes it. */
export function withModel(state: AgentState, model: string | undefined, { at }: { readonly at: number }): AgentState {
  if (model === state.model) return state;
  const { model: _model, ...others } = state;
  return changed(others, model === undefined ? {} : { model: checkedId("model", model) }, at);
}

/** Sets the agent whose tool call this agent performs, or removes it. */
export function withParent(state: AgentState, parent_agent_id: string | undefined, { at }: { readonly at: number }): AgentState {
  if (parent_agent_id === state.parent_agent_id) return state;
  const { parent_agent_id: _parent, ...others } = state;
  return changed(others, parent_agent_id === undefined ? {} : { parent_agent_id: checkedId("parent_agent_id", parent_agent_id) }, at);
}
