/** Runs of autonomous routines. */
import type { runOperations } from "../../protocol/operations/run-operations.ts";
import { type Handlers, ok } from "../request-call.ts";

/** Handlers for runs. */
export const runRoutes: Handlers<keyof typeof runOperations> = {
  async startRun({ runtime, callbacks }, { body, once }) {
    const { routine, input, ...options } = body;
    if (options.callback_url !== undefined) callbacks?.check(options.callback_url);
    const run = await runtime.runs.start(routine, input, { ...options, ...once });
    return { status: 202, body: run, location: `/v1/runs/${run.id}` };
  },
  async listRuns({ runtime }, { query }) {
    const { items, next_cursor } = await runtime.runs.list(query);
    return ok({ items: [...items], next_cursor });
  },
  async getRun({ runtime }, { path }) {
    return ok(await runtime.runs.get(path.run_id));
  },
  async getRunResult({ runtime }, { path }) {
    return ok(await runtime.runs.result(path.run_id));
  },
  async cancelRun({ runtime }, { path }) {
    // The answer may be kept for its key, and the output of a run that was over is a person's.
    const { output: _output, ...run } = await runtime.runs.cancel(path.run_id);
    return ok(run);
  },
  async resendRun({ runtime, callbacks }, { path, body }) {
    callbacks?.check(body.callback_url);
    return { status: 202, body: await runtime.runs.resend(path.run_id, body) };
  },
};
