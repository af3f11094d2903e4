/** Work that takes longer than a request, on the wire. */
import { z } from "zod";
import { time } from "./value.ts";

export const jobTypes = ["erase", "export"] as const;
export const jobStatuses = ["queued", "running", "done", "failed"] as const;

/** A job. It names no customer: `owner_id` is an id of this service alone. */
export const job = z
  .object({
    id: z.string().describe("`job_` and 32 hexadecimal digits."),
    type: z.enum(jobTypes),
    status: z.enum(jobStatuses),
    owner_id: z.string().describe("Whose data it is about; it tells nothing of who they are."),
    progress: z.object({
      sessions: z.int(),
      events: z.int(),
      bytes: z.int().optional().describe("Bytes of an export so far."),
    }),
    created_at: time,
    finished_at: time.optional(),
    receipt: z
      .object({ id: z.string(), requested_at: time, finished_at: time.optional(), sessions: z.int(), events: z.int() })
      .optional()
      .describe("What an erasure has removed. Absent if the process that did it stopped before it could say so."),
    result: z.object({ bytes: z.int(), expires_at: time }).optional().describe("The result of an export: how long it is, and how long it is kept."),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: "Job" });

/** A job as it is on the wire. */
export type WireJob = z.output<typeof job>;
