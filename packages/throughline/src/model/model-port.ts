/** The model port. All responses are streams. A caller that needs the complete response collects the stream. */
import type { Json, JsonObject } from "../kernel/json.ts";

/** A part of a message for a model. */
export type ModelMessage =
  | { readonly role: "user" | "assistant" | "system"; readonly text: string; readonly name?: string; readonly calls?: readonly ModelToolCall[] }
  | { readonly role: "tool"; readonly call_id: string; readonly name?: string; readonly text: string };

/** A call that a model requests. */
export interface ModelToolCall {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** The text that the model sent instead of one JSON object, cut at 2,000 characters. `arguments` is empty then, and the call does not run. */
  readonly malformed?: string;
}

/** A named part of the system prompt. An adapter joins the texts. A rules model may read them one by one. */
export interface PromptSection {
  readonly name: string;
  readonly text: string;
}

/** The description of a tool for a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** The complete input of a model. */
export interface ModelRequest {
  readonly sections: readonly PromptSection[];
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** JSON Schema of a structured answer. */
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

/** Why a model stopped, in terms that all adapters share. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "error" | "other";

/** A piece of a response. Exactly one `finish` ends a stream that did not throw. */
export type ModelPart =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "tool_call"; readonly call: ModelToolCall }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/** Options of one model request. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Headers of the trace that the request belongs to, such as `traceparent`, for an adapter that calls a service. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A language model, or an implementation with the same interface. */
export interface Model {
  /** Display name of the model. */
  readonly name: string;
  /** The provider, and its name of the model, for telemetry. */
  readonly provider?: string;
  readonly model?: string;
  /** Returns the tokens of a request, if the model can count them. Otherwise budgets estimate them. */
  countTokens?(request: ModelRequest): number;
  /** Streams the response. Throws `model.failed` or `model.invalid_response`. Stops immediately when the signal aborts. */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelPart>;
}
