import type { SessionId } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Erased, SessionRow, SessionSelector, Store } from "../../store/port.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { childKeyOf, parentOf } from "./lineage.ts";
import { subagentLabel } from "../../session/session-view.ts";

/**
 * Erases a session, then the sessions of its child agents. Returns the receipt of the session itself. With `head`, erases nothing if the log has
 * grown past it. A fork of this session keeps its log, but not the children's.
 */
export async function eraseFamily(store: Store, target: { readonly session_id: SessionId; readonly head?: number }): Promise<Erased> {
  // Their ids are in the log, which the erasure deletes.
  const children = await childrenOf(store, target.session_id);
  const erased = await store.erase(target);
  if (erased.erasure_id === undefined) return erased;
  for (const session_id of children) await eraseFamily(store, { session_id });
  return erased;
}

/** Returns the sessions of child agents for calls of this session. Calls in shared events belong to the other session. */
async function childrenOf(store: Store, session_id: SessionId): Promise<readonly SessionId[]> {
  const session = await store.open({ session_id });
  if (session === undefined) return [];
  const children: SessionId[] = [];
  for (const selector of await callsIn(store, session)) {
    const child = await store.open(selector);
    // An imported copy with a new id names child sessions that are not its own.
    if (child !== undefined && (await parentOf({ store }, child))?.session_id === session_id) children.push(child.session_id);
  }
  if (session.first_offset === 0) return children;
  // Retention has deleted the calls at the beginning. The first events of their sessions name the parent.
  for await (const row of itemsOf(store, { of: "sessions", owner_id: session.owner_id, labels: [subagentLabel] }))
    if (!children.includes(row.session_id) && (await parentOf({ store }, row))?.session_id === session_id) children.push(row.session_id);
  return children;
}

/** Returns how to find the sessions of the calls in a log. A finished call names its session; an unfinished one is found by its key. */
async function callsIn(store: Store, { session_id, first_offset }: SessionRow): Promise<Iterable<SessionSelector>> {
  const calls = new Map<string, SessionSelector>();
  for await (const stored of eventsOf(store, { session_id, min_offset: first_offset, kinds: ["tool"], withdrawn: true })) {
    const { kind, data } = decodeEvent(stored);
    if (kind !== "tool" || stored.origin !== undefined) continue;
    if (data.type === "called" && data.effects === "idempotent") calls.set(data.call_id, { open_key: childKeyOf(data.key) });
    if (data.type === "returned" && data.child === undefined) calls.delete(data.call_id);
    if (data.type === "returned" && data.child !== undefined) calls.set(data.call_id, { session_id: data.child });
  }
  return calls.values();
}
