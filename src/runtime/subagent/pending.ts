/** What a child agent waits for, as its parent has it. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Event, PendingCall } from "../../session/event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { LoadedSession } from "../../store/port.ts";
import { commitOnce } from "../commit.ts";
import type { RuntimeContext } from "../context.ts";
import { parentOf } from "./lineage.ts";

/** Names a child's pending call for its parent: calls of different children may have the same id. */
export const pathOf = (call_id: string, { call_id: childs }: PendingCall): string => `${call_id}/${childs}`;

/** A decision on a parent's call, as the child knows it: undefined if it is not about that child. */
export const childCallOf = (call_id: string, path: string): string | undefined =>
  path.startsWith(`${call_id}/`) ? path.slice(call_id.length + 1) : undefined;

/** What the running turn of a session waits for: what was asked last and is neither decided nor too old. */
export function pendingIn({ journal }: Pick<LoadedSession, "journal">, now: number): readonly PendingCall[] {
  const entries = journal.map((stored) => decodeEvent(stored));
  const at = entries.findLastIndex(isPause);
  const pause = entries[at];
  if (pause?.kind !== "turn" || pause.data.type !== "paused") return [];
  const decided = entries.slice(at + 1).flatMap(({ kind, data }) => (kind === "turn" && data.type === "decided" ? [data] : []));
  return pause.data.pending.filter(
    ({ call_id, index, expires_at }) =>
      !decided.some((decision) => decision.call_id === call_id && decision.index === index) && (expires_at === undefined || expires_at > now),
  );
}

const isPause = ({ kind, data }: Event): boolean => kind === "turn" && data.type === "paused";

/** Lets the parent of a child agent's session look at it again: something in it has been decided, or its turn has got further. */
export async function wakeParent(runtime: RuntimeContext, session_id: SessionId): Promise<void> {
  try {
    const session = await runtime.store.open({ session_id });
    const parent = session && (await parentOf(runtime, session));
    if (parent !== undefined) await commitOnce(runtime, { session: { session_id: parent.session_id, wake: true } });
  } catch (error) {
    // What has happened in the child stands, and its parent looks again when the first of its questions is too old.
    runtime.logger.warn("parent not woken", { session_id, code: ThroughlineError.from(error).code });
  }
}

/**
 * Wakes a turn that was parked just now, if a child agent that it waits for has got further meanwhile: whoever decided found nothing to wake then.
 */
export async function wakeIfMoved(runtime: RuntimeContext, session_id: SessionId, pending: readonly PendingCall[]): Promise<void> {
  for (const child of new Set(pending.flatMap((call) => call.child ?? []))) {
    const loaded = await runtime.store.load({ session_id: child, messages: 0 });
    const waits = loaded === undefined ? 0 : pendingIn(loaded, runtime.clock.now()).length;
    if (waits < pending.filter((call) => call.child === child).length) {
      await commitOnce(runtime, { session: { session_id, wake: true } });
      return;
    }
  }
}
