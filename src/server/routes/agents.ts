import type { agentOperations } from "../../protocol/operations/agents.ts";
import type { Agent } from "../../runtime/agent/agent.ts";
import { agentOf } from "../../runtime/context.ts";
import { viewSchema } from "../../state/views.ts";
import type { Handlers } from "../call.ts";

const toWireAgent = ({ name, version, state }: Agent) => ({
  name,
  version,
  input: viewSchema(state, "input"),
  public: viewSchema(state, "public"),
  output: viewSchema(state, "output"),
});

/** Agents. */
export const agentRoutes: Handlers<keyof typeof agentOperations> = {
  async listAgents({ agents }) {
    const named = [...agents.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return { status: 200, body: { items: named.map(toWireAgent) } };
  },
  async getAgent(service, { path }) {
    return { status: 200, body: toWireAgent(agentOf(service, path.agent)) };
  },
};
