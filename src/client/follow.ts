/** Follows logs for as long as somebody reads: whatever happens to the connection, every event comes once and in order. */
import type { WireEvent } from "../protocol/event.ts";
import type { Gone, WireDraft } from "../protocol/stream.ts";
import type { ResultOf } from "./operation-call.ts";
import { sleep, waitAfter } from "./backoff.ts";
import { framesOf } from "./byte-stream.ts";
import { passes } from "./failure.ts";
import type { Frame } from "./frames.ts";
import type { Place } from "./places.ts";
import { RequestError } from "./request-error.ts";
import { openOnce, request, type Wire } from "./transport.ts";

/** What comes of a stream: events, provisional text between them, and that a session was erased. */
export type Streamed = WireEvent | WireDraft | ({ readonly type: "gone" } & Gone);

/** How a reader follows. */
export interface Following {
  readonly place: Place;
  readonly signal: AbortSignal | undefined;
  /** Hears when the stream stands, and when it is lost. */
  readonly onConnection: ((connection: "open" | "lost") => void) | undefined;
}

/** Whoever lets nothing through of a stream before it ends is asked otherwise after so many silent streams. */
const silentStreams = 2;
/** Seconds that a long poll waits. */
const pollSeconds = 25;

/** What comes, until the reader leaves. Throws for what will not pass, such as a session that is not there. */
export async function* follow(wire: Wire, following: Following): AsyncGenerator<Streamed, void, undefined> {
  const { place, signal, onConnection } = following;
  const drafts = new OpenDrafts();
  const left = (): boolean => signal?.aborted === true;
  let [failures, silent] = [0, 0];
  while (!left() && place.sessions.size > 0) {
    let heard = false;
    let wait = 0;
    try {
      const polls = silent >= silentStreams && place.sessions.size === 1;
      for await (const frame of polls ? poll(wire, following) : connect(wire, following)) {
        [failures, heard] = [0, true];
        if (frame.event === "bye") break;
        for (const item of itemsOf(frame, place)) if (drafts.shows(item)) yield item;
        if (left()) return;
      }
    } catch (error) {
      if (left()) return;
      if (!RequestError.is(error) || !passes(error)) throw error;
      silent = heard || error.code !== "timeout" ? silent : silent + 1;
      failures++;
      wait = error.retryAfterMs ?? 0;
    }
    onConnection?.("lost");
    yield* drafts.lost();
    await sleep(Math.max(wait, waitAfter(Math.max(1, failures), wire.backoff)), signal);
  }
}

/** The frames of one connection. */
async function* connect(wire: Wire, { place, signal, onConnection }: Following): AsyncGenerator<Frame, void, undefined> {
  const { id, call } = place.request();
  const opened = await openOnce(wire, id, { ...call, ...(signal === undefined ? {} : { signal }), headers: { accept: "text/event-stream" } });
  if (!/^text\/event-stream\b/.test(opened.response.headers.get("content-type") ?? "")) {
    opened.close();
    throw new RequestError({ code: "timeout", message: "What answers sends no streams." });
  }
  onConnection?.("open");
  yield* framesOf(opened, wire.stallMs);
}

/** The same by asking again and again, where streams do not get through. */
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

/** What a frame holds for the reader, who has got so far then. */
function itemsOf(frame: Frame, place: Place): readonly Streamed[] {
  const { event, data, id, comment } = frame;
  if (comment !== undefined) {
    const [, offset] = /\bnext_offset=(\d+)/.exec(comment) ?? [];
    const [only] = place.sessions;
    if (offset !== undefined && only !== undefined && place.sessions.size === 1) place.moveTo(only, Number(offset));
    return [];
  }
  const items = data === "" ? [] : [itemOf(event, parse(data))];
  const fresh = items.filter((item) => !("offset" in item) || place.take(item));
  if (id !== undefined) place.moveBy(id);
  for (const item of items) if ("type" in item && item.type === "gone") place.leave(item.session_id);
  return fresh;
}

const itemOf = (event: string, value: unknown): Streamed =>
  event === "gone" ? { type: "gone", ...(value as Gone) } : (value as WireEvent | WireDraft);

function parse(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw new RequestError({ code: "connection.failed", message: "A frame of the stream is not whole.", cause });
  }
}

/** The drafts of which a reader was shown any: each is taken back once. */
class OpenDrafts {
  readonly #sessions = new Set<string>();

  /** Whether the reader gets it. */
  shows(item: Streamed): boolean {
    if (!("type" in item)) return true;
    const { type, session_id } = item;
    if (type === "draft.delta") this.#sessions.add(session_id);
    else if (type === "draft.reset") return this.#sessions.delete(session_id);
    return true;
  }

  /** What takes back all that is open. */
  *lost(): Generator<WireDraft, void, undefined> {
    for (const session_id of this.#sessions) yield { type: "draft.reset", session_id, reason: "resumed" };
    this.#sessions.clear();
  }
}
