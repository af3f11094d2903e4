/** A local server that speaks the wire format of chat completions, and misbehaves as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Json, JsonObject } from "../../packages/throughline/src/index.ts";

/** What a client asked. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject & { readonly messages: readonly JsonObject[] };
  /** Resolves when the client has closed the connection before the answer was complete. */
  readonly left: Promise<void>;
}

/** The means of an answer. */
export interface Reply {
  readonly asked: Asked;
  /** Begins a stream; it comes by itself with the first piece. */
  open(headers?: Readonly<Record<string, string>>): void;
  /** Bytes or text as they are. */
  raw(bytes: string | Uint8Array): void;
  /** One event of the stream, as JSON. */
  send(...events: readonly Json[]): void;
  /** A delta with text. */
  text(...texts: readonly string[]): void;
  /** The reason of the end, the usage if there is one, and `[DONE]`. */
  finish(reason?: string, usage?: JsonObject): void;
  /** Ends the response without a stream. */
  refuse(status: number, body?: Json, headers?: Readonly<Record<string, string>>): void;
  end(): void;
  /** Destroys the connection. */
  cut(): void;
  pause(ms: number): Promise<void>;
}

export type Script = (reply: Reply, call: number) => void | Promise<void>;

export interface Provider {
  readonly baseURL: string;
  readonly host: string;
  readonly asked: readonly Asked[];
  /** How many connections there were. */
  connections(): number;
}

/** An event with one choice. */
export const choice = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

/** The event after the last choice. */
export const usageEvent = (usage: JsonObject): JsonObject => ({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage });

/** A whole, ordinary answer. */
export const answers =
  (text: string): Script =>
  (reply) => {
    reply.send(choice({ role: "assistant", content: "" }));
    reply.text(...(text.match(/\S+\s*/g) ?? []));
    reply.finish("stop", { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 });
  };

/** Plays the scripts in turn, the last one for ever. It stops when the test ends. */
export async function startProvider(...scripts: readonly Script[]): Promise<Provider> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    response.on("close", () => (response.writableFinished ? undefined : leave()));
    response.on("error", () => {});
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString() || "{}") as Asked["body"];
      const one: Asked = { path: request.url ?? "", headers: request.headers, body, left };
      const call = asked.push(one) - 1;
      void (scripts[call] ?? scripts.at(-1))?.(replyOn(response, one), call);
    });
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseURL: `http://${host}/v1`, host, asked, connections: () => connections };
}

/** A host and port where nobody listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

function replyOn(response: ServerResponse, asked: Asked): Reply {
  const reply: Reply = {
    asked,
    open(headers = {}) {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", ...headers }).flushHeaders();
    },
    raw(bytes) {
      if (!response.headersSent) reply.open();
      response.write(bytes);
    },
    send: (...events) => reply.raw(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
    text: (...texts) => reply.send(...texts.map((content) => choice({ content }))),
    finish(reason = "stop", usage) {
      reply.send(choice({}, reason), ...(usage === undefined ? [] : [usageEvent(usage)]));
      reply.raw("data: [DONE]\n\n");
      response.end();
    },
    refuse: (status, body = {}, headers = {}) =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body)),
    end() {
      response.end();
    },
    cut() {
      response.destroy();
    },
    pause: (ms) => delay(ms),
  };
  return reply;
}
