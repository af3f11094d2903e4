/** The variables of a turn. They stay as they were at its start, whatever is written meanwhile and however often the turn is resumed. */
import { deepFreeze } from "../../kernel/json.ts";
import {
  joinVariables,
  scopedVariables,
  type ScopedVariables,
  type Variables,
  type VariableScope,
  variableScopes,
  type VariableVersions,
  versionsOf,
} from "../../session/session-variables.ts";
import type { TurnData } from "../../session/event.ts";
import type { LoadedSession, VariablesRow } from "../../store/port.ts";
import { commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { poisonedAt } from "../turn/lease.ts";
import { dueOf, refreshAll, type Beginning, type Refreshed } from "./refresh.ts";
import { noVariables, ownerOf, variablesAt, writeOwned } from "./scopes.ts";
import { descriptionsOf } from "./variable.ts";

type Started = Extract<TurnData, { type: "started" }>;

/** The variables of a turn, and their origin. */
export interface Snapshot {
  readonly variables: Variables;
  /** The data for the turn's first event. */
  readonly seen: Pick<Started, "stale" | "refreshed"> & { readonly versions: VariableVersions };
}

/** A starting turn, with its loaded session. */
export type Loading = Omit<Beginning, "session" | "scoped"> & { readonly loaded: LoadedSession };

/** Returns the variables of a starting turn, after refreshing the due ones. */
export async function takeVariables(turn: Loading): Promise<Snapshot> {
  const { loaded, agent, claim, runtime } = turn;
  const found = scopedVariables(loaded);
  const due = dueOf(agent, found, runtime.clock.now());
  // A turn that will not run needs no refresh, and a refresh that crashes the process must not be retried forever.
  const runs = loaded.session.mode === "auto" && claim.turn.attempts < poisonedAt;
  if (due.length === 0 || !runs) return snapshot(turn, found, []);
  const beginning = { ...turn, session: loaded.session, scoped: found };
  const refreshed = await refreshAll(beginning, due);
  return snapshot(turn, await keep(beginning, refreshed), refreshed);
}

/** Returns the variables of a turn that has already started, as of its start. */
export async function variablesSeen(turn: Loading, started: Started, offset: number): Promise<Snapshot> {
  const { loaded, runtime } = turn;
  const now = scopedVariables(loaded);
  const { variables, session_variables = 0, agent_variables = 0 } = started.versions;
  const versions: Readonly<Record<VariableScope, number>> = { customer: variables, session: session_variables, agent: agent_variables };
  const moved = variables < now.customer.version && (await wasIdentified(turn, offset));
  const then: Partial<Record<VariableScope, VariablesRow>> = {};
  for (const scope of variableScopes) {
    const version = versions[scope];
    // An imported session starts with the first version of its variables.
    if (version >= now[scope].version || (scope === "customer" && moved)) then[scope] = now[scope];
    else if (version === 0) then[scope] = noVariables;
    else then[scope] = await variablesAt(runtime.store, ownerOf(scope, loaded.session), { version });
  }
  const { stale = [] } = started;
  const joined = joinVariables({ ...now, ...then }, descriptionsOf(turn.agent.variables));
  const { refreshed } = started;
  return {
    variables: deepFreeze({ ...joined, stale: stale.filter((name) => Object.hasOwn(joined.values, name)) }),
    seen: { versions: started.versions, stale, ...(refreshed === undefined ? {} : { refreshed }) },
  };
}

/** Whether the session was anonymous when the turn started and has been identified since. Its data then moved to the customer, or was deleted. */
async function wasIdentified({ runtime, claim, loaded }: Loading, began: number): Promise<boolean> {
  if (loaded.session.customer_id === undefined) return false;
  const page = await runtime.store.read({ session_id: claim.session_id, min_offset: began, kinds: ["session"], limit: 1000 });
  return page?.events.some(({ data }) => data["type"] === "identified") === true;
}

function snapshot({ agent }: Loading, scoped: ScopedVariables, refreshed: readonly Refreshed[]): Snapshot {
  const variables = joinVariables(scoped, descriptionsOf(agent.variables));
  const { stale } = variables;
  return {
    variables,
    seen: {
      versions: versionsOf(scoped),
      ...(stale.length === 0 ? {} : { stale }),
      ...(refreshed.length === 0 ? {} : { refreshed: Object.fromEntries(refreshed.map(({ name, ms }) => [name, ms])) }),
    },
  };
}

/**
 * Writes the results of refreshes, and returns the current variables. Another turn may have refreshed the same ones; the last write counts. A turn
 * that another worker has taken writes nothing.
 */
async function keep(turn: Beginning, refreshed: readonly Refreshed[]): Promise<ScopedVariables> {
  const { runtime, claim } = turn;
  const { session_id, epoch } = claim;
  const now: Partial<Record<VariableScope, VariablesRow>> = {};
  for (const scope of variableScopes) {
    const changes = refreshed.flatMap((item) => (item.scope === scope ? [item.change] : []));
    const variables = changes.flatMap((change) => change.variables ?? []);
    const checked = changes.flatMap((change) => change.checked ?? []);
    if (variables.length + checked.length === 0) continue;
    const owner = { owner_id: ownerOf(scope, turn.session), variables, checked };
    const session = { session_id, depends: { epoch } };
    const result = scope === "customer" ? await commitOnce(runtime, { owner, session }) : await writeOwned(runtime, owner, { session });
    if (result.outcome === "committed") now[scope] = await variablesAt(runtime.store, owner.owner_id);
    // The session was identified meanwhile. Values that were refreshed for the anonymous owner are not the customer's.
    else if (result.reason === "owner_missing") now[scope] = (await loadSession(runtime, session_id)).variables;
    else throw refused(result, session_id);
  }
  return { ...turn.scoped, ...now };
}
