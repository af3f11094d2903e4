/** Reading and writing the variables of a session's three owners. The row of an owner that is no customer comes with what it is first given. */
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

/** Whose variables a session's are, by scope. */
export function ownerOf(scope: VariableScope, { owner_id, session_id, agent }: SessionRow): OwnerId {
  if (scope === "customer") return owner_id;
  return scope === "session" ? sessionOwnerId(session_id) : agentOwnerId(agent);
}

/** What an owner has that was given nothing. */
export const noVariables: VariablesRow = Object.freeze({ version: 0, values: {}, checked: {}, stale: [] });

/** The variables of an owner as they stand, or stood at a version or time; none if there is no such owner. */
export async function variablesAt(store: Store, owner_id: OwnerId, when: Pick<VariablesQuery, "version" | "at"> = {}): Promise<VariablesRow> {
  const page = await store.list({ of: "variables", owner_id, ...when });
  return page.items[0] ?? noVariables;
}

/** How often an owner may come and go while it is written to. */
const tries = 5;

/** What is written of variables. */
type Written = Pick<OwnerChange, "owner_id" | "variables" | "checked" | "depends">;

/** Writes to an owner that is made when it is first given something: that of a session, or of an agent. With `also`, all or nothing of all of it. */
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

/** The variables that a session's next turn sees, unless they are refreshed: by name, with whose they are. */
export const sessionVariables = async (store: Store, session_id: SessionId): Promise<readonly KnownVariable[]> =>
  knownVariables(scopedVariables(await loadSession({ store }, session_id)));
