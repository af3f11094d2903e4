import type { ErrorCode } from "throughline/kernel";
import { defineOperations } from "../operation.ts";
import type { Scope } from "../wire-auth.ts";
import { variable, variables, variableValue } from "../wire-session.ts";
import { mergePatch } from "../wire-value.ts";

/** The owner of variables, the path to them, and the scopes for reading and writing. */
interface Place<Path extends `/${string}`> {
  readonly path: Path;
  readonly tag: string;
  readonly whose: string;
  readonly read: Scope;
  readonly write: Scope;
  readonly missing: readonly ErrorCode[];
}

const placeOf = <const Path extends `/${string}`>(place: Place<Path>): Place<Path> => place;
const customer = placeOf({
  path: "/v1/customers/{customer_id}",
  tag: "variables",
  whose: "a customer",
  read: "customers:read",
  write: "customers:write",
  missing: ["customer.not_found"],
});
const session = placeOf({
  path: "/v1/sessions/{session_id}",
  tag: "variables",
  whose: "a session alone",
  read: "sessions:read",
  write: "sessions:write",
  missing: ["session.not_found"],
});
/** An agent's variables affect all its customers. */
const agent = placeOf({
  path: "/v1/agents/{agent}",
  tag: "variables",
  whose: "an agent, for all its sessions",
  read: "sessions:read",
  write: "admin",
  missing: ["agent.not_found"],
});

const list = <const Path extends `/${string}`>({ path, tag, whose, read, missing }: Place<Path>) =>
  ({
    method: "GET",
    path: `${path}/variables`,
    tag,
    summary: `The variables of ${whose}`,
    scope: read,
    answers: { 200: { description: "The variables.", schema: variables } },
    errors: missing,
  }) as const;

const update = <const Path extends `/${string}`>({ path, tag, whose, write, missing }: Place<Path>) =>
  ({
    method: "PATCH",
    path: `${path}/variables`,
    tag,
    summary: `Set and unset variables of ${whose}`,
    description: "A merge patch (RFC 7396): null takes a variable away, what is left out stays, an object is merged into the one that is there.",
    scope: write,
    versioned: true,
    body: mergePatch,
    answers: { 200: { description: "The variables.", schema: variables } },
    errors: [...missing, "variables.invalid", "session.conflict", "session.idempotency_mismatch", "request.precondition_failed"],
  }) as const;

const get = <const Path extends `/${string}`>({ path, tag, whose, read, missing }: Place<Path>) =>
  ({
    method: "GET",
    path: `${path}/variables/{name}`,
    tag,
    summary: `A variable of ${whose}`,
    scope: read,
    answers: { 200: { description: "The variable.", schema: variable } },
    errors: [...missing, "variable.not_found"],
  }) as const;

const set = <const Path extends `/${string}`>({ path, tag, whose, write, missing }: Place<Path>) =>
  ({
    method: "PUT",
    path: `${path}/variables/{name}`,
    tag,
    summary: `Set a variable of ${whose}`,
    scope: write,
    versioned: true,
    body: variableValue,
    answers: { 200: { description: "The variable.", schema: variable } },
    errors: [...missing, "variables.invalid", "session.conflict", "session.idempotency_mismatch", "request.precondition_failed"],
  }) as const;

const unset = <const Path extends `/${string}`>({ path, tag, whose, write, missing }: Place<Path>) =>
  ({
    method: "DELETE",
    path: `${path}/variables/{name}`,
    tag,
    summary: `Unset a variable of ${whose}; one that is not set stays so`,
    scope: write,
    versioned: true,
    answers: { 204: { description: "It has no value." } },
    errors: [...missing, "variables.invalid", "session.conflict", "session.idempotency_mismatch", "request.precondition_failed"],
  }) as const;

/** Operations on the variables of a customer, a session or an agent. */
export const variableOperations = defineOperations({
  listCustomerVariables: list(customer),
  updateCustomerVariables: update(customer),
  getCustomerVariable: get(customer),
  setCustomerVariable: set(customer),
  deleteCustomerVariable: unset(customer),
  listSessionVariables: list(session),
  updateSessionVariables: update(session),
  getSessionVariable: get(session),
  setSessionVariable: set(session),
  deleteSessionVariable: unset(session),
  listAgentVariables: list(agent),
  updateAgentVariables: update(agent),
  getAgentVariable: get(agent),
  setAgentVariable: set(agent),
  deleteAgentVariable: unset(agent),
});
