/**
 * Names and attributes of the spans, after the OpenTelemetry conventions for generative AI. They are a contract: dashboards depend on them. Without
 * `content`, they hold names, ids, numbers and codes only.
 */
import type { Attributes } from "@opentelemetry/api";
import type { ExtensionTurn, ObservedWork, WorkEnd } from "../extension/port.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { present } from "../kernel/json.ts";
import type { Model, ModelMessage, ModelRequest, Usage } from "../model/model-port.ts";

/** What a span records besides names, ids and numbers. */
export interface Recorded {
  /** Names of session metadata whose values are recorded. */
  readonly metadata: readonly string[];
  /** Whether messages, arguments, results and the values of variables are recorded. */
  readonly content: boolean;
}

/** Metadata that names the traces of a session. */
const keyName = "session_key";
/** Maximum length of a name that the integration chose. */
const longestName = 200;

/** Returns the name that the integration gave to the traces of a session, or undefined. */
export function sessionKeyOf(metadata: JsonObject): string | undefined {
  const { [keyName]: key } = metadata;
  return typeof key === "string" && key.trim() !== "" ? key.slice(0, longestName) : undefined;
}

/** Attributes that group the spans of a conversation. */
export const groupOf = (session_id: string, key: string | undefined): Attributes => ({
  "gen_ai.conversation.id": session_id,
  "session.id": key ?? session_id,
});

/** Returns the name of a span. That of a turn without a key names its agent once it is known. */
export function nameOf(work: ObservedWork): string {
  switch (work.kind) {
    case "turn":
      return "turn";
    case "answer":
      return `invoke_agent ${work.turn.agent.name}`;
    case "model":
      return `chat ${work.model.model ?? work.model.name}`;
    case "tool":
      return `execute_tool ${work.name}`;
    case "retrieval":
      return `${work.name} ${work.turn.agent.name}`;
    case "guardrail":
      return `apply_guardrail ${work.name}`;
    case "node":
      return `visit_node ${work.routine}.${work.name}`;
    default:
      return `${work.kind} ${work.name}`;
  }
}

/** Returns the attributes of a span at its start. */
export function startOf(work: ObservedWork, recorded: Recorded): Attributes {
  switch (work.kind) {
    case "turn": {
      const { turn_id, trace_id, cause, attempts } = work.claim.turn;
      return {
        "throughline.turn.id": turn_id,
        "throughline.turn.cause": cause,
        "throughline.turn.attempt": attempts,
        "throughline.trace.id": trace_id,
      };
    }
    case "answer":
      return { ...operation("invoke_agent"), ...agentOf(work.turn), ...snapshotOf(work.turn, recorded) };
    case "model":
      return { ...operation("chat"), ...modelOf(work.model), ...requestOf(work.request, work.step, recorded) };
    case "tool":
      return {
        ...operation("execute_tool"),
        "gen_ai.tool.name": work.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": work.call_id,
        "throughline.tool.effects": work.effects,
        ...(work.child === undefined ? {} : { "throughline.tool.agent": work.child }),
        ...(recorded.content ? { "gen_ai.tool.call.arguments": JSON.stringify(work.arguments) } : {}),
      };
    case "retrieval":
      return { ...operation(work.name), ...agentOf(work.turn) };
    case "guardrail":
      return { ...operation("apply_guardrail"), "throughline.guardrail.name": work.name };
    case "node":
      return {
        "throughline.routine": work.routine,
        "throughline.routine.version": work.version,
        "throughline.routine.node": work.name,
        "throughline.routine.node.kind": work.does,
      };
    case "stage":
      return { "throughline.stage": work.name };
    case "hook":
      return { "throughline.hook": work.name, "throughline.hook.point": work.point };
    case "variable":
      return { "throughline.variable": work.name };
  }
}

/** Returns the attributes of a span at its end. */
export function endOf(work: ObservedWork, end: WorkEnd, { content }: Recorded): Attributes {
  const code = errorTypeOf(end);
  return {
    ...(code === undefined ? {} : { "error.type": code }),
    ...(end.outcome === undefined ? {} : { "throughline.turn.outcome": end.outcome.status }),
    ...(end.outcome?.status === "stopped" ? { "throughline.turn.stop_reason": end.outcome.reason } : {}),
    ...(end.first_ms === undefined ? {} : { "throughline.first_text_ms": Math.round(end.first_ms) }),
    ...(end.usage === undefined ? {} : usageOf(end.usage)),
    ...(end.finish_reason === undefined ? {} : { "gen_ai.response.finish_reasons": [end.finish_reason] }),
    ...(end.cost === undefined ? {} : { "throughline.cost": end.cost }),
    ...(work.kind === "tool" && end.error === undefined ? { "throughline.tool.result": end.result?.type ?? "waiting" } : {}),
    ...(end.level === undefined ? {} : { "throughline.guardrail.level": end.level }),
    ...(end.visit === undefined ? {} : { "throughline.routine.visit": end.visit }),
    ...(end.found === undefined ? {} : { "throughline.retrieval.found": end.found }),
    ...(content && end.text !== undefined ? { "gen_ai.output.messages": outputOf(end) } : {}),
    ...(content && end.result !== undefined ? { "gen_ai.tool.call.result": JSON.stringify(end.result) } : {}),
  };
}

/** Returns the code of a failure: of what was thrown, of a failed outcome, or of a tool's error. Undefined if nothing failed. */
export function errorTypeOf({ error, outcome, result }: WorkEnd): string | undefined {
  if (error !== undefined) return ThroughlineError.from(error).code;
  if (outcome?.status === "failed") return outcome.error.code;
  return result?.type === "error" ? result.error.code : undefined;
}

const operation = (name: string): Attributes => ({ "gen_ai.operation.name": name });

const agentOf = ({ agent }: ExtensionTurn): Attributes => ({ "gen_ai.agent.name": agent.name, "gen_ai.agent.version": String(agent.version) });

/** Returns what the turn saw, by version. Of variables only the names are recorded, because their values are data of a person. */
function snapshotOf({ loaded, variables }: ExtensionTurn, { metadata, content }: Recorded): Attributes {
  const { session } = loaded;
  const allowed = metadata.flatMap((name): [string, string | number | boolean][] => {
    const value = Object.hasOwn(session.metadata, name) ? session.metadata[name] : undefined;
    return value === undefined ? [] : [[`throughline.metadata.${name}`, plainValue(value)]];
  });
  return {
    "throughline.snapshot.head": session.head,
    "throughline.snapshot.state": session.state_offset,
    "throughline.snapshot.owner": session.owner_version,
    "throughline.snapshot.variables": variables.version,
    "throughline.variables": Object.keys(variables.values),
    ...(content ? { "throughline.variables.values": JSON.stringify(variables.values) } : {}),
    ...Object.fromEntries(allowed),
  };
}

const plainValue = (value: Json): string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : JSON.stringify(value);

/** Names of providers in the conventions, where those of the AI SDK differ. */
const providers = new Map([
  ["amazon-bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["azure-openai", "azure.ai.openai"],
  ["google", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["vertex", "gcp.vertex_ai"],
  ["xai", "x_ai"],
]);

/** The AI SDK adds the kind of the endpoint to the provider, such as `openai.responses`. A host keeps its dots. */
function providerOf(provider: string): string {
  const [first = provider, ...rest] = provider.split(".");
  const name = rest.length === 1 && /^[a-z-]+$/.test(rest[0] ?? "") ? first : provider;
  return providers.get(name) ?? name;
}

const modelOf = ({ name, provider, model }: Pick<Model, "name" | "provider" | "model">): Attributes => ({
  "gen_ai.provider.name": provider === undefined ? "custom" : providerOf(provider),
  "gen_ai.request.model": model ?? name,
});

function requestOf({ sections, messages, response_format, max_output_tokens }: ModelRequest, step: number, { content }: Recorded): Attributes {
  return {
    "throughline.step": step,
    "gen_ai.output.type": response_format === undefined ? "text" : "json",
    ...(max_output_tokens === undefined ? {} : { "gen_ai.request.max_tokens": max_output_tokens }),
    ...(content
      ? {
          "gen_ai.system_instructions": JSON.stringify(sections.map(({ text }) => ({ type: "text", content: text }))),
          "gen_ai.input.messages": JSON.stringify(messages.map(messageOf)),
        }
      : {}),
  };
}

/** The conventions count cached tokens as input, and reasoning as output. */
export const usageOf = ({ input, output, cache_read, cache_write, reasoning }: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": input + cache_read + cache_write,
  "gen_ai.usage.output_tokens": output + reasoning,
  ...(cache_read > 0 ? { "gen_ai.usage.cache_read.input_tokens": cache_read } : {}),
  ...(cache_write > 0 ? { "gen_ai.usage.cache_creation.input_tokens": cache_write } : {}),
  ...(reasoning > 0 ? { "gen_ai.usage.reasoning.output_tokens": reasoning } : {}),
});

function messageOf(message: ModelMessage): Json {
  if (message.role === "tool") return { role: "tool", parts: [{ type: "tool_call_response", id: message.call_id, response: message.text }] };
  const { role, text, calls = [] } = message;
  const said = text === "" ? [] : [{ type: "text", content: text }];
  return { role, parts: [...said, ...calls.map(callOf)] };
}

const callOf = ({
  call_id,
  name,
  arguments: args,
}: {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}): JsonObject => ({
  type: "tool_call",
  id: call_id,
  name,
  arguments: args,
});

function outputOf({ text = "", calls = [], finish_reason }: WorkEnd): string {
  const parts = [...(text === "" ? [] : [{ type: "text", content: text }]), ...calls.map(callOf)];
  return JSON.stringify([{ role: "assistant", parts, ...present({ finish_reason }) }]);
}
