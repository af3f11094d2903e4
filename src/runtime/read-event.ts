import { ThroughlineError, seen } from "../kernel/error.ts";
import { eventIdOf, type SessionId } from "../kernel/id.ts";
import type { Event } from "../session/event.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { Store } from "../store/port.ts";
import { headerOf } from "./commit.ts";

/** The event at an offset, or of an id; `event.not_found` if the session's log has none there, or shows it no more. */
export async function readEvent(
  store: Store,
  session_id: SessionId,
  at: number | string,
  { withdrawn = false }: { readonly withdrawn?: boolean },
): Promise<Event> {
  const { head, first_offset } = await headerOf({ store }, session_id);
  const offset = typeof at === "number" ? at : Number(/_(0|[1-9][0-9]*)$/.exec(at)?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(offset) && offset >= first_offset && offset <= head && (typeof at === "number" || eventIdOf(session_id, offset) === at)) {
    const page = await store.read({ session_id, min_offset: offset, max_offset: offset, withdrawn });
    const [stored] = page?.events ?? [];
    if (stored !== undefined) return decodeEvent(stored);
  }
  throw new ThroughlineError("event.not_found", `There is no event ${seen(at)} in session ${session_id}.`, { details: { session_id } });
}
