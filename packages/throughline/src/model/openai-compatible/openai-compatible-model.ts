/** A model behind a chat completions server, and its requests. The code that reads the response is loaded with the first call. */
import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { systemText, wireName } from "../call/call-options.ts";
import { errorOf } from "../call/call-failure.ts";
import { answerWithRetries } from "../call/retry-call.ts";
import type { Model, ModelMessage, ModelRequest, ModelTool } from "../model-port.ts";
import { type OpenaiCompatibleOptions, serviceOf } from "./server-options.ts";

/**
 * Creates a model behind any server with OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, LM Studio and others. The sections of the prompt
 * become one system message. The response is always streamed, and a call that fails before its first text is retried. Redirects are not followed.
 * Throws `input.invalid` for a wrong option. A stream throws `model.failed` or `model.invalid_response` with `status`, `retry_after_ms` and
 * `attempts` as details. A closed schema is sent as strict; if the service refuses it, this model sends none as strict any more, and logs it once. They
 * show the host and never the key, the request or the server's response.
 * @example openaiCompatible({ baseURL: "http://127.0.0.1:11434/v1", model: "llama3.2" })
 */
export function openaiCompatible(options: OpenaiCompatibleOptions): Model {
  const service = serviceOf(options);
  const { host, name, settings } = service;
  /** False once the service has refused a strict schema. */
  let takesStrict = true;
  const newId = (): string => `call_${Buffer.from(settings.random.bytes(12)).toString("hex")}`;
  return Object.freeze({
    name,
    provider: host,
    model: service.model,
    stream: (request, { signal, headers: traced }) => {
      // The exchange code is loaded with the first call, because most programs that import this adapter use another one.
      const open = async function* (each: AbortSignal) {
        const [{ answerOf }, { exchange }] = await Promise.all([import("./completion-answer.ts"), import("./completion-exchange.ts")]);
        const send = (strict: boolean) =>
          answerOf(exchange(service, { body: JSON.stringify(bodyOf(request, service, strict)), traced }, each), { host, newId });
        const isStrict = takesStrict && isClosed(request.response_format);
        for await (const part of send(isStrict)) {
          if (part.type === "failure" && part.schema === true && isStrict) {
            if (takesStrict)
              settings.logger.warn("a model refused a strict schema, and is asked without it", { model: service.model, host }, errorOf(part, 1));
            takesStrict = false;
            return yield* send(false);
          }
          yield part;
        }
      };
      return answerWithRetries({ name: host, settings, open }, signal);
    },
  } satisfies Model);
}

/** Servers that reject the older name of the limit. All others know only the older one. */
const takesNewLimit = /(^|\.)(openai\.com|openai\.azure\.com)(:\d+)?$/;

/**
 * Returns the body of a request. Names of customers are not sent, because most servers reject names that are not identifiers. An operator's message
 * has the name in its text.
 */
function bodyOf(
  request: ModelRequest,
  service: { readonly model: string; readonly host: string; readonly parameters: JsonObject },
  strict: boolean,
): JsonObject {
  const { sections, messages, tools, response_format, max_output_tokens } = request;
  const system = systemText(sections);
  return {
    ...service.parameters,
    model: service.model,
    messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...messages.map(wireMessage)],
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
    ...(response_format === undefined
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: "answer", schema: response_format, ...(strict ? { strict } : {}) } } }),
    ...(max_output_tokens === undefined ? {} : { [takesNewLimit.test(service.host) ? "max_completion_tokens" : "max_tokens"]: max_output_tokens }),
  };
}

function wireMessage(message: ModelMessage): Json {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.call_id, content: message.text };
  const { role, text, calls = [] } = message;
  if (calls.length === 0) return { role, content: text };
  return {
    role,
    content: text === "" ? null : text,
    tool_calls: calls.map(({ call_id, name, arguments: values }) => ({
      id: call_id,
      type: "function",
      function: { name: wireName(name), arguments: JSON.stringify(values) },
    })),
  };
}

const wireTool = ({ name, description, parameters }: ModelTool): Json => ({ type: "function", function: { name, description, parameters } });

/** Whether every object in a schema names all its properties, requires them and allows no others. OpenAI rejects an open schema as strict. */
function isClosed(schema: Json | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (!isPlainObject(schema)) return true;
  const { type, properties, required } = schema;
  if (type === "object" || properties !== undefined) {
    const names = isPlainObject(properties) ? Object.keys(properties) : undefined;
    const all: readonly unknown[] = Array.isArray(required) ? required : [];
    if (names === undefined || schema["additionalProperties"] !== false || !names.every((name) => all.includes(name))) return false;
  }
  const parts = ["properties", "$defs", "definitions"].flatMap((part) => (isPlainObject(schema[part]) ? Object.values(schema[part]) : []));
  return [...parts, schema["items"], schema["anyOf"], schema["oneOf"], schema["allOf"]].every((part) => isClosed(part));
}
