import { capBudget, type Budget } from "../../execution/ledger.ts";
import type { ParentCall } from "../../session/event.ts";
import type { LoadedSession, SessionRow } from "../../store/port.ts";
import { isLabelled, subagentLabel } from "../../session/session-view.ts";
import type { Turn } from "../turn/begin.ts";
import { eventAt } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";

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
