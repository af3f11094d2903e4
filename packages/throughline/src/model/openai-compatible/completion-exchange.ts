/** One request to a chat completions server: sends it, reads the stream of chunks, and interprets a rejection. */
import type { Clock } from "../../kernel/clock.ts";
import { abortable, abortableItems, createDeadline, type Deadline } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject, present } from "../../kernel/json.ts";
import { failed, type Failure, hintOf, isTemporary, unreadable } from "../call/call-failure.ts";
import { retryAfterOf } from "../call/retry-call.ts";
import type { FinishReason, Usage } from "../model-port.ts";
import type { Endpoint, Service } from "./server-options.ts";

/** Milliseconds to wait after the finish reason. Only the usage is missing then, and a server may keep the connection open. */
const afterFinishMs = 2_000;

/** Milliseconds to wait after `[DONE]`. Nothing is missing, but a fully read response frees the connection for the next request. */
const afterDoneMs = 50;

/** The result of one request: pieces of the response, ending with a failure if there is one. */
export type Received = Chunk | Filtered | Failure;

/** Sends one request, with additional headers, and reads its response. Throws only the signal's reason. Closes the connection when the reader leaves. */
export async function* exchange(
  service: Service,
  { body, traced = {} }: { readonly body: string; readonly traced?: Readonly<Record<string, string>> | undefined },
  signal: AbortSignal,
): AsyncGenerator<Received, void, undefined> {
  const { host, settings } = service;
  const deadline = createDeadline(settings.clock);
  const left = new AbortController();
  const stop = AbortSignal.any([signal, deadline.signal, left.signal]);
  const progress: Progress = { begun: false, finished: false };
  try {
    deadline.within(settings.firstByteMs, () => late(host, `did not begin to answer within ${settings.firstByteMs} ms`, "firstByteMs"));
    const headers = await keyed(service, stop);
    if (headers === undefined) return yield keyless();
    for (const [name, value] of Object.entries(traced)) if (!headers.has(name)) headers.set(name, value);
    const request = { method: "POST", redirect: "manual", headers, body, signal: stop } as const;
    const response = await abortable(service.fetch(service.url, request), stop);
    if (response.ok) yield* eventsOf(response, { service, deadline, stop, progress });
    else yield await abortable(refusalOf(response, { host, clock: settings.clock }), stop);
  } catch (error) {
    signal.throwIfAborted();
    if (progress.finished) return;
    if (deadline.signal.aborted) yield deadline.signal.reason as Failure;
    else yield progress.begun ? cut(host) : unconnected(host, error);
  } finally {
    deadline.end();
    left.abort();
  }
}

/** Creates a failure: the function for the key failed. */
export const keyless = (): Failure =>
  failed("The API key for the model could not be had.", {
    again: false,
    hint: "Look at the function that is given as apiKey; what it threw is not shown, since it may hold the key.",
  });

/** The progress of the response. */
interface Progress {
  begun: boolean;
  finished: boolean;
}

interface Reading {
  readonly service: Service;
  readonly deadline: Deadline;
  readonly stop: AbortSignal;
  readonly progress: Progress;
}

/** Yields the events of a successful stream. */
async function* eventsOf(response: Response, { service, deadline, stop, progress }: Reading): AsyncGenerator<Received, void, undefined> {
  const { host, settings } = service;
  const moved = (): void => {
    // A comment only keeps the connection alive. It does not mean that the response has started.
    if (!progress.begun || progress.finished) return;
    deadline.within(settings.stallMs, () => late(host, `stopped in the middle of its answer for ${settings.stallMs} ms`, "stallMs"));
  };
  for await (const { data, open } of eventData(bytesOf(response, stop, moved))) {
    progress.begun = true;
    moved();
    if (data.trim() === "[DONE]") {
      if (!progress.finished) return;
      deadline.within(afterDoneMs, () => undefined);
      continue;
    }
    const value = parsed(data);
    const error = objectOf(value)["error"];
    if (error !== undefined && error !== null) return yield interruptionOf(error, host);
    const chunk = chunkOf(value);
    if (chunk === undefined && open) return yield cut(host);
    if (chunk === undefined) return yield unreadable(`${host} sent something that is not JSON in its stream.`, { again: false });
    if (chunk.reason !== undefined && !progress.finished) {
      progress.finished = true;
      deadline.within(afterFinishMs, () => undefined);
    }
    yield chunk;
  }
  if (!progress.begun)
    yield unreadable(`${host} answered without a stream of events.`, { again: false, hint: "Check the base URL; it often ends with /v1." });
}

async function* bytesOf(response: Response, stop: AbortSignal, moved: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return;
  for await (const bytes of abortableItems<Uint8Array>(response.body, stop)) {
    moved();
    yield bytes;
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the headers with the key. Undefined if the function for the key fails, because its error may contain the key. */
export async function keyed(service: Pick<Endpoint, "headers">, stop: AbortSignal): Promise<Headers | undefined> {
  try {
    return await abortable(service.headers(), stop);
  } catch {
    stop.throwIfAborted();
    return undefined;
  }
}

const late = (host: string, what: string, option: string): Failure =>
  failed(`${host} ${what}.`, { again: true, hint: `Try again, or raise ${option}.` });

/** Creates a failure: the stream ended before the model had finished. */
export const cut = (host: string): Failure => unreadable(`${host} ended its answer before it was finished.`, { again: true });

/** Creates a failure: there was no response. Only the code of the client's error is used, because the error may quote the request. */
export function unconnected(host: string, error: unknown): Failure {
  const code = [error, error instanceof Error ? error.cause : undefined].map(codeOf).find((each) => each !== undefined);
  const hint = code === "ECONNREFUSED" || code === "ENOTFOUND" ? "Check that the model's server runs, and the base URL." : undefined;
  return failed(`The connection to ${host} failed${code === undefined ? "" : ` (${code})`}.`, {
    again: true,
    ...present({ hint }),
  });
}

function codeOf(error: unknown): string | undefined {
  if (ThroughlineError.is(error) || typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^[A-Z][A-Z_]{2,40}$/.test(error.code) ? error.code : undefined;
}

/** Maximum characters of one line. */
const longestLine = 64 * 1024 * 1024;

/** The data of one event. */
interface EventData {
  readonly data: string;
  /** Whether the stream ended before the empty line that closes an event. */
  readonly open: boolean;
}

/**
 * Yields the data of server-sent events. Lines end with CR, LF or both. The data lines of an event are joined; comments and other fields are left
 * out. Throws a RangeError for a line of more than 64 million characters.
 */
async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventData, void, undefined> {
  let data: string[] = [];
  for await (const line of linesOf(bytes)) {
    if (line === "") {
      if (data.length > 0) yield { data: data.join("\n"), open: false };
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line === "data") data.push("");
  }
  if (data.length > 0) yield { data: data.join("\n"), open: true };
}

/** Yields the lines of a text that arrives in pieces. A piece may cut a line, a character or a CR LF anywhere. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let afterReturn = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text === "" ? false : text.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
    pieces.push(first);
    length += first.length;
    if (length > longestLine) throw new RangeError("A line is too long.");
    for (const next of rest) {
      yield pieces.join("");
      pieces = [next];
      length = next.length;
    }
  }
  pieces.push(decoder.decode());
  yield pieces.join("");
}

/** A piece of a tool call. Servers may leave out everything but the arguments. */
export interface CallDelta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** An event of the stream, as far as this adapter reads it. */
interface Chunk {
  readonly type: "chunk";
  readonly text: string;
  /** Whether the text is the model's refusal to answer. */
  readonly refused: boolean;
  readonly calls: readonly CallDelta[];
  readonly reason?: FinishReason;
  readonly usage?: Usage;
}

/** Returns a value as an object, because a server may have sent any type. */
const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads an event. Undefined if it is not an object. */
function chunkOf(value: unknown): Chunk | undefined {
  if (!isPlainObject(value)) return undefined;
  const choices: readonly unknown[] = Array.isArray(value["choices"]) ? value["choices"] : [];
  // One response was requested. The event with the usage has none.
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
    ...present({ reason, usage }),
  };
}

/** Returns the text, or the texts of a list of parts. The model's reasoning is not part of its response. */
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

const tokensOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0);
const detailsOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});

/** Returns the tokens by kind. Tokens that a server counts twice, such as cached tokens within those of the prompt, are counted once. */
function usageOf(value: unknown): Usage | undefined {
  if (!isPlainObject(value)) return undefined;
  const prompt = tokensOf(value["prompt_tokens"]);
  const completion = tokensOf(value["completion_tokens"]);
  const asked = detailsOf(value["prompt_tokens_details"]);
  const cache_read = Math.min(prompt, tokensOf(asked["cached_tokens"] ?? value["prompt_cache_hit_tokens"]));
  const cache_write = Math.min(prompt - cache_read, tokensOf(asked["cache_write_tokens"]));
  const reasoning = tokensOf(detailsOf(value["completion_tokens_details"])["reasoning_tokens"]);
  // A few servers count reasoning tokens outside of the completion. The total shows that.
  const beside = reasoning > 0 && tokensOf(value["total_tokens"]) === prompt + completion + reasoning;
  return {
    input: prompt - cache_read - cache_write,
    output: beside ? completion : Math.max(0, completion - reasoning),
    cache_write,
    cache_read,
    reasoning: beside ? reasoning : Math.min(completion, reasoning),
  };
}

/** A provider's filter rejected the request. That is a kind of response, not a failure. */
interface Filtered {
  readonly type: "filtered";
}

/** Maximum bytes of a rejection to read. Its text is never shown. */
const longestBody = 64 * 1024;

/** Interprets a response that is not a success. */
export async function refusalOf(response: Response, { host, clock }: { readonly host: string; readonly clock: Clock }): Promise<Failure | Filtered> {
  const { status, headers } = response;
  const redirects = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  const retry_after_ms = retryAfterOf((name) => headers.get(name), clock.now());
  const body = await bodyOf(response);
  const { code, type } = errorFields(body);
  const schema = (status === 400 || status === 422) && isAboutSchema(body);
  if (status === 400 && isFilter(code, type)) return { type: "filtered" };
  // An account without credit gets the same status as one that exceeds its rate. Waiting does not help it.
  const again = isTemporary(status) && code !== "insufficient_quota";
  const hint = hintOf(redirects ? 307 : status);
  return failed(redirects ? `${host} redirects to another address.` : `${host} answered ${status}${named(code ?? type)}.`, {
    again,
    ...(status === 0 ? {} : { status }),
    ...(schema ? { schema } : {}),
    ...present({ retry_after_ms, hint }),
  });
}

/** Whether an error is about the schema of the answer. Servers say so by the parameter, a code, or in the message, which is only read here. */
function isAboutSchema(body: unknown): boolean {
  const { error } = objectOf(body);
  const { param, code, message } = typeof error === "string" ? { param: "", code: "", message: error } : objectOf(error);
  return [param, code, message].some((text) => /response_format|json_?schema|structured output|\bstrict\b/iu.test(textOf(text)));
}

/** Interprets an error in the middle of a stream. */
function interruptionOf(error: unknown, host: string): Failure | Filtered {
  const { code, type, status } = errorFields({ error });
  if (isFilter(code, type)) return { type: "filtered" };
  const temporary = status === undefined ? type !== "invalid_request_error" : isTemporary(status);
  return failed(`${host} broke off its answer with an error${named(code ?? type)}.`, {
    again: temporary,
    ...present({ status }),
  });
}

const isFilter = (...words: readonly (string | undefined)[]): boolean =>
  words.some((word) => word === "content_filter" || word === "content_policy_violation" || word === "ResponsibleAIPolicyViolation");

const named = (word: string | undefined): string => (word === undefined ? "" : ` (${word})`);

/** Returns the names of an error, without its message, because providers quote the request and the key in it. */
function errorFields(body: unknown): { readonly code?: string; readonly type?: string; readonly status?: number } {
  const { error } = objectOf(body);
  const { code, type } = objectOf(error);
  const status = typeof code === "number" ? code : typeof code === "string" && /^[1-5]\d\d$/.test(code) ? Number(code) : undefined;
  return {
    ...(isName(code) ? { code } : {}),
    ...(isName(type) ? { type } : {}),
    ...(status === undefined || !Number.isInteger(status) || status < 100 || status > 599 ? {} : { status }),
  };
}

/** Whether a value is a short name in lower case, like an error code. A key or a sentence is not. */
const isName = (word: unknown): word is string =>
  typeof word === "string" && (/^[a-z]+(_[a-z]+){0,7}$/.test(word) ? word.length <= 50 : word === "ResponsibleAIPolicyViolation");

async function bodyOf(response: Response): Promise<unknown> {
  let text = "";
  try {
    const decoder = new TextDecoder();
    const pieces: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
    if (pieces === undefined) return undefined;
    for await (const piece of pieces) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > longestBody) return undefined;
    }
    return JSON.parse(text) as unknown;
  } catch {
    // The status is sufficient.
    return undefined;
  }
}
