import { abortable, abortableItems } from "../../kernel/abort.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createDeadline, type Deadline } from "../../kernel/deadline.ts";
import { failed, unreadable, type Failure } from "../call/failure.ts";
import { chunkOf, objectOf, type Chunk } from "./chunk.ts";
import { eventData } from "./event-stream.ts";
import type { Endpoint, Service } from "./options.ts";
import { interruptionOf, refusalOf, type Filtered } from "./refusal.ts";

/** After the reason of the end only the usage is missing; a server that keeps the connection open is not waited for. */
const afterFinishMs = 2_000;

/** After `[DONE]` nothing is missing, but a response that is read to its end leaves the connection for the next request. */
const afterDoneMs = 50;

/** What comes of one request: pieces of the answer, and a failure as the last if it was none. */
export type Received = Chunk | Filtered | Failure;

/** Sends one request and reads what comes back. Throws only the signal's reason; the connection is closed when the reader leaves. */
export async function* exchange(service: Service, body: string, signal: AbortSignal): AsyncGenerator<Received, void, undefined> {
  const { host, settings } = service;
  const deadline = createDeadline(settings.clock);
  const left = new AbortController();
  const stop = AbortSignal.any([signal, deadline.signal, left.signal]);
  const progress: Progress = { begun: false, finished: false };
  try {
    deadline.within(settings.firstByteMs, () => late(host, `did not begin to answer within ${settings.firstByteMs} ms`, "firstByteMs"));
    const headers = await keyed(service, stop);
    if (headers === undefined) return yield keyless();
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

/** The function for the key failed. */
export const keyless = (): Failure =>
  failed("The API key for the model could not be had.", {
    again: false,
    hint: "Look at the function that is given as apiKey; what it threw is not shown, since it may hold the key.",
  });

/** How far the answer has come. */
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

/** The events of a stream that is an answer. */
async function* eventsOf(response: Response, { service, deadline, stop, progress }: Reading): AsyncGenerator<Received, void, undefined> {
  const { host, settings } = service;
  const moved = (): void => {
    // A comment keeps the connection alive, and says nothing about when the answer begins.
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

/** The headers with the key; undefined if the function for the key fails. Its error may contain the key. */
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

/** The stream ended before the model said that it had finished. */
export const cut = (host: string): Failure => unreadable(`${host} ended its answer before it was finished.`, { again: true });

/** There was no answer. The client's error may quote the request; only its code is told. */
export function unconnected(host: string, error: unknown): Failure {
  const code = [error, error instanceof Error ? error.cause : undefined].map(codeOf).find((each) => each !== undefined);
  const hint = code === "ECONNREFUSED" || code === "ENOTFOUND" ? "Check that the model's server runs, and the base URL." : undefined;
  return failed(`The connection to ${host} failed${code === undefined ? "" : ` (${code})`}.`, {
    again: true,
    ...(hint === undefined ? {} : { hint }),
  });
}

function codeOf(error: unknown): string | undefined {
  if (ThroughlineError.is(error) || typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" && /^[A-Z][A-Z_]{2,40}$/.test(error.code) ? error.code : undefined;
}
