/** Runs of autonomous routines. */
import { z } from "zod";
import { accepted, answer, defineOperations } from "../operation.ts";
import { newRun, resentRun, run, runStatus } from "../wire-run.ts";
import { pageOf, pageQuery, sessionId } from "../wire-value.ts";

const one = "/v1/runs/{run_id}";

/** Operations on runs. */
export const runOperations = defineOperations({
  startRun: {
    method: "POST",
    path: "/v1/runs",
    tag: "runs",
    summary: "Start a run of an autonomous routine",
    description: "Under one idempotency key it starts once.",
    scope: "sessions:write",
    body: newRun,
    answers: accepted("The run.", run),
    errors: ["routine.not_found", "session.not_found", "input.invalid", "session.idempotency_mismatch", "session.manual", "outbound.refused"],
  },
  listRuns: {
    method: "GET",
    path: "/v1/runs",
    tag: "runs",
    summary: "List runs whose results are kept",
    description: "Without their outputs. After 10,000 runs that do not match, a page is short while `next_cursor` continues.",
    scope: "sessions:read",
    query: z.strictObject({
      ...pageQuery,
      routine: z.string().min(1).max(100).optional(),
      status: runStatus.optional(),
      session_id: sessionId.optional(),
    }),
    answers: answer("A page.", pageOf(run)),
    errors: ["cursor.invalid"],
  },
  getRun: {
    method: "GET",
    path: one,
    tag: "runs",
    summary: "A run, with its output once it is completed",
    description: "Once its result is removed, the answer is 410 with the receipt in `details`.",
    scope: "sessions:read",
    answers: answer("The run.", run),
    errors: ["run.not_found", "run.expired"],
  },
  getRunResult: {
    method: "GET",
    path: `${one}/result`,
    tag: "runs",
    summary: "A run that is over",
    scope: "sessions:read",
    answers: answer("The run.", run),
    errors: ["run.not_found", "run.not_done", "run.expired"],
  },
  cancelRun: {
    method: "POST",
    path: `${one}/cancel`,
    tag: "runs",
    summary: "End a run that is not over",
    description: "A run that was over is answered unchanged, without its output.",
    scope: "sessions:write",
    answers: answer("The run.", run),
    errors: ["run.not_found", "run.expired", "session.conflict"],
  },
  resendRun: {
    method: "POST",
    path: `${one}/resend`,
    tag: "runs",
    summary: "Post the end of a run that is over, again or for the first time",
    description:
      "Under the delivery id of the first attempts. One that is still being sent keeps its address. The run is answered without its output.",
    scope: "sessions:write",
    audited: true,
    body: resentRun,
    answers: accepted("The run.", run),
    errors: [
      ...["run.not_found", "run.not_done", "run.expired", "routine.not_found", "session.not_found"],
      ...["input.invalid", "outbound.refused", "session.conflict"],
    ] as const,
  },
});
