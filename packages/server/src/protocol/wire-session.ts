/** Schemas of sessions, agents, variables and usage. */
import { z } from "zod";
import { nodeKinds } from "throughline/routines";
import { eventSources } from "throughline/store";
import { handover, tokens } from "./wire-turn.ts";
import { customerId, json, jsonObject, mergePatch, mode, offset, sessionId, time } from "./wire-value.ts";

const title = z.string().max(200).nullable().describe("At most 200 characters; null takes it away.");
/** A label of a session. */
export const label = z.string().min(1).max(200);
const consumerName = z.string().min(1).max(200);
const agentName = z.string().min(1).max(200).describe("Name of a registered agent.");

/** A session. Customer tokens see only the required members. */
export const session = z
  .object({
    id: sessionId,
    agent: z.string(),
    definition: z.int().optional().describe("Version of the agent's definition that its state was written by."),
    customer_id: customerId.optional().describe("Absent for an anonymous session."),
    mode,
    handover: handover.optional(),
    title: z.string().nullable(),
    labels: z.array(z.string()).optional(),
    metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
    consumers: z.record(z.string(), offset).optional().describe("How far named consumers have read."),
    incognito: z.literal(true).optional().describe("Nothing of it is remembered, and nothing recalled in it."),
    episode: z.int(),
    turns: z.int().optional().describe("How many turns it has had, with one that is queued. A fork counts on from the turns of its origin."),
    head: offset.describe("The last offset."),
    origin: z
      .object({ session_id: sessionId.nullable(), at: offset })
      .optional()
      .describe("What it was forked from; the id is null if that session was deleted."),
    created_at: time,
    updated_at: time,
    version: z.int().describe("Raised by every change of mode, title, metadata, labels and consumers; the `ETag`."),
  })
  .meta({ id: "Session" });

/** A session in a list. */
export const foundSession = session
  .extend({
    waits_for: z
      .array(z.enum(["approval", "answer"]))
      .optional()
      .describe("What its paused turn waits for: an approval of a call, or an answer to a question. Absent if it waits for neither."),
    last_message: z
      .object({
        offset,
        source: z.enum(eventSources),
        at: time,
        text: z.string().describe("Its beginning on one line, at most 80 characters."),
      })
      .optional()
      .describe("The last message that its customer may see, without withdrawn and redacted ones. Absent if there is none among the last 20."),
    match: z
      .object({ offset: offset.optional(), text: z.string() })
      .optional()
      .describe("Where the words that were searched for are: the offset of a message, or none for the title."),
  })
  .meta({ id: "FoundSession" });

/** A session of a list on the wire. */
export type WireFoundSession = z.output<typeof foundSession>;

/** A session on the wire. */
export type WireSession = z.output<typeof session>;

const given = {
  agent: agentName,
  customer_id: customerId.optional(),
  title: z.string().max(200).optional(),
  metadata: jsonObject.optional(),
  labels: z.array(label).max(100).optional(),
  incognito: z.boolean().optional().describe("Remember nothing of it, and recall nothing in it; it never changes. False if left out."),
};

/** Options of a new session. */
export const newSession = z
  .strictObject({ ...given, greet: z.boolean().optional().describe("Let the agent speak first; false if left out.") })
  .meta({ id: "NewSession", examples: [{ agent: "companion", customer_id: "crm-7", title: "Sleep" }] });

/** Options for opening a session. Agent, customer and key identify it; the other members apply if it is created. */
export const openSession = z
  .strictObject({ ...given, key: z.string().min(1).max(255).optional().describe("Tells sessions of one customer and agent apart.") })
  .meta({ id: "OpenSession", examples: [{ agent: "companion", customer_id: "crm-7" }] });

/** A change of a session. Absent members stay unchanged. */
export const sessionPatch = z
  .strictObject({
    title: title.optional(),
    mode: mode.optional(),
    metadata: mergePatch.optional(),
    labels: z.strictObject({ add: z.array(label).max(100).optional(), remove: z.array(label).max(100).optional() }).optional(),
    consumers: z.record(consumerName, offset.nullable()).optional().describe("How far named consumers have read; null takes one away."),
  })
  .meta({ id: "SessionPatch", examples: [{ title: "Nights", labels: { add: ["sleep"] } }] });

/** The customer of an anonymous session. */
export const identification = z
  .strictObject({
    customer_id: customerId.describe("Registered if it is not known yet."),
    carry: z.boolean().optional().describe("Moves what the anonymous session has of its own to the customer; else it is removed."),
  })
  .meta({ id: "Identification" });

/** The origin of a fork. */
export const newFork = z
  .strictObject({
    at: offset.optional().describe("The last offset that is shared; the head if left out."),
    title: z.string().max(200).optional(),
    reuse: z
      .boolean()
      .optional()
      .describe(
        "Calls of tools give what is recorded after `at` for the same name and arguments, and do not run. A `once` tool never runs in the fork: without a recorded result its call is blocked. False if left out.",
      ),
  })
  .meta({ id: "NewFork" });

/** Imports a bundle. */
export const newImport = z.strictObject({ bundle: z.string().min(1).describe("The lines of an export.") }).meta({ id: "NewImport" });

/** What an import wrote. */
export const importReport = z
  .object({
    customer_id: z.string().nullable().describe("Null if the sessions are anonymous."),
    sessions: z.record(z.string(), sessionId).describe("The new ids of the sessions, by their ids in the bundle."),
    events: z.int(),
  })
  .meta({ id: "ImportReport" });

/** A routine without its instructions. */
const routineGraph = z
  .object({
    id: z.string(),
    version: z.int(),
    title: z.string(),
    description: z.string(),
    autonomous: z.boolean().describe("Whether it runs without a conversation."),
    entry: z.string().describe("The first node."),
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(nodeKinds),
        about: z.string().optional().describe("The tool that it calls, the routine that it runs, or the event that it waits for."),
        next: z
          .array(z.object({ to: z.string(), when: z.string().optional().describe("The condition in words.") }))
          .describe("Where it goes: the first that applies."),
        error: z.string().optional().describe("Where it goes if the action fails."),
      }),
    ),
  })
  .meta({ id: "RoutineGraph" });

/** An agent that can run sessions. */
export const agent = z
  .object({
    name: z.string(),
    version: z.int().describe("Version of its definition."),
    input: jsonObject.describe("JSON Schema of what may come with a message."),
    public: jsonObject.describe("JSON Schema of the state that customers may see."),
    output: jsonObject.describe("JSON Schema of the state that integrations are shown: the public fields, and more."),
    fields: z
      .record(
        z.string(),
        z.object({
          lifecycle: z.enum(["input", "reduced", "loaded", "turn"]).describe("Only `reduced` fields are stored between turns, and can be edited."),
          show: z.enum(["internal", "output", "public"]),
          reducer: z.string().describe("Name of the reducer that applies an update."),
          schema: jsonObject.describe("JSON Schema of its value."),
        }),
      )
      .optional()
      .describe("All fields of the state, by name; only for keys that may read state."),
    routines: z
      .array(routineGraph)
      .optional()
      .describe("The routines that it follows; only for keys that may read state. Absent for an agent without any."),
  })
  .meta({ id: "Agent" });

const version = z.int().describe("Raised by every change of a value; the `ETag`. 0 before the first.");

/** All variables of one scope. */
export const variables = z
  .object({
    values: jsonObject.describe("What agents may know, from their next turn on, by name."),
    checked: z.record(z.string(), time).describe("When each value was last set, or refreshed and found to hold still."),
    stale: z.array(z.string()).describe("Names of values that could not be refreshed since."),
    version,
  })
  .meta({ id: "Variables" });

/** One variable. */
export const variable = z.object({ name: z.string(), value: json, checked_at: time, stale: z.boolean(), version }).meta({ id: "Variable" });

/** The value of a variable; null is a value. */
export const variableValue = z
  .strictObject({ value: json.refine((value) => value !== undefined, "a variable is set to a value; null is one") })
  .meta({ id: "VariableValue" });

const ofModel = {
  steps: z.int().describe("Model calls that were answered."),
  tokens,
  cost: z.number().describe("In the unit of the price table; 0 without prices."),
};

/** The cost of a session or of all sessions of a customer. It includes child agents and withdrawn turns. */
export const usage = z
  .object({
    turns: z.int().describe("Turns that have ended."),
    ...ofModel,
    attempts: z.int().describe("Model calls that failed."),
    active_ms: z.number().describe("Milliseconds with at least one call in flight."),
    models: z.record(z.string(), z.object(ofModel)).describe("The same by the name of the model; `unknown` for what was asked of none by name."),
  })
  .meta({ id: "Usage" });
