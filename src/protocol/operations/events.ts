import { z } from "zod";
import { wireEvent } from "../event.ts";
import { defineOperations, metadataMember } from "../operation.ts";
import { newEvent } from "../post.ts";
import { offsetQuery } from "../value.ts";
import { ofCommand, ofMetadata } from "./errors.ts";

const session = "/v1/sessions/{session_id}";

/** What is posted to a session's log, and taken back. */
export const eventOperations = defineOperations({
  postEvent: {
    method: "POST",
    path: `${session}/events`,
    tag: "events",
    summary: "Post a message, a custom event or a status",
    description:
      "A customer's message is on disk when this answers, and will be answered once. A message of source `ai_agent`, without a text, lets the agent speak; the answer is its first event.",
    scope: "sessions:write",
    customers: true,
    members: [metadataMember],
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
});
