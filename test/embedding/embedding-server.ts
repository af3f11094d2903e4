/** A local server that speaks the wire format of an embedding service, and misbehaves as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../packages/throughline/src/index.ts";
import { hashEmbedding, type EmbeddingFault } from "../../packages/throughline/src/testing.ts";

/** What a client asked. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject & { readonly input: readonly string[] };
}

export interface EmbeddingServer {
  readonly origin: string;
  readonly host: string;
  readonly asked: readonly Asked[];
  /** How many clients left before their answer was complete. */
  readonly left: () => number;
  readonly misbehave: (fault: EmbeddingFault | undefined) => void;
  readonly close: () => void;
}

/** How a service writes vectors down. */
export interface Wire {
  readonly dimensions: number;
  readonly answer: (vectors: readonly (readonly unknown[])[], asked: Asked) => unknown;
}

/** Starts a server whose vectors are those of {@link hashEmbedding}. */
export async function startEmbeddingServer({ dimensions, answer }: Wire): Promise<EmbeddingServer> {
  const model = hashEmbedding({ dimensions });
  const asked: Asked[] = [];
  let fault: EmbeddingFault | undefined;
  let left = 0;
  const respond = async (response: ServerResponse, one: Asked): Promise<void> => {
    const vectors = (await model.embed(one.body.input, { kind: "document" })).map((vector) => [...vector]);
    const json = (value: unknown): void => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    const refuse = (status: number): void =>
      void response.writeHead(status).end(JSON.stringify({ error: { message: `no ${JSON.stringify(one)}`, code: "nope" } }));
    const [first = [], ...rest] = vectors;
    const ways: Readonly<Record<EmbeddingFault, () => void>> = {
      "401": () => refuse(401),
      "429": () => refuse(429),
      "500": () => refuse(500),
      cut: () => void response.writeHead(200).write("{", () => response.destroy()),
      hang: () => undefined,
      drip: () => drip(response),
      garbage: () => void response.writeHead(200).end("<html>"),
      "no list": () => json({ ok: true }),
      huge: () => flood(response),
      "too few": () => json(answer(rest, one)),
      "too many": () => json(answer([first, ...vectors], one)),
      "wrong dimensions": () => json(answer([[...first, 1], ...rest], one)),
      "not a number": () => json(answer([[null, ...first.slice(1)], ...rest], one)),
      zeros: () => json(answer([first.map(() => 0), ...rest], one)),
      thrown: () => response.destroy(),
    };
    if (fault === undefined) json(answer(vectors, one));
    else ways[fault]();
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    response.on("close", () => (left += response.writableFinished ? 0 : 1));
    response.on("error", () => {});
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as Asked["body"];
      const one = { path: request.url ?? "", headers: request.headers, body };
      asked.push(one);
      void respond(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    host,
    asked,
    left: () => left,
    misbehave: (next) => void (fault = next),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** One byte after the other, for ever. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const drops = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(drops));
}

/** As much as the client takes. */
function flood(response: ServerResponse): void {
  response.writeHead(200);
  const pour = (): void => {
    if (!response.closed) response.write("[".repeat(65_536), pour);
  };
  pour();
}
