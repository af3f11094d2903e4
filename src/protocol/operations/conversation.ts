import { z } from "zod";
import { wireEvent } from "../event.ts";
import { defineOperations } from "../operation.ts";
import { pageOf, pageQuery } from "../page.ts";
import { newEvent } from "../post.ts";
import { decision, pendingCall, startedTurn, turn } from "../turn.ts";
import { jsonObject, offset, offsetQuery } from "../value.ts";
import { ofCommand, ofMetadata, ofStateChange } from "./errors.ts";

const session = "/v1/sessions/{session_id}";

/** What is written to a session's log, its state, and its turns. */
export const conversationOperations = defineOperations({
  postEvent: {
    method: "POST",
    path: `${session}/events`,
    tag: "events",
    summary: "Post a message, a custom event or a status",
    description:
      "A customer's message is on disk when this answers, and will be answered once. A message of source `ai_agent`, without a text, lets the agent speak; the answer is its first event.",
    scope: "sessions:write",
    customers: true,
    body: newEvent,
    answers: { 201: { description: "The event, as everybody reads it.", schema: wireEvent } },
    errors: [
      ...ofCommand,
      ...ofMetadata,
      ...(["agent.not_found", "session.manual", "session.too_many_waiting", "input.invalid"] as const),
      ...(["state.unknown_field", "state.undeclared_write", "state.invalid_value", "state.reducer_mismatch", "state.reducer_failed"] as const),
    ],
  },
  getEvent: {
    method: "GET",
    path: `${session}/events/{event}`,
    tag: "events",
    summary: "An event, by its offset or its id",
    scope: "sessions:read",
    customers: true,
    answers: { 200: { description: "The event.", schema: wireEvent } },
    errors: ["session.not_found", "event.not_found"],
  },
  withdrawEvents: {
    method: "DELETE",
    path: `${session}/events`,
    tag: "events",
    summary: "Take back everything from an offset on",
    description:
      "`min_offset` is the first offset of a turn; one past the end changes nothing. What was done outside is listed in the log, not undone.",
    scope: "sessions:write",
    audited: true,
    query: z.strictObject({ min_offset: offsetQuery }),
    answers: { 204: { description: "It is taken back." } },
    errors: [...ofCommand, "session.withdraw_splits_turn", "log.offset_invalid", "log.retained_from"],
  },
  getState: {
    method: "GET",
    path: `${session}/state`,
    tag: "state",
    summary: "The state now, or as it was at an offset",
    scope: "sessions:read",
    customers: true,
    query: z.strictObject({
      at: offsetQuery.optional(),
      view: z.enum(["public", "output", "internal"]).optional().describe("`public` if left out; the others need the scope `state:read`."),
    }),
    answers: {
      200: {
        description: "The state.",
        schema: z
          .object({
            offset,
            state_offset: offset.describe("Of the last event that changed it; an edit names it."),
            definition: z.int(),
            state: jsonObject,
          })
          .meta({ id: "State" }),
      },
    },
    errors: ["session.not_found", "agent.not_found", "log.offset_invalid", "log.retained_from"],
  },
  editState: {
    method: "PATCH",
    path: `${session}/state`,
    tag: "state",
    summary: "Change the state by hand, through the agent's reducers",
    scope: "state:write",
    audited: true,
    body: z
      .strictObject({
        delta: jsonObject,
        expected_offset: offset.optional().describe("The `state_offset` that the change was decided on."),
        operator: z.string().min(1).max(200).optional(),
      })
      .meta({ id: "StateEdit" }),
    answers: { 200: { description: "Where the edit is in the log.", schema: z.object({ offset }) } },
    errors: [...ofCommand, ...ofStateChange, "input.invalid"],
  },
  listTurns: {
    method: "GET",
    path: `${session}/turns`,
    tag: "turns",
    summary: "The turns of a session",
    scope: "sessions:read",
    query: z.strictObject({ ...pageQuery, status: z.enum(["queued", "running", "ended"]).optional(), order: z.enum(["asc", "desc"]).optional() }),
    answers: { 200: { description: "A page.", schema: pageOf(turn) } },
    errors: ["session.not_found", "cursor.invalid"],
  },
  getTurn: {
    method: "GET",
    path: `${session}/turns/{turn_id}`,
    tag: "turns",
    summary: "A turn",
    scope: "sessions:read",
    answers: { 200: { description: "The turn.", schema: turn } },
    errors: ["session.not_found", "turn.not_found"],
  },
  startTurn: {
    method: "POST",
    path: `${session}/turns`,
    tag: "turns",
    summary: "Let the agent speak: it answers what waits, and sees what people and systems posted",
    scope: "sessions:write",
    body: z.strictObject({ cause: z.enum(["resume", "greeting"]).optional() }),
    bodyOptional: true,
    answers: { 202: { description: "The turn that was queued.", schema: startedTurn } },
    errors: [...ofCommand, "session.manual"],
  },
  stopTurn: {
    method: "POST",
    path: `${session}/turns/{turn_id}/stop`,
    tag: "turns",
    summary: "Stop a turn that has not ended",
    scope: "sessions:write",
    audited: true,
    body: z.strictObject({ message: z.string().min(1).max(1000).optional() }),
    bodyOptional: true,
    answers: { 200: { description: "The turn.", schema: turn } },
    errors: [...ofCommand, "turn.not_found"],
  },
  retryTurn: {
    method: "POST",
    path: `${session}/turns/{turn_id}/retry`,
    tag: "turns",
    summary: "Answer again what the last turn failed, or was stopped, to answer",
    scope: "sessions:write",
    answers: { 202: { description: "The turn that was queued.", schema: startedTurn } },
    errors: [...ofCommand, "turn.not_found", "turn.not_retryable", "session.manual"],
  },
  listPending: {
    method: "GET",
    path: `${session}/pending`,
    tag: "turns",
    summary: "The calls that wait for somebody's word",
    scope: "sessions:read",
    answers: { 200: { description: "The calls.", schema: z.object({ items: z.array(pendingCall) }) } },
    errors: ["session.not_found"],
  },
  decideCall: {
    method: "POST",
    path: `${session}/turns/{turn_id}/decisions`,
    tag: "turns",
    summary: "Approve, edit, answer or reject a call that waits",
    scope: "sessions:write",
    audited: true,
    body: decision,
    answers: { 201: { description: "Where the decision is in the log.", schema: z.object({ offset, turn_id: z.string() }) } },
    errors: ["session.not_found", "session.conflict", "turn.not_found", "approval.not_pending", "approval.stale", "input.invalid"],
  },
});
