/** Tokens and the audit log. */
import { ThroughlineError } from "throughline/kernel";
import type { authOperations } from "../../protocol/operations/auth-operations.ts";
import type { Customer } from "throughline";
import { endTokens } from "../auth/customer-versions.ts";
import { type Handlers, sessionOf, ok } from "../request-call.ts";
import type { Principal } from "../principal.ts";
import { auditKind, toWireEntry } from "../service-records.ts";
import type { Service } from "../service.ts";

/** The issuer that a token names. */
const issuerOf = (principal: Principal): string => (principal.type === "key" ? principal.id : principal.type);

/** Returns the customer with this id, or registers a new one. */
async function registered({ runtime: { customers } }: Pick<Service, "runtime">, id: string): Promise<Customer> {
  const found = await customers.find(id);
  if (found !== undefined) return found;
  return customers.create({ id }).catch((error: unknown) => {
    // A concurrent request has registered the customer.
    if (ThroughlineError.is(error, "customer.exists")) return customers.get(id);
    throw error;
  });
}

export const authRoutes: Handlers<keyof typeof authOperations> = {
  async createToken(service, { body, principal }) {
    const { customer_id, session_id, ttl_seconds } = body;
    const bound = session_id === undefined ? undefined : await sessionOf(service, principal, session_id);
    if (bound !== undefined && bound.info.customer_id !== customer_id)
      throw new ThroughlineError("session.not_found", `The customer has no session ${bound.session.id}.`);
    const { owner_id } = await registered(service, customer_id);
    const version = await service.customerVersions.of(customer_id, { fresh: true });
    if (version === undefined)
      throw new ThroughlineError("store.busy", "The customer was erased while the token was issued. Send the request again.");
    const only = bound === undefined ? {} : { session: bound.session.id };
    const ttlMs = ttl_seconds === undefined ? service.tokenTtl.customerMs : ttl_seconds * 1000;
    const issued = await service.tokens.forCustomer({ customer: customer_id, version, issuer: issuerOf(principal), ttlMs, ...only });
    const session = bound === undefined ? {} : { session_id: bound.session.id };
    return { status: 201, body: { ...issued, customer_version: version }, objects: { owner_id, ...session } };
  },
  async revokeTokens({ store, clock, ids, logger }, { path }) {
    const { owner_id } = await endTokens({ store, clock, ids, logger }, path.customer_id);
    return { status: 204, body: undefined, objects: { owner_id } };
  },
  async createStreamToken(service, { body, principal }) {
    const found = await Promise.all([...new Set(body.sessions)].map((id) => sessionOf(service, principal, id)));
    const sessions = found.map(({ session }) => session.id);
    const token = await service.tokens.forStream({ sessions, behalf: principal, ttlMs: service.tokenTtl.streamMs });
    return { status: 201, body: token, objects: { sessions: sessions.join(" ") } };
  },
  async listAudit({ store }, { query }) {
    const { items, next_cursor, total } = await store.list({ of: "records", kind: auditKind, order: "desc", ...query });
    return ok({ items: items.map(toWireEntry), next_cursor, total });
  },
};
