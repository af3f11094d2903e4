/** Sets variables from a program: those of a session, of its owner, or of an agent. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { variableChanges, variablesOf, type NamedChange, type Variables } from "../../session/session-variables.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import { changeVariables, type VariablesOf } from "./change.ts";

/** Options of `session.setVariables`. */
export interface SetVariablesOptions {
  /**
   * `"customer"`, the default: variables of the customer, or of the anonymous owner, shared by all sessions of that owner. `"session"`: variables of
   * this session alone.
   */
  readonly scope?: "customer" | "session";
}

/** Sets and unsets variables of a session, or of its owner. Returns those of the scope after the change. */
export async function setSessionVariables(
  runtime: WriterContext,
  session_id: SessionId,
  change: NamedChange,
  { scope = "customer" }: SetVariablesOptions,
): Promise<Variables> {
  if (scope === "customer") return setOwnVariables(runtime, session_id, change);
  if (scope === "session") return setVariables(runtime, { session: session_id }, change);
  throw new ThroughlineError("input.invalid", `A session sets variables of the scope "customer" or "session", not ${seen(scope)}.`, {
    details: { path: "scope" },
  });
}

/** Sets and unsets variables. Returns all of the scope after the change. */
export async function setVariables(runtime: WriterContext, whose: VariablesOf, change: NamedChange): Promise<Variables> {
  return variablesOf(await changeVariables(runtime, whose, { asked: null, decide: () => change }));
}

/** Sets variables of the session's owner: the customer, or the anonymous owner. */
async function setOwnVariables(runtime: WriterContext, session_id: SessionId, change: NamedChange): Promise<Variables> {
  for (let tries = 1; ; tries++) {
    const loaded = await loadSession(runtime, session_id);
    const { owner_id, owner_version } = loaded.session;
    const variables = variableChanges(loaded.variables.values, change);
    // The session may be identified meanwhile. Its former owner is then deleted, or has a different version.
    const result = await commitOnce(runtime, { owner: { owner_id, depends: { version: owner_version }, variables } });
    if (result.outcome === "committed") return variablesOf((await loadSession(runtime, session_id)).variables);
    if ((result.reason !== "stale_version" && result.reason !== "owner_missing") || tries === changes) throw refused(result, session_id);
  }
}
