import type { SessionId } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Erased, SessionRow, SessionSelector, Store } from "../../store/port.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { childKeyOf, parentOf } from "./lineage.ts";
import { subagentLabel } from "../../session/session-view.ts";

/**
 * Erases a session, then those of the child agents that worked for it. The receipt is the session's own; with `head` nothing is erased if it has got
 * further. A session that was forked from this one keeps its log, and not the children's.
 */
export async function eraseFamily(store: Store, target: { readonly session_id: SessionId; readonly head?: number }): Promise<Erased> {
  // Who they are is in the log, which is gone afterwards.
  const children = await childrenOf(store, target.session_id);
  const erased = await store.erase(target);
  if (erased.erasure_id === undefined) return erased;
  for (const session_id of children) await eraseFamily(store, { session_id });
  return erased;
}

/** The sessions that child agents worked in for calls of this session: those that it shares with another one are the other one's. */
async function childrenOf(store: Store, session_id: SessionId): Promise<readonly SessionId[]> {
  const session = await store.open({ session_id });
  if (session === undefined) return [];
  const children: SessionId[] = [];
  for (const selector of await callsIn(store, session)) {
    const child = await store.open(selector);
    // A copy of a session that was imported under another id names children that are not its own.
    if (child !== undefined && (await parentOf({ store }, child))?.session_id === session_id) children.push(child.session_id);
  }
  if (session.first_offset === 0) return children;
  // The calls at the beginning are on record no more; whom their sessions worked for is, in their first events.
  for await (const row of itemsOf(store, { of: "sessions", owner_id: session.owner_id, labels: [subagentLabel] }))
    if (!children.includes(row.session_id) && (await parentOf({ store }, row))?.session_id === session_id) children.push(row.session_id);
  return children;
}

/** How the sessions of the calls in a log are found: one that has returned names it, one that has not is known by its key. */
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
