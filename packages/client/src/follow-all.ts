/** Follows the events of all sessions from a cursor on, until the reader stops. */
import { framesOf, parseFrame } from "./event-frames.ts";
import { passes, RequestError, sleep, waitAfter } from "./request-errors.ts";
import type { FollowOptions } from "./session-log.ts";
import { openStream, type Wire } from "./transport.ts";
import type { WireEvent } from "./wire.ts";

/** Options for reading all sessions. */
export interface AllOptions extends Pick<FollowOptions, "kinds" | "signal" | "onConnection"> {
  /** The `cursor` of the last event that the reader has; the beginning by default. */
  readonly after?: string;
}

/** An event of any session, and the cursor to continue after it. */
export interface EventOfAll {
  readonly cursor: string;
  readonly event: WireEvent;
}

/** How far a reader is, and its failed connections since the last data. */
interface Place {
  cursor: string | undefined;
  failures: number;
}

/** Yields each event once and reconnects from its cursor. Throws permanent errors, such as `cursor.invalid` and `auth.forbidden`. */
export async function* followAll(wire: Wire, options: AllOptions = {}): AsyncGenerator<EventOfAll, void, undefined> {
  const { signal, onConnection } = options;
  const place: Place = { cursor: options.after, failures: 0 };
  const left = (): boolean => signal?.aborted === true;
  while (!left()) {
    let wait = 0;
    try {
      yield* stretch(wire, options, place);
    } catch (error) {
      if (left()) return;
      if (!RequestError.is(error) || !passes(error)) throw error;
      place.failures++;
      wait = error.retryAfterMs ?? 0;
    }
    onConnection?.("lost");
    await sleep(Math.max(wait, waitAfter(Math.max(1, place.failures), wire.backoff)), signal);
  }
}

/** Yields the events of one connection. */
async function* stretch(wire: Wire, { kinds, signal, onConnection }: AllOptions, place: Place): AsyncGenerator<EventOfAll, void, undefined> {
  const opened = await openStream(wire, "streamEvents", { query: { kinds, after: place.cursor }, ...(signal === undefined ? {} : { signal }) });
  if (opened === undefined) throw new RequestError({ code: "connection.failed", message: "The server does not send streams." });
  onConnection?.("open");
  for await (const frame of framesOf(opened, wire.stallMs)) {
    place.failures = 0;
    if (frame.event === "bye") return;
    const event = frame.data === "" ? undefined : (parseFrame(frame) as WireEvent);
    place.cursor = frame.id ?? place.cursor;
    if (event !== undefined && place.cursor !== undefined) yield { cursor: place.cursor, event };
  }
}
