/** Reading and writing the variables of a session's three owners. The row of an owner that is no customer comes with what it is first given. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { knownVariables, scopedVariables, type KnownVariable } from "../../session/join-variables.ts";
import { namedChanges, variablesOf, type NamedChange, type VariableScope, type Variables } from "../../session/variables.ts";
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
import { commitOnce, loadSession, refused } from "../commit.ts";
import type { WriterContext } from "../context.ts";
import { setOwnVariables } from "../identify.ts";

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

/** Options of `session.setVariables`. */
export interface SetVariablesOptions {
  /** `"customer"`, the default: the customer's, or an anonymous session's own, seen by all sessions of the same owner. `"session"`: this session's alone. */
  readonly scope?: "customer" | "session";
}

/** Sets and unsets variables of a session, or of its owner; those of the scope, as they stand then. */
export async function setSessionVariables(
  runtime: WriterContext,
  session_id: SessionId,
  change: NamedChange,
  { scope = "customer" }: SetVariablesOptions,
): Promise<Variables> {
  if (scope === "customer") return setOwnVariables(runtime, session_id, change);
  if (scope !== "session")
    throw new ThroughlineError("input.invalid", `A session sets variables of the scope "customer" or "session", not ${seen(scope)}.`, {
      details: { path: "scope" },
    });
  const owner_id = sessionOwnerId(session_id);
  const result = await writeOwned(runtime, { owner_id, variables: namedChanges(change, "a variable") });
  if (result.outcome === "refused") throw refused(result, session_id);
  return variablesOf(await variablesAt(runtime.store, owner_id));
}

/** The variables that a session's next turn sees, unless they are refreshed: by name, with whose they are. */
export const sessionVariables = async (store: Store, session_id: SessionId): Promise<readonly KnownVariable[]> =>
  knownVariables(scopedVariables(await loadSession({ store }, session_id)));
