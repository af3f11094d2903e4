/** The socket of the service: listening, malformed requests, and slow or oversized requests. */
import { createServer, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type ErrorCode, ThroughlineError } from "throughline/kernel";
import type { Service } from "./service.ts";
import { problemOf } from "./to-wire.ts";

/** Maximum size of all header lines, in bytes. */
const headerBytes = 16 * 1024;
const headerLines = 100;
/** Longer than the keep-alive of common proxies, so that the proxy closes the connection first. */
const keepAliveMs = 75_000;

/**
 * Creates an HTTP server that passes requests to `fetch`. It answers unreadable requests with a problem response and disconnects clients that send
 * too slowly.
 */
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
    // A proxy in front may have routed the request by the other host.
    if ((incoming.headersDistinct["host"]?.length ?? 0) > 1) void answer(outgoing, unreadable(service, undefined));
    else void listener(incoming, outgoing);
  });
  server.maxHeadersCount = headerLines;
  // Clients open some connections in advance. Node does not count these as idle, and closing the server would wait for a request on them.
  server.on("connection", (socket: Duplex) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  service.draining.addEventListener("abort", () => unused.forEach((socket) => socket.destroy()), { once: true });
  const refuse = (code: ErrorCode, socket: Duplex): void => {
    const isBusy = [...(answers.get(socket) ?? [])].some(({ headersSent, writableEnded }) => headersSent && !writableEnded);
    // In the middle of a response, the error text would become part of it.
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

/** Maps Node parser errors to error codes. All other errors map to `request.malformed`. */
const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "request.too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request.timeout",
};

/** Answers a request that parses as HTTP but has an invalid URL, no host or two hosts. */
const unreadable = ({ ids, logger }: Service, cause: unknown): Response =>
  problemOf(new ThroughlineError("request.malformed", "The request's URL or host is invalid, or it has two hosts.", { cause }), {
    request_id: ids.trace(),
    logger,
  });

async function answer(outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), connection: "close" });
  outgoing.end(await response.text());
}

/** Writes an error response to a socket without a request and closes the connection. */
async function tell({ ids, logger }: Service, code: ErrorCode, socket: Duplex): Promise<void> {
  const response = problemOf(new ThroughlineError(code, "The request is not valid HTTP."), { request_id: ids.trace(), logger });
  const body = await response.text();
  const headers = [...response.headers, ["content-length", String(Buffer.byteLength(body))], ["connection", "close"]];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.end(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${lines}\r\n${body}`);
}

/** The address on which a server listens. */
interface Listening {
  readonly url: string;
  /** The requested port, or the free port that the system selected. */
  readonly port: number;
}

/** Maximum number of connections that wait for `accept`. Clients beyond this limit retry the connection after one to three seconds. */
const backlog = 4096;

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there",
  EADDRNOTAVAIL: "the address does not belong to this machine",
  EACCES: "this process lacks the permission",
  ENOTFOUND: "the host does not exist",
};

/** Listens on an address. Throws `service.cannot_listen` if that fails. */
export const listen = (server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<Listening> =>
  new Promise((resolve, reject) => {
    const named = host.includes(":") ? `[${host}]` : host;
    const refuse = (cause: NodeJS.ErrnoException): void => {
      const why = reasons[cause.code ?? ""] ?? cause.code ?? "the system reports an unknown error";
      reject(
        new ThroughlineError("service.cannot_listen", `The service cannot listen at ${named}:${port}: ${why}.`, { details: { host, port }, cause }),
      );
    };
    server.once("error", refuse);
    server.listen({ port, host, backlog }, () => {
      server.off("error", refuse);
      const address = server.address();
      const bound = typeof address === "object" && address !== null ? address.port : port;
      resolve({ url: `http://${named}:${bound}`, port: bound });
    });
  });
