import { abortable, abortableItems } from "../kernel/abort.ts";
import type { Clock } from "../kernel/clock.ts";
import type { JsonObject } from "../kernel/json.ts";
import { failed, unreadable, type Failure } from "../model/call/failure.ts";
import { keyed, keyless, unconnected } from "../model/openai-compatible/exchange.ts";
import type { Endpoint } from "../model/openai-compatible/options.ts";
import { refusalOf } from "../model/openai-compatible/refusal.ts";
import type { TryOutcome } from "./repeat.ts";

/** How one answer is read. */
export interface Reading {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Bytes that a sound answer does not pass. */
  readonly longest: number;
}

/** Maximum bytes of an answer with this number of vectors, as JSON with any indentation. */
export const longestAnswer = (vectors: number, dimensions: number): number => 65_536 + vectors * (1_024 + dimensions * 64);

/** Sends JSON and reads JSON. Redirects are not followed, since they would take the key elsewhere. Throws only the signal's reason. */
export async function postJson(endpoint: Endpoint, body: JsonObject, { clock, signal, longest }: Reading): Promise<TryOutcome<unknown>> {
  const { host, url, fetch } = endpoint;
  const left = new AbortController();
  const stop = AbortSignal.any([signal, left.signal]);
  let begun = false;
  try {
    const headers = await keyed(endpoint, stop);
    if (headers === undefined) return keyless();
    const request = { method: "POST", redirect: "manual", headers, body: JSON.stringify(body), signal: stop } as const;
    const response = await abortable(fetch(url, request), stop);
    if (!response.ok) return refused(await abortable(refusalOf(response, { host, clock }), stop), host);
    begun = true;
    const text = await textOf(response, { stop, longest });
    return text === undefined ? tooLong(host, longest) : parsed(text, host);
  } catch (error) {
    signal.throwIfAborted();
    return begun ? failed(`${host} ended its answer before it was finished.`, { again: true }) : unconnected(host, error);
  } finally {
    // Ends the connection that is still open, if the answer was not read to its end.
    left.abort();
  }
}

const refused = (refusal: Awaited<ReturnType<typeof refusalOf>>, host: string): Failure =>
  refusal.type === "failure" ? refusal : failed(`A filter of ${host} refused a text.`, { again: false, status: 400 });

const tooLong = (host: string, longest: number): Failure =>
  unreadable(`${host} sent more than ${longest} bytes, which is more than these vectors can be.`, {
    again: false,
    hint: "Check the model's name and its dimensions.",
  });

/** The body as text; undefined if it is longer than it may be. */
async function textOf(response: Response, { stop, longest }: { readonly stop: AbortSignal; readonly longest: number }): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let length = 0;
  if (response.body === null) return "";
  for await (const bytes of abortableItems<Uint8Array>(response.body, stop)) {
    length += bytes.byteLength;
    if (length > longest) return undefined;
    pieces.push(decoder.decode(bytes, { stream: true }));
  }
  return pieces.join("") + decoder.decode();
}

function parsed(text: string, host: string): TryOutcome<unknown> {
  try {
    return { type: "answer", answer: JSON.parse(text) as unknown };
  } catch {
    return unreadable(`${host} sent something that is not JSON.`, { again: false, hint: "Check the base URL." });
  }
}
