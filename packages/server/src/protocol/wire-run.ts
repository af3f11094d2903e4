/** Schemas of the runs of autonomous routines. */
import { z } from "zod";
import { json, jsonObject, sessionId, time } from "./wire-value.ts";

/** The statuses of a run. The last three are final. */
export const runStatus = z.enum(["queued", "running", "waiting", "completed", "failed", "cancelled"]);

/** A run. */
export const run = z
  .object({
    id: z.string().describe("`run_` and 26 to 32 characters."),
    routine: z.string(),
    version: z.int().describe("Version of the routine's definition that it was started with."),
    agent: z.string(),
    session_id: sessionId,
    ephemeral: z.boolean().describe("Whether the session was made for the run, and is deleted after it."),
    status: runStatus.describe("`waiting`: for an event, a time or an approval."),
    created_at: time,
    deadline: time.optional().describe("When it fails with `timeout`."),
    finished_at: time.optional(),
    expires_at: time.optional().describe("Until when the result is kept."),
    output: json.optional().describe("The validated output of a completed run; lists leave it out."),
    error: z.object({ code: z.string(), message: z.string() }).optional().describe("Why it failed or was cancelled."),
    callback: z
      .object({
        status: z.enum(["pending", "delivered", "dead"]).describe("`dead`: its attempts are used up."),
        attempts: z.int(),
        error: z.string().optional().describe("What the last attempt failed with: a status, or an error code."),
      })
      .optional()
      .describe("What became of the callback."),
    erasure: z
      .object({ id: z.string(), requested_at: time, finished_at: time.optional(), sessions: z.int(), events: z.int() })
      .optional()
      .describe("The receipt of the deleted session."),
  })
  .meta({ id: "Run" });

const callbackUrl = z.string().max(2000);

/** Where the end of a run is posted once more. */
export const resentRun = z.strictObject({
  callback_url: callbackUrl.describe("The address, because one that was given up is not kept. Its host must be one that the routine allows."),
});

/** Starts a run. */
export const newRun = z
  .strictObject({
    routine: z.string().min(1).max(100).describe("Id of an autonomous routine."),
    input: jsonObject.optional().describe("Checked against the routine's input schema."),
    session_id: sessionId
      .optional()
      .describe("A session whose history the run becomes part of. Without it the run has a session that is deleted after it."),
    agent: z.string().optional().describe("The agent that runs the routine; needed if several have it."),
    timeout_seconds: z.number().optional().describe("Seconds after which the run fails with `timeout`. Default: those of the routine."),
    keep_seconds: z.number().optional().describe("Seconds for which the result is kept; 86,400 if left out."),
    callback_url: callbackUrl.optional().describe("Where the end of the run is posted. Its host must be one that the routine allows."),
  })
  .meta({ id: "NewRun", examples: [{ routine: "triage", input: { text: "The parcel has not arrived." } }] });
