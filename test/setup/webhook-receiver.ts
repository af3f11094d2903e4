/** Servers that receive webhooks in tests. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A receiver on 127.0.0.1. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Resolves when it has got this many requests. */
  readonly count: (least: number) => Promise<readonly Received[]>;
  readonly close: () => void;
}

/** What a receiver does with a request: the status of its answer, or nothing if it answers by itself. */
export type Reaction = (received: Received, index: number, response: ServerResponse) => number | undefined;

/** Starts a receiver, which accepts everything by default. It is closed when the test ends. */
export async function startReceiver(react: Reaction = () => 200): Promise<Receiver> {
  const received: Received[] = [];
  let waiting: { readonly least: number; readonly resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      const one = { headers: request.headers, body, path: request.url ?? "" };
      received.push(one);
      const status = react(one, received.length - 1, response);
      if (status !== undefined) {
        response.writeHead(status);
        response.end();
      }
      const due = waiting.filter(({ least }) => least <= received.length);
      waiting = waiting.filter(({ least }) => least > received.length);
      for (const { resolve } of due) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    count: async (least) => {
      if (received.length < least) await new Promise<void>((resolve) => waiting.push({ least, resolve }));
      return received;
    },
    close,
  };
}
