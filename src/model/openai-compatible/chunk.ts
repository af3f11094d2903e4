import { isPlainObject } from "../../kernel/json.ts";
import type { FinishReason, Usage } from "../port.ts";
import { usageOf } from "./usage.ts";

/** A piece of a tool call. Servers leave out whatever they like but the arguments. */
export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** An event of the stream, with what this adapter reads of it. */
export interface Chunk {
  readonly type: "chunk";
  readonly text: string;
  /** Whether the text is the model's refusal to answer. */
  readonly refused: boolean;
  readonly calls: readonly CallDelta[];
  readonly reason?: FinishReason;
  readonly usage?: Usage;
}

/** A value that a server may have sent as an object, or as anything else. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads an event; undefined if it is no object. */
export function chunkOf(value: unknown): Chunk | undefined {
  if (!isPlainObject(value)) return undefined;
  const choices: readonly unknown[] = Array.isArray(value["choices"]) ? value["choices"] : [];
  // One answer was asked for; the event with the usage has none.
  const choice = objectOf(choices.find((each) => (objectOf(each)["index"] ?? 0) === 0));
  const delta = objectOf(choice["delta"]);
  const refusal = textOf(delta["refusal"]);
  const reason = reasonOf(choice["finish_reason"]);
  const usage = usageOf(value["usage"] ?? objectOf(value["x_groq"])["usage"]);
  const calls: readonly unknown[] = Array.isArray(delta["tool_calls"]) ? delta["tool_calls"] : [];
  return {
    type: "chunk",
    text: contentOf(delta["content"]) + refusal,
    refused: refusal !== "",
    calls: calls.map(callOf),
    ...(reason === undefined ? {} : { reason }),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A text, or a list of parts; what a model thinks is not part of its answer. */
function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((part: unknown) => (objectOf(part)["type"] === "text" ? textOf(objectOf(part)["text"]) : "")).join("");
}

function callOf(value: unknown): CallDelta {
  const { index, id, function: named } = objectOf(value);
  const { name, arguments: values } = objectOf(named);
  return {
    ...(typeof index === "number" ? { index } : {}),
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof name === "string" && name !== "" ? { name } : {}),
    // Some servers send the arguments as an object.
    arguments: isPlainObject(values) ? JSON.stringify(values) : textOf(values),
  };
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  length: "length",
  max_tokens: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
  error: "error",
};

const reasonOf = (reason: unknown): FinishReason | undefined =>
  typeof reason === "string" && reason !== "" ? (Object.hasOwn(reasons, reason) ? reasons[reason] : "other") : undefined;
