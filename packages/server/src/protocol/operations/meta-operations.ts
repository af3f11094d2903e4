/** Information about the service and its agents. */
import { z } from "zod";
import { answer, defineOperations } from "../operation.ts";
import { leasedTurn, serviceStatus } from "../wire-inspect.ts";
import { agent } from "../wire-session.ts";
import { flagQuery, jsonObject, pageOf, pageQuery } from "../wire-value.ts";

const alive = {
  method: "GET",
  tag: "meta",
  summary: "Whether the process answers",
  scope: "open",
  probe: true,
  answers: answer("It does.", z.object({ status: z.literal("ok") })),
  errors: [],
} as const;

/** Public information about the service. */
export const metaOperations = defineOperations({
  livez: { ...alive, path: "/livez" },
  health: { ...alive, path: "/health" },
  readyz: {
    method: "GET",
    path: "/readyz",
    tag: "meta",
    summary: "Whether requests should be sent here",
    description: "The database answers within a second, and the service is not about to stop.",
    scope: "open",
    probe: true,
    answers: answer("They should.", z.object({ status: z.literal("ready") })),
    errors: ["service.draining", "store.unreachable", "store.busy", "store.failed", "internal"],
  },
  version: {
    method: "GET",
    path: "/version",
    tag: "meta",
    summary: "The version of the service",
    scope: "open",
    answers: answer("The version.", z.object({ name: z.literal("throughline"), version: z.string() })),
    errors: [],
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    tag: "meta",
    summary: "This description",
    scope: "open",
    answers: answer("An OpenAPI 3.1 document.", jsonObject),
    errors: [],
  },
  errors: {
    method: "GET",
    path: "/errors/{code}",
    tag: "meta",
    summary: "What an error code means",
    scope: "open",
    answers: answer(
      "Its meaning.",
      z.object({
        code: z.string(),
        title: z.string(),
        hint: z.string(),
        status: z.int(),
        retryable: z.boolean().describe("The same request may succeed later."),
      }),
    ),
    errors: ["request.not_found"],
  },
});

/** The state of the service, for those who run it. */
export const statusOperations = defineOperations({
  getStatus: {
    method: "GET",
    path: "/v1/status",
    tag: "operations",
    summary: "The state of the service: its schema, agents, open turns and limits",
    scope: "admin",
    answers: answer("The state.", serviceStatus),
    errors: ["store.schema_newer"],
  },
  listOpenTurns: {
    method: "GET",
    path: "/v1/open-turns",
    tag: "operations",
    summary: "The open turn of each session that has one, with the worker that holds it",
    scope: "admin",
    query: z.strictObject({ ...pageQuery, held: flagQuery.optional().describe("Only those that a worker holds; false if left out.") }),
    answers: answer("A page, by the age of the sessions.", pageOf(leasedTurn)),
    errors: ["cursor.invalid"],
  },
});

/** Operations on agents. */
export const agentOperations = defineOperations({
  listAgents: {
    method: "GET",
    path: "/v1/agents",
    tag: "agents",
    summary: "All agents, by name",
    scope: "sessions:read",
    answers: answer("The agents.", z.object({ items: z.array(agent) })),
    errors: [],
  },
  getAgent: {
    method: "GET",
    path: "/v1/agents/{agent}",
    tag: "agents",
    summary: "An agent, with the shapes of what it takes and shows",
    scope: "sessions:read",
    answers: answer("The agent.", agent),
    errors: ["agent.not_found"],
  },
});
