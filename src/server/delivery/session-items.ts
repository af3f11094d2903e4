import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Draft } from "../../runtime/turn/drafts.ts";
import { followLog, streamLog } from "../../runtime/reading/follow.ts";
import type { EventKind } from "../../store/port.ts";
import type { Service } from "../service.ts";
import { textOf, type Reader } from "./reader.ts";

/** What a session has for a stream next. */
export type Item = { readonly session_id: SessionId } & (
  | { readonly type: "event"; readonly kind: EventKind; readonly offset: number; readonly text: string }
  | { readonly type: "draft"; readonly draft: Draft }
  /** Everything below was looked at. */
  | { readonly type: "position"; readonly next_offset: number }
  /** The session was erased. */
  | { readonly type: "gone" }
);

/** Milliseconds until a database that did not answer is asked again: doubled each time, up to the second. */
const pauses = { first: 250, last: 4_000 };

/** How a stream reads one session. */
export interface Following {
  readonly minOffset: number | undefined;
  readonly drafts: boolean;
  readonly signal: AbortSignal;
}

/**
 * What a session has for its reader, until the signal aborts or the session is erased. A database that does not answer is asked again, so that a stream
 * outlives it; a draft that is open meanwhile is reset.
 */
export async function* itemsOf(service: Service, reader: Reader, following: Following): AsyncGenerator<Item, void, undefined> {
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

/** How far the reader has got, the draft that it has some of, and how long a database that does not answer is left alone. */
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
  const options = { ...filter, signal, ...(minOffset === undefined ? {} : { minOffset }) };
  return drafts ? streamLog(service, session_id, options) : followLog(service, session_id, options);
}

/** Ends a draft whose own end this reader is not told. */
export function resetOf({ session_id, turn_id, epoch, message }: Draft): Draft {
  return { type: "draft.reset", session_id, turn_id, epoch, message, reason: "fence" };
}
