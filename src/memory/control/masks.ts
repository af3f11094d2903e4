/** Messages that said what was forgotten: they stay in the log unless they are redacted, and no model is shown them any more. */
import type { SessionId } from "../../kernel/id.ts";
import type { Message } from "../../session/messages.ts";
import type { StoredEvent } from "../../store/port.ts";
import type { EntryWrite, Kept, Mask } from "../entry.ts";
import { encodeEntry } from "../write/decode.ts";

/** The id of a session's mask. */
export const maskEntryId = (session_id: string): string => `mask:${session_id}`;

/** Offsets by session. */
export type OffsetsBySession = ReadonlyMap<string, readonly number[]>;

/** Offsets of two maps together, each once and in order. */
export function joinOffsets(...maps: readonly OffsetsBySession[]): OffsetsBySession {
  const joined = new Map<string, Set<number>>();
  for (const map of maps)
    for (const [session, offsets] of map) {
      const found = joined.get(session) ?? new Set<number>();
      for (const offset of offsets) found.add(offset);
      joined.set(session, found);
    }
  return new Map(
    [...joined].filter(([, offsets]) => offsets.size > 0).map(([session, offsets]) => [session, [...offsets].toSorted((a, b) => a - b)]),
  );
}

/** The writes that mask messages, besides those that are masked already. */
export function maskWrites(masks: readonly Pick<Kept<Mask>, "entry">[], more: OffsetsBySession, now: number): readonly EntryWrite[] {
  return [...more].flatMap(([session, offsets]) => {
    const session_id = session as SessionId;
    const known = masks.find(({ entry }) => entry.session_id === session_id)?.entry.offsets ?? [];
    const all = joinOffsets(new Map([[session, known]]), new Map([[session, offsets]])).get(session) ?? [];
    return all.length === known.length ? [] : [encodeEntry(maskEntryId(session), { type: "mask", session_id, offsets: all, recorded_at: now })];
  });
}

type Placed = Pick<StoredEvent, "session_id" | "offset"> & { readonly origin?: StoredEvent["origin"] | undefined };

/** Tells whether an event is masked: one of a fork also if it was masked where it was written. */
export function maskedBy(masks: readonly Mask[]): (event: Placed) => boolean {
  const bySession = new Map(masks.map(({ session_id, offsets }) => [session_id, new Set(offsets)]));
  const isMasked = (session: SessionId | null | undefined, offset: number): boolean =>
    session !== null && session !== undefined && bySession.get(session)?.has(offset) === true;
  return ({ session_id, origin, offset }) => isMasked(session_id, offset) || isMasked(origin, offset);
}

/** The offsets of events that are masked. */
export const maskedOffsets = (events: readonly Placed[], masks: readonly Mask[]): ReadonlySet<number> =>
  masks.length === 0 ? new Set() : new Set(events.filter(maskedBy(masks)).map(({ offset }) => offset));

/** What a model reads in place of a result that it must not see: a call has one result, whatever the result was. */
const hidden = "[removed at the person's request]";

/**
 * Messages without those that are masked. With a message that asks for calls its results go; a result alone that is masked says that it was removed, so that each
 * call keeps exactly one.
 */
export function withoutMasked(messages: readonly Message[], masked: ReadonlySet<number>): readonly Message[] {
  if (masked.size === 0) return messages;
  const gone = new Set<string>();
  return messages.flatMap((message): readonly Message[] => {
    const { offset, role, call_id } = message;
    if (role === "tool") {
      if (call_id !== undefined && gone.has(call_id)) return [];
      return masked.has(offset) && message.missing !== true ? [{ ...message, text: hidden }] : [message];
    }
    if (!masked.has(offset)) {
      for (const call of message.calls ?? []) gone.delete(call.call_id);
      return [message];
    }
    for (const call of message.calls ?? []) gone.add(call.call_id);
    return [];
  });
}
