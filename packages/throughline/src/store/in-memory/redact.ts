/** Redaction in the reference model. An event's data is replaced in the session that wrote it, so for all sessions that share it. */
import { type SessionRecord, copyOf } from "./book.ts";
import { placeOf } from "./fork.ts";
import type { SessionChange, StoredEvent } from "../port.ts";

/** Replaces the data of events of a session's log and removes their metadata. Skips missing events. */
export function redactEvents({ segments }: SessionRecord, redact: NonNullable<SessionChange["redact"]>): void {
  for (const { offset, data } of redact) {
    const writer = segments.find(({ first, upto }) => first <= offset && offset <= upto)?.session;
    const place = writer === undefined ? -1 : placeOf(writer.events, offset);
    const event = writer?.events[place];
    if (writer === undefined || event?.offset !== offset) continue;
    const { metadata: _metadata, ...rest } = event;
    writer.events[place] = copyOf<StoredEvent>({ ...rest, data });
  }
}
