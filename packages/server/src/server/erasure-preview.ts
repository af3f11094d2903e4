/** What an erasure would remove, in numbers. */
import type { Customer, SessionInfo } from "throughline";
import { itemsOf } from "throughline/internal";
import type { OwnerMemory } from "throughline/memory";
import type { SessionRow } from "throughline/store";
import type { Service } from "./service.ts";

type Reading = Pick<Service, "runtime" | "store">;

/** Events that a session has written itself. */
const ownEvents = ({ head, origin }: { readonly head: number; readonly origin?: SessionRow["origin"] | undefined }): number =>
  head - (origin?.at ?? -1);

async function memoryOf(memory: OwnerMemory) {
  const { facts, turns, arcs, rules, held } = await memory.status();
  return { facts, turns, arcs, rules, held };
}

/** What deleting a session would remove. The memory of a customer stays; that of an anonymous session goes with its last session. */
export async function previewOfSession({ runtime, store }: Reading, { id, head, origin, customer_id }: SessionInfo) {
  const { total: forks } = await store.list({ of: "sessions", origin: id, limit: 1 });
  const row = customer_id === undefined ? await store.open({ session_id: id }) : undefined;
  const isLast = row !== undefined && (await store.list({ of: "sessions", owner_id: row.owner_id, limit: 1 })).total === 1;
  const session = isLast ? await runtime.sessions.get(id) : undefined;
  return {
    sessions: 1,
    events: ownEvents({ head, origin }),
    forks,
    variables: 0,
    memory: session === undefined ? null : await memoryOf(session.memory).catch(() => null),
  };
}

/** What erasing a customer would remove: everything, with all sessions. */
export async function previewOfCustomer({ runtime, store }: Reading, { id, owner_id, variables }: Customer) {
  let [sessions, events] = [0, 0];
  for await (const row of itemsOf(store, { of: "sessions", owner_id })) {
    sessions += 1;
    events += ownEvents(row);
  }
  const memory = await memoryOf(runtime.customers.memory(id));
  return { sessions, events, forks: 0, variables: Object.keys(variables.values).length, memory };
}
