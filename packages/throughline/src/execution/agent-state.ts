/** The whole of an agent at work as one immutable value: who it is, what was said, and the execution that is going on. */
import { seen, ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { ExecutionId } from "../kernel/id.ts";
import { assertJson, deepFreeze, isPlainObject, jsonEqual, type Json, type JsonObject } from "../kernel/json.ts";
import type { Usage } from "../model/port.ts";
import type { AgentMessage, MessageRange, MessageSummary } from "./agent-message.ts";
import { AppendList } from "./append-list.ts";
import type { ClosedStep, OpenStep } from "./step.ts";
import type { StopReason, StopSignal } from "./stop.ts";

/** A message and its data. */
export interface AgentContext {
  /** Every message there ever was, by id. */
  readonly messages: AppendList<AgentMessage>;
  /** Which messages are in which section: `messages` holds the conversation, `buffer` what is to be summarised next; others are the caller's. */
  readonly sections: { readonly [name: string]: readonly MessageRange[] };
  /** What stands in for ranges of messages, by where they begin. */
  readonly summaries: readonly MessageSummary[];
  readonly metadata: JsonObject;
  readonly system_prompt: string;
  readonly response_format: Json;
}

/** A request for one step more than there would be. */
export interface AgentContinuation {
  /** Who requests it. */
  readonly source: string;
  /** Reasons of signals, and of limits of the budget, that do not count for that step. */
  readonly waives: readonly StopReason[];
  /** Whether signals are waived until the requested step has ended, or for the rest of the execution. */
  readonly lasts: "step" | "execution";
  /** Whether the requested step has not begun yet. */
  readonly pending: boolean;
}

/** The work of an execution in any phase but idle. A ledger of the budget lies beside it: it counts earlier attempts and children too. */
export interface AgentWork {
  readonly execution_id: ExecutionId;
  readonly started_at: number;
  readonly steps: AppendList<ClosedStep>;
  readonly step?: OpenStep;
  /** Sums over the closed steps. */
  readonly usage: Usage;
  readonly error_count: number;
  /** Errors that belong to no step, such as those of failed model calls. */
  readonly errors: readonly ErrorInfo[];
  /** Every signal raised, in order. */
  readonly signals: readonly StopSignal[];
  readonly continuation?: AgentContinuation;
}

/** How an execution ended. */
export type ExecutionOutcome =
  | { readonly type: "completed"; readonly answer: string; /** Errors that the execution recovered from. */ readonly warnings: readonly ErrorInfo[] }
  | { readonly type: "stopped"; readonly signal: StopSignal }
  | { readonly type: "failed"; readonly error: ErrorInfo };

/** No execution: before the first, and between two. */
export interface Idle {
  readonly phase: "idle";
}
/** An execution at work. */
export interface Running extends AgentWork {
  readonly phase: "running";
}
/** An execution that waits, such as for a person's approval. */
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

/** The status that the outside sees. */
export type ExecutionStatus = "pending" | "in_progress" | "paused" | "completed" | "stopped" | "failed";

/** No execution. */
export const idle: Idle = Object.freeze({ phase: "idle" });

/** The whole of an agent at work. */
export interface AgentState {
  readonly agent_id: string;
  /** The agent whose call this one does the work of. */
  readonly parent_agent_id?: string;
  readonly created_at: number;
  /** When its content last changed. */
  readonly updated_at: number;
  /** The name of a model's configuration, never the configuration: it may hold a secret. */
  readonly model?: string;
  /** Executions that were begun; resuming one does not count. */
  readonly execution_count: number;
  readonly context: AgentContext;
  readonly execution: AgentExecution;
}

/** A state whose execution is in one of these phases. */
export type AgentStateIn<Phase extends AgentExecution["phase"]> = AgentState & {
  readonly execution: Extract<AgentExecution, { readonly phase: Phase }>;
};

/** The state, if its execution is in one of these phases; `what` says what it is to do. Throws `execution.phase` if it is not. */
export function inPhase<Phase extends AgentExecution["phase"]>(state: AgentState, what: string, ...phases: readonly Phase[]): AgentStateIn<Phase> {
  const isOne = (one: AgentState): one is AgentStateIn<Phase> => phases.some((phase) => phase === one.execution.phase);
  if (isOne(state)) return state;
  const { phase } = state.execution;
  const wanted = phases.join(" or ");
  throw new ThroughlineError("execution.phase", `An execution that is ${phase} cannot ${what}; it must be ${wanted}.`, {
    details: { phase, wanted },
  });
}

/** The initial values of a new state. */
export interface NewAgentState {
  readonly agent_id: string;
  readonly parent_agent_id?: string;
  readonly at: number;
  readonly system_prompt?: string;
}

/** A time: `input.invalid` if it is no whole number of milliseconds. */
export function checkedTime(at: number): number {
  if (Number.isSafeInteger(at) && at >= 0) return at;
  throw new ThroughlineError("input.invalid", `A time is a whole number of milliseconds, got ${seen(at)}.`);
}

const checkedId = (name: string, id: unknown): string => {
  if (typeof id === "string" && id.trim() !== "") return id;
  throw new ThroughlineError("input.invalid", `${name} must be a text that is not blank, got ${seen(id)}.`);
};

/** A state without messages and executions. `input.invalid` for a blank id or a time that is none. */
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

/** The state with other parts, and the time of the change. It never goes back: a clock that was set back leaves it. */
export const changed = (state: AgentState, parts: Partial<AgentState>, at: number): AgentState =>
  Object.freeze({ ...state, ...parts, updated_at: Math.max(state.updated_at, checkedTime(at)) });

/** The state with another part of its context. */
export const withContext = (state: AgentState, parts: Partial<AgentContext>, at: number): AgentState =>
  changed(state, { context: Object.freeze({ ...state.context, ...parts }) }, at);

/** With an entry of metadata; the same state if it is there with this value. `json.invalid` for what is not JSON. */
export function withMetadata(state: AgentState, key: string, value: Json, options: { readonly at: number }): AgentState {
  const { metadata } = state.context;
  const checked = assertJson(value, `metadata.${key}`);
  const present = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (present !== undefined && jsonEqual(present, checked)) return state;
  // A key like __proto__ is an entry like any other.
  return withContext(state, { metadata: deepFreeze(Object.fromEntries([...Object.entries(metadata), [key, structuredClone(checked)]])) }, options.at);
}

/** Without an entry of metadata; the same state if it is not there. */
export function withoutMetadata(state: AgentState, key: string, options: { readonly at: number }): AgentState {
  const { metadata } = state.context;
  if (!Object.hasOwn(metadata, key)) return state;
  return withContext(state, { metadata: Object.freeze(Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key))) }, options.at);
}

/** With another system prompt. */
export const withSystemPrompt = (state: AgentState, system_prompt: string, { at }: { readonly at: number }): AgentState =>
  system_prompt === state.context.system_prompt ? state : withContext(state, { system_prompt }, at);

/** With another response format (JSON Schema); null for none. */
export const withResponseFormat = (state: AgentState, response_format: Json, { at }: { readonly at: number }): AgentState =>
  jsonEqual(response_format, state.context.response_format)
    ? state
    : withContext(state, { response_format: deepFreeze(structuredClone(assertJson(response_format, "response_format"))) }, at);

/** With the name of a model's configuration, or without. */
export function withModel(state: AgentState, model: string | undefined, { at }: { readonly at: number }): AgentState {
  if (model === state.model) return state;
  const { model: _model, ...others } = state;
  return changed(others, model === undefined ? {} : { model: checkedId("model", model) }, at);
}

/** With the agent whose call this one does the work of, or without. */
export function withParent(state: AgentState, parent_agent_id: string | undefined, { at }: { readonly at: number }): AgentState {
  if (parent_agent_id === state.parent_agent_id) return state;
  const { parent_agent_id: _parent, ...others } = state;
  return changed(others, parent_agent_id === undefined ? {} : { parent_agent_id: checkedId("parent_agent_id", parent_agent_id) }, at);
}
