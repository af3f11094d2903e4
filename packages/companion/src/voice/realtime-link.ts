/** A WebSocket to a Realtime server that comes back after a cut. */
import { type Clock, type Logger, ThroughlineError } from "throughline";
import { type ClientEvent, parseServerEvent, type ServerEvent } from "./realtime-events.ts";

/** Opens a WebSocket. The default is Node's own. */
export type OpenSocket = (url: string, options: { readonly headers: Readonly<Record<string, string>> }) => WebSocket;

/** The server of a link, and what the link uses. */
export interface LinkSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Attempts in a row without a connection, after which the link gives up. */
  readonly tries: number;
}

/** Options of a link. */
interface LinkOptions extends LinkSettings {
  /** The connection is up: configure it anew. Called for every connection. */
  readonly onOpen: () => Promise<void>;
  readonly onEvent: (event: ServerEvent) => void;
  /** The connection is cut. What was in progress on it is lost. */
  readonly onCut: () => void;
  /** The link has given up. */
  readonly onEnd: (error: ThroughlineError) => void;
}

const firstWaitMs = 250;
const longestWaitMs = 8_000;
/** Milliseconds in which a connection must open. */
const openWithinMs = 10_000;
/** Milliseconds that a connection must last, once configured, to count as one. */
const steadyMs = 5_000;

/** A connection that is repeated until it is closed. Frames that are sent during a cut are dropped: `onOpen` says everything again. */
export class RealtimeLink {
  readonly #options: LinkOptions;
  readonly #closed = new AbortController();
  #socket: WebSocket | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Whether frames reach the server. */
  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Keeps a connection until the link is closed or gives up. */
  async run(): Promise<void> {
    const { clock, logger, tries, onEnd } = this.#options;
    for (let failed = 0; !this.#closed.signal.aborted;) {
      const wasSteady = await this.#connection();
      if (this.#closed.signal.aborted) return;
      failed = wasSteady ? 0 : failed + 1;
      if (failed >= tries) {
        onEnd(new ThroughlineError("model.failed", `The Realtime server could not be reached in ${tries} attempts.`));
        return;
      }
      logger.warn("voice connection lost", { attempt: failed + 1 });
      await clock.sleep(Math.min(firstWaitMs * 2 ** failed, longestWaitMs), this.#closed.signal).catch(() => {});
    }
  }

  /** Sends an event. Returns whether there was a connection. */
  send(event: ClientEvent): boolean {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(event));
    return true;
  }

  close(): void {
    this.#closed.abort();
    this.#socket?.close(1000);
  }

  /** One connection, from its start to its end. Returns whether it was worth to connect again at once. */
  async #connection(): Promise<boolean> {
    const { url, headers, openSocket, clock, logger, onOpen, onEvent, onCut } = this.#options;
    const ended = Promise.withResolvers<void>();
    const opened = new AbortController();
    let socket: WebSocket;
    try {
      socket = openSocket(url, { headers });
    } catch (error) {
      logger.warn("voice connection failed", { code: "model.failed" }, error);
      return false;
    }
    this.#socket = socket;
    let isUp = false;
    let steadyFrom: number | undefined;
    socket.addEventListener("open", () => {
      isUp = true;
      opened.abort();
      const configured = onOpen().then(() => {
        steadyFrom = clock.monotonic() + steadyMs;
      });
      configured.catch((error: unknown) => {
        logger.error("voice connection could not be configured", { code: ThroughlineError.from(error).code }, error);
        socket.close();
      });
    });
    socket.addEventListener("message", ({ data }) => {
      const event = parseServerEvent(data);
      if (event !== undefined && this.#socket === socket) onEvent(event);
    });
    socket.addEventListener("error", () => ended.resolve());
    socket.addEventListener("close", () => ended.resolve());
    const stop = (): void => socket.close(1000);
    this.#closed.signal.addEventListener("abort", stop, { once: true });
    if (this.#closed.signal.aborted) stop();
    void clock.sleep(openWithinMs, opened.signal).then(
      () => ended.resolve(),
      () => {},
    );
    await ended.promise;
    opened.abort();
    this.#closed.signal.removeEventListener("abort", stop);
    this.#socket = undefined;
    socket.close();
    if (isUp) onCut();
    return steadyFrom !== undefined && clock.monotonic() >= steadyFrom;
  }
}

/** Opens Node's WebSocket. Its type leaves out the headers, which Node and Bun take. */
export const openNodeSocket: OpenSocket = (url, { headers }) => new WebSocket(url, { headers });
