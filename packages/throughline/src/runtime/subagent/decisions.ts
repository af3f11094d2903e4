/** Decisions on a child's pending calls that were made on its parent. */
import type { SessionId } from "../../kernel/id.ts";
import { turnEvent } from "../../session/new-event.ts";
import type { TurnData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Turn } from "../turn/begin.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import { childCallOf, pendingIn } from "./pending.ts";

type Decided = Extract<TurnData, { type: "decided" }>;

/**
 * Forwards the parent's decisions on calls of the child. The parent's log contains them, so a crash in between loses none. A decision that the child
 * already has, or no longer waits for, changes nothing.
 */
export async function forwardDecisions({ runtime, loaded }: Turn, call_id: string, child: SessionId): Promise<void> {
  for (const { kind, data } of loaded.journal.map((stored) => decodeEvent(stored))) {
    if (kind !== "turn" || data.type !== "decided") continue;
    const its = childCallOf(call_id, data.call_id);
    if (its !== undefined) await decideOn(runtime, child, { ...data, call_id: its });
  }
}

/** Records a decision in the waiting session, and continues its turn. */
async function decideOn(runtime: RuntimeContext, session_id: SessionId, decided: Decided): Promise<void> {
  for (let tries = 1; ; tries++) {
    const loaded = await loadSession(runtime, session_id);
    const running = loaded.turns.find(({ status }) => status === "running");
    const waits = pendingIn(runtime, loaded).some(
      ({ call_id, index, arguments_hash }) => call_id === decided.call_id && index === decided.index && arguments_hash === decided.arguments_hash,
    );
    if (running === undefined || !waits) return;
    const { epoch, head } = loaded.session;
    const events = [turnEvent(running.number, decided)];
    const result = await commitOnce(runtime, { session: { session_id, depends: { epoch, head }, events, wake: true } });
    if (result.outcome === "committed") return;
    if (tries === changes || (result.reason !== "stale_head" && result.reason !== "fenced")) throw refused(result, session_id);
  }
}
