/** The link between a child agent's session and its parent's turn: the call that it serves, its pending calls, and its progress. */
import { type Budget, capBudget } from "../../execution/ledger.ts";
import { commitOnce, eventAt } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { ParentCall, PendingCall } from "../../session/event.ts";
import { undecided } from "../../session/pending-calls.ts";
import { isLabelled, subagentLabel } from "../../session/session-view.ts";
import type { LoadedSession, SessionRow } from "../../store/port.ts";
import { pauseOf } from "../approval/pending-approvals.ts";
import type { RuntimeContext } from "../context.ts";
import type { Turn } from "../turn/running-turn.ts";

/** Returns the key that finds the session of a call. */
export const childKeyOf = (key: string): string => JSON.stringify([subagentLabel, key]);

/** Returns the call that a session serves. Undefined if it is not a child agent's session, for example a fork of one. */
export async function parentOf(runtime: Pick<RuntimeContext, "store">, session: SessionRow): Promise<ParentCall | undefined> {
  if (!isLabelled(session) || session.origin !== undefined) return undefined;
  const created = await eventAt(runtime, session.session_id, 0);
  return created?.kind === "session" && created.data.type === "created" ? created.data.parent : undefined;
}

const lineages = new WeakMap<LoadedSession, Promise<ParentCall | undefined>>();

/** Returns the call that a turn's session serves. Read once per turn. */
export function lineageOf({ runtime, loaded }: Pick<Turn, "runtime" | "loaded">): Promise<ParentCall | undefined> {
  const known = lineages.get(loaded) ?? parentOf(runtime, loaded.session);
  lineages.set(loaded, known);
  return known;
}

/** Returns the name of the agent whose call a session serves. Undefined if it is not a child agent's session, or its parent is deleted. */
export async function parentAgentOf({ store }: Pick<RuntimeContext, "store">, parent: ParentCall | undefined): Promise<string | undefined> {
  return parent === undefined ? undefined : (await store.open({ session_id: parent.session_id }))?.agent;
}

/** Returns the budget of a turn's execution: its agent's and, for a child agent, the budget that its parent reserved for the call. */
export async function budgetOf(turn: Turn): Promise<Budget> {
  const parent = await lineageOf(turn);
  return parent === undefined ? turn.agent.budget : capBudget(turn.agent.budget, parent.budget);
}

/** Returns the parent's id of a child's pending call. Calls of different children may have the same id. */
export const parentCallId = (call_id: string, { call_id: childs }: PendingCall): string => `${call_id}/${childs}`;

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
    runtime.logger.warn("parent not woken", { session_id, code: ThroughlineError.from(error).code }, error);
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

/**
 * Counts the progress of a child agent's turn as progress of its parent turns: their attempts count from 1 again. `awaitedBy` is the parent's turn if
 * it waits in this process. A failure is only logged, because it must not end the child's turn.
 */
export async function shareProgress(turn: Turn, awaitedBy: Pick<Turn, "journal"> | undefined): Promise<void> {
  try {
    if (awaitedBy === undefined) await countAnew(turn);
    else await awaitedBy.journal.progress();
  } catch (error) {
    turn.runtime.logger.warn(
      "progress of a child agent not counted",
      { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code },
      error,
    );
  }
}

/** Resets the attempts of all parent turns to 1, whichever process runs them. */
async function countAnew(turn: Turn): Promise<void> {
  const { runtime } = turn;
  let parent = await lineageOf(turn);
  while (parent !== undefined) {
    const { session_id, turn_id } = parent;
    const loaded = await runtime.store.load({ session_id, messages: 0 });
    const row = loaded?.turns.find((open) => open.turn_id === turn_id);
    if (loaded === undefined || row === undefined) return;
    if (row.attempts > 1) await commitOnce(runtime, { session: { session_id, progress: row.number } });
    parent = await parentOf(runtime, loaded.session);
  }
}
