/** Runs of autonomous routines. */
import { type BodyFor, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import { abortedBy, RequestError, sleep } from "./request-errors.ts";

/** A run as the service returns it. */
export type ClientRun = ResultOf<"getRun">;

/** The runs of a service. */
export interface ClientRuns {
  /** Starts a run. Repeats under one idempotency key start one. */
  start(run: BodyFor<"startRun">, options?: RequestOptions): Promise<ClientRun>;
  /** Reads a run, with its output once it is completed. */
  get(run_id: string, options?: RequestOptions): Promise<ClientRun>;
  /** Lists a page of runs without their outputs. A page may be short or empty while `next_cursor` continues. */
  list(query?: QueryFor<"listRuns">, options?: RequestOptions): Promise<ResultOf<"listRuns">>;
  /** Yields all runs and loads the pages on demand. */
  all(query?: QueryFor<"listRuns">, options?: RequestOptions): AsyncGenerator<ClientRun, void, undefined>;
  /** Reads a run that is over. Throws `run.not_done` for another. */
  result(run_id: string, options?: RequestOptions): Promise<ClientRun>;
  /** Polls a run until it is completed, every `everyMs` milliseconds; 500 by default. Throws the error of a run that failed or was cancelled. */
  done(run_id: string, options?: RequestOptions & { readonly everyMs?: number }): Promise<ClientRun>;
  /** Ends a run that is not over. Returns the run; one that was over is unchanged. */
  cancel(run_id: string, options?: RequestOptions): Promise<ClientRun>;
  /** Posts the end of a run that is over to an address, again or for the first time. Returns the run without its output. */
  resend(run_id: string, callback: BodyFor<"resendRun">, options?: RequestOptions): Promise<ClientRun>;
}

export function clientRuns(call: Caller): ClientRuns {
  const get: ClientRuns["get"] = (run_id, options) => call("getRun", { ...options, path: { run_id } });
  const list: ClientRuns["list"] = (query = {}, options = {}) => call("listRuns", { ...options, query });
  return Object.freeze<ClientRuns>({
    get,
    list,
    start: (body, options) => call("startRun", { ...options, body }),
    all: (query = {}, options = {}) => pagesOf((cursor) => list({ ...query, ...cursor }, options)),
    result: (run_id, options) => call("getRunResult", { ...options, path: { run_id } }),
    done: async (run_id, { everyMs = 500, ...options } = {}) => {
      for (;;) {
        const run = await get(run_id, options);
        if (run.status === "completed") return run;
        if (run.error !== undefined) throw new RequestError(run.error);
        await sleep(everyMs, options.signal);
        if (options.signal?.aborted === true) throw abortedBy(options.signal);
      }
    },
    cancel: (run_id, options) => call("cancelRun", { ...options, path: { run_id } }),
    resend: (run_id, body, options) => call("resendRun", { ...options, path: { run_id }, body }),
  });
}
