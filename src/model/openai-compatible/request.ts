import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import type { ModelMessage, ModelRequest, ModelTool } from "../port.ts";
import { systemText, wireName } from "../prompt.ts";

/** Servers that refuse the older name of the limit; everything else knows only that one. */
const takesNewLimit = /(^|\.)(openai\.com|openai\.azure\.com)(:\d+)?$/;

/** The body of a request. Names of people are not sent: most servers refuse what is no identifier, and a person's message says so in its text. */
export function bodyOf(
  request: ModelRequest,
  service: { readonly model: string; readonly host: string; readonly parameters: JsonObject },
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
    ...(response_format === undefined ? {} : { response_format: { type: "json_schema", json_schema: schemaOf(response_format) } }),
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

/** The schema of an answer. Strictly kept where the schema is closed, since OpenAI refuses to keep an open one strictly. */
const schemaOf = (schema: Json): Json => ({ name: "answer", schema, ...(isClosed(schema) ? { strict: true } : {}) });

/** Whether every object in a schema names all its properties, requires them and allows no others. */
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
