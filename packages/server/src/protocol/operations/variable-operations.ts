import type { ErrorCode } from "throughline/kernel";
import { answer, defineOperations } from "../operation.ts";
import type { Scope } from "../wire-auth.ts";
import { variable, variables, variableValue } from "../wire-session.ts";
import { mergePatch } from "../wire-value.ts";

/** The owner of variables, the path to them, and the scopes for reading and writing. */
interface Place<Path extends `/${string}`> {
  readonly path: Path;
  readonly whose: string;
  readonly read: Scope;
  readonly write: Scope;
  readonly missing: readonly ErrorCode[];
}

const tag = "variables";
const wrong = [
  "variables.invalid",
  "session.conflict",
  "session.idempotency_mismatch",
  "request.precondition_failed",
] as const satisfies readonly ErrorCode[];

/** The operations on the variables of one owner. */
const operationsOf = <const Path extends `/${string}`>({ path, whose, read, write, missing }: Place<Path>) =>
  ({
    list: {
      method: "GET",
      path: `${path}/variables`,
      tag,
      summary: `The variables of ${whose}`,
      scope: read,
      answers: answer("The variables.", variables),
      errors: missing,
    },
    update: {
      method: "PATCH",
      path: `${path}/variables`,
      tag,
      summary: `Set and unset variables of ${whose}`,
      description: "A merge patch (RFC 7396): null takes a variable away, what is left out stays, an object is merged into the one that is there.",
      scope: write,
      versioned: true,
      body: mergePatch,
      answers: answer("The variables.", variables),
      errors: [...missing, ...wrong],
    },
    get: {
      method: "GET",
      path: `${path}/variables/{name}`,
      tag,
      summary: `A variable of ${whose}`,
      scope: read,
      answers: answer("The variable.", variable),
      errors: [...missing, "variable.not_found"],
    },
    set: {
      method: "PUT",
      path: `${path}/variables/{name}`,
      tag,
      summary: `Set a variable of ${whose}`,
      scope: write,
      versioned: true,
      body: variableValue,
      answers: answer("The variable.", variable),
      errors: [...missing, ...wrong],
    },
    unset: {
      method: "DELETE",
      path: `${path}/variables/{name}`,
      tag,
      summary: `Unset a variable of ${whose}; one that is not set stays so`,
      scope: write,
      versioned: true,
      answers: { 204: { description: "It has no value." } },
      errors: [...missing, ...wrong],
    },
  }) as const;

const customer = operationsOf({
  path: "/v1/customers/{customer_id}",
  whose: "a customer",
  read: "customers:read",
  write: "customers:write",
  missing: ["customer.not_found"],
});
const session = operationsOf({
  path: "/v1/sessions/{session_id}",
  whose: "a session alone",
  read: "sessions:read",
  write: "sessions:write",
  missing: ["session.not_found"],
});
/** An agent's variables affect all its customers. */
const agent = operationsOf({
  path: "/v1/agents/{agent}",
  whose: "an agent, for all its sessions",
  read: "sessions:read",
  write: "admin",
  missing: ["agent.not_found"],
});

/** Operations on the variables of a customer, a session or an agent. */
export const variableOperations = defineOperations({
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
});
