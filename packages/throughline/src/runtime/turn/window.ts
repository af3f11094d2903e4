import { present } from "../../kernel/json.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { LoadedSession, StoredEvent } from "../../store/port.ts";
import { loadSession } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";

/** Number of conversation events in the first read. If calls fill the window, the second number is the maximum. */
const first = 60;
const most = 4_000;

/** Whether an event counts for a window. Intermediate work does not. */
const counts = ({ kind, data }: StoredEvent): boolean =>
  kind === "custom" || (kind === "message" && (data["origin"] as { readonly is_trace?: boolean } | undefined)?.is_trace !== true);

/**
 * Returns a session with the last `window` messages of its conversation. One read suffices unless calls and their results fill the window. Then it
 * reads further back, at most 4,000 events. For a resumed turn it reads back to the turn's start, however many events that takes.
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

/** Loads a session for a turn: its recent conversation and its state, apart from what is cached. */
export async function loadFirst(runtime: RuntimeContext, session_id: SessionId): Promise<LoadedSession> {
  const { states } = runtime;
  const ticket = states.ticket();
  const known = states.of(session_id);
  const loaded = await loadSession(runtime, session_id, { messages: first, log_id: true, ...present({ known }) });
  if (loaded.base !== known?.base) states.keepLoaded(loaded, ticket);
  states.keepLog(loaded, first, ticket);
  return loaded;
}
