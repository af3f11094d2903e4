/** Follows the commits of all sessions, and reads their events. */
import { ThroughlineError } from "../../kernel/error.ts";
import { present } from "../../kernel/json.ts";
import type { Event } from "../../session/event.ts";
import type { AppendRow, EventKind, Store } from "../../store/port.ts";
import { followPages } from "./follow.ts";

/** Yields pages of the commits of all sessions after a position: the existing ones, then new ones. Ends when the signal aborts. */
export async function* followAppends(
  store: Pick<Store, "appends" | "watchAppends">,
  { after: first, limit = 100, signal }: { readonly after: number; readonly limit?: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly AppendRow[], void, undefined> {
  let after = first;
  let news = Promise.withResolvers<void>();
  const wake = (): void => news.resolve();
  const stop = await store.watchAppends(wake);
  signal.addEventListener("abort", wake);
  try {
    while (!signal.aborted) {
      // News from here on may be of commits that this read does not see.
      news = Promise.withResolvers();
      const { appends } = await store.appends({ after, limit });
      after = appends.at(-1)?.position ?? after;
      if (appends.length > 0) yield appends;
      else if (!signal.aborted) await news.promise;
    }
  } finally {
    signal.removeEventListener("abort", wake);
    stop();
  }
}

/**
 * Returns the visible events of a commit, and the agent of its session. `after`: only events after this offset. Undefined if the session was erased.
 * Events that were withdrawn or cut off are left out.
 */
export async function eventsOfAppend(
  store: Store,
  append: AppendRow,
  { kinds, after = -1 }: { readonly kinds?: readonly EventKind[] | undefined; readonly after?: number | undefined } = {},
): Promise<{ readonly agent: string; readonly events: readonly Event[] } | undefined> {
  const { session_id, first_offset, head } = append;
  const row = await store.open({ session_id });
  if (row === undefined) return undefined;
  const minOffset = Math.max(first_offset, row.first_offset, after + 1);
  const found: Event[] = [];
  try {
    const pages = followPages({ store }, session_id, { minOffset, maxOffset: head, follow: false, ...present({ kinds }) });
    for await (const { events } of pages) found.push(...events);
  } catch (error) {
    if (ThroughlineError.is(error, "session.not_found")) return undefined;
    // Retention has cut the log since the session was opened.
    if (!ThroughlineError.is(error, "log.retained_from")) throw error;
    return eventsOfAppend(store, append, { kinds, after });
  }
  return { agent: row.agent, events: found };
}
