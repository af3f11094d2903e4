/** Information about the service and its agents. */
import { createHash } from "node:crypto";
import { errorCatalogue, type ErrorCode, isPlainObject, seen, ThroughlineError } from "throughline/kernel";
import type { agentOperations, metaOperations, statusOperations } from "../../protocol/operations/meta-operations.ts";
import { statusOf } from "../../protocol/wire-problem.ts";
import type { Agent } from "throughline";
import { present } from "throughline/internal";
import { agentOf } from "throughline/internal/runtime";
import { type Routine, routineGraph } from "throughline/routines";
import { viewSchema } from "throughline/state";
import { routinesOf } from "../agent-routines.ts";
import { allows, type Principal } from "../principal.ts";
import { type Handlers, ok } from "../request-call.ts";
import type { Allowance } from "../service.ts";

const isCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

export const metaRoutes: Handlers<keyof typeof metaOperations> = {
  livez: async () => ({ status: 200, body: { status: "ok" } }),
  health: async () => ({ status: 200, body: { status: "ok" } }),
  async readyz({ readiness, draining }) {
    if (draining.aborted) throw new ThroughlineError("service.draining");
    await readiness.check();
    return { status: 200, body: { status: "ready" } };
  },
  version: async ({ version }) => ({ status: 200, body: { name: "throughline", version } }),
  async openapi(service, { headers }) {
    const text = await service.openApi();
    const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
    const common = { etag, "cache-control": "no-cache" };
    if (headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: common });
    return new Response(text, { headers: { ...common, "content-type": "application/json" } });
  },
  async errors(_service, { path: { code } }) {
    if (!isCode(code)) throw new ThroughlineError("request.not_found", `There is no error code ${seen(code)}.`);
    const { meaning: title, hint, retryable } = errorCatalogue[code];
    return ok({ code, title, hint, status: statusOf(code), retryable });
  },
};

/** The fields of an agent's state, with the JSON Schema of each. */
function fieldsOf({ state }: Agent) {
  const { properties } = viewSchema(state, "internal");
  const schemas = isPlainObject(properties) ? properties : {};
  return Object.fromEntries(
    Object.entries(state.fields).map(([name, { lifecycle, show, reducer }]) => {
      const schema = schemas[name];
      return [name, { lifecycle, show, reducer: reducer.name, schema: isPlainObject(schema) ? schema : {} }];
    }),
  );
}

const toWireAgent = (agent: Agent, principal: Principal) => ({
  ...shapesOf(agent),
  ...(allows(principal, "state:read") ? { fields: fieldsOf(agent), ...graphsOf(agent) } : {}),
});

function graphsOf(agent: Agent) {
  const routines = routinesOf(agent).map(toWireGraph);
  return routines.length === 0 ? {} : { routines };
}

const toWireGraph = (routine: Routine) => {
  const { nodes, ...graph } = routineGraph(routine);
  return { ...graph, nodes: nodes.map(({ next, ...node }) => ({ ...node, next: [...next] })) };
};

const shapesOf = ({ name, version, state }: Agent) => ({
  name,
  version,
  input: viewSchema(state, "input"),
  public: viewSchema(state, "public"),
  output: viewSchema(state, "output"),
});

const toWireAllowance = ({ requestsPerMinute, eventReadsPerMinute, waiters }: Allowance) => ({
  requests_per_minute: requestsPerMinute,
  event_reads_per_minute: eventReadsPerMinute,
  waiters,
});

/** Handlers for the state of the service. */
export const statusRoutes: Handlers<keyof typeof statusOperations> = {
  async getStatus({ store, agents, limits, version }) {
    const [{ to: schema, engine }, all, held] = await Promise.all([
      store.migrate(),
      store.list({ of: "open_turns", limit: 1 }),
      store.list({ of: "open_turns", held: true, limit: 1 }),
    ]);
    const { customer, bodyBytes, eventBytes, pageEvents, waitMs } = limits;
    return ok({
      name: "throughline",
      version,
      schema,
      ...present({ engine }),
      agents: [...agents.values()].map((agent) => ({ name: agent.name, version: agent.version })),
      open_turns: { total: all.total, held: held.total },
      limits: {
        ...toWireAllowance(limits),
        customer: toWireAllowance(customer),
        body_bytes: bodyBytes,
        event_bytes: eventBytes,
        page_events: pageEvents,
        wait_ms: waitMs,
      },
    });
  },
  async listOpenTurns({ store }, { query: { held, ...page } }) {
    const listed = await store.list({ of: "open_turns", ...page, ...(held === true ? { held } : {}) });
    const items = listed.items.map(({ session_id, agent, turn_id, cause, status, attempts, urgent, created_at, worker, until }) => ({
      ...{ session_id, agent, turn_id, cause, status, attempts, created_at },
      ...present({ urgent, worker, until }),
    }));
    return ok({ ...listed, items });
  },
};

/** Handlers for agents. */
export const agentRoutes: Handlers<keyof typeof agentOperations> = {
  async listAgents({ agents }, { principal }) {
    const named = [...agents.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return ok({ items: named.map((agent) => toWireAgent(agent, principal)) });
  },
  async getAgent(service, { path, principal }) {
    return ok(toWireAgent(agentOf(service, path.agent), principal));
  },
};
