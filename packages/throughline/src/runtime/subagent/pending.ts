/** What a child agent waits for, as its parent has it. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { PendingCall } from "../../session/event.ts";
import { undecided } from "../../session/pending-calls.ts";
import type { LoadedSession } from "../../store/port.ts";
import { commitOnce } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import type { RuntimeContext } from "../context.ts";
import { pauseOf } from "../approval/pause-of.ts";
import { parentOf } from "./lineage.ts";

/** Names a child's pending call for its parent: calls of different children may have the same id. */
export const pathOf = (call_id: string, { call_id: childs }: PendingCall): string => `${call_id}/${childs}`;

const isPathOf = (path: string, { call_id }: PendingCall): boolean => path.slice(path.indexOf("/") + 1) === call_id;

/** A decision on a parent's call, as the child knows it: undefined if it is not about that child. */
export const childCallOf = (call_id: string, path: string): string | undefined =>
  path.startsWith(`${call_id}/`) ? path.slice(call_id.length + 1) : undefined;

/** What a session's turn waits for. */
export const pendingIn = (runtime: RuntimeContext, loaded: LoadedSession): readonly PendingCall[] =>
  undecided(pauseOf(loaded, runtime.agents.get(loaded.session.agent), runtime.clock.now())).map(({ call }) => call);

/** Lets the parent of a child agent's session look at it again: something in it has been decided, or its turn has got further. */
export async function wakeParent(runtime: WriterContext, session_id: SessionId): Promise<void> {
  try {
    const session = await runtime.store.open({ session_id });
    const parent = session && (await parentOf(runtime, session));
    if (parent !== undefined) await commitOnce(runtime, { session: { session_id: parent.session_id, wake: true } });
  } catch (error) {
    // What has happened in the child stands, and its parent looks again within a minute.
    runtime.logger.warn("parent not woken", { session_id, code: ThroughlineError.from(error).code });
  }
}

/**
 * Wakes a turn that was parked just now, if a child agent that it waits for has got further meanwhile: whoever decided found nothing to wake then.
 */
export async function wakeIfMoved(runtime: RuntimeContext, session_id: SessionId, pending: readonly PendingCall[]): Promise<void> {
  if (await hasMoved(runtime, pending)) await commitOnce(runtime, { session: { session_id, wake: true } });
}

/** Whether a child agent that is waited for does not wait itself any more, with all that it did. */
export async function hasMoved(runtime: RuntimeContext, pending: readonly PendingCall[]): Promise<boolean> {
  for (const child of new Set(pending.flatMap((call) => call.child ?? []))) {
    const loaded = await runtime.store.load({ session_id: child, messages: 0 });
    const waits = loaded === undefined ? [] : pendingIn(runtime, loaded);
    const isStill = ({ call_id, index, arguments_hash }: PendingCall): boolean =>
      waits.some((call) => isPathOf(call_id, call) && call.index === index && call.arguments_hash === arguments_hash);
    // It may wait with as many others.
    if (!pending.filter((call) => call.child === child).every(isStill)) return true;
  }
  return false;
}
