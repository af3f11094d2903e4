/** Messages whose text was forgotten: what is left of them, and which a log has told of. */
import type { Event, MessageData } from "./event.ts";

/** What stays of a message that is redacted: that it was said and by whom, and the calls that results belong to. Its text and what came with it go. */
export const redactedMessage = ({ role, participant, origin, calls }: MessageData): MessageData => ({
  role,
  parts: [],
  ...(participant === undefined ? {} : { participant }),
  ...(origin === undefined ? {} : { origin }),
  ...(calls === undefined ? {} : { calls }),
  redacted: true,
});

/** The offsets that events of a log say were redacted. */
export const toldRedacted = (events: readonly Event[]): ReadonlySet<number> =>
  new Set(events.flatMap(({ kind, data }) => (kind === "session" && data.type === "redacted" ? data.offsets : [])));
