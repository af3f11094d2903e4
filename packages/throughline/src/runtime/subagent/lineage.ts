import { capBudget, type Budget } from "../../execution/budget.ts";
import type { ParentCall } from "../../session/event.ts";
import type { LoadedSession, SessionRow } from "../../store/port.ts";
import { isLabelled, subagentLabel } from "../../session/session-view.ts";
import type { Turn } from "../turn/begin.ts";
import { eventAt } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";

/** The key that the session of a call is found by, whoever looks for it. */
export const childKeyOf = (key: string): string => JSON.stringify([subagentLabel, key]);

/** The call that a session does the work of; undefined for a session that is no child agent's, such as a fork of one. */
export async function parentOf(runtime: Pick<RuntimeContext, "store">, session: SessionRow): Promise<ParentCall | undefined> {
  if (!isLabelled(session) || session.origin !== undefined) return undefined;
  const created = await eventAt(runtime, session.session_id, 0);
  return created?.kind === "session" && created.data.type === "created" ? created.data.parent : undefined;
}

const lineages = new WeakMap<LoadedSession, Promise<ParentCall | undefined>>();

/** The call that a turn's session does the work of; read once a turn. */
export function lineageOf({ runtime, loaded }: Pick<Turn, "runtime" | "loaded">): Promise<ParentCall | undefined> {
  const known = lineages.get(loaded) ?? parentOf(runtime, loaded.session);
  lineages.set(loaded, known);
  return known;
}

/** Name of the agent whose call a session does the work of; undefined for a session that is no child agent's, or whose parent is gone. */
export async function parentAgentOf({ store }: Pick<RuntimeContext, "store">, parent: ParentCall | undefined): Promise<string | undefined> {
  return parent === undefined ? undefined : (await store.open({ session_id: parent.session_id }))?.agent;
}

/** What a turn's execution may spend: its agent's budget, and for a child agent what its parent has set aside for the call. */
export async function budgetOf(turn: Turn): Promise<Budget> {
  const parent = await lineageOf(turn);
  return parent === undefined ? turn.agent.budget : capBudget(turn.agent.budget, parent.budget);
}
