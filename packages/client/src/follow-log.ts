/** Follows logs until the reader stops. Every event arrives once and in order, even if the connection breaks. */
import { type Frame, framesOf, parseFrame } from "./event-frames.ts";
import type { AnyCall, ResultOf } from "./operation-call.ts";
import { passes, RequestError, sleep, waitAfter } from "./request-errors.ts";
import { openStream, request, type Wire } from "./transport.ts";
import type { OperationId, WireDraft, WireEvent, WireGone } from "./wire.ts";

/** An item of a stream: an event, a draft, or the notice that a session was erased. */
export type Streamed = WireEvent | WireDraft | ({ readonly type: "gone" } & WireGone);

/** Options of a reader. */
export interface Following {
  readonly place: Place;
  readonly signal: AbortSignal | undefined;
  /** Called when the stream connects and when it is lost. */
  readonly onConnection: ((connection: "open" | "lost") => void) | undefined;
}

/** Number of silent streams before the client switches to long polls, because a proxy buffers streams. */
const silentStreams = 2;
/** Duration of a long poll in seconds. */
const pollSeconds = 25;

/** The state of the connection. */
interface Health {
  /** Failed connections since the last received data. */
  failures: number;
  /** Successive streams that connected but delivered no data. */
  silent: number;
}

/** Yields items until the reader leaves. Throws permanent errors, such as `session.not_found`. */
export async function* follow(wire: Wire, following: Following): AsyncGenerator<Streamed, void, undefined> {
  const { place, signal, onConnection } = following;
  const drafts = new OpenDrafts();
  const health: Health = { failures: 0, silent: 0 };
  const left = (): boolean => signal?.aborted === true;
  while (!left() && place.sessions.size > 0) {
    let wait = 0;
    try {
      yield* drafts.seen(stretch(wire, following, health));
    } catch (error) {
      if (left()) return;
      if (!RequestError.is(error) || !passes(error)) throw error;
      health.failures++;
      wait = error.retryAfterMs ?? 0;
    }
    onConnection?.("lost");
    yield* drafts.lost();
    await sleep(Math.max(wait, waitAfter(Math.max(1, health.failures), wire.backoff)), signal);
  }
}

/** Yields the items of one connection, or of long polls if streams do not work. */
async function* stretch(wire: Wire, following: Following, health: Health): AsyncGenerator<Streamed, void, undefined> {
  const { place } = following;
  const polls = health.silent >= silentStreams && place.sessions.size === 1;
  for await (const frame of polls ? poll(wire, following) : connect(wire, following, health)) {
    health.failures = 0;
    if (!polls) health.silent = 0;
    if (frame.event === "bye") return;
    yield* itemsOf(frame, place);
  }
}

/** Yields the frames of one connection. */
async function* connect(wire: Wire, { place, signal, onConnection }: Following, health: Health): AsyncGenerator<Frame, void, undefined> {
  const { id, call } = place.request();
  const opened = await openStream(wire, id, { ...call, ...(signal === undefined ? {} : { signal }) });
  if (opened === undefined) {
    health.silent = silentStreams;
    throw new RequestError({ code: "connection.failed", message: "The server does not send streams." });
  }
  onConnection?.("open");
  health.silent++;
  yield* framesOf(opened, wire.stallMs);
}

/** Yields frames by long polling, for connections on which streams do not work. */
async function* poll(wire: Wire, { place, signal, onConnection }: Following): AsyncGenerator<Frame, void, undefined> {
  for (;;) {
    const { id, call } = place.request();
    const { drafts: _, ...query } = call.query ?? {};
    const timeoutMs = pollSeconds * 1000 + wire.timeoutMs;
    const { status, body, headers } = await request(wire, id, {
      ...call,
      query: { ...query, wait: pollSeconds },
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    onConnection?.("open");
    if (status === 204) yield { event: "", data: "", comment: `next_offset=${headers.get("next-offset") ?? ""}` };
    const page = body as ResultOf<"listEvents">;
    for (const event of page?.items ?? []) yield { event: event.kind, data: JSON.stringify(event) };
    if (page !== undefined) yield { event: "", data: "", comment: `next_offset=${page.next_offset}` };
  }
}

/** Converts a frame to items and advances the position. */
function itemsOf(frame: Frame, place: Place): readonly Streamed[] {
  const { event, data, id, comment } = frame;
  if (comment !== undefined) {
    const [, offset] = /\bnext_offset=(\d+)/.exec(comment) ?? [];
    const [only] = place.sessions;
    if (offset !== undefined && only !== undefined && place.sessions.size === 1) place.moveTo(only, Number(offset));
    return [];
  }
  const items = data === "" ? [] : [itemOf(event, parseFrame(frame))];
  const fresh = items.filter((item) => !("offset" in item) || place.take(item));
  if (id !== undefined) place.moveBy(id);
  for (const item of items) if ("type" in item && item.type === "gone") place.leave(item.session_id);
  return fresh;
}

const itemOf = (event: string, value: unknown): Streamed =>
  event === "gone" ? { type: "gone", ...(value as WireGone) } : (value as WireEvent | WireDraft);

/** Tracks the drafts that a reader has received, so that each is reset once. */
class OpenDrafts {
  readonly #sessions = new Set<string>();

  /** Passes the items through, except resets of drafts that the reader has not received. */
  async *seen(items: AsyncIterable<Streamed>): AsyncGenerator<Streamed, void, undefined> {
    for await (const item of items) {
      const type = "type" in item ? item.type : "event";
      if (type === "draft.delta" || type === "tool.started") this.#sessions.add(item.session_id);
      if (type !== "draft.reset" || this.#sessions.delete(item.session_id)) yield item;
    }
  }

  /** Yields resets for all open drafts. */
  *lost(): Generator<WireDraft, void, undefined> {
    for (const session_id of this.#sessions) yield { type: "draft.reset", session_id, reason: "resumed" };
    this.#sessions.clear();
  }
}

/** The position of one reader in one or more sessions. */
interface Place {
  /** The sessions that are read. */
  readonly sessions: ReadonlySet<string>;
  /** The request for all further events. */
  request(): { readonly id: OperationId; readonly call: AnyCall };
  /** Whether an event is new. Marks it as seen. */
  take(event: Pick<WireEvent, "session_id" | "offset">): boolean;
  /** Advances to a frame's id. All events up to it were processed, including hidden ones. */
  moveBy(id: string): void;
  /** Advances to an offset. */
  moveTo(session_id: string, offset: number): void;
  /** Stops reading a session. */
  leave(session_id: string): void;
}

type Query = NonNullable<AnyCall["query"]>;

interface Offsets extends Pick<Place, "take" | "moveTo" | "leave" | "sessions"> {
  /** The next offset; undefined for the beginning of the log. */
  of(session_id: string): number | undefined;
}

function createOffsets(sessions: readonly string[], first: Readonly<Record<string, number>>): Offsets {
  const next = new Map<string, number | undefined>(sessions.map((id) => [id, first[id]]));
  const moveTo = (session_id: string, offset: number): void => {
    if (next.has(session_id) && offset > (next.get(session_id) ?? -1)) next.set(session_id, offset);
  };
  return {
    get sessions() {
      return new Set(next.keys());
    },
    of: (session_id) => next.get(session_id),
    take: ({ session_id, offset }) => {
      if (!next.has(session_id) || offset < (next.get(session_id) ?? 0)) return false;
      moveTo(session_id, offset + 1);
      return true;
    },
    moveTo,
    leave: (session_id) => void next.delete(session_id),
  };
}

/** The position in one session. */
export function placeInSession(session_id: string, minOffset: number | undefined, query: Query): Place {
  const offsets = createOffsets([session_id], minOffset === undefined ? {} : { [session_id]: minOffset });
  return {
    ...offsets,
    get sessions() {
      return offsets.sessions;
    },
    request: () => ({ id: "listEvents", call: { path: { session_id }, query: { ...query, min_offset: offsets.of(session_id) } } }),
    moveBy: (id) => {
      if (/^\d+$/.test(id)) offsets.moveTo(session_id, Number(id) + 1);
    },
  };
}

/** The position in several sessions. Frame ids contain the next offset of each. */
export function placeInSessions(sessions: readonly string[], first: Readonly<Record<string, number>>, query: Query): Place {
  const offsets = createOffsets(sessions, first);
  const known = (): string => [...offsets.sessions].flatMap((id) => (offsets.of(id) === undefined ? [] : [`${id}:${offsets.of(id)}`])).join(",");
  return {
    ...offsets,
    get sessions() {
      return offsets.sessions;
    },
    request: () => ({ id: "streamEvents", call: { query: { ...query, sessions: [...offsets.sessions], offsets: known() || undefined } } }),
    moveBy: (id) => {
      for (const part of id.split(",")) {
        const [, session_id, offset] = /^([^:]+):(\d+)$/.exec(part) ?? [];
        if (session_id !== undefined) offsets.moveTo(session_id, Number(offset));
      }
    },
  };
}
