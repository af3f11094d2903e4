/** The pending calls of a child agent, as seen by its parent. */
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

/** Returns the parent's id of a child's pending call. Calls of different children may have the same id. */
export const pathOf = (call_id: string, { call_id: childs }: PendingCall): string => `${call_id}/${childs}`;

const isPathOf = (path: string, { call_id }: PendingCall): boolean => path.slice(path.indexOf("/") + 1) === call_id;

/** Returns the child's id of a call from the parent's id. Undefined if it belongs to another child. */
export const childCallOf = (call_id: string, path: string): string | undefined =>
  path.startsWith(`${call_id}/`) ? path.slice(call_id.length + 1) : undefined;

/** Returns the pending calls of a session's turn. */
export const pendingIn = (runtime: RuntimeContext, loaded: LoadedSession): readonly PendingCall[] =>
  undecided(pauseOf(loaded, runtime.agents.get(loaded.session.agent), runtime.clock.now())).map(({ call }) => call);

/** Wakes the parent of a child agent's session, because a call was decided or the child's turn has made progress. */
export async function wakeParent(runtime: WriterContext, session_id: SessionId): Promise<void> {
  try {
    const session = await runtime.store.open({ session_id });
    const parent = session && (await parentOf(runtime, session));
    if (parent !== undefined) await commitOnce(runtime, { session: { session_id: parent.session_id, wake: true } });
  } catch (error) {
    // The child's change is committed, and its parent polls again within a minute.
    runtime.logger.warn("parent not woken", { session_id, code: ThroughlineError.from(error).code });
  }
}

/** Wakes a turn that was just parked if a child agent that it waits for has made progress meanwhile. The decision's own wake-up found no parked turn then. */
export async function wakeIfMoved(runtime: RuntimeContext, session_id: SessionId, pending: readonly PendingCall[]): Promise<void> {
  if (await hasMoved(runtime, pending)) await commitOnce(runtime, { session: { session_id, wake: true } });
}

/** Whether any of the pending child agents no longer waits for the same calls. */
export async function hasMoved(runtime: RuntimeContext, pending: readonly PendingCall[]): Promise<boolean> {
  for (const child of new Set(pending.flatMap((call) => call.child ?? []))) {
    const loaded = await runtime.store.load({ session_id: child, messages: 0 });
    const waits = loaded === undefined ? [] : pendingIn(runtime, loaded);
    const isStill = ({ call_id, index, arguments_hash }: PendingCall): boolean =>
      waits.some((call) => isPathOf(call_id, call) && call.index === index && call.arguments_hash === arguments_hash);
    // The child may have several other pending calls.
    if (!pending.filter((call) => call.child === child).every(isStill)) return true;
  }
  return false;
}
