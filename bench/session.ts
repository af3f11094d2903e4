import type { OwnerId, SessionId, TraceId } from "../packages/throughline/src/kernel/id.ts";
import { createIds } from "../packages/throughline/src/index.ts";
import { createdEvent, newEvent } from "../packages/throughline/src/session/new-event.ts";
import type { Store } from "../packages/throughline/src/store/port.ts";

export const benchTrace = "1".repeat(32) as TraceId;

/** A session without a runtime; with a queued turn, whose number is 1, if one is asked for. */
export async function createBareSession(store: Store, options: { readonly turn?: boolean } = {}): Promise<SessionId> {
  const ids = createIds();
  const session_id = ids.next("session");
  const owner_id: OwnerId = ids.next("owner");
  await store.commit({
    commit_id: ids.next("commit"),
    at: 1,
    owner: { owner_id, create: {} },
    session: {
      session_id,
      create: { owner_id, agent: "bench", agent_version: 1 },
      events: [createdEvent({ agent: "bench", definition: 1, state: { turns: 0 } }, benchTrace)],
    },
  });
  if (options.turn !== true) return session_id;
  const message = newEvent(
    "message",
    "customer",
    { role: "user", parts: [{ type: "text", text: "hello" }] },
    { turn: "queued", trace_id: benchTrace, waiting: true },
  );
  await store.commit({
    commit_id: ids.next("commit"),
    at: 1,
    session: { session_id, events: [message], queue: { cause: "message", trace_id: benchTrace } },
  });
  return session_id;
}
