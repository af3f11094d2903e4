/** What was said goes, and that it was said stays: messages without their text, for all who share them. */
import type { SessionId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Event } from "../session/event.ts";
import { newEvent } from "../session/new-event.ts";
import { redactedMessage, toldRedacted } from "../session/session-messages.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { SessionChange, SessionRow, Store } from "../store/port.ts";
import { commitOnce, refused } from "./commit.ts";
import type { WriterContext } from "./port.ts";
import { eventsOf, itemsOf } from "./lists.ts";

/** So many messages are redacted in one commit. */
const atOnce = 200;

/**
 * Takes the text of messages away, and all that came with them, from the log itself: for this session and for all that share the messages with it. Readers
 * see a message without text, models do not see it, and each of the sessions is told by an event. What is no message is left as it is, and what was
 * redacted before is not redacted again: a redaction that was killed halfway is done again and finished. Gives the offsets of the messages that have
 * no text now; none if there is no such session. A turn that is at work has read its messages already, and goes on with them.
 */
export async function redactMessages(runtime: WriterContext, session_id: SessionId, offsets: readonly number[]): Promise<readonly number[]> {
  const row = await runtime.store.open({ session_id });
  if (row === undefined) return [];
  for (const [shared, places] of await sharersOf(runtime.store, row, offsets)) await redactIn(runtime, shared, places);
  return (await messagesAt(runtime.store, session_id, offsets)).flatMap(({ offset, data }) => (data.redacted === true ? [offset] : []));
}

/** The sessions that show messages of this one's log, and which; this one last, so that it has been done when all have. */
async function sharersOf(store: Store, row: SessionRow, offsets: readonly number[]): Promise<ReadonlyMap<SessionId, readonly number[]>> {
  const found = new Map<SessionId, readonly number[]>();
  const visit = async (one: SessionRow, shown: readonly number[]): Promise<void> => {
    if (shown.length === 0 || found.has(one.session_id)) return;
    found.set(one.session_id, shown);
    const { origin, session_id } = one;
    const parent = origin?.session_id === undefined || origin.session_id === null ? undefined : await store.open({ session_id: origin.session_id });
    if (origin !== undefined && parent !== undefined) await visit(parent, upTo(shown, origin.at));
    for await (const fork of itemsOf(store, { of: "sessions", origin: session_id })) await visit(fork, upTo(shown, fork.origin?.at ?? -1));
  };
  await visit(
    row,
    [...new Set(offsets)].toSorted((left, right) => left - right),
  );
  found.delete(row.session_id);
  return found.set(row.session_id, offsets);
}

const upTo = (offsets: readonly number[], at: number): readonly number[] => offsets.filter((offset) => offset <= at);

type MessageEvent = Extract<Event, { readonly kind: "message" }>;

/** The messages at these offsets, withdrawn or not; none of a session that has gone since. */
async function messagesAt(store: Store, session_id: SessionId, offsets: readonly number[]): Promise<readonly MessageEvent[]> {
  const row = await store.open({ session_id });
  if (row === undefined) return [];
  const found: MessageEvent[] = [];
  for (const offset of new Set(offsets)) {
    if (!Number.isSafeInteger(offset) || offset < row.first_offset || offset > row.head) continue;
    const page = await store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn: true });
    for (const event of page?.events.map((stored) => decodeEvent(stored)) ?? []) if (event.kind === "message") found.push(event);
  }
  return found.toSorted((left, right) => left.offset - right.offset);
}

/** Redacts messages of one log, and tells its readers. */
async function redactIn(runtime: WriterContext, session_id: SessionId, offsets: readonly number[]): Promise<void> {
  const messages = await messagesAt(runtime.store, session_id, offsets);
  if (messages.length === 0) return;
  const events: Event[] = [];
  for await (const stored of eventsOf(runtime.store, { session_id, kinds: ["session"], withdrawn: true })) events.push(decodeEvent(stored));
  const told = toldRedacted(events);
  const due = messages.filter(({ offset, data }) => data.redacted !== true || !told.has(offset));
  for (let from = 0; from < due.length; from += atOnce) {
    const some = due.slice(from, from + atOnce);
    const result = await commitOnce(runtime, { session: { session_id, ...redaction(some), events: [telling(runtime, some)] } });
    if (result.outcome === "refused" && result.reason !== "session_missing") throw refused(result, session_id);
  }
}

const redaction = (messages: readonly MessageEvent[]): Pick<SessionChange, "redact"> => ({
  // A message is JSON by construction.
  redact: messages.map(({ offset, data }) => ({ offset, data: redactedMessage(data) as unknown as JsonObject })),
});

const telling = ({ ids }: WriterContext, messages: readonly MessageEvent[]): ReturnType<typeof newEvent> =>
  newEvent("session", "system", { type: "redacted", offsets: messages.map(({ offset }) => offset) }, { trace_id: ids.trace() });
