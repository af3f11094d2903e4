/** Reads the response of an AI SDK model: parts, usage, finish reason and failure. */
import type { Clock } from "../../kernel/clock.ts";
import { abortable, abortableItems, createDeadline, type Deadline } from "../../kernel/deadline.ts";
import { isPlainObject, type JsonObject, present } from "../../kernel/json.ts";
import { failed, type Failure, hintOf, isTemporary, malformedCall, unreadable } from "../call/call-failure.ts";
import type { CallSettings } from "../call/call-options.ts";
import { retryAfterOf } from "../call/retry-call.ts";
import type { FinishReason, ModelPart, ModelToolCall, Usage } from "../model-port.ts";
import { type AiSdkCall, type AiSdkLanguageModel, type AiSdkStreamPart, type AiSdkWarning, warningOf } from "./language-model.ts";

/** Dependencies of a call. */
export interface Caller {
  readonly model: AiSdkLanguageModel;
  readonly name: string;
  readonly settings: CallSettings;
  readonly onWarning: (warning: AiSdkWarning) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Makes one call and reads its stream: text immediately, tool calls at the end. Throws only the signal's reason. */
export async function* answerOf(
  caller: Caller,
  call: Omit<AiSdkCall, "abortSignal">,
  signal: AbortSignal,
): AsyncGenerator<ModelPart | Failure, void, undefined> {
  const { model, name, settings } = caller;
  const { clock, firstByteMs } = settings;
  const deadline = createDeadline(clock);
  const left = new AbortController();
  const stop = AbortSignal.any([signal, deadline.signal, left.signal]);
  try {
    deadline.within(firstByteMs, () =>
      failed(`${name} did not begin to answer within ${firstByteMs} ms.`, { again: true, hint: "Raise firstByteMs." }),
    );
    const { stream } = await abortable(Promise.resolve(model.doStream({ ...call, abortSignal: stop })), stop);
    yield* partsOf(stream, { caller, deadline, stop });
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.signal.aborted) yield deadline.signal.reason as Failure;
    else if (isFiltered(error)) yield { type: "finish", reason: "content_filter", usage: usageOf(undefined) };
    else yield failureOf(error, { name, clock });
  } finally {
    deadline.end();
    left.abort();
  }
}

interface Reading {
  readonly caller: Caller;
  readonly deadline: Deadline;
  readonly stop: AbortSignal;
}

/** Kinds of parts before the model's output. */
const preludes: ReadonlySet<string> = new Set(["stream-start", "response-metadata", "ping", "raw"]);

async function* partsOf(stream: ReadableStream<AiSdkStreamPart>, reading: Reading): AsyncGenerator<ModelPart | Failure, void, undefined> {
  const { caller, deadline, stop } = reading;
  const { name, settings } = caller;
  const late = (): Failure =>
    failed(`${name} stopped in the middle of its answer for ${settings.stallMs} ms.`, { again: true, hint: "Raise stallMs." });
  const calls: ModelToolCall[] = [];
  let begun = false;
  for await (const fields of itemsOf(stream, stop)) {
    const { type } = fields;
    begun ||= !preludes.has(String(type));
    if (begun) deadline.within(settings.stallMs, late);
    if (type === "stream-start") warn(fields["warnings"], caller);
    else if (type === "text-delta" && typeof fields["delta"] === "string" && fields["delta"] !== "")
      yield { type: "text_delta", text: fields["delta"] };
    else if (type === "error") return yield failureOf(fields["error"], { name, clock: settings.clock });
    else if (type === "tool-call" && fields["providerExecuted"] !== true) {
      const call = callOf(fields);
      if (call === undefined) return yield unreadable(`${name} sent a tool call without a name.`, { again: false });
      calls.push(call);
    } else if (type === "finish") return yield* endOf(fields, calls, name);
  }
  yield cut(name);
}

function* endOf({ finishReason, usage }: Fields, calls: readonly ModelToolCall[], name: string): Generator<ModelPart | Failure, void, undefined> {
  const reason = reasonOf(finishReason, usage);
  if (reason === undefined) return yield cut(name);
  // A limit or a filter may have cut a call in two. An incomplete call is not made.
  const isCut = reason === "length" || reason === "content_filter";
  for (const call of calls) if (!isCut || call.malformed === undefined) yield { type: "tool_call", call };
  yield { type: "finish", reason: reason === "stop" && calls.length > 0 ? "tool_calls" : reason, usage: usageOf(usage) };
}

async function* itemsOf(stream: ReadableStream<AiSdkStreamPart>, stop: AbortSignal): AsyncGenerator<Fields, void, undefined> {
  for await (const item of abortableItems<unknown>(stream, stop)) if (isPlainObject(item)) yield item;
}

function warn(warnings: unknown, { onWarning }: Caller): void {
  for (const warning of Array.isArray(warnings) ? warnings : []) onWarning(warningOf(warning));
}

function callOf({ toolCallId, toolName, input }: Fields): ModelToolCall | undefined {
  if (typeof toolCallId !== "string" || typeof toolName !== "string" || toolName === "") return undefined;
  const values = typeof input === "string" ? parsed(input) : input;
  if (isPlainObject(values)) return { call_id: toolCallId, name: toolName, arguments: values as JsonObject };
  return malformedCall(toolCallId, toolName, typeof input === "string" ? input : (JSON.stringify(input) ?? ""));
}

function parsed(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});
const tokensOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;

/** Returns the tokens by kind. Version 2 gives totals that include the other kinds. Versions 3 and 4 give the kinds, or only some of them. */
function usageOf(value: unknown): Usage {
  const usage = objectOf(value);
  if (!isPlainObject(usage["inputTokens"]) && !isPlainObject(usage["outputTokens"])) return flatUsage(usage);
  const asked = objectOf(usage["inputTokens"]);
  const said = objectOf(usage["outputTokens"]);
  const cache_read = tokensOf(asked["cacheRead"]) ?? 0;
  const cache_write = tokensOf(asked["cacheWrite"]) ?? 0;
  const reasoning = tokensOf(said["reasoning"]) ?? 0;
  return {
    input: tokensOf(asked["noCache"]) ?? Math.max(0, (tokensOf(asked["total"]) ?? 0) - cache_read - cache_write),
    output: tokensOf(said["text"]) ?? Math.max(0, (tokensOf(said["total"]) ?? 0) - reasoning),
    cache_write,
    cache_read,
    reasoning,
  };
}

function flatUsage(usage: Readonly<Record<string, unknown>>): Usage {
  const cache_read = tokensOf(usage["cachedInputTokens"]) ?? 0;
  const reasoning = tokensOf(usage["reasoningTokens"]) ?? 0;
  return {
    input: Math.max(0, (tokensOf(usage["inputTokens"]) ?? 0) - cache_read),
    output: Math.max(0, (tokensOf(usage["outputTokens"]) ?? 0) - reasoning),
    cache_write: 0,
    cache_read,
    reasoning,
  };
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
};

/**
 * Returns the finish reason: a string in version 2, a string and the provider's own in versions 3 and 4. Undefined if the stream was cut. Many
 * providers then still end it, with an unknown reason and uncounted tokens.
 */
function reasonOf(value: unknown, usage: unknown): FinishReason | undefined {
  const word = isPlainObject(value) ? value["unified"] : value;
  if (word === "interrupted" || typeof word !== "string") return undefined;
  const known = Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  if (known !== undefined) return known;
  const told = isPlainObject(value) && typeof value["raw"] === "string";
  return told || Object.values(usageOf(usage)).some((tokens) => tokens > 0) ? "other" : undefined;
}

/**
 * Converts an error of a provider. It contains the request and the service's response, so only its name, its status and the requested retry delay are
 * passed on.
 */
export function failureOf(error: unknown, { name, clock }: { readonly name: string; readonly clock: Clock }): Failure {
  const { name: kind, statusCode, isRetryable, responseHeaders } = fieldsOf(error);
  const shown = typeof kind === "string" && /^AI_[A-Za-z]{1,50}$/.test(kind) ? ` (${kind})` : "";
  if (shown === " (AI_JSONParseError)" || shown === " (AI_TypeValidationError)")
    return unreadable(`${name} sent an answer that cannot be read${shown}.`, { again: false });
  const status = typeof statusCode === "number" && Number.isInteger(statusCode) && statusCode > 0 ? statusCode : undefined;
  // The service had started to respond, and the connection broke or the end was missing.
  if (shown === " (AI_InvalidResponseDataError)" || (status !== undefined && status < 300)) return cut(name);
  const headers = isPlainObject(responseHeaders) ? responseHeaders : {};
  const retry_after_ms = retryAfterOf((header) => (typeof headers[header] === "string" ? headers[header] : undefined), clock.now());
  const hint = status === undefined ? undefined : hintOf(status);
  return failed(`${name} ${status === undefined ? "failed" : `answered ${status}`}${shown}.`, {
    again: typeof isRetryable === "boolean" ? isRetryable : status === undefined ? shown === "" : isTemporary(status),
    ...present({ status, retry_after_ms, hint }),
  });
}

/** The stream ended before the model had finished. */
const cut = (name: string): Failure => unreadable(`${name} ended its answer before it was finished.`, { again: true });

/** Whether a provider's filter rejected the request. That is a kind of response, not a failure. */
function isFiltered(error: unknown): boolean {
  const { statusCode, data } = fieldsOf(error);
  const told = isPlainObject(data) && isPlainObject(data["error"]) ? data["error"]["code"] : undefined;
  return statusCode === 400 && (told === "content_filter" || told === "content_policy_violation");
}

interface ErrorFields {
  readonly data?: unknown;
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: unknown;
}

const fieldsOf = (error: unknown): ErrorFields => (typeof error === "object" && error !== null ? error : {});
