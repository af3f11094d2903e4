/** The listener for Node's HTTP server: clients that leave, and bodies that are too large. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeListener } from "../../packages/adapters/src/ai-sdk.ts";
import { gate } from "../runtime/harness.ts";

async function portOf(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A body whose pieces come from `pull`, and that tells when it is cancelled. */
function bodyOf(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>): {
  readonly body: ReadableStream<Uint8Array>;
  readonly cancelled: Promise<void>;
} {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  return { body: new ReadableStream({ pull, cancel: () => resolve() }), cancelled };
}

describe("a client that leaves", () => {
  test("while the body waits for its next piece: the body is cancelled", async () => {
    const { body, cancelled } = bodyOf((controller) => {
      controller.enqueue(Buffer.from("first"));
      return new Promise(() => {});
    });
    const port = await portOf(nodeListener(() => Promise.resolve(new Response(body))));
    const client = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: client.signal });
    await response.body?.getReader().read();
    client.abort();
    await cancelled;
  });

  test("while the body waits for the client to read: the body is cancelled, and nothing listens for each wait", async () => {
    const { body, cancelled } = bodyOf((controller) => controller.enqueue(Buffer.alloc(1_000_000)));
    const answering = Promise.withResolvers<ServerResponse>();
    const listener = nodeListener(() => Promise.resolve(new Response(body)));
    const port = await portOf((request, response) => {
      listener(request, response);
      answering.resolve(response);
    });
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
    socket.resume();
    const response = await answering.promise;
    for (let count = 0; count < 20; count += 1) await once(response, "drain");
    expect(response.listenerCount("close")).toBeLessThan(5);
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await cancelled;
  });

  test("before the handler has answered: the body is cancelled unread", async () => {
    const { body, cancelled } = bodyOf(() => new Promise(() => {}));
    const asked = gate();
    const port = await portOf(
      nodeListener(async ({ signal }) => {
        asked.open();
        await once(signal, "abort");
        return new Response(body);
      }),
    );
    const client = new AbortController();
    const fetched = fetch(`http://127.0.0.1:${port}/`, { signal: client.signal }).catch(() => {});
    await asked.opened;
    client.abort();
    await Promise.all([fetched, cancelled]);
  });

  test("before the listener is called: the request's signal is aborted, and the body is cancelled", async () => {
    const { body, cancelled } = bodyOf(() => new Promise(() => {}));
    const signals: boolean[] = [];
    const listener = nodeListener(({ signal }) => {
      signals.push(signal.aborted);
      return Promise.resolve(new Response(body));
    });
    const late = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      client.abort();
      await once(response, "close");
      listener(request, response);
    };
    const client = new AbortController();
    const port = await portOf((request, response) => void late(request, response));
    await fetch(`http://127.0.0.1:${port}/`, { signal: client.signal }).catch(() => {});
    await cancelled;
    expect(signals).toEqual([true]);
  });
});

describe("a request's body", () => {
  const echo =
    (handled: string[] = []) =>
    async (request: Request): Promise<Response> => {
      const body = await request.text();
      handled.push(body);
      return new Response(body);
    };

  test("of the maximum size arrives, and a longer one is answered with 413 without the handler", async () => {
    const handled: string[] = [];
    const url = `http://127.0.0.1:${await portOf(nodeListener(echo(handled), { maxBytes: 10 }))}/`;
    const answers = [];
    for (const body of ["x".repeat(10), "x".repeat(11)]) answers.push(await fetch(url, { method: "POST", body }));
    expect(answers.map(({ status }) => status)).toEqual([200, 413]);
    expect(await answers[1]?.text()).toBe("The request's body has more than 10 bytes.");
    expect(handled).toEqual(["x".repeat(10)]);
  });

  test("that does not end is not read further than the limit: 1,048,576 bytes by default", async () => {
    const handled: string[] = [];
    const port = await portOf(nodeListener(echo(handled)));
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    const piece = `100000\r\n${"x".repeat(1_048_576)}\r\n`;
    socket.write(piece);
    socket.write("1\r\nx\r\n");
    // It ends without the end of the body.
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
    expect(handled).toEqual([]);
  });

  test("has a limit that is a positive integer", () => {
    for (const maxBytes of [0, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => nodeListener(echo(), { maxBytes })).toThrow(expect.objectContaining({ code: "input.invalid" }));
  });
});
