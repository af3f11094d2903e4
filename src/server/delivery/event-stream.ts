import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Bye } from "../../protocol/stream.ts";
import type { Draft } from "../../runtime/turn/drafts.ts";
import type { Service, WaitingPlace } from "../service.ts";
import { beginning, byeFrame, draftFrame, eventFrame, goneFrame, heartbeat } from "./frames.ts";
import { Merge } from "./merge.ts";
import type { Positions } from "./positions.ts";
import { resetOf, type Item } from "./session-items.ts";

/** Milliseconds that a reader has to take its `bye` when the service stops. */
const farewellMs = 1_000;

/** What a stream is made of. */
export interface EventStreamOptions {
  /** The sources, which end when the signal aborts. */
  readonly open: (signal: AbortSignal) => readonly AsyncGenerator<Item, void, undefined>[];
  readonly positions: Positions;
  /** What a reader goes on from, as it sends it back: undefined at the beginning of everything. */
  readonly id: (positions: Positions) => string | undefined;
  /** The same as the first offsets to send. */
  readonly where: (positions: Positions) => string;
  /** Frames before everything else. */
  readonly first: string;
  readonly idleMs: number | undefined;
  readonly place: WaitingPlace;
  /** Aborts when the reader leaves. */
  readonly left: AbortSignal;
  readonly request_id: string;
  /** Ends the connection at once; undefined where there is none. */
  readonly cut: (() => void) | undefined;
}

/**
 * One reader's stream of server-sent events. It is pulled: the next frame is made when the socket has taken the one before, so that a reader that takes
 * nothing costs one page of the log, and is cut after a while.
 */
export class EventStream {
  readonly #service: Pick<Service, "clock" | "limits" | "logger" | "draining">;
  readonly #options: EventStreamOptions;
  readonly #positions: Map<SessionId, number>;
  readonly #drafts = new Map<SessionId, Draft>();
  readonly #ended = new AbortController();
  readonly #encoder = new TextEncoder();
  /** Stops listening to what outlives the stream. */
  readonly #listening: (() => void)[] = [];
  #merge: Merge<Item> | undefined;
  #wake = (): void => {};
  /** The body is closed: nothing can be put into it. */
  #dropped = false;
  /** Why the service ends the stream, and whether the reader was told. */
  #bye: Bye["reason"] | undefined;
  #farewell = false;
  #heartbeatDue = false;
  /** The reader was sent an id: it can come back with `Last-Event-ID`, also once its stream token has expired. */
  #anchored = false;
  /** When the last frame was made, when the last that was no heartbeat, and since when one waits to be taken. */
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

  /** The body of the answer. Nothing is read before it is. */
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
      // By hand: of listeners with a `signal`, Node takes away the last one alone once garbage was collected, and the service outlives its streams.
      this.#listening.push(() => ending.removeEventListener("abort", listen));
    }
    void this.#watch(controller);
    const id = this.#options.id(this.#positions);
    this.#anchored = id !== undefined;
    return beginning(id) + first;
  }

  /** The next frames; undefined at the end. */
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
        return eventFrame(item.kind, item.text, this.#options.id(this.#positions) ?? "");
      case "draft":
        if (item.draft.type === "draft.reset") this.#drafts.delete(item.session_id);
        else this.#drafts.set(item.session_id, item.draft);
        return draftFrame(item.draft);
      case "gone":
        this.#positions.delete(item.session_id);
        return goneFrame({ session_id: item.session_id });
    }
  }

  /** The last frames: whoever was shown a draft is told that it ends here. */
  #sayBye(reason: Bye["reason"]): string {
    this.#farewell = true;
    const resets = [...this.#drafts.values()].map((draft) => draftFrame(resetOf(draft)));
    const positions = Object.fromEntries(this.#positions);
    return resets.join("") + byeFrame({ reason, positions }, this.#options.id(this.#positions));
  }

  /** Looks, until the end, whether a heartbeat is due, the reader takes nothing, or nothing happens. */
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

  /** Ends the connection of a reader that takes nothing; it goes on from where it was when it comes back. */
  #cut(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#ended.signal.aborted) return;
    this.#service.logger.info("stream cut", { request_id: this.#options.request_id });
    this.#drop();
    if (this.#options.cut === undefined) controller.error(new ThroughlineError("aborted", "The stream's reader took nothing."));
    else this.#options.cut();
  }

  /** What cannot be read on ends the stream, and is told to whoever comes back. */
  #fail(error: unknown): undefined {
    this.#service.logger.warn("stream failed", { request_id: this.#options.request_id, code: ThroughlineError.from(error).code });
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
