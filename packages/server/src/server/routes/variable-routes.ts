import { ThroughlineError, type Json, type JsonObject } from "throughline/kernel";
import type { variableOperations } from "../../protocol/operations/variable-operations.ts";
import type { IdempotencyOptions, VersionOptions } from "throughline/session";
import { changeOf } from "throughline/internal";
import { agentOf, changeVariables, type VariablesChange, type VariablesOf, variablesOfOwner } from "throughline/internal/runtime";
import { agentOwnerId, type VariablesRow } from "throughline/store";
import { type Handlers, ok, sessionOf } from "../request-call.ts";
import type { Principal } from "../principal.ts";
import type { Service } from "../service.ts";

/** The parts of a variable request that all three scopes share. */
interface VariableRequest<Path> {
  readonly path: Path;
  readonly principal: Principal;
  readonly condition: VersionOptions;
  readonly once: IdempotencyOptions;
}
type Named = { readonly name: string };

/** Finds the owner of the requested variables and checks that the principal may access them. */
type Finder<Path> = (service: Service, request: VariableRequest<Path>) => Promise<VariablesOf>;

function one({ values, checked, stale, version }: VariablesRow, name: string) {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined)
    throw new ThroughlineError("variable.not_found", `There is no variable "${name.slice(0, 100)}".`, { details: { version } });
  return ok({ name, value, checked_at: checked[name] ?? 0, stale: stale.includes(name), version }, version);
}

const all = ({ values, checked, stale, version }: VariablesRow) => ok({ values, checked, stale: [...stale], version }, version);

/** The five operations on the variables of one owner. */
function routesOf<Path>(find: Finder<Path>) {
  const read = async (service: Service, request: VariableRequest<Path>): Promise<VariablesRow> =>
    variablesOfOwner(service.store, await find(service, request));
  const change = async (service: Service, request: VariableRequest<Path>, given: VariablesChange): Promise<VariablesRow> =>
    changeVariables(service, await find(service, request), given, { ...request.condition, ...request.once });
  return {
    list: async (service: Service, request: VariableRequest<Path>) => all(await read(service, request)),
    update: async (service: Service, request: VariableRequest<Path> & { readonly body: JsonObject }) =>
      all(await change(service, request, { asked: request.body, decide: (values) => changeOf(values, request.body, "variables") })),
    get: async (service: Service, request: VariableRequest<Path & Named>) => one(await read(service, request), request.path.name),
    set: async (service: Service, request: VariableRequest<Path & Named> & { readonly body: { readonly value: Json } }) => {
      const set = { [request.path.name]: request.body.value };
      return one(await change(service, request, { asked: { set }, decide: () => ({ set }) }), request.path.name);
    },
    unset: async (service: Service, request: VariableRequest<Path & Named>) => {
      const unset = [request.path.name];
      const { version } = await change(service, request, { asked: { unset }, decide: () => ({ unset }) });
      return { status: 204, body: undefined, version } as const;
    },
  };
}

const customer = routesOf<{ readonly customer_id: string }>(async (_, { path }) => ({ customer: path.customer_id }));
const session = routesOf<{ readonly session_id: string }>(async (service, { path, principal }) => ({
  session: (await sessionOf(service, principal, path.session_id)).session.id,
}));
const agent = routesOf<{ readonly agent: string }>(async (service, { path }) => ({ owner: agentOwnerId(agentOf(service, path.agent).name) }));

/** Handlers for the variables of customers, sessions and agents. */
export const variableRoutes: Handlers<keyof typeof variableOperations> = {
  listCustomerVariables: customer.list,
  updateCustomerVariables: customer.update,
  getCustomerVariable: customer.get,
  setCustomerVariable: customer.set,
  deleteCustomerVariable: customer.unset,
  listSessionVariables: session.list,
  updateSessionVariables: session.update,
  getSessionVariable: session.get,
  setSessionVariable: session.set,
  deleteSessionVariable: session.unset,
  listAgentVariables: agent.list,
  updateAgentVariables: agent.update,
  getAgentVariable: agent.get,
  setAgentVariable: agent.set,
  deleteAgentVariable: agent.unset,
};
