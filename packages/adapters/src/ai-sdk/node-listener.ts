/** Serves a handler from `Request` to `Response` on Node's HTTP server, and on frameworks that are built on it, such as Express. */
import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";

/** A request of Node, whose body a framework may have read already. */
type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly originalUrl?: string };

/** Returns a listener for `http.createServer`, and a middleware for Express. The request's signal aborts when the client leaves. */
export function nodeListener(handle: (request: Request) => Promise<Response>): (request: NodeRequest, response: ServerResponse) => void {
  return (request, response) => {
    serve(handle, request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  };
}

async function serve(handle: (request: Request) => Promise<Response>, request: NodeRequest, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const { method = "GET", headers, originalUrl, url = "/" } = request;
  const body = method === "GET" || method === "HEAD" ? {} : { body: await bodyOf(request) };
  const answer = await handle(
    new Request(new URL(originalUrl ?? url, `http://${headers.host ?? "localhost"}`), {
      method,
      headers: headersOf(request),
      ...body,
      signal: left.signal,
    }),
  );
  response.writeHead(answer.status, [...answer.headers].flat());
  response.flushHeaders();
  for await (const bytes of answer.body ?? []) {
    if (!response.write(bytes)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    if (left.signal.aborted) break;
  }
  response.end();
}

/** The body, also if a framework has parsed it. */
async function bodyOf(request: NodeRequest): Promise<Uint8Array<ArrayBuffer> | string> {
  if (request.readableEnded && request.body !== undefined) return JSON.stringify(request.body);
  const pieces: Buffer[] = [];
  for await (const piece of request) if (Buffer.isBuffer(piece)) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

const headersOf = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value) => [name, value] as [string, string])));
