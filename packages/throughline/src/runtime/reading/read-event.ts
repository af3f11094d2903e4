import { ThroughlineError, seen } from "../../kernel/error.ts";
import { eventIdOf, type SessionId } from "../../kernel/id.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Store, StoredEvent } from "../../store/port.ts";
import { headerOf, refused } from "../../extension/commit.ts";

/** Returns the event at an offset or with an id. Throws `event.not_found` if the session's log has no such event, or no longer shows it. */
export async function readEvent(
  store: Store,
  session_id: SessionId,
  at: number | string,
  { withdrawn = false }: { readonly withdrawn?: boolean },
): Promise<Event> {
  const offset = typeof at === "number" ? at : Number(/_(0|[1-9][0-9]*)$/.exec(at)?.[1] ?? Number.NaN);
  const isPlace = Number.isSafeInteger(offset) && offset >= 0 && (typeof at === "number" || eventIdOf(session_id, offset) === at);
  const stored = await (isPlace ? storedAt(store, session_id, offset, withdrawn) : headerOf({ store }, session_id).then(() => undefined));
  if (stored !== undefined) return decodeEvent(stored);
  throw new ThroughlineError("event.not_found", `There is no event ${seen(at)} in session ${session_id}.`, { details: { session_id } });
}

/** Takes one read. An offset that retention has cut off, or past the head, has no event. */
async function storedAt(store: Store, session_id: SessionId, offset: number, withdrawn: boolean): Promise<StoredEvent | undefined> {
  const page = await store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn }).catch((error: unknown) => {
    if (ThroughlineError.is(error, "log.retained_from")) return { events: [] };
    throw error;
  });
  if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
  return page.events.find((event) => event.offset === offset);
}
