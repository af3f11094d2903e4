/** Streams one turn: its live parts in one order, and its result. Reconnects from the last part. */
import type { ClientAgent, ClientLivePart, ClientTurnResult } from "./agent-types.ts";
import { newKey } from "./ambient.ts";
import { framesOf, parseFrame } from "./event-frames.ts";
import type { AnyCall, BodyFor, RequestOptions } from "./operation-call.ts";
import { abortedBy, passes, RequestError, sleep, waitAfter } from "./request-errors.ts";
import { openStream, type Wire } from "./transport.ts";
import type { OperationId, WireLivePart, WireStreamAccepted, WireTurnResult } from "./wire.ts";

/**
 * The live stream of one turn. Iterating it yields the parts in order; `end` comes last. It has one reader. A reader that leaves does not stop the
 * turn. The stream reconnects by itself. Text that a cut connection left incomplete is then void: `draft.reset` with the reason `reconnected`.
 */
export interface ClientTurnStream<A extends ClientAgent = ClientAgent> extends AsyncIterable<ClientLivePart<A>> {
  /** Resolves when the message is durable. Rejects with a {@link RequestError} if it is not accepted. */
  readonly accepted: Promise<WireStreamAccepted>;
  /** The outcome. It does not need a reader. Rejects once the signal has aborted. */
  readonly result: Promise<ClientTurnResult<A>>;
}

/** Where to continue a stream of a turn. */
export interface ClientFollowOptions {
  /** Offset of the last part that the reader has; the beginning of the turn by default. */
  readonly after?: number;
  /** Ends the reading and the wait for the result. The turn goes on. */
  readonly signal?: AbortSignal;
  /** Called when the stream connects and when it is lost. It reconnects automatically. */
  readonly onConnection?: (connection: "open" | "lost") => void;
}

/** Options of a streamed message. */
export interface ClientStreamOptions extends RequestOptions, Pick<ClientFollowOptions, "onConnection"> {}

/** Posts a message and streams its turn. */
export function streamTurn(wire: Wire, session_id: string, body: BodyFor<"streamMessage">, options: ClientStreamOptions = {}): ClientTurnStream {
  const { signal, onConnection, idempotencyKey = newKey(), ...rest } = options;
  return new TurnStream(wire, { session_id, first: { ...rest, idempotencyKey, body }, signal, onConnection });
}

/** Streams the turn of a message, by its offset, or a turn, by its id. */
export function followTurn(wire: Wire, session_id: string, of: number | string, options: ClientFollowOptions = {}): ClientTurnStream {
  const { after, signal, onConnection } = options;
  return new TurnStream(wire, { session_id, of, after, signal, onConnection });
}

/** A turn that is streamed, and what the reader has of it. */
interface Streamed {
  readonly session_id: string;
  /** The message, until it is accepted. */
  readonly first?: AnyCall;
  readonly of?: number | string | undefined;
  readonly after?: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onConnection: ClientFollowOptions["onConnection"];
}

/** Most parts that wait for a reader. A slower reader continues with a connection of its own. */
const mostWaiting = 1000;

class TurnStream implements ClientTurnStream {
  readonly #wire: Wire;
  readonly #streamed: Streamed;
  readonly #accepted = Promise.withResolvers<WireStreamAccepted>();
  readonly #result = Promise.withResolvers<WireTurnResult>();
  /** Offset of the message or id of the turn, once it is known, and the offset of the last received part. */
  #of: number | string | undefined;
  #after: number | undefined;
  /** Received parts that no reader has taken, and whether some were dropped after them. */
  readonly #parts: WireLivePart[] = [];
  #isCut = false;
  #reader: "none" | "reads" | "left" = "none";
  #wake = (): void => {};
  /** The current reading; undefined if none runs. */
  #reading: AbortController | undefined;
  /** Why the reading ended. */
  #over: { readonly error?: unknown } | undefined;
  #isAwaited = false;

  constructor(wire: Wire, streamed: Streamed) {
    this.#wire = wire;
    this.#streamed = streamed;
    this.#of = streamed.of;
    this.#after = streamed.after;
    // Promises that nobody awaits cause no unhandled rejections.
    this.#accepted.promise.catch(() => {});
    this.#result.promise.catch(() => {});
    void this.#read();
  }

  get accepted(): Promise<WireStreamAccepted> {
    return this.#accepted.promise;
  }

  get result(): Promise<WireTurnResult> {
    this.#isAwaited = true;
    if (this.#reading === undefined && this.#over === undefined) void this.#read();
    return this.#result.promise;
  }

  [Symbol.asyncIterator](): AsyncGenerator<WireLivePart, void, undefined> {
    if (this.#reader !== "none")
      throw new RequestError({ code: "input.invalid", message: "A stream of a turn has one reader. Use session.follow() for another one." });
    this.#reader = "reads";
    return this.#taken();
  }

  /** Reads the turn to its end, unless the reader leaves and nobody awaits the result. */
  async #read(): Promise<void> {
    const reading = (this.#reading = new AbortController());
    const { signal } = this.#streamed;
    try {
      for await (const part of this.#connect(this.#of, this.#after, reading.signal)) {
        this.#after = part.offset;
        this.#keep(part);
        if (part.type === "end") this.#result.resolve(part.result);
      }
      if (signal?.aborted === true) throw abortedBy(signal);
      if (!reading.signal.aborted) this.#over = {};
    } catch (error) {
      this.#accepted.reject(error);
      this.#result.reject(error);
      this.#over = { error };
    }
    this.#reading = undefined;
    this.#wake();
    // The result was asked for while the reading ended.
    if (this.#isAwaited && this.#over === undefined) void this.#read();
  }

  #connect(of: number | string | undefined, after: number | undefined, left: AbortSignal): AsyncGenerator<WireLivePart, void, undefined> {
    const found = (accepted: WireStreamAccepted): void => {
      this.#of ??= accepted.offset;
      this.#accepted.resolve(accepted);
    };
    return partsOf(this.#wire, { ...this.#streamed, of, after }, left, found);
  }

  #keep(part: WireLivePart): void {
    if (this.#reader === "left" || this.#isCut) return;
    const last = this.#parts.at(-1);
    // A slow reader gets a draft in fewer and longer pieces.
    if (part.type === "text.delta" && last?.type === "text.delta" && last.offset === part.offset)
      this.#parts[this.#parts.length - 1] = { ...part, text: last.text + part.text };
    else if (this.#parts.length < mostWaiting) this.#parts.push(part);
    else this.#isCut = true;
    this.#wake();
  }

  /** Throws what ended the reading, unless the reader aborted it. */
  #throwError(): void {
    if (this.#over !== undefined && "error" in this.#over && this.#streamed.signal?.aborted !== true) throw this.#over.error;
  }

  async *#taken(): AsyncGenerator<WireLivePart, void, undefined> {
    const left = new AbortController();
    let after = this.#streamed.after;
    const text = new OpenText();
    try {
      for (;;) {
        const part = this.#parts.shift();
        if (part !== undefined) {
          after = part.offset;
          text.pass(part);
          yield part;
        } else if (this.#isCut) {
          yield* text.reset(after);
          return yield* this.#connect(this.#of, after, left.signal);
        } else if (this.#over !== undefined) return this.#throwError();
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#reader = "left";
      this.#parts.length = 0;
      left.abort();
      // The message is accepted also if its reader leaves at once.
      this.#accepted.promise.then(() => this.#isAwaited || this.#reading?.abort()).catch(() => {});
    }
  }
}

/** The text that a reader has of the next message. */
class OpenText {
  #isOpen = false;

  /** Takes a part. Returns false for a reset of text that the reader does not have. */
  pass({ type }: WireLivePart): boolean {
    const wasOpen = this.#isOpen;
    if (type === "text.delta") this.#isOpen = true;
    if (type === "message" || type === "draft.reset") this.#isOpen = false;
    return type !== "draft.reset" || wasOpen;
  }

  /** Yields a reset if there is text. */
  *reset(offset = 0): Generator<WireLivePart, void, undefined> {
    if (this.#isOpen) yield { type: "draft.reset", offset, reason: "reconnected" };
    this.#isOpen = false;
  }
}

/** What is known of a turn, and of the connection. */
interface Place {
  /** Offset of the message or id of the turn; undefined until the message is accepted. */
  of: number | string | undefined;
  /** Offset of the last part. */
  after: number | undefined;
  isOver: boolean;
  isConnected: boolean;
  /** Failed connections since the last received data. */
  failures: number;
  readonly text: OpenText;
  /** Aborts when the reader leaves. */
  readonly left: AbortSignal;
  readonly accepted: (accepted: WireStreamAccepted) => void;
}

/** The request for the parts after the last one. */
function requestFor({ session_id, first }: Streamed, { of, after }: Place): { readonly id: OperationId; readonly call: AnyCall } {
  if (of === undefined) return { id: "streamMessage", call: { ...first, path: { session_id } } };
  const query = { after };
  return typeof of === "number"
    ? { id: "followMessage", call: { path: { session_id, offset: String(of) }, query } }
    : { id: "followTurn", call: { path: { session_id, turn_id: of }, query } };
}

/** Yields the parts of a turn over as many connections as that takes. Ends without an `end` when a signal aborts. Throws permanent errors. */
async function* partsOf(
  wire: Wire,
  streamed: Streamed,
  left: AbortSignal,
  found: (accepted: WireStreamAccepted) => void,
): AsyncGenerator<WireLivePart, void, undefined> {
  const { of, after, onConnection } = streamed;
  const signal = streamed.signal === undefined ? left : AbortSignal.any([left, streamed.signal]);
  const accepted = (given: WireStreamAccepted): void => {
    place.of ??= given.offset;
    found(given);
  };
  const place: Place = { of, after, isOver: false, isConnected: false, failures: 0, text: new OpenText(), left: signal, accepted };
  while (!signal.aborted) {
    let wait = 0;
    try {
      yield* connection(wire, streamed, place);
      if (place.isOver) return;
    } catch (error) {
      if (signal.aborted) return;
      // Until the message is accepted, the tries are limited as those of other requests.
      if (!RequestError.is(error) || !passes(error) || (place.of === undefined && place.failures >= wire.retries)) throw error;
      place.failures++;
      wait = error.retryAfterMs ?? 0;
    }
    if (place.isConnected) onConnection?.("lost");
    place.isConnected = false;
    yield* place.text.reset(place.after);
    await sleep(Math.max(wait, waitAfter(Math.max(1, place.failures), wire.backoff)), signal);
  }
}

/** Yields the parts of one connection. */
async function* connection(wire: Wire, streamed: Streamed, place: Place): AsyncGenerator<WireLivePart, void, undefined> {
  const { id, call } = requestFor(streamed, place);
  const opened = await openStream(wire, id, { ...call, signal: place.left });
  if (opened === undefined) throw new RequestError({ code: "connection.failed", message: "The server does not send streams." });
  place.isConnected = true;
  streamed.onConnection?.("open");
  for await (const frame of framesOf(opened, wire.stallMs)) {
    place.failures = 0;
    if (frame.event === "bye") return;
    if (frame.event === "gone")
      throw new RequestError({ code: "session.not_found", status: 404, message: `Session ${streamed.session_id} was erased while it was read.` });
    if (frame.data === "") continue;
    if (frame.event === "accepted") place.accepted(parseFrame(frame) as WireStreamAccepted);
    else {
      const part = parseFrame(frame) as WireLivePart;
      place.after = part.offset;
      place.isOver = part.type === "end";
      if (place.text.pass(part)) yield part;
      if (place.isOver) return;
    }
  }
}
