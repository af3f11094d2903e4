/**
 * A local server that speaks the wire format of chat completions and answers in rounds: it holds every request until no further one arrives, and then
 * answers all of them. So the round of a request is the number of calls in sequence before it, whatever the machine's speed.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../packages/throughline/src/index.ts";

/** A request as it was received. */
export interface ReceivedCall {
  /** Title of the structured call, or `reply`. */
  readonly name: string;
  readonly body: JsonObject;
  /** Number of calls in sequence before this one, from 0, since the last `begin`. */
  readonly round: number;
}

/** The answer: a text, JSON, or an HTTP status with its body. Undefined: none ever. */
export type StubAnswer = string | JsonObject | { readonly status: number; readonly body: Json } | undefined;

export interface StubProvider {
  readonly baseURL: string;
  readonly calls: readonly ReceivedCall[];
  /** Forgets what was received, for the next turn. */
  begin(): void;
  close(): Promise<void>;
}

/** Milliseconds without a request after which a round is answered. Requests of one round arrive within a few. */
const quietMs = 100;

const nameOf = (body: JsonObject): string => {
  const format = body["response_format"] as { readonly json_schema?: { readonly schema?: JsonObject } } | undefined;
  const title = format?.json_schema?.schema?.["title"];
  return format === undefined ? "reply" : typeof title === "string" ? title : "structured";
};

const isRefusal = (answer: StubAnswer): answer is { readonly status: number; readonly body: Json } =>
  typeof answer === "object" && "status" in answer && typeof answer["status"] === "number" && "body" in answer;

/** Starts the server. `answer` says what a call is answered. */
export async function startStub(answer: (call: ReceivedCall) => StubAnswer): Promise<StubProvider> {
  const calls: ReceivedCall[] = [];
  let held: (() => void)[] = [];
  let round = 0;
  let timer: NodeJS.Timeout | undefined;
  const release = (): void => {
    const now = held;
    held = [];
    round += 1;
    for (const one of now) one();
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    response.on("error", () => {});
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as JsonObject;
      const call = { name: nameOf(body), body, round };
      calls.push(call);
      held.push(() => respond(response, answer(call)));
      clearTimeout(timer);
      timer = setTimeout(release, quietMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    calls,
    begin: () => {
      calls.length = 0;
      round = 0;
    },
    close: async () => {
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function respond(response: ServerResponse, answer: StubAnswer): void {
  if (answer === undefined) return;
  if (isRefusal(answer)) return void response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  const chunk = (delta: JsonObject, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ id: "stub", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${chunk({ role: "assistant", content: text }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
}
