/** Streams of server-sent events over the logs of one or more sessions. Slow readers and readers who lose access are disconnected. */
import { refused, present } from "throughline/internal";
import { followLog, streamLog } from "throughline/internal/runtime";
import { seen, ThroughlineError, parseSessionId, type SessionId } from "throughline/kernel";
import type { Bye, Gone, WireDraft } from "../../protocol/wire-event.ts";
import type { Draft } from "throughline";
import type { EventKind, EventSource } from "throughline/store";
import type { Principal } from "../principal.ts";
import type { Service, WaitingPlace } from "../service.ts";
import { type Reader, textOf } from "./event-reader.ts";

/** The parts of a request that a stream uses. */
interface StreamRequest {
  readonly principal: Principal;
  readonly request_id: string;
  readonly signal: AbortSignal;
  readonly cut?: (() => void) | undefined;
  readonly query: { readonly drafts?: boolean; readonly idle?: number; readonly source?: EventSource };
}

/** The sessions and positions that a stream reads. */
interface Streamed {
  readonly readers: readonly Reader[];
  /** Sessions from the reader's position that no longer exist. */
  readonly gone?: readonly SessionId[];
  readonly positions: Positions;
  /** Whether the reader reconnects. The drafts that it has are then invalid. */
  readonly resumed: boolean;
}

/** Opens a stream of server-sent events. Throws for an invalid request before the headers are sent. */
export async function openStream(
  service: Service,
  request: StreamRequest,
  streamed: Streamed,
  form: Pick<EventStreamOptions, "id" | "where">,
): Promise<Response> {
  const { readers, positions, resumed, gone = [] } = streamed;
  const { principal, query, request_id, signal, cut } = request;
  for (const reader of readers) await checkPosition(service, reader, positions.get(reader.session_id));
  const place = service.waiters.enter(principal);
  const stream = new EventStream(service, {
    ...form,
    positions,
    place,
    request_id,
    cut,
    left: leftOf(service, signal),
    idleMs: query.idle === undefined ? undefined : query.idle * 1000,
    first: resumed ? readers.flatMap((reader) => (hasDrafts(reader, query.drafts) ? [resumedFrame(reader)] : [])).join("") : "",
    open: (ended) => [
      ...gone.map(goneOf),
      ...readers.map((reader) =>
        itemsOf(service, reader, { minOffset: positions.get(reader.session_id), drafts: hasDrafts(reader, query.drafts), signal: ended }),
      ),
    ],
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(stream.body(), { headers });
}

/** Aborts when the reader disconnects. A stopping service does not abort it, so that the stream can send `bye`. */
function leftOf({ draining }: Service, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  signal.addEventListener("abort", () => draining.aborted || left.abort(), { once: true });
  return left.signal;
}

/** Whether a reader receives drafts. Drafts belong to messages that are not in the log yet, so only readers of all messages receive them. */
const hasDrafts = ({ kinds, source, traceId, withdrawn }: Reader, wanted = true): boolean =>
  wanted && kinds.includes("message") && source === undefined && traceId === undefined && withdrawn !== true;

const resumedFrame = ({ session_id }: Reader): string => draftFrame({ type: "draft.reset", session_id, reason: "resumed" });

async function* goneOf(session_id: SessionId): AsyncGenerator<Item, void, undefined> {
  yield { type: "gone", session_id };
}

/** Throws `log.retained_from` if the log no longer contains the position. */
async function checkPosition({ store }: Service, { session_id }: Reader, minOffset: number | undefined): Promise<void> {
  if (minOffset === undefined) return;
  const page = await store.read({ session_id, min_offset: minOffset, limit: 1 });
  if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
}

/** Throws `request.invalid` for parameters that only apply to pages. */
export function refuseOfStream(query: { readonly limit?: number; readonly wait?: number }): void {
  for (const name of ["limit", "wait"] as const) {
    if (query[name] === undefined) continue;
    const errors = [{ pointer: `query/${name}`, message: "streams have no such parameter" }];
    throw new ThroughlineError("request.invalid", `A stream has no \`${name}\`: it continues for as long as it is read.`, { details: { errors } });
  }
}

/** Milliseconds for a reader to accept the `bye` frame before it is disconnected. */
const farewellMs = 1_000;

/** Options of {@link EventStream}. */
interface EventStreamOptions {
  /** Opens the sources, which end when the signal aborts. */
  readonly open: (signal: AbortSignal) => readonly AsyncGenerator<Item, void, undefined>[];
  readonly positions: Positions;
  /** Formats the positions as the id that a reconnecting reader sends. Undefined at the beginning of the log. */
  readonly id: (positions: Positions) => string | undefined;
  /** Formats the positions as the next offsets. */
  readonly where: (positions: Positions) => string;
  /** Frames to send first. */
  readonly first: string;
  readonly idleMs: number | undefined;
  readonly place: WaitingPlace;
  /** Aborts when the reader disconnects. */
  readonly left: AbortSignal;
  readonly request_id: string;
  /** Destroys the connection; undefined without a socket. */
  readonly cut: (() => void) | undefined;
}

/**
 * One reader's stream of server-sent events. The stream is pulled: it builds a frame after the socket has accepted the previous one. A reader that
 * accepts no data costs one page of memory and is disconnected after `slowReaderMs`.
 */
export class EventStream {
  readonly #service: Pick<Service, "clock" | "limits" | "logger" | "draining">;
  readonly #options: EventStreamOptions;
  readonly #positions: Map<SessionId, number>;
  readonly #drafts = new Map<SessionId, Draft>();
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
  /** Whether the reader has received an id. It can then reconnect with `Last-Event-ID`, even with an expired stream token. */
  #anchored = false;
  /** The times of the last frame and of the last frame other than a heartbeat, and when the pending frame was built. */
  #sentAt: number;
  #activeAt: number;
  #untakenSince: number | undefined;

  constructor(service: Pick<Service, "clock" | "limits" | "logger" | "draining">, options: EventStreamOptions) {
    this.#service = service;
    this.#options = options;
    this.#positions = new Map(options.positions);
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
    const { place, open, first } = this.#options;
    this.#merge = new Merge(open(signal), () => this.#wake());
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
    const id = this.#options.id(this.#positions);
    this.#anchored = id !== undefined;
    return beginning(id) + first;
  }

  /** Builds the next frames; undefined at the end. */
  async #next(): Promise<string | undefined> {
    while (!this.#ended.signal.aborted) {
      if (this.#bye !== undefined) return this.#sayBye(this.#bye);
      const item = this.#merge?.take();
      if (item !== undefined) {
        const text = this.#frameOf(item);
        if (text !== undefined) return text;
      } else if (this.#merge?.over === true) return undefined;
      else if (this.#heartbeatDue) {
        this.#heartbeatDue = false;
        return heartbeat(this.#options.where(this.#positions), this.#options.id(this.#positions));
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return undefined;
  }

  #frameOf(item: Item): string | undefined {
    if (item.type === "position") {
      this.#positions.set(item.session_id, item.next_offset);
      if (this.#anchored) return undefined;
      this.#anchored = true;
      return heartbeat(this.#options.where(this.#positions), this.#options.id(this.#positions));
    }
    this.#activeAt = this.#service.clock.monotonic();
    switch (item.type) {
      case "event":
        this.#positions.set(item.session_id, item.offset + 1);
        this.#anchored = true;
        return frame(item.kind, item.text, this.#options.id(this.#positions) ?? "");
      case "draft":
        if (item.draft.type === "draft.reset") this.#drafts.delete(item.session_id);
        else this.#drafts.set(item.session_id, item.draft);
        return draftFrame(item.draft);
      case "gone":
        this.#positions.delete(item.session_id);
        return frame("gone", JSON.stringify({ session_id: item.session_id } satisfies Gone));
    }
  }

  /** Builds the last frames. They reset the drafts that the reader has received in part. */
  #sayBye(reason: Bye["reason"]): string {
    this.#farewell = true;
    const resets = [...this.#drafts.values()].map((draft) => draftFrame(resetOf(draft)));
    const positions = Object.fromEntries(this.#positions);
    return resets.join("") + frame("bye", JSON.stringify({ reason, positions } satisfies Bye), this.#options.id(this.#positions));
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

/** The next item of a session. */
type Item = { readonly session_id: SessionId } & (
  | { readonly type: "event"; readonly kind: EventKind; readonly offset: number; readonly text: string }
  | { readonly type: "draft"; readonly draft: Draft }
  /** All events before this offset were processed. */
  | { readonly type: "position"; readonly next_offset: number }
  /** The session was erased. */
  | { readonly type: "gone" }
);

/** Milliseconds between retries while the database is unavailable. The pause starts at `first` and doubles up to `last`. */
const pauses = { first: 250, last: 4_000 };

/** How a stream reads one session. */
interface Following {
  readonly minOffset: number | undefined;
  readonly drafts: boolean;
  readonly signal: AbortSignal;
}

/**
 * Yields the items of a session until the signal aborts or the session is erased. It retries while the database is unavailable, so the stream
 * survives an outage. An open draft is then reset.
 */
async function* itemsOf(service: Service, reader: Reader, following: Following): AsyncGenerator<Item, void, undefined> {
  const { session_id } = reader;
  const { signal } = following;
  const place: Place = { next: following.minOffset, open: undefined, pause: pauses.first };
  while (!signal.aborted) {
    try {
      yield* itemsFrom(service, reader, following, place);
    } catch (error) {
      const gone = ThroughlineError.is(error, "session.not_found");
      if (!gone && !(ThroughlineError.is(error) && error.kind === "unavailable")) throw error;
      if (place.open !== undefined) yield { type: "draft", session_id, draft: resetOf(place.open) };
      place.open = undefined;
      if (gone) return yield { type: "gone", session_id };
      await service.clock.sleep(place.pause, signal).catch(() => {});
      place.pause = Math.min(place.pause * 2, pauses.last);
    }
  }
}

/** The reader's next offset, its open draft, and the current retry pause. */
interface Place {
  next: number | undefined;
  open: Draft | undefined;
  pause: number;
}

async function* itemsFrom(service: Service, reader: Reader, following: Following, place: Place): AsyncGenerator<Item, void, undefined> {
  const { session_id } = reader;
  for await (const item of follow(service, reader, { ...following, minOffset: place.next })) {
    place.pause = pauses.first;
    if ("kind" in item) {
      place.next = item.offset + 1;
      const text = textOf(service, reader, item);
      if (text !== undefined) yield { type: "event", session_id, kind: item.kind, offset: item.offset, text };
    } else if (item.type === "position") {
      place.next = item.next_offset;
      yield { ...item, session_id };
    } else {
      place.open = item.type === "draft.reset" ? undefined : item;
      yield { type: "draft", session_id, draft: item };
    }
  }
}

function follow(service: Service, { session_id, ...filter }: Reader, { minOffset, drafts, signal }: Following): ReturnType<typeof streamLog> {
  const options = { ...filter, signal, ...present({ minOffset }) };
  return drafts ? streamLog(service, session_id, options) : followLog(service, session_id, options);
}

/** Builds the reset of a draft whose end the reader will not receive. */
function resetOf({ session_id, turn_id, epoch, message }: Draft): Draft {
  return { type: "draft.reset", session_id, turn_id, epoch, message, reason: "fence" };
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
const beginning = (id: string | undefined): string => `${id === undefined ? "" : `id: ${id}\n`}retry: 1000\n\n`;

/** A frame with one line of JSON. Without an id, the reader keeps its last one. */
function frame(event: string, data: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

const draftFrame = (draft: WireDraft): string => frame("draft", JSON.stringify(draft));

/**
 * A heartbeat that keeps the connection alive and reports the reader's position. A frame without data raises no event, but the client stores its id.
 * A reconnecting reader therefore skips events that it may not see.
 */
const heartbeat = (position: string, id: string | undefined): string => `${id === undefined ? "" : `id: ${id}\n`}: next_offset=${position}\n\n`;

/** The first offset to send, by session. */
export type Positions = ReadonlyMap<SessionId, number>;

const wholeNumber = /^(0|[1-9][0-9]{0,14})$/;

function invalid(pointer: string, message: string, value: string): ThroughlineError {
  return new ThroughlineError("request.invalid", `${message}, got ${seen(value)}.`, { details: { errors: [{ pointer, message }] } });
}

/** The offset after the one in `Last-Event-ID`; undefined without the header. Throws `request.invalid` if the header is not an offset. */
export function afterLastEvent(headers: Headers): number | undefined {
  const id = headers.get("last-event-id");
  if (id === null || id === "") return undefined;
  if (!wholeNumber.test(id)) throw invalid("header/last-event-id", "the last event's id must be an offset", id);
  return Number(id) + 1;
}

/** Parses offsets of several sessions, such as `ses_a:12,ses_b:4`. Stream ids and the parameter `offsets` use this format. Throws `request.invalid`. */
export function parsePositions(text: string, pointer: string): Positions {
  return new Map(
    text.split(",").map((part): [SessionId, number] => {
      const [id = "", offset = "", ...rest] = part.trim().split(":");
      if (rest.length > 0 || !wholeNumber.test(offset)) throw invalid(pointer, "offsets must look like `ses_a:12,ses_b:4`", part);
      return [parseSessionId(id), Number(offset)];
    }),
  );
}

/** Formats positions as `ses_a:12,ses_b:4`. */
export const formatPositions = (positions: Positions): string => [...positions].map(([id, offset]) => `${id}:${offset}`).join(",");
