/** Schemas of customers and of the jobs on their data. */
import { z } from "zod";
import { customerId, jsonObject, mergePatch, time } from "./wire-value.ts";

const name = z.string().max(200).nullable().describe("Display name.");

/** A customer. */
export const customer = z
  .object({
    id: customerId,
    name,
    variables: jsonObject.describe("What agents may know, from their next turn on."),
    metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
    created_at: time,
    version: z.int().describe("Raised by every change; the `ETag`."),
  })
  .meta({ id: "Customer" });

/** The members of a new customer. */
export const newCustomer = z
  .strictObject({
    id: customerId.optional().describe("Generated if left out."),
    name: name.optional(),
    variables: jsonObject.optional(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: "NewCustomer", examples: [{ id: "crm-7", name: "Ada", variables: { tier: "gold" } }] });

/** A change of a customer. */
export const customerPatch = z
  .strictObject({ name: name.optional(), variables: mergePatch.optional(), metadata: mergePatch.optional() })
  .meta({ id: "CustomerPatch", examples: [{ variables: { tier: null }, metadata: { ticket: "T-1" } }] });

const jobTypes = ["erase", "export"] as const;
const jobStatuses = ["queued", "running", "done", "failed"] as const;

/** A job. It names no customer; `owner_id` is internal to this service. */
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

/** A job on the wire. */
export type WireJob = z.output<typeof job>;
