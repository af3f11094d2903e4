import { ThroughlineError } from "../../kernel/error.ts";
import type { jobOperations } from "../../protocol/operations/jobs.ts";
import type { Handlers } from "../call.ts";
import { getJob, toWireJob, type Job } from "../jobs/job.ts";
import { resultOf } from "../jobs/result.ts";

const begun = (job: Job) => ({ status: 202, body: toWireJob(job), location: `/v1/jobs/${job.id}` }) as const;

/** Erasing and exporting customers. */
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
      logger.warn("a result was cut off", { request_id, code: ThroughlineError.from(error).code });
      cut?.();
      return cut !== undefined;
    });
    const headers = { "content-type": "application/x-ndjson", "content-length": String(bytes), "cache-control": "no-store" };
    return new Response(text, { status: 200, headers });
  },
};
