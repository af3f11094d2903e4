/** Work that takes longer than a request. */
import { sleep } from "./backoff.ts";
import { linesOf } from "./byte-stream.ts";
import type { Caller, RequestOptions, ResultOf } from "./operation-call.ts";
import { RequestError, abortedBy } from "./request-error.ts";
import { openOnce, type Wire } from "./transport.ts";

/** A job, as the service gives it. */
export type ClientJob = ResultOf<"getJob">;

/** The jobs of a service. */
export interface ClientJobs {
  /** How far a job is. */
  get(job_id: string, options?: RequestOptions): Promise<ClientJob>;
  /** Waits until a job is done, asking every `everyMs` milliseconds, 500 by default; `job.failed` if it fails. */
  done(job_id: string, options?: RequestOptions & { readonly everyMs?: number }): Promise<ClientJob>;
  /** The lines of an export's result, as they come. The last one says that it is whole. */
  result(job_id: string, options?: RequestOptions): AsyncGenerator<string, void, undefined>;
}

export function clientJobs(wire: Wire, call: Caller): ClientJobs {
  const get: ClientJobs["get"] = (job_id, options) => call("getJob", { ...options, path: { job_id } });
  return Object.freeze<ClientJobs>({
    get,
    done: async (job_id, { everyMs = 500, ...options } = {}) => {
      for (;;) {
        const job = await get(job_id, options);
        if (job.status === "done") return job;
        if (job.status === "failed")
          throw new RequestError({ code: job.error?.code ?? "job.failed", message: job.error?.message ?? "The job failed." });
        await sleep(everyMs, options.signal);
        if (options.signal?.aborted === true) throw abortedBy(options.signal);
      }
    },
    result: async function* (job_id, options) {
      yield* linesOf(
        await openOnce(wire, "getJobResult", { ...options, path: { job_id }, headers: { accept: "application/x-ndjson" } }),
        wire.stallMs,
      );
    },
  });
}
