/** Messages that said what was forgotten: they stay in the log unless they are redacted, and no model is shown them any more. */
import { decode, described, type Descriptor, type Infer, list, literals, number, object, otherwise, textOf, time } from "../kernel/descriptor.ts";
import type { SessionId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { EntryRow, StoredEvent } from "../store/port.ts";
import type { Message } from "./session-messages.ts";

const shape = object({
  type: literals("mask"),
  session_id: described(textOf<SessionId>(), "`ses_` and 26 characters."),
  offsets: otherwise(list(number), []),
  recorded_at: time,
});
/** Messages that no model is shown any more, because what they said was forgotten: an entry of the owner, one for a session. */
export interface Mask extends Infer<typeof shape> {}
/** What a mask looks like. */
export const maskEntry: Descriptor<Mask> = shape;

/** The write of a mask, as a commit takes it. */
export interface MaskWrite {
  readonly entry_id: string;
  readonly kind: "mask";
  readonly data: JsonObject;
}

/** The masks that rows say, in the order of their versions: the last version of each counts. */
export function masksOf(rows: readonly EntryRow[]): readonly Mask[] {
  const masks = new Map<string, Mask>();
  for (const { entry_id, kind, data } of rows) {
    const read = kind === "mask" && data !== null ? decode(maskEntry, { ...data, type: "mask" }) : undefined;
    if (read?.ok === true) masks.set(entry_id, read.value);
    else masks.delete(entry_id);
  }
  return [...masks.values()];
}

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
export function maskWrites(masks: readonly { readonly entry: Mask }[], more: OffsetsBySession, now: number): readonly MaskWrite[] {
  return [...more].flatMap(([session, offsets]) => {
    const session_id = session as SessionId;
    const known = masks.find(({ entry }) => entry.session_id === session_id)?.entry.offsets ?? [];
    const all = joinOffsets(new Map([[session, known]]), new Map([[session, offsets]])).get(session) ?? [];
    return all.length === known.length
      ? []
      : [{ entry_id: maskEntryId(session), kind: "mask", data: { type: "mask", session_id, offsets: [...all], recorded_at: now } }];
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
