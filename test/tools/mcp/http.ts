/** Serves what answers web requests over HTTP, on a free port of this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";
import { createNotesServer } from "./notes-server.ts";

/** What answers a request. Undefined breaks the connection off. */
export type Answering = (request: Request) => Promise<Response | undefined>;

/** A server that is running, and its address. */
export interface Served {
  readonly url: string;
  readonly requests: Request[];
  stop(): Promise<void>;
}

/** Serves until the test has finished. */
export async function serve(answer: Answering, port = 0): Promise<Served> {
  const requests: Request[] = [];
  const server = createServer((incoming, outgoing) => {
    const request = webRequest(incoming);
    requests.push(request);
    respond(answer(request), outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : port}/mcp`, requests, stop };
}

function webRequest(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = method === "GET" || method === "DELETE" ? {} : { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" as const };
  return new Request(new URL(url, "http://127.0.0.1"), { method, headers: pairs, ...body });
}

async function respond(answering: Promise<Response | undefined>, outgoing: ServerResponse): Promise<void> {
  const response = await answering;
  if (response === undefined) return void outgoing.destroy();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  Readable.fromWeb(response.body)
    .on("error", () => outgoing.destroy())
    .pipe(outgoing);
}

/** The notes server without sessions, for clients of both revisions of the protocol. */
export function stateless(log: string): Answering {
  const handler = createMcpHandler(() => createNotesServer(log));
  return (request) => handler.fetch(request);
}

/** The notes server with sessions, as of the revision of 2025; `forget` makes it lose all of them. */
export function withSessions(log: string): { readonly answer: Answering; forget(): void } {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const opened = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createNotesServer(log).connect(transport);
    return transport;
  };
  return {
    answer: async (request) => {
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await opened() : sessions.get(id);
      return transport?.handleRequest(request) ?? new Response("no such session", { status: 404 });
    },
    forget: () => sessions.clear(),
  };
}
