/** Redacts messages: removes their text for all sessions that share them, but keeps the events. */
import type { SessionId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/fold.ts";
import { newEvent } from "../session/new-event.ts";
import { redactedMessage, toldRedacted } from "../session/session-messages.ts";
import type { SessionChange, SessionRow, Store } from "../store/port.ts";
import { commitOnce, refused } from "./commit.ts";
import { eventsOf, itemsOf } from "./lists.ts";
import type { WriterContext } from "./port.ts";

/** Maximum number of messages redacted per commit. */
const atOnce = 200;

/**
 * Removes the text and attachments of messages from the log, in this session and in all sessions that share the messages. Readers see an empty
 * message, models do not see it, and an event informs each session. Other events are left unchanged. The call can be repeated: it continues where an
 * interrupted one stopped. Returns the offsets of messages that are now redacted, or an empty list if the session does not exist. A running turn
 * continues with the messages that it has already read.
 */
export async function redactMessages(runtime: WriterContext, session_id: SessionId, offsets: readonly number[]): Promise<readonly number[]> {
  const row = await runtime.store.open({ session_id });
  if (row === undefined) return [];
  for (const [shared, places] of await sharersOf(runtime.store, row, offsets)) await redactIn(runtime, shared, places);
  return (await messagesAt(runtime.store, session_id, offsets)).flatMap(({ offset, data }) => (data.redacted === true ? [offset] : []));
}

/** Returns the sessions that show messages of this log, with their offsets. This session comes last, so that it is redacted after all others. */
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

/** Returns the messages at these offsets, withdrawn or not. Returns none if the session no longer exists. */
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

/** Redacts messages of one log and informs its readers. */
async function redactIn(runtime: WriterContext, session_id: SessionId, offsets: readonly number[]): Promise<void> {
  const messages = await messagesAt(runtime.store, session_id, offsets);
  if (messages.length === 0) return;
  const events: Event[] = [];
  for await (const stored of eventsOf(runtime.store, { session_id, kinds: ["session"], withdrawn: true })) events.push(decodeEvent(stored));
  const announced = toldRedacted(events);
  const due = messages.filter(({ offset, data }) => data.redacted !== true || !announced.has(offset));
  for (let from = 0; from < due.length; from += atOnce) {
    const some = due.slice(from, from + atOnce);
    const result = await commitOnce(runtime, { session: { session_id, ...redaction(some), events: [redactedEvent(runtime, some)] } });
    if (result.outcome === "refused" && result.reason !== "session_missing") throw refused(result, session_id);
  }
}

const redaction = (messages: readonly MessageEvent[]): Pick<SessionChange, "redact"> => ({
  // A message is always JSON.
  redact: messages.map(({ offset, data }) => ({ offset, data: redactedMessage(data) as unknown as JsonObject })),
});

const redactedEvent = ({ ids }: WriterContext, messages: readonly MessageEvent[]): ReturnType<typeof newEvent> =>
  newEvent("session", "system", { type: "redacted", offsets: messages.map(({ offset }) => offset) }, { trace_id: ids.trace() });
