/** The variables of agents, which all their sessions share. */
import type { OwnerId } from "../../kernel/id.ts";
import { variablesOf, type NamedChange, type Variables } from "../../session/session-variables.ts";
import { agentOwnerId } from "../../store/port.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { variablesAt } from "./scopes.ts";
import { setVariables } from "./set.ts";

/** Agents of a runtime. */
export interface Agents {
  /** Returns the current variables of an agent. Throws `agent.not_found` if it is not registered. */
  variables(name: string): Promise<Variables>;
  /** Sets and unsets variables for all sessions of an agent, from their next turn on. Values of the customer or the session take precedence. */
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
