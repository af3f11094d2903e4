/** A proxy to PostgreSQL that falls silent at a step of the protocol: it closes nothing and sends nothing, as a lost host or a hung proxy does. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * Where the proxy stops forwarding: `connect` before the first byte, `startup` before the server's first answer, `authentication` after its first message, `parse`
 * before the next statement reaches the server, `answer` after it has, `result` in the middle of the first row, `notification` before a notification,
 * `all` at once.
 */
export type SilentStep = "connect" | "startup" | "authentication" | "parse" | "answer" | "result" | "notification" | "all";

export const connectionSteps: readonly SilentStep[] = ["connect", "startup", "authentication"];
export const statementSteps: readonly SilentStep[] = ["parse", "answer", "result"];

/** Letters of the messages by which a client begins a statement: simple query, parse and bind. */
const statementLetters = new Set(["Q", "P", "B"].map((letter) => letter.charCodeAt(0)));
const rowLetter = "D".charCodeAt(0);
const notificationLetter = "A".charCodeAt(0);

/** One connection through the proxy. */
interface Tunnel {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing is forwarded any more, whatever the proxy does with later connections. */
  silent: boolean;
  /** What the client has sent, and the server. */
  sent: number;
  answered: number;
  /** A statement was seen since the proxy was told to fall silent. */
  asked: boolean;
}

function destroy({ client, server }: Tunnel): void {
  client.destroy();
  server.destroy();
}

export interface SilentProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Falls silent at that step from now on; `once`: on one connection alone. */
  fallSilent(step: SilentStep, options?: { readonly once?: boolean }): void;
  /** New connections work again; those that fell silent stay so. */
  recover(): void;
  /** Ends the connections that there are, so that the next call makes one. */
  cut(): void;
  /** Connections that a client still holds, and connections that have fallen silent. */
  readonly open: number;
  readonly silenced: number;
}

/** Forwards to the server of `target` until it is told otherwise; closed when the test ends. */
export async function silentProxy(target: string): Promise<SilentProxy> {
  const url = new URL(target);
  const port = Number(url.port);
  const tunnels: Tunnel[] = [];
  let step: SilentStep | undefined;
  let isOnce = false;

  const silence = (tunnel: Tunnel): void => {
    tunnel.silent = true;
    if (isOnce) step = undefined;
  };
  const fromClient = (tunnel: Tunnel, bytes: Buffer): void => {
    const isFirst = tunnel.sent === 0;
    tunnel.sent += bytes.length;
    if (step === "all" || (step === "connect" && isFirst)) silence(tunnel);
    const isStatement = !isFirst && statementLetters.has(bytes[0] ?? 0);
    if (isStatement && step !== undefined) tunnel.asked = true;
    if (step === "parse" && isStatement) silence(tunnel);
    if (!tunnel.silent) tunnel.server.write(bytes);
  };
  const fromServer = (tunnel: Tunnel, bytes: Buffer): void => {
    const isFirst = tunnel.answered === 0;
    tunnel.answered += bytes.length;
    if (tunnel.silent) return;
    if (step === "all" || (step === "startup" && isFirst) || (step === "answer" && tunnel.asked)) silence(tunnel);
    else if (step === "notification" && bytes[0] === notificationLetter) silence(tunnel);
    else if (step === "authentication" && isFirst) {
      tunnel.client.write(bytes);
      silence(tunnel);
    } else if (step === "result" && tunnel.asked) {
      const row = bytes.indexOf(rowLetter);
      tunnel.client.write(bytes.subarray(0, row < 0 ? 1 : row + 6));
      silence(tunnel);
    } else tunnel.client.write(bytes);
  };
  const listener = createServer((client) => {
    const tunnel: Tunnel = { client, server: connect(port, url.hostname), silent: false, sent: 0, answered: 0, asked: false };
    tunnels.push(tunnel);
    client.on("data", (bytes) => fromClient(tunnel, bytes));
    tunnel.server.on("data", (bytes) => fromServer(tunnel, bytes));
    // A silent connection hides that the other side has closed.
    client.on("error", () => {}).on("close", () => tunnel.server.destroy());
    tunnel.server.on("error", () => {}).on("close", () => !tunnel.silent && client.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const tunnel of tunnels) destroy(tunnel);
    await new Promise((resolve) => listener.close(resolve));
  });
  const own = new URL(target);
  own.hostname = "127.0.0.1";
  own.port = String((listener.address() as AddressInfo).port);
  return {
    url: own.href,
    fallSilent: (at, { once = false } = {}) => {
      [step, isOnce] = [at, once];
      for (const tunnel of tunnels) tunnel.asked = false;
    },
    recover: () => (step = undefined),
    cut: () => {
      for (const tunnel of tunnels) destroy(tunnel);
    },
    get open() {
      return tunnels.filter(({ client }) => !client.closed).length;
    },
    get silenced() {
      return tunnels.filter(({ silent }) => silent).length;
    },
  };
}
