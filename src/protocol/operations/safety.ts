import { z } from "zod";
import { defineOperations } from "../operation.ts";
import { pageOf, pageQuery } from "../page.ts";
import { assessment, consentGiven, dayQuery, feedback, feedbackGiven, safetyReport } from "../safety.ts";
import { offset, wholeQuery } from "../value.ts";
import { ofCommand } from "./errors.ts";

/** What gates have found, and what people say of it. */
export const safetyOperations = defineOperations({
  listAssessments: {
    method: "GET",
    path: "/v1/safety/assessments",
    tag: "safety",
    summary: "Assessments one by one, newest days first",
    description: "A page that is cut down to a level may have fewer than its limit, or none, and still go on.",
    scope: "safety:read",
    audited: true,
    query: z.strictObject({ ...pageQuery, level: wholeQuery(0, 3).optional(), day: dayQuery.optional() }),
    answers: { 200: { description: "A page.", schema: pageOf(assessment) } },
    errors: ["cursor.invalid", "input.invalid"],
  },
  getSafetyReport: {
    method: "GET",
    path: "/v1/safety/report",
    tag: "safety",
    summary: "What some days of assessments come to",
    scope: "safety:read",
    audited: true,
    query: z.strictObject({ from: dayQuery.optional(), to: dayQuery.optional() }),
    answers: { 200: { description: "Sums by day and in all; the last 30 days by default.", schema: safetyReport } },
    errors: ["input.invalid"],
  },
  giveFeedback: {
    method: "POST",
    path: "/v1/sessions/{session_id}/feedback",
    tag: "safety",
    summary: "Say how a session was, for its operator: of nobody, for 180 days",
    scope: "sessions:write",
    customers: true,
    body: feedbackGiven,
    answers: { 200: { description: "What is kept, or null.", schema: feedback } },
    errors: ["session.not_found"],
  },
  giveConsent: {
    method: "POST",
    path: "/v1/sessions/{session_id}/consent",
    tag: "safety",
    summary: "Put on record what a person agrees to, or no longer does",
    scope: "sessions:write",
    customers: true,
    body: consentGiven,
    answers: { 200: { description: "Where it stands in the log.", schema: z.object({ offset }) } },
    errors: ofCommand,
  },
});
