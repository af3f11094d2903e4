/** Information about the service and its agents. */
import { createHash } from "node:crypto";
import { errorCatalogue, type ErrorCode, seen, ThroughlineError } from "throughline/kernel";
import type { agentOperations, metaOperations } from "../../protocol/operations/meta-operations.ts";
import { statusOf } from "../../protocol/wire-problem.ts";
import type { Agent } from "throughline";
import { agentOf } from "throughline/internal/runtime";
import { viewSchema } from "throughline/state";
import { type Handlers, ok } from "../request-call.ts";

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

const toWireAgent = ({ name, version, state }: Agent) => ({
  name,
  version,
  input: viewSchema(state, "input"),
  public: viewSchema(state, "public"),
  output: viewSchema(state, "output"),
});

/** Handlers for agents. */
export const agentRoutes: Handlers<keyof typeof agentOperations> = {
  async listAgents({ agents }) {
    const named = [...agents.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return ok({ items: named.map(toWireAgent) });
  },
  async getAgent(service, { path }) {
    return ok(toWireAgent(agentOf(service, path.agent)));
  },
};
