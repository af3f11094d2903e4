/** Schemas of turns, pending calls and handovers. */
import { z } from "zod";
import { outcome as declaredOutcome, usageData, handover as declared } from "throughline/internal";
import { schemaOf } from "./declared.ts";
import { json, jsonObject, offset, sessionId, time } from "./wire-value.ts";

/** Tokens by kind. Kinds without tokens are omitted. */
export const tokens = schemaOf(usageData);

/** The outcome of a turn. */
const outcome = schemaOf(declaredOutcome);

/** A turn: one cause and one outcome. */
export const turn = z
  .object({
    turn_id: z.string(),
    number: z.int(),
    cause: z.enum(["message", "greeting", "resume", "trigger", "approval", "schedule", "retry"]),
    status: z.enum(["queued", "running", "ended"]),
    attempts: z.int().describe("How often it was claimed since it last got further."),
    trace_id: z.string(),
    created_at: time,
    started_offset: offset.optional(),
    ended_offset: offset.optional(),
    answers: z.array(offset).optional().describe("Offsets of the messages that it answers."),
    retries: z.array(offset).optional().describe("Those of them that an earlier turn had answered, and that this one was asked to answer again."),
    outcome: outcome.optional(),
    usage: tokens,
    cost: z.number().describe("In the unit of the price table; 0 without prices."),
  })
  .meta({ id: "Turn" });

/** A model request as it was sent. */
export const prompt = z
  .object({
    turn_id: z.string(),
    step: z.int().describe("Counts the turn's model calls from 1."),
    body: z.string().describe("The request as JSON, byte for byte what the model's adapter was given."),
    record: jsonObject.describe("What it was made of, and what was left out."),
    kept_at: time,
    expires_at: time,
  })
  .meta({ id: "Prompt" });

/** A requested turn. */
export const startedTurn = z.object({ turn_id: z.string() }).meta({ id: "StartedTurn" });

/** A call that waits for a decision. */
export const pendingCall = z
  .object({
    call_id: z.string(),
    name: z.string().describe("The tool."),
    kind: z.enum(["approval", "question"]),
    question: json.optional(),
    index: z.int().min(0),
    arguments: jsonObject,
    arguments_hash: z.string().describe("A decision names it, so that it holds for what was looked at."),
    by: z.string().describe("The tool, or the hook, that asks."),
    turn_id: z.string(),
    asked_at: time,
    expires_at: time.optional(),
    child: sessionId.optional(),
  })
  .meta({ id: "PendingCall" });

/** A decision on a pending call. */
export const decision = z
  .strictObject({
    call_id: z.string().min(1).max(500),
    arguments_hash: z.string().min(1).max(200),
    index: z.int().min(0).optional(),
    decision: z.enum(["approve", "edit", "answer", "reject"]),
    arguments: jsonObject.optional(),
    answer: json.optional(),
    feedback: z.string().min(1).max(100_000).optional(),
    by: z.string().min(1).max(200).optional(),
  })
  .meta({ id: "Decision" });

const person = z.string().min(1).max(200).describe("The integration's own id of a person.");
const reason = z.string().min(1).max(500);
const alert = z.int().min(1).max(1000).describe("Level of a safety alert; alerts stand in front, the highest before all others.");

/** The status of a handover. */
export const handover = schemaOf(declared);

/** Requests a handover to operators. */
export const handOverRequest = z
  .strictObject({ operator: person.optional(), reason: reason.optional(), alert: alert.optional() })
  .meta({ id: "HandOver" });
/** Assigns a session to an operator, from another one if `from` is set. */
export const assignment = z.strictObject({ operator: person, from: person.optional() }).meta({ id: "Assignment" });
/** Hands a session back to the agent. */
export const handBackRequest = z
  .strictObject({
    summary: z.string().min(1).max(100_000).optional().describe("What happened meanwhile, for the agent."),
    state: jsonObject.optional().describe("A change of the state, through the agent's reducers."),
    resume: z.boolean().optional().describe("Let the agent speak at once; it stays silent until it is sent a message otherwise."),
  })
  .meta({ id: "HandBack" });
