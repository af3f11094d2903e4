import { z } from "zod";
import { assignment, handBackRequest, handOverRequest, handover } from "../handover.ts";
import { defineOperations } from "../operation.ts";
import { pageOf, pageQuery } from "../page.ts";
import { customerId, mode, sessionId } from "../value.ts";
import { ofCommand, ofStateChange } from "./errors.ts";

const path = "/v1/sessions/{session_id}/handover";
const standing = z.object({ session_id: sessionId, mode, handover: handover.optional() }).meta({ id: "Standing" });
const answers = { 200: { description: "Where the hand-over stands.", schema: standing } } as const;
const queued = z
  .object({
    session_id: sessionId,
    agent: z.string(),
    customer_id: customerId.optional(),
    title: z.string().nullable(),
    handover,
    updated_at: z.int(),
  })
  .meta({ id: "QueuedSession" });

/** Hand-over to people, and back. */
export const handoverOperations = defineOperations({
  handOver: {
    method: "POST",
    path,
    tag: "handover",
    summary: "Hand a session to people: the agent falls silent at once",
    scope: "handover",
    audited: true,
    body: handOverRequest,
    bodyOptional: true,
    answers,
    errors: [...ofCommand, "handover.invalid", "handover.taken"],
  },
  assignSession: {
    method: "POST",
    path: `${path}/assign`,
    tag: "handover",
    summary: "Take a session up, or give it to somebody",
    scope: "handover",
    audited: true,
    body: assignment,
    answers,
    errors: [...ofCommand, "handover.invalid", "handover.taken", "handover.none"],
  },
  unassignSession: {
    method: "POST",
    path: `${path}/unassign`,
    tag: "handover",
    summary: "Put a session back into the queue",
    scope: "handover",
    audited: true,
    answers,
    errors: [...ofCommand, "handover.none"],
  },
  handBack: {
    method: "POST",
    path: `${path}/back`,
    tag: "handover",
    summary: "Hand a session back to the agent",
    scope: "handover",
    audited: true,
    members: [{ member: "state", scope: "state:write" }],
    body: handBackRequest,
    bodyOptional: true,
    answers,
    errors: [...ofCommand, ...ofStateChange, "input.invalid", "handover.none"],
  },
  listHandovers: {
    method: "GET",
    path: "/v1/handovers",
    tag: "handover",
    summary: "A queue of sessions that are, or were, with people: alerts in front, then who waits longest",
    scope: "handover",
    query: z.strictObject({
      ...pageQuery,
      queue: z.enum(["waiting", "mine", "assigned", "resolved"]).describe("`mine` needs an operator."),
      operator: z.string().min(1).max(200).optional(),
      customer_id: customerId.optional().describe("Only sessions of this customer."),
    }),
    answers: { 200: { description: "A page.", schema: pageOf(queued) } },
    errors: ["cursor.invalid", "handover.invalid", "input.invalid"],
  },
});
