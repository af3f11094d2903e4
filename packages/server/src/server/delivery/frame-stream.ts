/**
 * Streams of server-sent events. A stream is pulled: it builds a frame after the socket has accepted the previous one. A reader that accepts no data
 * costs the items that its sources hold and is disconnected after `slowReaderMs`.
 */
import { ThroughlineError } from "throughline/kernel";
import type { Bye } from "../../protocol/wire-event.ts";
import type { Principal } from "../principal.ts";
import type { Service, WaitingPlace } from "../service.ts";

/** The parts of a request that a stream uses. */
export interface StreamRequest {
  readonly principal: Principal;
  readonly request_id: string;
  readonly signal: AbortSignal;
  readonly cut?: (() => void) | undefined;
}

/** What a stream sends. */
export interface StreamContent<Item extends { readonly type: string }> {
  /** Opens the sources, which end when the signal aborts. The stream ends with the last one. */
  readonly open: (signal: AbortSignal) => readonly AsyncGenerator<Item, void, undefined>[];
  /** Builds the first frames. */
  readonly begin: () => string;
  /** Builds the frames of an item; undefined if the reader is sent nothing. An item of the type `position` does not count as activity. */
  readonly frame: (item: Item) => string | undefined;
  /** Builds a heartbeat, which keeps the connection alive and reports the reader's position. */
  readonly heartbeat: () => string;
  /** Builds the last frames of a stream that the service ends. */
  readonly bye: (reason: Bye["reason"]) => string;
}

/** Answers a request with a stream. `place` is released with the stream. */
export function answerStream<Item extends { readonly type: string }>(
  service: Service,
  { signal, request_id, cut }: StreamRequest,
  content: StreamContent<Item>,
  { place, idleMs }: { readonly place: WaitingPlace; readonly idleMs?: number | undefined },
): Response {
  const stream = new FrameStream(service, { content, place, idleMs, request_id, cut, left: leftOf(service, signal) });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(stream.body(), { headers });
}

/** Aborts when the reader disconnects. A stopping service does not abort it, so that the stream can send `bye`. */
function leftOf({ draining }: Service, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  signal.addEventListener("abort", () => draining.aborted || left.abort(), { once: true });
  return left.signal;
}

/** Milliseconds for a reader to accept the `bye` frame before it is disconnected. */
const farewellMs = 1_000;

/** Options of {@link FrameStream}. */
interface FrameStreamOptions<Item extends { readonly type: string }> {
  readonly content: StreamContent<Item>;
  readonly idleMs: number | undefined;
  readonly place: WaitingPlace;
  /** Aborts when the reader disconnects. */
  readonly left: AbortSignal;
  readonly request_id: string;
  /** Destroys the connection; undefined without a socket. */
  readonly cut: (() => void) | undefined;
}

/** One reader's stream of server-sent events. */
export class FrameStream<Item extends { readonly type: string }> {
  readonly #service: Pick<Service, "clock" | "limits" | "logger" | "draining">;
  readonly #options: FrameStreamOptions<Item>;
  readonly #ended = new AbortController();
  readonly #encoder = new TextEncoder();
  /** Functions that remove listeners from signals that outlive the stream. */
  readonly #listening: (() => void)[] = [];
  #merge: Merge<Item> | undefined;
  #wake = (): void => {};
  /** Whether the body is closed and accepts no more frames. */
  #dropped = false;
  /** Why the service ends the stream, and whether the reader was informed. */
  #bye: Bye["reason"] | undefined;
  #farewell = false;
  #heartbeatDue = false;
  /** The times of the last frame and of the last frame other than a heartbeat, and when the pending frame was built. */
  #sentAt: number;
  #activeAt: number;
  #untakenSince: number | undefined;

  constructor(service: Pick<Service, "clock" | "limits" | "logger" | "draining">, options: FrameStreamOptions<Item>) {
    this.#service = service;
    this.#options = options;
    this.#sentAt = this.#activeAt = service.clock.monotonic();
    options.left.addEventListener("abort", () => this.#end(), { once: true, signal: this.#ended.signal });
  }

  /** The response body. Reading starts when the body is first pulled. */
  body(): ReadableStream<Uint8Array> {
    return new ReadableStream({ pull: (controller) => this.#pull(controller), cancel: () => this.#drop() }, { highWaterMark: 0 });
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#untakenSince = undefined;
    const text = this.#merge === undefined ? this.#begin(controller) : await this.#next().catch((error: unknown) => this.#fail(error));
    if (this.#dropped) return;
    if (text !== undefined) {
      this.#untakenSince = this.#sentAt = this.#service.clock.monotonic();
      controller.enqueue(this.#encoder.encode(text));
    }
    if (text !== undefined && !this.#farewell) return;
    controller.close();
    this.#end();
  }

  #begin(controller: ReadableStreamDefaultController<Uint8Array>): string {
    const { signal } = this.#ended;
    const { draining, clock } = this.#service;
    const { place, content } = this.#options;
    this.#merge = new Merge(content.open(signal), () => this.#wake());
    const leave = (reason: Bye["reason"]): void => {
      this.#bye ??= reason;
      this.#wake();
      clock.sleep(farewellMs, signal).then(
        () => this.#cut(controller),
        () => {},
      );
    };
    for (const [ending, reason] of [[draining, "shutdown"] as const, [place.ended, "expired"] as const]) {
      const listen = (): void => leave(reason);
      if (ending.aborted) leave(reason);
      else ending.addEventListener("abort", listen, { once: true });
      // Removed by hand: after garbage collection, Node removes only the last of several listeners with a `signal`. The service outlives its streams.
      this.#listening.push(() => ending.removeEventListener("abort", listen));
    }
    void this.#watch(controller);
    return content.begin();
  }

  /** Builds the next frames; undefined at the end. */
  async #next(): Promise<string | undefined> {
    const { content } = this.#options;
    while (!this.#ended.signal.aborted) {
      if (this.#bye !== undefined) {
        this.#farewell = true;
        return content.bye(this.#bye);
      }
      const item = this.#merge?.take();
      if (item !== undefined) {
        if (item.type !== "position") this.#activeAt = this.#service.clock.monotonic();
        const text = content.frame(item);
        if (text !== undefined) return text;
      } else if (this.#merge?.over === true) return undefined;
      else if (this.#heartbeatDue) {
        this.#heartbeatDue = false;
        return content.heartbeat();
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return undefined;
  }

  /** Until the stream ends, sends heartbeats and ends the stream for slow or idle readers. */
  async #watch(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { clock, limits } = this.#service;
    const { idleMs = Number.POSITIVE_INFINITY } = this.#options;
    while (!this.#ended.signal.aborted) {
      const now = clock.monotonic();
      if (this.#untakenSince !== undefined && now - this.#untakenSince >= limits.slowReaderMs) return this.#cut(controller);
      if (now - this.#activeAt >= idleMs) this.#bye ??= "idle";
      if (now - this.#sentAt >= limits.heartbeatMs) this.#heartbeatDue = true;
      if (this.#bye !== undefined || this.#heartbeatDue) this.#wake();
      const beat = this.#heartbeatDue ? limits.heartbeatMs : limits.heartbeatMs - (now - this.#sentAt);
      const idle = this.#bye === undefined ? idleMs - (now - this.#activeAt) : Number.POSITIVE_INFINITY;
      await clock.sleep(Math.max(1, Math.ceil(Math.min(beat, idle, limits.slowReaderMs))), this.#ended.signal).catch(() => {});
    }
  }

  /** Disconnects a reader that accepts no data. It continues from its last id when it reconnects. */
  #cut(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#ended.signal.aborted) return;
    this.#service.logger.info("stream cut", { request_id: this.#options.request_id });
    this.#drop();
    if (this.#options.cut === undefined) controller.error(new ThroughlineError("aborted", "The stream's reader accepted no data."));
    else this.#options.cut();
  }

  /** Ends a stream whose source failed. The error is reported when the reader reconnects. */
  #fail(error: unknown): undefined {
    this.#service.logger.warn("stream failed", { request_id: this.#options.request_id, code: ThroughlineError.from(error).code }, error);
  }

  #drop(): void {
    this.#dropped = true;
    this.#end();
  }

  #end(): void {
    this.#ended.abort();
    for (const stop of this.#listening.splice(0)) stop();
    this.#merge?.close();
    this.#options.place.leave();
    this.#wake();
  }
}

/** An item of a source, or the error that ended the source. */
type Come<Item> = { readonly item: Item } | { readonly error: unknown };

/** Merges several sources in order of arrival. A source is pulled again only after its previous item was taken, so at most one item per source is buffered. */
class Merge<Item> {
  readonly #sources: readonly AsyncGenerator<Item, void, undefined>[];
  readonly #wake: () => void;
  readonly #ready: { readonly come: Come<Item>; readonly source: AsyncGenerator<Item, void, undefined> }[] = [];
  #open: number;
  #closed = false;

  /** `wake` is called when an item may be available. */
  constructor(sources: readonly AsyncGenerator<Item, void, undefined>[], wake: () => void) {
    this.#sources = sources;
    this.#wake = wake;
    this.#open = sources.length;
    for (const source of sources) void this.#ask(source);
  }

  /** Whether all sources have ended and all items were taken. */
  get over(): boolean {
    return this.#open === 0 && this.#ready.length === 0;
  }

  /** Takes the next item; undefined if none is ready. Throws the error that ended a source. */
  take(): Item | undefined {
    const next = this.#ready.shift();
    if (next === undefined) return undefined;
    if ("error" in next.come) throw next.come.error;
    void this.#ask(next.source);
    return next.come.item;
  }

  /** Ends the sources and discards their items. */
  close(): void {
    this.#closed = true;
    this.#ready.length = 0;
    for (const source of this.#sources) source.return().catch(() => {});
  }

  async #ask(source: AsyncGenerator<Item, void, undefined>): Promise<void> {
    try {
      const result = await source.next();
      if (this.#closed) return;
      if (result.done === true) this.#open -= 1;
      else this.#ready.push({ come: { item: result.value }, source });
    } catch (error) {
      if (this.#closed) return;
      this.#ready.push({ come: { error }, source });
    }
    this.#wake();
  }
}

/** The start of a stream: the reconnect delay in milliseconds, and the position if it is known. */
export const beginning = (id: string | undefined): string => `${id === undefined ? "" : `id: ${id}\n`}retry: 1000\n\n`;

/** A frame with one line of JSON. Without an id, the reader keeps its last one. */
export function frame(event: string, data: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/**
 * A heartbeat that keeps the connection alive and reports the reader's position. A frame without data raises no event, but the client stores its id.
 * A reconnecting reader therefore skips events that it may not see.
 */
export const heartbeat = (position: string, id: string | undefined): string =>
  `${id === undefined ? "" : `id: ${id}\n`}: next_offset=${position}\n\n`;
