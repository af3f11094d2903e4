/** Schemas of reads for operators: event summaries, writers of the state, effects of calls, previews, and the status of the service. */
import { z } from "zod";
import { eventSources, turnCauses, turnStatuses } from "throughline/store";
import { scopes } from "./wire-auth.ts";
import { wireKinds } from "./wire-event.ts";
import { jsonObject, offset, sessionId, time } from "./wire-value.ts";

/** Maximum characters of a preview. */
export const previewCharacters = 80;

/** One event in a list, without its data. */
export const eventSummary = z
  .object({
    offset,
    kind: z.enum(wireKinds),
    type: z
      .string()
      .optional()
      .describe(
        "The role of a message, the status of a status, the kind of writer of a state change, and `data.type` of a tool, turn or session event.",
      ),
    source: z.enum(eventSources),
    at: time,
    turn_id: z.string().optional(),
    preview: z
      .string()
      .optional()
      .describe(`The begin of the text, the name of the tool, the fields that changed: at most ${previewCharacters} characters, on one line.`),
  })
  .meta({ id: "EventSummary" });

/** Summaries of a stretch of the log. */
export const eventSummaries = z
  .object({
    items: z.array(eventSummary).describe("In the order asked for."),
    before_offset: offset.nullable().describe("The last offset before this page: the `max_offset` of the older page. Null if the log begins here."),
    next_offset: offset.describe("The first offset after this page: the `min_offset` of the newer page."),
    head: offset.describe("The last offset of the log."),
  })
  .meta({ id: "EventSummaries" });

const writer = z
  .object({
    type: z.string().describe("`stage`, `tool`, `hook`, `operator`, `input`, `withdrawal` or `migration`."),
    name: z.string().optional(),
    call_id: z.string().optional(),
    from: z.int().optional(),
    to: z.int().optional(),
  })
  .meta({ id: "StateWriter" });

/** The last writer of each field. */
export const stateWriters = z
  .object({
    offset,
    fields: z
      .record(z.string(), z.object({ offset, writer: writer.optional().describe("Absent for a field that has its first value.") }))
      .describe("By the name of the field: where it last changed."),
  })
  .meta({ id: "StateWriters" });

/** An edit to try. */
export const newStatePreview = z
  .strictObject({ delta: jsonObject.describe("As an edit takes it: an update of each field, for the field's reducer.") })
  .meta({ id: "NewStatePreview", examples: [{ delta: { note: "calls back on Monday" } }] });

/** What an edit would do. */
export const statePreview = z
  .object({
    state_offset: offset.describe("What it was decided on; an edit with this as `expected_offset` does the same or is refused."),
    patch: z.array(jsonObject).describe("The operations (RFC 6902) that it would commit; none if there are problems."),
    problems: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })).describe("What it would be refused for, by field."),
  })
  .meta({ id: "StatePreview" });

/** A call with effects outside. */
export const callEffect = z
  .object({
    offset: offset.describe("Where it began."),
    turn_id: z.string().optional(),
    call_id: z.string(),
    name: z.string(),
    arguments: jsonObject,
    effects: z.enum(["idempotent", "once"]),
    key: z.string().describe("The idempotency key that the tool was given."),
    result: jsonObject.optional().describe("Absent if none is recorded: the call runs, or its process died."),
    returned_at: offset.optional().describe("Where its result is."),
  })
  .meta({ id: "CallEffect" });

/** Calls with effects. */
export const callEffects = z
  .object({ items: z.array(callEffect), next_after: offset.nullable().describe("The `after` of the next page; null at the end.") })
  .meta({ id: "CallEffects" });

/** What an erasure would remove. */
export const erasurePreview = z
  .object({
    sessions: z.int(),
    events: z.int().describe("Without those that forks of other sessions go on reading."),
    forks: z.int().describe("Sessions that were forked from them and stay, with the events that they share."),
    variables: z.int().describe("Variables of the customer, if the customer is erased."),
    memory: z
      .object({ facts: z.int(), turns: z.int(), arcs: z.int(), rules: z.int(), held: z.int() })
      .nullable()
      .describe("Memory that goes with them; null if it stays, because its owner does."),
  })
  .meta({ id: "ErasurePreview" });

/** The highest level of the assessments of a session. */
export const sessionSafety = z
  .object({
    session_id: sessionId,
    level: z.int().min(0).max(3).nullable().describe("Null if nothing of it was assessed."),
    offset: offset.optional().describe("The last assessment of that level."),
    at: time.optional(),
    assessments: z.int(),
  })
  .meta({ id: "SessionSafety" });

/** An open turn with its lease. */
export const leasedTurn = z
  .object({
    session_id: sessionId,
    agent: z.string(),
    turn_id: z.string(),
    cause: z.enum(turnCauses),
    status: z.enum(turnStatuses),
    attempts: z.int().describe("How often it was claimed since it last got further."),
    urgent: z.literal(true).optional(),
    created_at: time,
    worker: z.string().optional().describe("Who holds it: host and process. Absent while it waits."),
    until: time.optional().describe("When the lease or the wait ends. Absent for a turn that can be claimed now."),
  })
  .meta({ id: "LeasedTurn" });

const allowance = { requests_per_minute: z.int(), event_reads_per_minute: z.int(), waiters: z.int() };

/** The state of the service. */
export const serviceStatus = z
  .object({
    name: z.literal("throughline"),
    version: z.string(),
    schema: z.int().describe("Version of the database's schema; all migrations up to it have run."),
    engine: z.string().exactOptional().describe("Engine of the database: `sqlite`, `postgres`, `memory`, or what another store calls its own."),
    agents: z.array(z.object({ name: z.string(), version: z.int() })),
    open_turns: z.object({ total: z.int(), held: z.int().describe("Those that a worker holds.") }),
    limits: z
      .object({
        ...allowance,
        customer: z.object(allowance).describe("Of a customer with a token."),
        body_bytes: z.int(),
        event_bytes: z.int(),
        page_events: z.int(),
        wait_ms: z.int(),
      })
      .describe("0 means no limit."),
  })
  .meta({ id: "ServiceStatus" });

/** An API key without its secret. */
export const apiKey = z
  .object({
    id: z.string().describe("16 characters; the key is `tl_live_<id>_<secret>`."),
    name: z.string(),
    scopes: z.array(z.enum(scopes)),
    created_at: time,
    expires_at: time.exactOptional(),
    revoked_at: time.exactOptional(),
    last_used_at: time.exactOptional().describe("To the minute."),
  })
  .meta({ id: "ApiKey" });

/** Requests an API key. */
export const newApiKey = z
  .strictObject({
    name: z.string().min(1).max(100).describe("What it is for."),
    scopes: z.array(z.enum(scopes)).min(1),
    expires_at: time.optional().describe("When it ends; never if left out."),
  })
  .meta({ id: "NewApiKey", examples: [{ name: "inspector", scopes: ["sessions:read", "state:read"] }] });

/** A new API key. */
export const issuedApiKey = apiKey.extend({ key: z.string().describe("Shown once: only a hash of it is kept.") }).meta({ id: "IssuedApiKey" });
