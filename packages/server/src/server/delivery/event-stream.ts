/** Streams of server-sent events over the logs of one or more sessions. Slow readers and readers who lose access are disconnected. */
import { refused, present } from "throughline/internal";
import { followLog, streamLog } from "throughline/internal/runtime";
import { seen, ThroughlineError, parseSessionId, type SessionId } from "throughline/kernel";
import type { Bye, Gone, WireDraft } from "../../protocol/wire-event.ts";
import type { Draft } from "throughline";
import type { EventKind } from "throughline/store";
import type { Service } from "../service.ts";
import { type Reader, textOf } from "./event-reader.ts";
import { answerStream, beginning, frame, heartbeat, type StreamContent, type StreamRequest } from "./frame-stream.ts";

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
  request: StreamRequest & { readonly query: { readonly drafts?: boolean; readonly idle?: number } },
  streamed: Streamed,
  form: Form,
): Promise<Response> {
  for (const { session_id } of streamed.readers) await checkPosition(service, session_id, streamed.positions.get(session_id));
  const place = service.waiters.enter(request.principal);
  const { drafts, idle } = request.query;
  const idleMs = idle === undefined ? undefined : idle * 1000;
  return answerStream(service, request, new LogFrames(service, { ...streamed, drafts, form }), { place, idleMs });
}

/** Whether a reader receives drafts. Drafts belong to messages that are not in the log yet, so only readers of all messages receive them. */
const hasDrafts = ({ kinds, source, traceId, withdrawn }: Reader, wanted = true): boolean =>
  wanted && kinds.includes("message") && source === undefined && traceId === undefined && withdrawn !== true;

const resumedFrame = ({ session_id }: Reader): string => draftFrame({ type: "draft.reset", session_id, reason: "resumed" });

async function* goneOf(session_id: SessionId): AsyncGenerator<Item, void, undefined> {
  yield { type: "gone", session_id };
}

/** Throws `log.retained_from` if the log no longer contains the position. */
export async function checkPosition({ store }: Service, session_id: SessionId, minOffset: number | undefined): Promise<void> {
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

/** How positions are written. */
interface Form {
  /** Formats the positions as the id that a reconnecting reader sends. Undefined at the beginning of the log. */
  readonly id: (positions: Positions) => string | undefined;
  /** Formats the positions as the next offsets. */
  readonly where: (positions: Positions) => string;
}

/** The frames of logs: events, drafts between them, and the positions of the reader. */
class LogFrames implements StreamContent<Item> {
  readonly #service: Service;
  readonly #streamed: Streamed & { readonly drafts: boolean | undefined; readonly form: Form };
  readonly #positions: Map<SessionId, number>;
  readonly #drafts = new Map<SessionId, Draft>();
  /** Whether the reader has received an id. It can then reconnect with `Last-Event-ID`, even with an expired stream token. */
  #anchored = false;

  constructor(service: Service, streamed: Streamed & { readonly drafts: boolean | undefined; readonly form: Form }) {
    this.#service = service;
    this.#streamed = streamed;
    this.#positions = new Map(streamed.positions);
  }

  open(signal: AbortSignal): readonly AsyncGenerator<Item, void, undefined>[] {
    const { readers, gone = [], positions, drafts } = this.#streamed;
    return [
      ...gone.map(goneOf),
      ...readers.map((reader) =>
        itemsOf(this.#service, reader, { minOffset: positions.get(reader.session_id), drafts: hasDrafts(reader, drafts), signal }),
      ),
    ];
  }

  begin(): string {
    const { readers, resumed, drafts } = this.#streamed;
    this.#anchored = this.#id() !== undefined;
    return beginning(this.#id()) + (resumed ? readers.flatMap((reader) => (hasDrafts(reader, drafts) ? [resumedFrame(reader)] : [])).join("") : "");
  }

  frame(item: Item): string | undefined {
    switch (item.type) {
      case "position":
        this.#positions.set(item.session_id, item.next_offset);
        if (this.#anchored) return undefined;
        this.#anchored = true;
        return this.heartbeat();
      case "event":
        this.#positions.set(item.session_id, item.offset + 1);
        this.#anchored = true;
        return frame(item.kind, item.text, this.#id() ?? "");
      case "draft":
        if (item.draft.type === "draft.reset") this.#drafts.delete(item.session_id);
        else this.#drafts.set(item.session_id, item.draft);
        return draftFrame(item.draft);
      case "gone":
        this.#positions.delete(item.session_id);
        return frame("gone", JSON.stringify({ session_id: item.session_id } satisfies Gone));
    }
  }

  heartbeat(): string {
    return heartbeat(this.#streamed.form.where(this.#positions), this.#id());
  }

  /** Builds the last frames. They reset the drafts that the reader has received in part. */
  bye(reason: Bye["reason"]): string {
    const resets = [...this.#drafts.values()].map((draft) => draftFrame(resetOf(draft)));
    const positions = Object.fromEntries(this.#positions);
    return resets.join("") + frame("bye", JSON.stringify({ reason, positions } satisfies Bye), this.#id());
  }

  #id(): string | undefined {
    return this.#streamed.form.id(this.#positions);
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
export const pauses = { first: 250, last: 4_000 };

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

const draftFrame = (draft: WireDraft): string => frame("draft", JSON.stringify(draft));

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
