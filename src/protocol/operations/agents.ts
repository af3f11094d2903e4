import { z } from "zod";
import { agent } from "../agent.ts";
import { defineOperations } from "../operation.ts";

/** Agents. */
export const agentOperations = defineOperations({
  listAgents: {
    method: "GET",
    path: "/v1/agents",
    tag: "agents",
    summary: "All agents, by name",
    scope: "sessions:read",
    answers: { 200: { description: "The agents.", schema: z.object({ items: z.array(agent) }) } },
    errors: [],
  },
  getAgent: {
    method: "GET",
    path: "/v1/agents/{agent}",
    tag: "agents",
    summary: "An agent, with the shapes of what it takes and shows",
    scope: "sessions:read",
    answers: { 200: { description: "The agent.", schema: agent } },
    errors: ["agent.not_found"],
  },
});
