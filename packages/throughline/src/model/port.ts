/** The model port. Streaming is the only path: a caller that wants the whole answer collects the stream. */
import type { Json, JsonObject } from "../kernel/json.ts";

/** A part of a message as a model gets it. */
export type ModelMessage =
  | { readonly role: "user" | "assistant" | "system"; readonly text: string; readonly name?: string; readonly calls?: readonly ModelToolCall[] }
  | { readonly role: "tool"; readonly call_id: string; readonly name?: string; readonly text: string };

/** A call that a model asks for. */
export interface ModelToolCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** What came in place of arguments that are one JSON object, cut at 2,000 characters; `arguments` is empty then, and the call is not run. */
  readonly malformed?: string;
}

/** A named part of the system prompt. An adapter joins the texts; a rules model may read them one by one. */
export interface PromptSection {
  readonly name: string;
  readonly text: string;
}

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** Everything a model gets: exactly this, nothing else. */
export interface ModelRequest {
  readonly sections: readonly PromptSection[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** JSON Schema of the wanted answer, for a structured one. */
  readonly response_format?: Json;
  readonly max_output_tokens?: number;
}

/** Tokens by kind. `input` and `output` exclude the other kinds. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cache_write: number;
  readonly cache_read: number;
  readonly reasoning: number;
}

/** Why a model stopped, in the terms that all adapters share. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";

/** A piece of an answer. Exactly one `finish` ends a stream that did not throw. */
export type ModelPart =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "tool_call"; readonly call: ModelToolCall }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/** A language model, or anything that answers like one. */
export interface Model {
  /** Shown to people: which model answers. */
  readonly name: string;
  /** How many tokens a request has, if the model can tell; budgets estimate it otherwise. */
  countTokens?(request: ModelRequest): number;
  /** Streams the answer. Throws `model.failed` or `model.invalid_response`; stops at once when the signal aborts. */
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<ModelPart>;
}
