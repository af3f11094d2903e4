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

/** Yields each event once and reconnects from its cursor. Throws permanent errors, such as `cursor.invalid` and `auth.forbidden`. */
export async function* followAll(wire: Wire, { after, kinds, signal, onConnection }: AllOptions = {}): AsyncGenerator<EventOfAll, void, undefined> {
  let cursor = after;
  let failures = 0;
  const left = (): boolean => signal?.aborted === true;
  while (!left()) {
    let wait = 0;
    try {
      const opened = await openStream(wire, "streamEvents", { query: { kinds, after: cursor }, ...(signal === undefined ? {} : { signal }) });
      if (opened === undefined) throw new RequestError({ code: "connection.failed", message: "The server does not send streams." });
      onConnection?.("open");
      for await (const frame of framesOf(opened, wire.stallMs)) {
        failures = 0;
        if (frame.event === "bye") break;
        const event = frame.data === "" ? undefined : (parseFrame(frame) as WireEvent);
        cursor = frame.id ?? cursor;
        if (event !== undefined && cursor !== undefined) yield { cursor, event };
      }
    } catch (error) {
      if (left()) return;
      if (!RequestError.is(error) || !passes(error)) throw error;
      failures++;
      wait = error.retryAfterMs ?? 0;
    }
    onConnection?.("lost");
    await sleep(Math.max(wait, waitAfter(Math.max(1, failures), wire.backoff)), signal);
  }
}
