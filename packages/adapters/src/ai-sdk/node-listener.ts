/** Serves a handler from `Request` to `Response` on Node's HTTP server, and on frameworks that are built on it, such as Express. */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ThroughlineError } from "throughline";

/** A request of Node, whose body a framework may have read already. */
type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly originalUrl?: string };

/** Options of the listener. */
export interface NodeListenerOptions {
  /** Maximum size of a request's body in bytes, 1,048,576 by default. A longer one is answered with 413. A framework that reads bodies limits them itself. */
  readonly maxBytes?: number;
}

type Handle = (request: Request) => Promise<Response>;

/** Returns a listener for `http.createServer`, and a middleware for Express. The request's signal aborts when the client leaves. */
export function nodeListener(
  handle: Handle,
  { maxBytes = 1_048_576 }: NodeListenerOptions = {},
): (request: NodeRequest, response: ServerResponse) => void {
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new ThroughlineError("input.invalid", `maxBytes must be a positive integer, got ${String(maxBytes)}.`);
  return (request, response) => {
    serve({ handle, maxBytes }, request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
}

async function serve(
  { handle, maxBytes }: { readonly handle: Handle; readonly maxBytes: number },
  request: NodeRequest,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  // Then it does not close again.
  if (response.destroyed) left.abort();
  const { method = "GET", headers, originalUrl, url = "/" } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  const body = hasBody ? await bodyOf(request, maxBytes) : undefined;
  if (hasBody && body === undefined) return refuse(response, maxBytes);
  const answer = await handle(
    new Request(new URL(originalUrl ?? url, `http://${headers.host ?? "localhost"}`), {
      method,
      headers: headersOf(request),
      ...(body === undefined ? {} : { body }),
      signal: left.signal,
    }),
  );
  if (left.signal.aborted) return answer.body?.cancel();
  response.writeHead(answer.status, [...answer.headers].flat());
  response.flushHeaders();
  if (answer.body !== null) await send(answer.body, response, left.signal);
  response.end();
}

/** Writes a body as fast as the client reads, and cancels it when the client leaves. */
async function send(body: ReadableStream<Uint8Array>, response: ServerResponse, left: AbortSignal): Promise<void> {
  const reader = body.getReader();
  // A read that waits ends with it.
  left.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  for (let piece = await reader.read(); !piece.done && !left.aborted; piece = await reader.read())
    if (!response.write(piece.value)) await once(response, "drain", { signal: left }).catch(() => {});
}

/** Answers that the body is too large. What is left of it is not read, so the connection ends. */
function refuse(response: ServerResponse, maxBytes: number): void {
  response.writeHead(413, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`The request's body has more than ${maxBytes} bytes.`);
}

/** The body, also if a framework has parsed it. Undefined as soon as it has more than `maxBytes`. */
async function bodyOf(request: NodeRequest, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | string | undefined> {
  if (request.readableEnded && request.body !== undefined) return JSON.stringify(request.body);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const pieces: Buffer[] = [];
  let size = 0;
  // The request stays whole: destroying it would end the connection before the answer.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(piece)) continue;
    size += piece.byteLength;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

const headersOf = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value] as [string, string])));
