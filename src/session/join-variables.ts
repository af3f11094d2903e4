/** The variables of a session's three owners, as one. */
import { deepFreeze, type Json } from "../kernel/json.ts";
import type { LoadedSession, VariablesRow } from "../store/port.ts";
import { variableScopes, type VariableScope, type Variables } from "./variables.ts";

/** Variables by whose they are. */
export type ScopedVariables = Readonly<Record<VariableScope, VariablesRow>>;

/** A variable as it stands. */
export interface KnownVariable {
  readonly name: string;
  readonly value: Json;
  /** Whose value is in force. */
  readonly scope: VariableScope;
  /** When it was last set, or refreshed and found to hold still. */
  readonly checked_at: number;
  /** Whether it could not be refreshed since. */
  readonly stale: boolean;
}

/** Versions of what a turn saw, as its first event has them: of owners that have nothing, none but the customer's. */
export interface VariableVersions {
  readonly variables: number;
  readonly session_variables?: number;
  readonly agent_variables?: number;
}

/** The variables that came with a session. */
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

/** What is in force of them, by name. */
export function knownVariables(scoped: ScopedVariables): readonly KnownVariable[] {
  const known = new Map<string, KnownVariable>();
  for (const scope of variableScopes)
    for (const [name, value] of Object.entries(scoped[scope].values)) {
      const { checked, stale } = scoped[scope];
      if (!known.has(name)) known.set(name, { name, value, scope, checked_at: checked[name] ?? 0, stale: stale.includes(name) });
    }
  return [...known.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** What is in force of them, as a turn sees it. */
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
