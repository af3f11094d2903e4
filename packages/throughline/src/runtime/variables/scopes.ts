/** Reads and writes the variables of a session's three owners. The first write creates the row of an owner that is not a customer. */
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { type KnownVariable, knownVariables, scopedVariables, type VariableScope } from "../../session/session-variables.ts";
import {
  agentOwnerId,
  sessionOwnerId,
  type CommitResult,
  type OwnerChange,
  type RecordChange,
  type SessionChange,
  type SessionRow,
  type Store,
  type VariablesQuery,
  type VariablesRow,
} from "../../store/port.ts";
import { commitOnce, loadSession } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";

/** Returns the owner of a session's variables, by scope. */
export function ownerOf(scope: VariableScope, { owner_id, session_id, agent }: SessionRow): OwnerId {
  if (scope === "customer") return owner_id;
  return scope === "session" ? sessionOwnerId(session_id) : agentOwnerId(agent);
}

/** Variables of an owner that has none. */
export const noVariables: VariablesRow = Object.freeze({ version: 0, values: {}, checked: {}, stale: [] });

/** Returns the variables of an owner, now or at a version or time. Returns none if there is no such owner. */
export async function variablesAt(store: Store, owner_id: OwnerId, when: Pick<VariablesQuery, "version" | "at"> = {}): Promise<VariablesRow> {
  const page = await store.list({ of: "variables", owner_id, ...when });
  return page.items[0] ?? noVariables;
}

/** Maximum number of tries while an owner is created and deleted concurrently. */
const tries = 5;

/** A write of variables. */
type Written = Pick<OwnerChange, "owner_id" | "variables" | "checked" | "depends">;

/** Writes to the owner of a session or an agent. The first write creates the owner. `also` is part of the same commit. */
export async function writeOwned(
  runtime: WriterContext,
  owner: Written,
  also: { readonly session?: SessionChange; readonly records?: readonly RecordChange[] } = {},
): Promise<CommitResult> {
  let create = false;
  for (let attempt = 1; ; attempt++) {
    const result = await commitOnce(runtime, { owner: { ...owner, ...(create ? { create: {} } : {}) }, ...also });
    const moved = result.outcome === "refused" && (result.reason === "owner_missing" || result.reason === "owner_exists");
    if (!moved || attempt === tries) return result;
    create = result.reason === "owner_missing";
  }
}

/** Returns the variables for the session's next turn before any refresh, by name and with their owners. */
export const sessionVariables = async (store: Store, session_id: SessionId): Promise<readonly KnownVariable[]> =>
  knownVariables(scopedVariables(await loadSession({ store }, session_id)));
