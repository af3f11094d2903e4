/** Customers, and the jobs that export or erase their data. */
import { ThroughlineError } from "throughline/kernel";
import type { customerOperations, jobOperations } from "../../protocol/operations/customer-operations.ts";
import type { Customer } from "throughline";
import type { Handlers } from "../request-call.ts";
import { getJob, type Job, resultOf, toWireJob } from "../jobs/job-record.ts";
import { allows, type Principal } from "../principal.ts";

/** Converts a customer. Metadata needs `metadata:read`. */
function toWireCustomer({ id, name, variables, metadata, created_at, version }: Customer, principal: Principal) {
  return {
    id,
    name,
    variables: variables.values,
    ...(allows(principal, "metadata:read") ? { metadata: metadata.values } : {}),
    created_at,
    version,
  };
}

const addressOf = (id: string): string => `/v1/customers/${encodeURIComponent(id)}`;

/** Handlers for customers. */
export const customerRoutes: Handlers<keyof typeof customerOperations> = {
  async createCustomer({ runtime }, { body, principal, once }) {
    const customer = await runtime.customers.create({ ...body, ...once });
    return { status: 201, body: toWireCustomer(customer, principal), version: customer.version, location: addressOf(customer.id) };
  },
  async listCustomers({ runtime }, { query, principal }) {
    const page = await runtime.customers.list(query);
    return { status: 200, body: { ...page, items: page.items.map((customer) => toWireCustomer(customer, principal)) } };
  },
  async getCustomer({ runtime }, { path, principal }) {
    const customer = await runtime.customers.get(path.customer_id);
    return { status: 200, body: toWireCustomer(customer, principal), version: customer.version };
  },
  async updateCustomer({ runtime }, { path, body, principal, condition, once }) {
    const customer = await runtime.customers.patch(path.customer_id, body, { ...condition, ...once });
    return { status: 200, body: toWireCustomer(customer, principal), version: customer.version };
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
    return { status: 200, body: toWireJob(await getJob(store, path.job_id)) };
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
