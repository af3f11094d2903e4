/** The whole of an agent at work as one immutable value: who it is, what was said, and the execution that is going on. */
import { ThroughlineError, seen, type ErrorInfo } from "../../kernel/error.ts";
import type { ExecutionId } from "../../kernel/id.ts";
import { assertJson, deepFreeze, isPlainObject, jsonEqual, type Json, type JsonObject } from "../../kernel/json.ts";
import type { Usage } from "../../model/port.ts";
import { AppendList } from "../append-list.ts";
import { idle, type Continuation, type Execution } from "../execution.ts";
import type { StopSignal } from "../stop.ts";
import type { ClosedStep, OpenStep } from "./agent-step.ts";
import type { AgentMessage, MessageRange, MessageSummary } from "./message.ts";

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

/** A request to go on, and how far it was followed. */
export interface AgentContinuation extends Continuation {
  /** Whether signals are waived until the next step begins, or for the rest of the execution. */
  readonly lasts: "step" | "execution";
  /** Whether the step that it asks for has not begun yet. */
  readonly pending: boolean;
}

/**
 * What an execution has done, whatever its phase. It is not the `Work` of the runtime's executions, whose phases it shares: a ledger is what the
 * runtime counts for its decisions, of earlier attempts and children too, and does not follow from steps, while this value must be all there in its JSON;
 * and the runtime has neither an open step nor results nor messages in its steps, because its log has them.
 */
export interface AgentWork {
  readonly execution_id: ExecutionId;
  readonly started_at: number;
  readonly steps: AppendList<ClosedStep>;
  readonly step?: OpenStep;
  /** Sums over the closed steps. */
  readonly usage: Usage;
  readonly error_count: number;
  /** Errors that belong to no step. */
  readonly errors: readonly ErrorInfo[];
  readonly signals: readonly StopSignal[];
  readonly continuation?: AgentContinuation;
}

/** An execution with all that there is to see of it. */
export type AgentExecution = Execution<AgentWork>;

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
