/** Redacted messages: what remains of them, and which ones a log reports. */
import type { Event, MessageData } from "./event.ts";

/**
 * Returns what remains of a redacted message: role, participant, origin, and the calls that results refer to. The text and everything sent with it
 * are removed.
 */
export const redactedMessage = ({ role, participant, origin, calls }: MessageData): MessageData => ({
  role,
  parts: [],
  ...(participant === undefined ? {} : { participant }),
  ...(origin === undefined ? {} : { origin }),
  ...(calls === undefined ? {} : { calls }),
  redacted: true,
});

/** Returns the offsets that events of a log report as redacted. */
export const toldRedacted = (events: readonly Event[]): ReadonlySet<number> =>
  new Set(events.flatMap(({ kind, data }) => (kind === "session" && data.type === "redacted" ? data.offsets : [])));
