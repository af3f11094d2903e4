/** Calls a model and reads its response. An adapter is foreign code, so each part of the response is checked. */
import { failureOf } from "../../extension/failure.ts";
import type { TraceHeaders } from "../../extension/port.ts";
import { abortableItems } from "../../kernel/deadline.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createDeadline } from "../../kernel/deadline.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, notJson, present } from "../../kernel/json.ts";
import type { FinishReason, Model, ModelPart, ModelRequest, ModelToolCall, Usage } from "../../model/model-port.ts";

/** A model's complete response. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
}

/** Options of a model call. */
export interface Asking {
  readonly signal: AbortSignal;
  readonly write: (text: string) => Promise<void>;
  readonly mayCall: boolean;
  readonly last: boolean;
  /** Headers for the model's request. */
  readonly headers?: TraceHeaders | undefined;
  /** Clock that limits the silence of the model to two minutes, for callers that a hanging model must not block. */
  readonly silence?: Clock;
}

/** Milliseconds. Adapters time out earlier. */
const longestSilence = 120_000;

const silent = (): ThroughlineError => new ThroughlineError("model.failed", `The model was silent for ${longestSilence} ms.`);

/**
 * Calls a model and shows its text as it arrives. `mayCall`: the agent has tools. `last`: the model may not use them any more, so calls in its
 * response are dropped.
 */
export async function ask(model: Model, request: ModelRequest, { signal, write, mayCall, last, headers, silence }: Asking): Promise<ModelAnswer> {
  let text = "";
  const calls: ModelToolCall[] = [];
  const deadline = silence === undefined ? undefined : createDeadline(silence);
  const stop = deadline === undefined ? signal : AbortSignal.any([signal, deadline.signal]);
  try {
    deadline?.within(longestSilence, silent);
    for await (const part of partsOf(model, request, { signal: stop, mayCall, headers })) {
      if (part.type === "text_delta") {
        text += part.text;
        await write(part.text);
      } else if (part.type === "tool_call") calls.push(part.call);
      else return { text, calls: last ? [] : calls, usage: part.usage, finish_reason: part.reason };
      deadline?.within(longestSilence, silent);
    }
  } finally {
    deadline?.end();
  }
  throw new ThroughlineError("model.invalid_response", "The model's stream ended without a finish part.");
}

/**
 * Yields the checked parts of a model's response. An adapter is foreign code, so its output is checked before it is shown or stored. Every error that
 * it throws counts as a failure of the model. Aborts with the signal's reason, even if the model ignores the signal. `mayCall`: the agent has tools,
 * so a call is no error even if this request offers none.
 */
export async function* partsOf(
  model: Model,
  request: ModelRequest,
  { signal, mayCall, headers }: { readonly signal: AbortSignal; readonly mayCall: boolean; readonly headers?: TraceHeaders | undefined },
): AsyncGenerator<ModelPart, void, undefined> {
  try {
    for await (const part of abortableItems(model.stream(request, { signal, ...present({ headers }) }), signal)) {
      const usage = isRecord(part) && part["type"] === "finish" ? wrongUsage(part["usage"]) : undefined;
      if (usage !== undefined)
        throw unreadable(model, `reported ${usage}. Usage has a whole number from 0 for each of ${tokenKinds.join(", ")}, and nothing else`);
      if (!isPart(part)) throw unreadable(model, `yielded ${shapeOf(part)}, which is no part of an answer`);
      if (part.type === "tool_call" && request.tools.length === 0 && !mayCall) throw unreadable(model, "called a tool, but was offered none");
      yield part;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, new ThroughlineError("model.failed", undefined, { cause: error }));
  }
}

const unreadable = (model: Model, what: string): ThroughlineError =>
  new ThroughlineError("model.invalid_response", `The model "${model.name}" ${what}.`);

const finishReasons: readonly FinishReason[] = ["stop", "length", "tool_calls", "content_filter", "error", "other"];
const tokenKinds = ["input", "output", "cache_write", "cache_read", "reasoning"];

function isPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (part["type"] === "text_delta") return typeof part["text"] === "string";
  if (part["type"] === "tool_call") return isCall(part["call"]);
  return part["type"] === "finish" && finishReasons.some((reason) => reason === part["reason"]);
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isCall = (call: unknown): boolean =>
  isRecord(call) &&
  typeof call["call_id"] === "string" &&
  typeof call["name"] === "string" &&
  (call["malformed"] === undefined || typeof call["malformed"] === "string") &&
  isPlainObject(call["arguments"]) &&
  notJson(call["arguments"]) === undefined;

const isTokens = (count: unknown): boolean => Number.isSafeInteger(count) && Number(count) >= 0;

/** Describes the defect in the usage that an adapter reports, or returns undefined if it is valid. */
function wrongUsage(usage: unknown): string | undefined {
  if (!isRecord(usage)) return `usage as ${seen(usage)}`;
  const wrong = tokenKinds.find((kind) => !isTokens(usage[kind])) ?? Object.keys(usage).find((kind) => !tokenKinds.includes(kind));
  return wrong === undefined ? undefined : `usage.${wrong} as ${seen(usage[wrong])}`;
}

/** Describes the shape of a part without its text, which may quote a customer. */
const shapeOf = (part: unknown): string =>
  isRecord(part) ? `a part of type ${seen(part["type"])} with ${Object.keys(part).join(", ") || "nothing"}` : seen(part);
