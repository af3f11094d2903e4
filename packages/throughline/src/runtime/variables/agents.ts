/** What agents know in all their sessions. */
import type { OwnerId } from "../../kernel/id.ts";
import { variablesOf, type NamedChange, type Variables } from "../../session/session-variables.ts";
import { agentOwnerId } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { variablesAt } from "./scopes.ts";
import { setVariables } from "./set.ts";

/** Agents of a runtime. */
export interface Agents {
  /** The variables of an agent, as they stand. `agent.not_found` for one that is not registered. */
  variables(name: string): Promise<Variables>;
  /** Sets and unsets variables that all sessions of an agent see, from their next turn on, unless their customer, or they themselves, have another value. */
  setVariables(name: string, change: NamedChange): Promise<Variables>;
}

export function createAgents(runtime: RuntimeContext): Agents {
  const { store } = runtime;
  const ownerOf = (name: string): OwnerId => agentOwnerId(agentOf(runtime, name).name);
  return Object.freeze({
    variables: async (name: string) => variablesOf(await variablesAt(store, ownerOf(name))),
    setVariables: async (name: string, change: NamedChange) => setVariables(runtime, { owner: ownerOf(name) }, change),
  });
}
