/** The socket: who is slow, who says too much, and who speaks no HTTP. */
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { STATUS_CODES, createServer, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { problemOf } from "./problem.ts";
import type { Service } from "./service.ts";

/** What a header's lines may have in all, in bytes. */
const headerBytes = 16 * 1024;
const headerLines = 100;
/** Longer than proxies keep a connection, so that it is they who close it. */
const keepAliveMs = 75_000;

/** A server that hands requests on. What cannot be read is answered with an error as any other, and what comes too slowly is cut. */
export function createSocketServer(fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>, service: Service): Server {
  const { limits } = service;
  const options = {
    maxHeaderSize: headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs),
  };
  const listener = getRequestListener((request, env) => fetch(request, env as HttpBindings), { errorHandler: (error) => unreadable(service, error) });
  const answers = new WeakMap<Duplex, Set<ServerResponse>>();
  const unused = new Set<Duplex>();
  const server = createServer(options, (incoming, outgoing) => {
    const { socket } = incoming;
    answers.set(socket, (answers.get(socket) ?? new Set()).add(outgoing));
    outgoing.once("close", () => answers.get(socket)?.delete(outgoing));
    unused.delete(socket);
    // Whoever stands in front may have gone by the other one.
    if ((incoming.headersDistinct["host"]?.length ?? 0) > 1) void answer(outgoing, unreadable(service, undefined));
    else void listener(incoming, outgoing);
  });
  server.maxHeadersCount = headerLines;
  // Clients open some in advance. Node does not count them as idle, and would keep the service waiting for a request on them.
  server.on("connection", (socket: Duplex) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  service.draining.addEventListener("abort", () => unused.forEach((socket) => socket.destroy()), { once: true });
  const refuse = (code: ErrorCode, socket: Duplex): void => {
    const isBusy = [...(answers.get(socket) ?? [])].some(({ headersSent, writableEnded }) => headersSent && !writableEnded);
    // In the middle of an answer, an error would be a part of it.
    if (isBusy || !socket.writable) socket.destroy();
    else void tell(service, code, socket);
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET") socket.destroy();
    else refuse(codes[error.code ?? ""] ?? "request.malformed", socket);
  });
  server.on("connect", (_incoming, socket) => refuse("request.method_not_allowed", socket));
  server.on("checkExpectation", ({ socket }) => refuse("request.malformed", socket));
  return server;
}

/** What of Node's parser is an error of which code; all else is malformed. */
const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "request.too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request.timeout",
};

/** What is HTTP and yet no request: an address that is none, no host. */
const unreadable = ({ ids, logger }: Service, cause: unknown): Response =>
  problemOf(new ThroughlineError("request.malformed", "The request's address or host cannot be read, or it has two.", { cause }), {
    request_id: ids.trace(),
    logger,
  });

async function answer(outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), connection: "close" });
  outgoing.end(await response.text());
}

/** Says what is wrong where there is no request to answer, and closes the connection. */
async function tell({ ids, logger }: Service, code: ErrorCode, socket: Duplex): Promise<void> {
  const response = problemOf(new ThroughlineError(code, "The request is not HTTP as it is taken here."), { request_id: ids.trace(), logger });
  const body = await response.text();
  const headers = [...response.headers, ["content-length", String(Buffer.byteLength(body))], ["connection", "close"]];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${lines}\r\n${body}`);
}
