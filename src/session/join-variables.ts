/** Joins the variables of a session's three owners: the session, its customer and its agent. */
import { deepFreeze, type Json } from "../kernel/json.ts";
import type { LoadedSession, VariablesRow } from "../store/port.ts";
import { variableScopes, type VariableScope, type Variables } from "./variables.ts";

/** Variables by owner. */
export type ScopedVariables = Readonly<Record<VariableScope, VariablesRow>>;

/** A variable in force. */
export interface KnownVariable {
  readonly name: string;
  readonly value: Json;
  /** The owner of this value. */
  readonly scope: VariableScope;
  /** When the value was last set, or refreshed and found unchanged. */
  readonly checked_at: number;
  /** Whether a refresh has failed since. */
  readonly stale: boolean;
}

/** Versions of the variables that a turn saw, as its first event records them. An owner without variables has no entry, except the customer. */
export interface VariableVersions {
  readonly variables: number;
  readonly session_variables?: number;
  readonly agent_variables?: number;
}

/** Returns the variables that were loaded with a session, by owner. */
export const scopedVariables = ({ variables, session_variables, agent_variables }: LoadedSession): ScopedVariables => ({
  session: session_variables,
  customer: variables,
  agent: agent_variables,
});

export const versionsOf = ({ customer, session, agent }: ScopedVariables): VariableVersions => ({
  variables: customer.version,
  ...(session.version === 0 ? {} : { session_variables: session.version }),
  ...(agent.version === 0 ? {} : { agent_variables: agent.version }),
});

/** Returns the variables in force, sorted by name. The session's values override the customer's, which override the agent's. */
export function knownVariables(scoped: ScopedVariables): readonly KnownVariable[] {
  const known = new Map<string, KnownVariable>();
  for (const scope of variableScopes)
    for (const [name, value] of Object.entries(scoped[scope].values)) {
      const { checked, stale } = scoped[scope];
      if (!known.has(name)) known.set(name, { name, value, scope, checked_at: checked[name] ?? 0, stale: stale.includes(name) });
    }
  return [...known.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Returns the variables in force as a snapshot for one turn. */
export function joinVariables(scoped: ScopedVariables, descriptions: Readonly<Record<string, string>> = {}): Variables {
  const known = knownVariables(scoped);
  return deepFreeze({
    type: "variables",
    version: scoped.customer.version,
    values: Object.fromEntries(known.map(({ name, value }) => [name, value])),
    stale: known.flatMap(({ name, stale }) => (stale ? [name] : [])),
    descriptions,
  });
}
