/** Runs a call of a child agent: opens its session, sends the task, runs the turn, and returns the result. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Json } from "../../kernel/json.ts";
import type { PendingCall, SpentData } from "../../session/event.ts";
import type { Turn } from "../turn/begin.ts";
import { loadSession } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import { runTurn } from "../turn/turn.ts";
import { askChild, openChild, type SubagentCall } from "./child-session.ts";
import { forwardDecisions } from "./decisions.ts";
import { lineageOf } from "./lineage.ts";
import { pathOf, pendingIn } from "./pending.ts";
import { resultOfChild } from "./result.ts";
import { stopChild } from "./stop.ts";
import type { Subagent } from "./subagent.ts";

/** The result of a child agent's call. */
export type SubagentRun =
  | { readonly type: "done"; readonly value: Json; readonly child: SessionId; readonly spent: SpentData }
  | { readonly type: "failed"; readonly error: ThroughlineError; readonly child: SessionId; readonly spent: SpentData }
  | { readonly type: "paused"; readonly child: SessionId; readonly pending: readonly PendingCall[] };

/**
 * Runs a call of a child agent, or continues it. It uses none of the worker's slots, so a parent never waits for a slot that it occupies itself.
 * Throws `subagent.too_deep`, errors of the call, and the abort reason of the parent's turn.
 */
export async function runSubagent(turn: Turn, tool: Subagent, call: SubagentCall): Promise<SubagentRun> {
  const depth = ((await lineageOf(turn))?.depth ?? 0) + 1;
  if (depth > tool.child.maxDepth) {
    throw new ThroughlineError("subagent.too_deep", `Agent "${tool.name}" may be called ${tool.child.maxDepth} deep, and this would be ${depth}.`, {
      details: { agent: tool.name, depth, max_depth: tool.child.maxDepth },
    });
  }
  const child = await openChild(turn, tool, call, depth);
  const offset = await askChild(turn, tool, call, child);
  await forwardDecisions(turn, call.call_id, child);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(tookTooLong(tool)), Math.min(tool.timeoutMs, 2 ** 31 - 1));
  const signal = AbortSignal.any([call.signal, over.signal]);
  try {
    const pending = await seeThrough(turn, { child, offset, signal });
    if (pending.length > 0) return { type: "paused", child, pending: pending.map((one) => ({ ...one, call_id: pathOf(call.call_id, one), child })) };
  } catch (error) {
    if (!signal.aborted) throw error;
    await letGo(turn, child);
    const failure = ThroughlineError.from(signal.reason, "aborted");
    return { ...(await resultOfChild(turn.runtime, tool, { child, offset })), type: "failed", error: failure };
  } finally {
    clearTimeout(timer);
  }
  return resultOfChild(turn.runtime, tool, { child, offset });
}

const tookTooLong = ({ name, timeoutMs }: Subagent): ThroughlineError =>
  new ThroughlineError("timeout", `Agent "${name}" took longer than ${timeoutMs} ms.`, { details: { agent: name, ms: timeoutMs } });

/** Ends the child's work for a call that is over. Throws if only the parent's worker is stopping: the next worker of the parent then finds the child. */
async function letGo(turn: Turn, child: SessionId): Promise<void> {
  const { runtime, signal } = turn;
  if (signal.aborted && (await isOpen(turn))) throw signal.reason;
  await stopChild(runtime, child, "The call that it worked for is over.");
  signal.throwIfAborted();
}

/** Whether the turn is still open. If the database cannot tell, nothing is ended. */
async function isOpen({ runtime, claim }: Turn): Promise<boolean> {
  try {
    const loaded = await runtime.store.load({ session_id: claim.session_id, messages: 0 });
    return loaded === undefined || loaded.turns.some(({ turn_id }) => turn_id === claim.turn.turn_id);
  } catch {
    return true;
  }
}

/** The child's message, and the signal of its caller. */
interface Awaited {
  readonly child: SessionId;
  readonly offset: number;
  readonly signal: AbortSignal;
}

/**
 * Runs the child's turn here, or waits while another process does, until the message is answered or withdrawn. Then nothing is pending. Returns the
 * calls that the child waits for.
 */
async function seeThrough(turn: Turn, { child, offset, signal }: Awaited): Promise<readonly PendingCall[]> {
  const { runtime } = turn;
  for (;;) {
    signal.throwIfAborted();
    const ran = await takeUp(turn, child, signal);
    signal.throwIfAborted();
    const loaded = await loadSession(runtime, child);
    if (!loaded.waiting.some((message) => message.offset === offset)) return [];
    const pending = pendingIn(runtime, loaded);
    if (pending.length > 0) return pending;
    if (!ran) await untilMoved(runtime, { child, head: loaded.session.head, signal });
  }
}

/** Runs the session's turn if no other worker does. Returns whether it ran. The log has its result. */
async function takeUp(turn: Turn, session_id: SessionId, signal: AbortSignal): Promise<boolean> {
  const { runtime } = turn;
  const agents = Object.fromEntries([...runtime.agents.values()].map(({ name, version }) => [name, version]));
  const { store, worker, lease, tracer, logger } = runtime;
  const claim = await store.claim({ kind: "session", session_id, worker, lease_ms: lease.leaseMs, agents });
  if (claim === undefined) return false;
  const stop = new AbortController();
  // The turn is released whatever the reason. A process that ends it does so in the log.
  const leave = (): void => stop.abort(new ThroughlineError("aborted", "The call of the child agent is over, or its worker is."));
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const { turn_id, attempts } = claim.turn;
  try {
    await tracer.span("turn", { session_id, turn_id, attempt: attempts }, () => runTurn(runtime, claim, stop.signal, { awaitedBy: turn }));
    return true;
  } catch (error) {
    if (!signal.aborted) logger.warn("child turn not run", { turn_id, code: ThroughlineError.from(error).code });
    return false;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Waits for the session's log to grow, at most for the duration of a lease. */
async function untilMoved(
  { store, clock, lease }: RuntimeContext,
  { child, head, signal }: { readonly child: SessionId; readonly head: number; readonly signal: AbortSignal },
): Promise<void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  const watching = store.watch(child, head, either);
  const sleeping = clock.sleep(lease.leaseMs / 2, either);
  try {
    await Promise.race([watching, sleeping]);
  } finally {
    left.abort(new ThroughlineError("aborted"));
    watching.catch(() => {});
    sleeping.catch(() => {});
  }
}
