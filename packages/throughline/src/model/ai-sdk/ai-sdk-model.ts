/** Wraps a language model of the AI SDK as a model, and builds its prompt. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";
import { callSettings, type ModelCallOptions, systemText, wireName } from "../call/call-options.ts";
import { answerWithRetries } from "../call/retry-call.ts";
import type { Model, ModelMessage, ModelRequest } from "../model-port.ts";
import { answerOf, type Caller } from "./ai-sdk-answer.ts";
import type { AiSdkCall, AiSdkLanguageModel, AiSdkMessage, AiSdkSettings, AiSdkWarning } from "./language-model.ts";

/** Options of {@link aiSdk}. */
export interface AiSdkOptions extends ModelCallOptions {
  /** Display name. Defaults to the model and its provider. */
  readonly name?: string;
  /** Sent with every call. */
  readonly settings?: AiSdkSettings;
  /** Sent with every call, by provider name. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with warnings of the provider. Defaults to none. */
  readonly onWarning?: (warning: AiSdkWarning) => void;
}

/**
 * Creates a model from one of the AI SDK: any provider's language model of version 2, 3 or 4 of the specification (AI SDK 5, 6 and 7). It always
 * streams. A call that fails before its first text is retried here, as the SDK's own functions do. Throws `input.invalid` for any other value. A
 * stream throws `model.failed` or `model.invalid_response` with `status`, `retry_after_ms` and `attempts` as details, which contain only the name of
 * the provider's error.
 * @example aiSdk(openai("gpt-5"))
 */
export function aiSdk(model: AiSdkLanguageModel, options: AiSdkOptions = {}): Model {
  checkModel(model);
  const { name = `${model.modelId} at ${model.provider}`, settings = {}, providerOptions, headers, onWarning = () => {} } = options;
  const caller: Caller = { model, name, settings: callSettings("aiSdk", options), onWarning };
  const fixed = {
    ...settings,
    ...(providerOptions === undefined ? {} : { providerOptions: { ...providerOptions } }),
  };
  return Object.freeze({
    name,
    provider: model.provider,
    model: model.modelId,
    stream: (request, { signal, headers: traced }) => {
      const sent = headers === undefined && traced === undefined ? {} : { headers: { ...traced, ...headers } };
      const open = (each: AbortSignal): ReturnType<typeof answerOf> => answerOf(caller, { ...fixed, ...sent, ...promptOf(request) }, each);
      return answerWithRetries({ name, settings: caller.settings, open }, signal);
    },
  } satisfies Model);
}

function checkModel(model: AiSdkLanguageModel): void {
  const given: unknown = model;
  const hint = 'Give what a provider\'s function returns, such as openai("gpt-5"), of AI SDK 5 or later.';
  if (typeof given !== "object" || given === null || !("doStream" in given) || typeof given.doStream !== "function")
    throw new ThroughlineError(
      "input.invalid",
      `aiSdk: this is no language model of the AI SDK: ${typeof given === "string" ? seen(given) : typeof given}.`,
      { hint },
    );
  if (!["v2", "v3", "v4"].includes(model.specificationVersion))
    throw new ThroughlineError(
      "input.invalid",
      `aiSdk: the model has version ${seen(model.specificationVersion)} of the specification, not v2, v3 or v4.`,
      { hint },
    );
}

/** Returns the parts of a call that come from the request. */
function promptOf(request: ModelRequest): Pick<AiSdkCall, "prompt" | "tools" | "responseFormat" | "maxOutputTokens"> {
  const { sections, messages, tools, response_format, max_output_tokens } = request;
  const system = systemText(sections);
  return {
    prompt: [...(system === "" ? [] : [{ role: "system" as const, content: system }]), ...conversationOf(messages)],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, parameters }) => ({ type: "function" as const, name, description, inputSchema: parameters })) }),
    ...(response_format === undefined
      ? {}
      : {
          responseFormat: {
            type: "json" as const,
            name: "answer",
            ...(isPlainObject(response_format) ? { schema: response_format } : {}),
          },
        }),
    ...present({ maxOutputTokens: max_output_tokens }),
  };
}

/** Converts the conversation. Consecutive results of calls form one message, as the specification requires. */
function conversationOf(messages: readonly ModelMessage[]): readonly AiSdkMessage[] {
  const conversation: AiSdkMessage[] = [];
  const names = new Map<string, string>();
  for (const message of messages) {
    const last = conversation.at(-1);
    const next = messageOf(message, names);
    if (next.role === "tool" && last?.role === "tool") last.content.push(...next.content);
    else conversation.push(next);
  }
  return conversation;
}

function messageOf(message: ModelMessage, names: Map<string, string>): AiSdkMessage {
  if (message.role === "tool") {
    const { call_id, name, text } = message;
    const part = {
      type: "tool-result" as const,
      toolCallId: call_id,
      toolName: name === undefined ? (names.get(call_id) ?? "unknown") : wireName(name),
    };
    return { role: "tool", content: [{ ...part, output: { type: "text", value: text } }] };
  }
  const { role, text, calls = [] } = message;
  // Several providers reject a system message in the middle of a conversation.
  if (role === "system") return { role: "user", content: [{ type: "text", text: `[from the system, not from the customer:] ${text}` }] };
  // A customer who writes the mark must not be taken for the system.
  if (role === "user") return { role, content: [{ type: "text", text: text.replaceAll(/[[［](?=\s*from the system)/giu, "(") }] };
  for (const { call_id, name } of calls) names.set(call_id, wireName(name));
  return {
    role,
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ call_id, name, arguments: input }) => ({ type: "tool-call" as const, toolCallId: call_id, toolName: wireName(name), input })),
    ],
  };
}
