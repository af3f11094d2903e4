/** Customers, the jobs that export or erase their data, tokens, and the audit log. */
import type { Customer } from "throughline";
import { pageAt, present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { authOperations, customerOperations, jobOperations } from "../../protocol/operations/customer-operations.ts";
import { type ApiKey, createKey, listKeys, revokeKey } from "../auth/api-keys.ts";
import { endTokens } from "../auth/customer-versions.ts";
import { previewOfCustomer } from "../erasure-preview.ts";
import { getJob, type Job, resultOf, toWireJob } from "../jobs/job-record.ts";
import { allows, type Principal } from "../principal.ts";
import { type Handlers, ok, sessionOf } from "../request-call.ts";
import { auditKind, toWireEntry } from "../service-records.ts";
import type { Service } from "../service.ts";

/** Converts a customer. Metadata needs `metadata:read`. */
function toWireCustomer({ id, name, variables, metadata, created_at, version }: Customer, principal: Principal) {
  const seen = allows(principal, "metadata:read") ? { metadata: metadata.values } : {};
  return { id, name, variables: variables.values, ...seen, created_at, version };
}

const shown = (customer: Customer, principal: Principal) => ok(toWireCustomer(customer, principal), customer.version);

/** Handlers for customers. */
export const customerRoutes: Handlers<keyof typeof customerOperations> = {
  async createCustomer({ runtime }, { body, principal, once }) {
    const customer = await runtime.customers.create({ ...body, ...once });
    return { ...shown(customer, principal), status: 201, location: `/v1/customers/${encodeURIComponent(customer.id)}` };
  },
  async listCustomers({ runtime }, { query, principal }) {
    const page = await runtime.customers.list(query);
    return ok({ ...page, items: page.items.map((customer) => toWireCustomer(customer, principal)) });
  },
  async getCustomer({ runtime }, { path, principal }) {
    return shown(await runtime.customers.get(path.customer_id), principal);
  },
  async updateCustomer({ runtime }, { path, body, principal, condition, once }) {
    return shown(await runtime.customers.patch(path.customer_id, body, { ...condition, ...once }), principal);
  },
};

const begun = (job: Job) => ({ status: 202, body: toWireJob(job), location: `/v1/jobs/${job.id}` }) as const;

/** Handlers that erase and export customers. */
export const jobRoutes: Handlers<keyof typeof jobOperations> = {
  async eraseCustomer({ runtime, jobs }, { path }) {
    return begun(await jobs.erase(await runtime.customers.get(path.customer_id)));
  },
  async previewCustomerErasure(service, { path }) {
    return ok(await previewOfCustomer(service, await service.runtime.customers.get(path.customer_id)));
  },
  async exportCustomer({ runtime, jobs }, { path, once }) {
    return begun(await jobs.export(await runtime.customers.get(path.customer_id), once.idempotencyKey));
  },
  async getJob({ store }, { path }) {
    return ok(toWireJob(await getJob(store, path.job_id)));
  },
  async getJobResult({ store, logger }, { path, request_id, cut }) {
    const { bytes, text } = await resultOf(store, await getJob(store, path.job_id), (error) => {
      logger.warn("an export result was cut off", { request_id, code: ThroughlineError.from(error).code }, error);
      cut?.();
      return cut !== undefined;
    });
    const headers = { "content-type": "application/x-ndjson", "content-length": String(bytes), "cache-control": "no-store" };
    return new Response(text, { status: 200, headers });
  },
};

const toWireKey = ({ scopes, ...key }: ApiKey) => ({ ...key, scopes: [...scopes] });

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
  async createKey({ store, clock }, { body }) {
    const { name, scopes, expires_at } = body;
    const { key, info } = await createKey(store, { name, scopes, ...present({ expiresAt: expires_at }) }, { clock, audited: false });
    return { status: 201, body: { ...toWireKey(info), key }, objects: { key_id: info.id } };
  },
  async listKeys({ store }, { query }) {
    const page = pageAt(await listKeys(store), query);
    return ok({ ...page, items: page.items.map(toWireKey) });
  },
  async revokeKey({ store, clock }, { path }) {
    return ok(toWireKey(await revokeKey(store, path.key_id, { clock, audited: false })));
  },
  async listAudit({ store }, { query }) {
    const { items, next_cursor, total } = await store.list({ of: "records", kind: auditKind, order: "desc", ...query });
    return ok({ items: items.map(toWireEntry), next_cursor, total });
  },
};
