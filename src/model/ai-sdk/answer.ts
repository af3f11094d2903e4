import { abortable, abortableItems } from "../../kernel/abort.ts";
import { isPlainObject, type JsonObject } from "../../kernel/json.ts";
import { createDeadline, type Deadline } from "../../kernel/deadline.ts";
import { failed, unreadable, type Failure } from "../call/failure.ts";
import type { CallSettings } from "../call/options.ts";
import { malformedCall } from "../call/malformed.ts";
import type { ModelPart, ModelToolCall } from "../port.ts";
import { cut, failureOf, isFiltered } from "./failure.ts";
import { reasonOf, usageOf } from "./finish.ts";
import type { AiSdkCall, AiSdkLanguageModel, AiSdkStreamPart } from "./language-model.ts";
import { warningOf, type AiSdkWarning } from "./warning.ts";

/** How a model is called. */
export interface Caller {
  readonly model: AiSdkLanguageModel;
  readonly name: string;
  readonly settings: CallSettings;
  readonly onWarning: (warning: AiSdkWarning) => void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Makes one call and reads its stream: text at once, tool calls with the end. Throws only the signal's reason. */
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

/** Kinds of parts that come before the model has said anything. */
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
  // A limit or a filter may have cut a call in two: what the model did not finish asking for is not asked.
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
