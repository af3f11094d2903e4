/** Events: posting, withdrawing, and reading by page or stream. */
import { z } from "zod";
import { eventSources } from "throughline/store";
import { answer, created, defineOperations, metadataMember, ofCommand, ofMetadata } from "../operation.ts";
import { eventSummaries } from "../wire-inspect.ts";
import { newEvent, streamFrame, wireEvent, wireKinds } from "../wire-event.ts";
import { streamedMessage, turnStreamFrame } from "../wire-turn-stream.ts";
import { flagQuery, listQuery, offset, offsetQuery, wholeQuery } from "../wire-value.ts";

const session = "/v1/sessions/{session_id}";

/** Errors of a customer's message. */
const ofMessage = [
  ...ofCommand,
  ...ofMetadata,
  ...(["agent.not_found", "session.too_many_waiting", "input.invalid"] as const),
  ...(["state.unknown_field", "state.undeclared_write", "state.invalid_value", "state.reducer_mismatch", "state.reducer_failed"] as const),
] as const;

/** Operations that post and withdraw events. */
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
    takesMessage: true,
    body: newEvent,
    answers: created("The event, as everybody reads it.", wireEvent),
    errors: [...ofMessage, "session.manual"],
  },
  getEvent: {
    method: "GET",
    path: `${session}/events/{event}`,
    tag: "events",
    summary: "An event, by its offset or its id",
    scope: "sessions:read",
    customers: true,
    answers: answer("The event.", wireEvent),
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

const seconds = (from: number) => wholeQuery(from, 86_400).optional();
const kinds = listQuery(wireKinds).optional().describe("Kinds, with commas between; all but `turn` if left out.");
const drafts = flagQuery.optional().describe("Whether a stream has drafts of replies; true if left out.");
const idle = seconds(1).describe("A stream ends with a frame `bye` when no event has come for so many seconds; never if left out.");

/** A page of a session's log, with the offset of the next page. */
export const eventPage = z
  .object({
    items: z.array(wireEvent),
    next_offset: offset.describe("Where to go on: everything below was looked at, also what this caller is not shown."),
    head: offset.describe("The last offset at the time of the read; there is more while `next_offset` is not above it."),
  })
  .meta({ id: "EventPage" });

const assessments = { member: "kinds", value: "assessment", scope: "safety:read", customers: true } as const;

/** Operations that read events. */
export const deliveryOperations = defineOperations({
  listEvents: {
    method: "GET",
    path: "/v1/sessions/{session_id}/events",
    tag: "events",
    summary: "Events from an offset on: a page, a long poll, or a stream",
    description: [
      "A page holds at most `limit` events, and fewer when they are large.",
      "With `wait` (or `Prefer: wait=20`) it answers as soon as there is an event, and 204 with a header `Next-Offset` when none has come.",
      "With `Accept: text/event-stream` (or `format=sse`) it is a stream: each event is a frame with its kind as `event` and its offset as `id`, drafts are frames `draft` without an id, and `Last-Event-ID` says where to go on.",
    ].join("\n\n"),
    scope: "sessions:read",
    customers: true,
    events: true,
    members: [assessments],
    query: z.strictObject({
      min_offset: offsetQuery.optional().describe("The first offset: the last one that was seen, plus one. The beginning of the log if left out."),
      kinds,
      source: z
        .enum(eventSources)
        .optional()
        .describe(
          "Who it comes from. With `kinds=message`, `ai_agent` gives the replies alone: no text on the way to one, no message that only calls tools.",
        ),
      trace_id: z
        .string()
        .regex(/^[0-9a-f]{32}$/, "a trace id has 32 hexadecimal digits")
        .optional(),
      limit: wholeQuery(1, 1000).optional().describe("Of a page: 100 if left out."),
      withdrawn: flagQuery.optional().describe("Also what was taken back; false if left out."),
      wait: seconds(0).describe("Of a long poll: seconds to wait at most. The service has a limit of its own, 60 unless it says otherwise."),
      format: z.enum(["json", "sse"]).optional().describe("In place of `Accept`."),
      drafts,
      idle,
    }),
    answers: {
      200: { description: "A page, or a stream.", schema: eventPage, media: ["text/event-stream"], frames: streamFrame },
      204: { description: "No event has come while it waited; `Next-Offset` says where to go on." },
    },
    errors: ["session.not_found", "log.retained_from", "request.not_acceptable", "limit.waiters"],
  },
  listEventSummaries: {
    method: "GET",
    path: "/v1/sessions/{session_id}/summaries",
    tag: "events",
    summary: "Events on one line each, for lists: from an offset on, or the newest first",
    description:
      "A page covers the offsets between `before_offset` and `next_offset` without a gap, also those of events that this caller is not shown, so that pages fit together from both ends.",
    scope: "sessions:read",
    customers: true,
    events: true,
    members: [assessments],
    query: z.strictObject({
      min_offset: offsetQuery.optional().describe("The first offset; the beginning of the log if left out."),
      max_offset: offsetQuery.optional().describe("The last offset; the head if left out."),
      kinds,
      source: z.enum(eventSources).optional(),
      withdrawn: flagQuery.optional().describe("Also what was taken back; false if left out."),
      order: z.enum(["asc", "desc"]).optional().describe("Oldest first (`asc`) if left out."),
      limit: wholeQuery(1, 1000).optional().describe("1000 if left out. A page may have fewer, or none, before the end."),
    }),
    answers: answer("A page.", eventSummaries),
    errors: ["session.not_found", "log.retained_from"],
  },
  streamEvents: {
    method: "GET",
    path: "/v1/stream",
    tag: "events",
    summary: "The events of several sessions, or of all, in one stream",
    description: [
      "Frames are those of one session's stream; an event names its session. The `id` of a frame holds where to go on in each session, as `offsets` takes it, and as a reader sends it back in `Last-Event-ID`.",
      "A session that is erased ends with a frame `gone`; the others go on.",
      "Without `sessions` it is the stream over all sessions, for API keys: the events of each session in order, and those of several in the order of their commits. The `id` of a frame is the cursor, as `after` takes it. There are no drafts, and no frames `gone`.",
    ].join("\n\n"),
    scope: "sessions:read",
    customers: true,
    events: true,
    members: [assessments],
    query: z.strictObject({
      sessions: z.string().min(1).max(4000).optional().describe("Ids of 1 to 100 sessions, with commas between; all sessions if left out."),
      after: z.string().min(1).max(40).optional().describe("Of all sessions: the cursor, the `id` of the last frame; the beginning if left out."),
      offsets: z.string().min(1).max(8000).optional().describe("First offsets, as `ses_a:12,ses_b:4`; the beginning of the log for those left out."),
      kinds,
      drafts,
      idle,
    }),
    answers: { 200: { description: "A stream.", media: ["text/event-stream"], frames: streamFrame } },
    errors: ["session.not_found", "log.retained_from", "cursor.invalid", "limit.waiters"],
  },
});

const turnStream = { 200: { description: "A stream.", media: ["text/event-stream"], frames: turnStreamFrame } } as const;
const after = offsetQuery.optional().describe("Offset of the last part that the reader has; the beginning of the turn if left out.");

/** Operations that stream one turn. */
export const turnStreamOperations = defineOperations({
  streamMessage: {
    method: "POST",
    path: `${session}/stream`,
    tag: "events",
    summary: "Post a customer's message, and stream the turn that answers it",
    description: [
      "The message is on disk when this answers. The first frame, `accepted`, has its offset. Each further frame is a live part with its type as `event` and its offset as `id`; `end` is the last one and has the outcome.",
      "Closing the connection does not stop the turn. `GET …/events/{offset}/stream` continues the stream, and so does the same request with the same `Idempotency-Key`, from its beginning.",
    ].join("\n\n"),
    scope: "sessions:write",
    also: "sessions:read",
    customers: true,
    members: [metadataMember],
    takesMessage: true,
    body: streamedMessage,
    answers: turnStream,
    errors: [...ofMessage, "limit.waiters"],
  },
  followMessage: {
    method: "GET",
    path: `${session}/events/{offset}/stream`,
    tag: "events",
    summary: "Stream the turn that answers a message, or go on with it",
    description: "A turn that takes the message over is streamed, too. `Last-Event-ID` or `after` says where to go on.",
    scope: "sessions:read",
    customers: true,
    events: true,
    query: z.strictObject({ after }),
    answers: turnStream,
    errors: ["session.not_found", "log.offset_invalid", "log.retained_from", "limit.waiters"],
  },
  followTurn: {
    method: "GET",
    path: `${session}/turns/{turn_id}/stream`,
    tag: "turns",
    summary: "Stream a turn, or go on with it",
    description: "`Last-Event-ID` or `after` says where to go on.",
    scope: "sessions:read",
    customers: true,
    events: true,
    query: z.strictObject({ after }),
    answers: turnStream,
    errors: ["session.not_found", "turn.not_found", "limit.waiters"],
  },
});
