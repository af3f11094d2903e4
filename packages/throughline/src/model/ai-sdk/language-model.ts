/**
 * The used part of the AI SDK's language models, versions 2, 3 and 4 of the specification. It is declared here, so that the package neither loads nor
 * requires a version of `@ai-sdk/provider`. A type test compares it with the real one.
 */
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";

/** A language model of the AI SDK, from a provider's function: `openai("gpt-5")`, `anthropic("…")`. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCall): PromiseLike<{ readonly stream: ReadableStream<AiSdkStreamPart> }>;
}

/** A part of a stream. Kinds and contents differ between the versions. */
export interface AiSdkStreamPart {
  readonly type: string;
}

/** Settings of a model that are sent with every call. */
export interface AiSdkSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: string[];
}

/** A text in a message. */
interface AiSdkText {
  type: "text";
  text: string;
}

/** A call that the model made. */
interface AiSdkCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** The result of a call. */
interface AiSdkResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

/** A message of a prompt. */
export type AiSdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: AiSdkText[] }
  | { role: "assistant"; content: (AiSdkText | AiSdkCallPart)[] }
  | { role: "tool"; content: AiSdkResultPart[] };

/** The arguments of one call that all three versions share. */
export interface AiSdkCall extends AiSdkSettings {
  readonly prompt: AiSdkMessage[];
  readonly maxOutputTokens?: number;
  readonly tools?: { type: "function"; name: string; description: string; inputSchema: JsonObject }[];
  readonly responseFormat?: { type: "json"; schema: JsonObject; name: string } | { type: "json"; name: string };
  readonly headers?: Record<string, string>;
  readonly providerOptions?: Record<string, JsonObject>;
  readonly abortSignal: AbortSignal;
}

/** A warning of a provider, for example about an unsupported setting. */
export interface AiSdkWarning {
  /** The provider's category, such as `unsupported`. */
  readonly type: string;
  /** The setting, tool or feature of the warning, if any. */
  readonly about?: string;
  /** The provider's message. */
  readonly message?: string;
}

const textOf = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** Converts a warning of any version of the specification. */
export function warningOf(value: unknown): AiSdkWarning {
  const warning: Readonly<Record<string, unknown>> = isPlainObject(value) ? value : {};
  const tool = isPlainObject(warning["tool"]) ? warning["tool"]["name"] : undefined;
  const about = textOf(warning["feature"], warning["setting"], tool);
  const message = textOf(warning["message"], warning["details"]);
  return {
    type: textOf(warning["type"]) ?? "other",
    ...present({ about, message }),
  };
}
