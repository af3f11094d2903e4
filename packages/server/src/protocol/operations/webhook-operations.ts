/** Operations on the webhooks that the service sends. */
import { z } from "zod";
import { answer, defineOperations } from "../operation.ts";
import { offset, pageOf, pageQuery, sessionId, time } from "../wire-value.ts";

const target = z.string().describe("The name of the target in the configuration.");
const host = z.string().describe("The host of the address.");
const error = z.string().describe("What the last attempt failed with: a status, or an error code.");

/** A target and its state. */
const webhook = z
  .object({
    name: target,
    endpoint: z.string().describe("The target, or for one with `hosts` the target and a hash of the address."),
    host,
    failures: z.int().describe("Dead letters since the last success."),
    paused: z.object({ at: time, reason: z.enum(["failures", "gone", "operator"]) }).exactOptional(),
  })
  .meta({ id: "Webhook" });

/** An event that could not be delivered. */
const deadLetter = z
  .object({ id: z.string(), target, host, session_id: sessionId, offset, attempts: z.int(), error, at: time })
  .meta({ id: "DeadLetter" });

/** The position of a target in a session. */
const webhookPosition = z
  .object({
    target,
    next_offset: offset.describe("The first event that is not delivered."),
    attempts: z.int().describe("Failed attempts of the event at the position."),
    next_at: time.exactOptional().describe("The time of the next attempt."),
    error: error.exactOptional(),
  })
  .meta({ id: "WebhookPosition" });

const changing = { method: "POST", tag: "webhooks", scope: "webhooks", audited: true } as const;

/** Operations on the webhooks that the service sends. */
export const webhookOperations = defineOperations({
  listWebhooks: {
    method: "GET",
    path: "/v1/webhooks",
    tag: "webhooks",
    summary: "All targets and addresses of webhooks, with their state",
    scope: "webhooks",
    query: z.strictObject(pageQuery),
    answers: answer("A page, by endpoint.", pageOf(webhook)),
    errors: ["cursor.invalid"],
  },
  pauseWebhook: {
    ...changing,
    path: "/v1/webhooks/{endpoint}/pause",
    summary: "Stop the deliveries to an endpoint",
    description: "Every process stops within about a second. Events wait until `resume`.",
    answers: answer("The endpoint.", webhook),
    errors: ["webhook.not_found"],
  },
  resumeWebhook: {
    ...changing,
    path: "/v1/webhooks/{endpoint}/resume",
    summary: "Continue the deliveries to an endpoint, in order",
    answers: answer("The endpoint.", webhook),
    errors: ["webhook.not_found"],
  },
  rotateWebhookSecret: {
    ...changing,
    path: "/v1/webhooks/{name}/rotate",
    summary: "Make a new secret for a target whose secret the database holds",
    description: "The former one signs too, for a day.",
    answers: answer("The secret.", z.object({ secret: z.string() })),
    errors: ["webhook.not_found", "input.invalid"],
  },
  listDeadLetters: {
    method: "GET",
    path: "/v1/webhooks/dead-letters",
    tag: "webhooks",
    summary: "Events that could not be delivered, by target and session",
    scope: "webhooks",
    query: z.strictObject({ ...pageQuery, target: z.string().min(1).max(40).optional().describe("Only those of this target.") }),
    answers: answer("A page.", pageOf(deadLetter)),
    errors: ["cursor.invalid"],
  },
  resendDeadLetter: {
    ...changing,
    path: "/v1/webhooks/dead-letters/resend",
    summary: "Deliver a dead letter once more, now, under its first id",
    description: "It is forgotten if that succeeds.",
    body: z.strictObject({ id: z.string().min(1).max(200).describe("The `id` of the dead letter.") }),
    answers: answer("The dead letter.", deadLetter),
    errors: ["webhook.not_found", "outbound.refused", "outbound.failed"],
  },
  listSessionWebhooks: {
    method: "GET",
    path: "/v1/sessions/{session_id}/webhooks",
    tag: "webhooks",
    summary: "How far each target is in a session",
    scope: "webhooks",
    query: z.strictObject(pageQuery),
    answers: answer("A page, by target.", pageOf(webhookPosition)),
    errors: ["session.not_found", "cursor.invalid"],
  },
});
