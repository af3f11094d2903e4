/** What events hold, by kind and type: every member that is sent. A customer's token is shown what is not optional, and less of some events. */
import { z } from "zod";
import { handover } from "./handover.ts";
import { outcome, tokens } from "./turn.ts";
import { json, jsonObject, mode, offset, sessionId, time } from "./value.ts";

/** An error that an event tells of. Only a tool's own has details. */
const errorInfo = z.object({ code: z.string(), message: z.string(), hint: z.string() });
const toolError = errorInfo.extend({ details: jsonObject.optional() });

/** A part of a message. */
const messagePart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("json"), value: json }),
]);

const messageOrigin = z.object({
  agent_id: z.string().describe("Name of the agent."),
  step_id: z.string(),
  is_trace: z.literal(true).optional().describe("Work on the way to an answer; later requests to a model leave it out."),
  stands_in: z.literal(true).optional().describe("Said to the customer in place of an answer."),
});
const toolCall = z.object({
  call_id: z.string(),
  name: z.string(),
  arguments: jsonObject,
  malformed: z.string().optional().describe("What the model sent in place of a JSON object; the call is not run."),
});

/** What a `message` event holds. */
export const messageData = z.object({
  role: z.enum(["user", "assistant", "system"]),
  parts: z.array(messagePart),
  participant: z.object({ id: z.string().optional(), display_name: z.string().optional() }).optional(),
  origin: messageOrigin.optional().describe("Where an assistant's message came from."),
  input: jsonObject.optional().describe("Values of the agent's other `input` fields that came with the message."),
  start: jsonObject.optional().describe("Values of the agent's `start` fields that came with the message."),
  flagged: z.array(z.string()).optional(),
  calls: z.array(toolCall).optional().describe("The tool calls that an assistant's message asks for."),
  redacted: z.literal(true).optional().describe("What was said was forgotten: there are no parts any more."),
});

const control = z.object({
  reply: z.string().optional(),
  mode: mode.optional(),
  handover: handover.pick({ operator: true, reason: true, alert: true }).optional(),
  memory: z.literal("skip").optional(),
});
const spent = z.object({
  steps: z.number().optional(),
  attempts: z.number().optional(),
  tokens: tokens.optional(),
  active_ms: z.number().optional(),
  cost: z.number().optional().describe("In the unit of the price table."),
});
const toolResult = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ok"),
    value: json,
    shown: z.array(messagePart).optional().describe("What the model reads in place of the value."),
    not_stored: toolError.optional().describe("Why the value is not stored in the state, or not as it was; the call was made."),
  }),
  z.object({ type: z.literal("error"), error: toolError }),
  z.object({ type: z.literal("blocked"), by: z.string(), reason: z.string() }),
  z.object({ type: z.literal("skipped"), reason: z.string() }),
  z.object({ type: z.literal("unknown") }),
]);

/** What a `tool` event holds: a call before it runs, or its result. */
export const toolData = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("called"),
    call_id: z.string(),
    name: z.string(),
    arguments: jsonObject,
    key: z.string().describe("The same whenever this call is run again."),
    effects: z.enum(["none", "idempotent", "once"]),
  }),
  z.object({
    type: z.literal("returned"),
    call_id: z.string(),
    result: toolResult,
    ms: z.number().optional(),
    child: sessionId.optional().describe("The session of the child agent that did the work."),
    spent: spent.optional().describe("What the child agent spent."),
    control: control.optional(),
  }),
]);

/** What a `status` event holds. */
export const statusData = z.object({
  status: z.enum(["acknowledged", "processing", "typing", "ready", "cancelled", "error"]),
  stage: z.string().optional(),
  error: errorInfo.optional(),
  data: jsonObject.optional().describe("What whoever posted it says besides."),
});

const pointer = z.string().describe("A JSON Pointer (RFC 6901).");
const patch = z
  .array(
    z.discriminatedUnion("op", [
      z.object({ op: z.enum(["add", "replace", "test"]), path: pointer, value: json }),
      z.object({ op: z.literal("remove"), path: pointer }),
      z.object({ op: z.enum(["move", "copy"]), from: pointer, path: pointer }),
    ]),
  )
  .describe("A JSON Patch (RFC 6902).");
const writer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input") }),
  z.object({ type: z.literal("stage"), name: z.string() }),
  z.object({ type: z.literal("tool"), name: z.string(), call_id: z.string() }),
  z.object({ type: z.literal("hook"), name: z.string() }),
  z.object({ type: z.literal("operator"), name: z.string().optional() }),
  z.object({ type: z.literal("withdrawal"), from: z.int() }),
  z.object({ type: z.literal("migration"), from: z.int(), to: z.int() }),
]);

/** What a `state` event holds. */
export const stateData = z.object({
  patch,
  writer: writer.optional().describe("Who changed the state; keys alone are told."),
  definition: z.int().optional().describe("Version of the agent's definition; keys alone are told."),
});

const pendingCall = z.object({
  call_id: z.string(),
  name: z.string(),
  kind: z.enum(["approval", "question"]),
  question: json.optional(),
  index: z.int(),
  arguments_hash: z.string(),
  arguments: jsonObject.optional().describe("The arguments, where they are not those that the model gave."),
  by: z.string().describe("The tool, or the hook, that asks."),
  expires_at: time.optional(),
  child: sessionId.optional(),
});
const decision = z.discriminatedUnion("type", [
  z.object({ type: z.literal("approve") }),
  z.object({ type: z.literal("edit"), arguments: jsonObject }),
  z.object({ type: z.literal("answer"), answer: json }),
  z.object({ type: z.literal("reject"), feedback: z.string().optional(), cause: z.string().describe("`person`, `expiry` or `message`.") }),
]);
const step_id = z.string();
const ms = z.number();
const model = z.string().optional().describe("Name of the model, if it is known.");
const cost = z.number().optional().describe("In the unit of the price table.");

/** What a `turn` event holds, by type. */
export const turnData = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("started"),
    cause: z.enum(["message", "greeting", "resume", "trigger", "approval", "schedule", "retry"]),
    answers: z.array(offset).describe("Offsets of the messages that it answers."),
    retries: z.array(offset).optional().describe("Those of them that an earlier turn had answered."),
    versions: z.object({
      agent: z.int(),
      state: z.int(),
      variables: z.int(),
      session_variables: z.int().optional(),
      agent_variables: z.int().optional(),
    }),
    stale: z.array(z.string()).optional().describe("Names of variables whose values were told to be out of date."),
    refreshed: z.record(z.string(), ms).optional().describe("Milliseconds that each refreshed variable took."),
  }),
  z.object({
    type: z.literal("stage"),
    name: z.string(),
    patch: patch.optional(),
    ms,
    control: control.optional(),
    recall: jsonObject.optional().describe("Ids, versions and scores of recalled entries; no text."),
    assessment: jsonObject.optional().describe("Levels and codes that the gate found; no text."),
  }),
  z.object({ type: z.literal("fields"), patch }),
  z.object({ type: z.literal("step"), step_id, model, usage: tokens, finish_reason: z.string(), ms, cost }),
  z.object({ type: z.literal("spent"), model, usage: tokens, ms, cost }),
  z.object({ type: z.literal("attempt"), step_id, error: errorInfo, ms }),
  z.object({ type: z.literal("merged"), step_id, calls: z.array(z.string()), ms }),
  z.object({
    type: z.literal("signal"),
    reason: z.string(),
    message: z.string(),
    source: z.string().optional(),
    context: jsonObject.optional(),
  }),
  z.object({ type: z.literal("continue"), step_id, source: z.string(), waives: z.array(z.string()).optional() }),
  z.object({ type: z.literal("paused"), step_id, pending: z.array(pendingCall) }),
  z.object({
    type: z.literal("decided"),
    call_id: z.string(),
    index: z.int(),
    arguments_hash: z.string(),
    decision,
    by: z.string().optional(),
  }),
  z.object({ type: z.literal("ended"), outcome, diagnostics: jsonObject.describe("Numbers about the turn.") }),
]);

const by = z.string().optional().describe("Who did it, if they said so.");

/** What a `session` event holds, by type. */
export const sessionData = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("created"),
    agent: z.string(),
    definition: z.int().optional().describe("Version of the agent's definition; keys alone are told."),
    state: jsonObject.optional().describe("The first state; keys alone are told."),
    episode: z.literal(1),
    parent: z
      .object({ session_id: sessionId, turn_id: z.string(), call_id: z.string(), depth: z.int(), budget: jsonObject })
      .optional()
      .describe("The call that this session does the work of."),
  }),
  z.object({ type: z.literal("mode"), mode, handover: handover.optional(), by }),
  z.object({ type: z.literal("handover"), handover, by }),
  z.object({ type: z.literal("episode"), closed: z.int(), opened: z.int(), reason: z.enum(["silence", "ended"]) }),
  z.object({
    type: z.literal("remembered"),
    episode: z.int(),
    counts: z.record(z.string(), z.number()).describe("Entries written, by what became of them."),
  }),
  z.object({ type: z.literal("title"), title: z.string().nullable() }),
  z.object({
    type: z.literal("withdrawn"),
    from: offset,
    effects: z.array(z.string()).optional().describe("Side effects that cannot be undone; keys alone are told."),
  }),
  z.object({
    type: z.literal("identified"),
    customer_id: z.string(),
    carried: z.object({ variables: z.array(z.string()), kept: z.array(z.string()), entries: z.int() }).optional(),
  }),
  z.object({ type: z.literal("redacted"), offsets: z.array(offset).describe("The messages at these offsets have no text any more.") }),
  z.object({ type: z.literal("consent"), given: z.boolean(), text_version: z.string(), purpose: z.string() }),
  z.object({
    type: z.literal("disclosure"),
    reason: z.enum(["start", "interval"]),
    text: z.string(),
    suggests_break: z.literal(true).optional(),
  }),
  z.object({ type: z.literal("forked"), at: offset }),
]);

/** What an `assessment` event holds. */
export const assessmentData = z.object({ audit_id: z.string(), level: z.int().min(0).max(3) });
