/** A session's state, its turns, and the handover between the agent and operators. */
import { z } from "zod";
import { accepted, answer, created, defineOperations, ofCommand, ofStateChange } from "../operation.ts";
import { callEffects, newStatePreview, statePreview, stateWriters } from "../wire-inspect.ts";
import { turnMemory } from "../wire-memory.ts";
import { assignment, decision, handBackRequest, handover, handOverRequest, pendingCall, prompt, startedTurn, turn } from "../wire-turn.ts";
import { customerId, jsonObject, mode, offset, offsetQuery, pageOf, pageQuery, sessionId, wholeQuery } from "../wire-value.ts";

const session = "/v1/sessions/{session_id}";

/** Operations on the state of a session. */
export const stateOperations = defineOperations({
  getState: {
    method: "GET",
    path: `${session}/state`,
    tag: "state",
    summary: "The state now, or as it was at an offset",
    scope: "sessions:read",
    customers: true,
    members: [{ member: "view", except: "public", scope: "state:read" }],
    query: z.strictObject({
      at: offsetQuery.optional(),
      view: z.enum(["public", "output", "internal"]).optional().describe("`public` if left out; `internal` needs no loaded agent;"),
    }),
    answers: answer(
      "The state.",
      z
        .object({
          offset,
          state_offset: offset.describe("Of the last event that changed it; an edit names it."),
          definition: z.int(),
          state: jsonObject,
        })
        .meta({ id: "State" }),
    ),
    errors: ["session.not_found", "agent.not_found", "log.offset_invalid", "log.retained_from"],
  },
  listStateWriters: {
    method: "GET",
    path: `${session}/state/writers`,
    tag: "state",
    summary: "Who wrote each field of the state last, now or at an offset",
    scope: "state:read",
    query: z.strictObject({ at: offsetQuery.optional() }),
    answers: answer("The writers.", stateWriters),
    errors: ["session.not_found", "log.offset_invalid", "log.retained_from"],
  },
  previewState: {
    method: "POST",
    path: `${session}/state/preview`,
    tag: "state",
    summary: "What an edit of the state would do: its patch, and what it would be refused for; nothing is changed",
    scope: "state:write",
    also: "state:read",
    reads: true,
    audited: true,
    body: newStatePreview,
    answers: answer("The preview.", statePreview),
    errors: ["session.not_found", "agent.not_found", "state.definition_newer", "state.migration_missing"],
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
    answers: answer("Where the edit is in the log.", z.object({ offset })),
    errors: [...ofCommand, ...ofStateChange, "input.invalid"],
  },
});

/** Operations on turns and pending calls. */
export const turnOperations = defineOperations({
  listTurns: {
    method: "GET",
    path: `${session}/turns`,
    tag: "turns",
    summary: "The turns of a session",
    scope: "sessions:read",
    query: z.strictObject({ ...pageQuery, status: z.enum(["queued", "running", "ended"]).optional(), order: z.enum(["asc", "desc"]).optional() }),
    answers: answer("A page.", pageOf(turn)),
    errors: ["session.not_found", "cursor.invalid"],
  },
  getTurn: {
    method: "GET",
    path: `${session}/turns/{turn_id}`,
    tag: "turns",
    summary: "A turn",
    scope: "sessions:read",
    answers: answer("The turn.", turn),
    errors: ["session.not_found", "turn.not_found"],
  },
  getTurnMemory: {
    method: "GET",
    path: `${session}/turns/{turn_id}/memory`,
    tag: "turns",
    summary: "What a turn recalled of the person, and why: numbers, and each piece with what became of it",
    scope: "memory:read",
    audited: true,
    answers: answer("The recall.", turnMemory),
    errors: ["session.not_found", "turn.not_found"],
  },
  getPrompt: {
    method: "GET",
    path: `${session}/prompt`,
    tag: "turns",
    summary: "What a model was asked, as it was sent, if the agent keeps requests",
    description: "It shows everything that the model saw.",
    scope: "prompts:read",
    audited: true,
    query: z.strictObject({
      turn: z.string().min(1).max(200).optional().describe("The last one that has a request if left out."),
      step: wholeQuery(1, 100_000).optional().describe("A step of that turn, from 1; its last one if left out."),
    }),
    answers: answer("The request.", prompt),
    errors: ["session.not_found", "turn.not_found", "prompt.not_kept"],
  },
  startTurn: {
    method: "POST",
    path: `${session}/turns`,
    tag: "turns",
    summary: "Let the agent speak: it answers what waits, and sees what people and systems posted",
    scope: "sessions:write",
    body: z.strictObject({ cause: z.enum(["resume", "greeting"]).optional() }),
    bodyOptional: true,
    answers: accepted("The turn that was queued.", startedTurn),
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
    answers: answer("The turn.", turn),
    errors: [...ofCommand, "turn.not_found"],
  },
  retryTurn: {
    method: "POST",
    path: `${session}/turns/{turn_id}/retry`,
    tag: "turns",
    summary: "Answer again what the last turn failed, or was stopped, to answer",
    scope: "sessions:write",
    answers: accepted("The turn that was queued.", startedTurn),
    errors: [...ofCommand, "turn.not_found", "turn.not_retryable", "session.manual"],
  },
  listEffects: {
    method: "GET",
    path: `${session}/effects`,
    tag: "turns",
    summary: "Calls with effects outside, after an offset: what a fork from there does not undo",
    scope: "sessions:read",
    query: z.strictObject({
      after: offsetQuery.optional().describe("The offset to fork at; all calls if left out."),
      limit: wholeQuery(1, 100).optional().describe("1 to 100; 100 if left out."),
    }),
    answers: answer("The calls, in order.", callEffects),
    errors: ["session.not_found"],
  },
  listPending: {
    method: "GET",
    path: `${session}/pending`,
    tag: "turns",
    summary: "The calls that wait for somebody's word",
    scope: "sessions:read",
    query: z.strictObject(pageQuery),
    answers: answer("A page of calls.", pageOf(pendingCall)),
    errors: ["session.not_found", "cursor.invalid"],
  },
  decideCall: {
    method: "POST",
    path: `${session}/turns/{turn_id}/decisions`,
    tag: "turns",
    summary: "Approve, edit, answer or reject a call that waits",
    scope: "sessions:write",
    audited: true,
    body: decision,
    answers: created("Where the decision is in the log.", z.object({ offset, turn_id: z.string() })),
    errors: ["session.not_found", "session.conflict", "turn.not_found", "approval.not_pending", "approval.stale", "input.invalid"],
  },
});

const path = "/v1/sessions/{session_id}/handover";
const standing = z.object({ session_id: sessionId, mode, handover: handover.optional() }).meta({ id: "Standing" });
const answers = answer("Where the handover stands.", standing);
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

/** Operations for handover to operators and back. */
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
    answers: answer("A page.", pageOf(queued)),
    errors: ["cursor.invalid", "handover.invalid", "input.invalid"],
  },
});
