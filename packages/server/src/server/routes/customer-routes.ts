/** Customers, and the jobs that export or erase their data. */
import { ThroughlineError } from "throughline/kernel";
import type { customerOperations, jobOperations } from "../../protocol/operations/customer-operations.ts";
import type { Customer } from "throughline";
import { type Handlers, ok } from "../request-call.ts";
import { getJob, type Job, resultOf, toWireJob } from "../jobs/job-record.ts";
import { allows, type Principal } from "../principal.ts";

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
  async exportCustomer({ runtime, jobs }, { path, once }) {
    return begun(await jobs.export(await runtime.customers.get(path.customer_id), once.idempotencyKey));
  },
  async getJob({ store }, { path }) {
    return ok(toWireJob(await getJob(store, path.job_id)));
  },
  async getJobResult({ store, logger }, { path, request_id, cut }) {
    const { bytes, text } = await resultOf(store, await getJob(store, path.job_id), (error) => {
      logger.warn("an export result was cut off", { request_id, code: ThroughlineError.from(error).code });
      cut?.();
      return cut !== undefined;
    });
    const headers = { "content-type": "application/x-ndjson", "content-length": String(bytes), "cache-control": "no-store" };
    return new Response(text, { status: 200, headers });
  },
};
