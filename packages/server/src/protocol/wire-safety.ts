/** Schemas of safety assessments. They contain levels, codes and numbers, and no message text. */
import { z } from "zod";
import { time } from "./wire-value.ts";

const level = z.int().min(0).max(3).describe("0 nothing acute, 1 unclear, 2 high concern, 3 in danger now.");
const counts = z.record(z.string(), z.int());
const day = z.string().describe("A day in UTC, such as `2026-11-21`.");

/** A stored assessment. */
export const assessment = z
  .object({
    audit_id: z.string(),
    at: time,
    level,
    level_deterministic: level,
    level_llm: level.optional(),
    confidence: z.string(),
    risk_types: z.array(z.string()),
    subject: z.string().describe("`self` or `other`: who is at risk."),
    override: z.string(),
    reason_code: z.string(),
    path: z.string().describe("How it came about."),
    quality: z.string(),
    matches: z.array(z.string()).describe("Ids of what the screen found."),
    grounds: z.array(z.string()).optional().describe("What the level rests on, such as `match` or `open_plan`; absent before 2026-11-23."),
    subject_ref: z.string().describe("A keyed hash: it can be told whose it is only as long as the person's own secret exists."),
    session_ref: z.string(),
    turn_ref: z.string(),
    agent: z.string(),
    language: z.string().optional().describe("Language that the screen took the message for."),
    policy_version: z.string(),
    pack_versions: z.record(z.string(), z.string()),
    classifier: z.string().optional(),
    prompt_version: z.string().optional(),
    gate_ms: z.number(),
    deterministic_ms: z.number(),
    llm_ms: z.number().optional(),
    action: z.string(),
    lookup_status: z.string().optional(),
    region: z.string().optional().describe("The ISO code of the place that a person has named."),
    resources_shown: z.array(z.string()),
    resources_version: z.string().optional(),
    guarded: z.array(z.string()),
    reply_completed: z.boolean(),
    escalation: z.enum(["queued", "failed", "none"]).optional(),
    incognito: z.literal(true).optional(),
    hold: z.object({ until: time, reason: z.string() }).optional().describe("Kept for longer than others, until a time, and why."),
  })
  .meta({ id: "Assessment" });

const totals = {
  events_total: z.int(),
  by_level: counts,
  by_path: counts,
  by_region: counts.describe("By the ISO code of the place that a person has named; `none` where none is known."),
  by_action: counts,
  overrides: counts,
  llm_failures_total: z.int(),
  degraded_total: z.int(),
  replies_total: z.int(),
  replies_completed: z.int(),
  referrals_total: z.int(),
  referrals: counts,
  resources_shown: counts,
  lookup_statuses: counts,
  guarded: counts,
  escalations: counts,
};

/** A summary of a range of days. */
export const safetyReport = z
  .object({
    from: day,
    to: day,
    totals: z.object(totals),
    reply_completion_rate: z.number().nullable(),
    referrals: z.record(z.string(), counts).describe("Turns that were shown where help is, by calendar year and region."),
    days: z.array(z.object({ day, ...totals })),
    lowered: z.array(z.string()).describe("Ids of assessments that a classifier has lowered."),
    degraded: z.array(z.string()).describe("Ids of those that no classifier has answered although one was to be asked."),
    purged: z.array(z.object({ day, removed: z.int(), left: z.int(), at: time })),
    feedback: counts,
    spool_waiting: z.int().nullable().describe("Assessments that wait for the store, of those that this process knows."),
  })
  .meta({ id: "SafetyReport" });

/** A range of days. */
export const dayQuery = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/u)
  .describe("A day in UTC, such as `2026-11-21`.");

/** A customer's feedback on a session. */
export const feedbackGiven = z.strictObject({
  label: z.enum(["positive", "negative", "skip"]),
  source: z.enum(["cli_end", "cli_exit", "api_end"]).optional().describe("`api_end` if left out."),
});

/** The stored feedback; null if it could not be stored, which is not an error. */
export const feedback = z
  .object({
    feedback: z.object({ id: z.string(), label: z.string(), source: z.string(), recorded_at: time, turn_count_at_end: z.int() }).nullable(),
  })
  .meta({ id: "Feedback" });

/** A customer's consent. */
export const consentGiven = z.strictObject({
  given: z.boolean().describe("Whether they agree from now on."),
  text_version: z.string().min(1).max(100).describe("Names the text that they were shown."),
  purpose: z.string().min(1).max(100).optional().describe("What it is for; `service` if left out."),
});
