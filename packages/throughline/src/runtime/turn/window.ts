import type { SessionId } from "../../kernel/id.ts";
import type { LoadedSession, StoredEvent } from "../../store/port.ts";
import { loadSession } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";

/** Events of a conversation that are read at first, and at most when work fills what was read. */
const first = 60;
const most = 4_000;

/** Whether an event counts for a window: work on the way to an answer does not. */
const counts = ({ kind, data }: StoredEvent): boolean =>
  kind === "custom" || (kind === "message" && (data["origin"] as { readonly is_trace?: boolean } | undefined)?.is_trace !== true);

/**
 * A session with the last `window` messages of its conversation: one read, unless calls and their results take up the room of what was said. Then it is
 * looked further back, at most 4,000 events, and for a turn that was begun before from where it began, however much it has done since.
 */
export async function withWindow(
  runtime: RuntimeContext,
  session_id: SessionId,
  { loaded, window }: { readonly loaded: LoadedSession; readonly window: number },
): Promise<LoadedSession> {
  const began = loaded.journal.find(({ data }) => data["type"] === "started")?.offset;
  const at = began ?? loaded.session.head;
  let messages = loaded.messages;
  const lacks = (): boolean => messages.filter((event) => event.offset <= at && counts(event)).length < window;
  if (messages.length < first || !lacks()) return loaded;
  for (let size = began === undefined ? first * 8 : first; ; size = Math.min(size * 8, most)) {
    const earlier = await loadSession(runtime, session_id, { at, messages: Math.max(size, window) });
    messages = [...earlier.messages, ...loaded.messages.filter(({ offset }) => offset > at)];
    if (size >= most || earlier.messages.length < size || !lacks()) return { ...loaded, messages };
  }
}

/** A session as a turn finds it: its conversation is read with it, and its state unless it is known. */
export async function loadFirst(runtime: RuntimeContext, session_id: SessionId): Promise<LoadedSession> {
  const { states } = runtime;
  const ticket = states.ticket();
  const known = states.of(session_id);
  const loaded = await loadSession(runtime, session_id, { messages: first, ...(known === undefined ? {} : { known }) });
  if (loaded.base !== known?.base) states.keepLoaded(loaded, ticket);
  return loaded;
}
