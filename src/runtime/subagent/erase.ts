import type { SessionId } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Erased, Store } from "../../store/port.ts";
import { childKeyOf, isLabelled, parentOf } from "./lineage.ts";

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
  const keys: string[] = [];
  for (let next = 0; ;) {
    const page = await store.read({ session_id, min_offset: next, kinds: ["tool"], withdrawn: true, limit: 1000 });
    for (const stored of page?.events ?? []) {
      const { kind, data } = decodeEvent(stored);
      if (kind === "tool" && data.type === "called" && stored.origin === undefined && data.effects === "idempotent") keys.push(data.key);
    }
    if (page === undefined || page.next_offset > page.head) break;
    next = page.next_offset;
  }
  const children: SessionId[] = [];
  for (const key of keys) {
    const child = await store.open({ open_key: childKeyOf(key) });
    if (child !== undefined && isLabelled(child) && (await parentOf({ store }, child))?.session_id === session_id) children.push(child.session_id);
  }
  return children;
}
