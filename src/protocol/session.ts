/** Sessions on the wire. */
import { z } from "zod";
import { handover } from "./handover.ts";
import { customerId, jsonObject, mergePatch, mode, offset, sessionId, time } from "./value.ts";

const title = z.string().max(200).nullable().describe("At most 200 characters; null takes it away.");
/** A label of a session. */
export const label = z.string().min(1).max(200);
const consumerName = z.string().min(1).max(200);
const agentName = z.string().min(1).max(200).describe("Name of a registered agent.");

/** A session, as it stands. A customer's token is shown what is not optional. */
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

/** A session as a search has found it. */
export const foundSession = session
  .extend({
    match: z
      .object({ offset: offset.optional(), text: z.string() })
      .optional()
      .describe("Where the words that were searched for are: the offset of a message, or none for the title."),
  })
  .meta({ id: "FoundSession" });

/** A session as it is on the wire. */
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

/** Options of opening a session: agent, customer and key find it, the rest creates it. */
export const openSession = z
  .strictObject({ ...given, key: z.string().min(1).max(255).optional().describe("Tells sessions of one customer and agent apart.") })
  .meta({ id: "OpenSession", examples: [{ agent: "companion", customer_id: "crm-7" }] });

/** A change of a session; absent members stay. */
export const sessionPatch = z
  .strictObject({
    title: title.optional(),
    mode: mode.optional(),
    metadata: mergePatch.optional(),
    labels: z.strictObject({ add: z.array(label).max(100).optional(), remove: z.array(label).max(100).optional() }).optional(),
    consumers: z.record(consumerName, offset.nullable()).optional().describe("How far named consumers have read; null takes one away."),
  })
  .meta({ id: "SessionPatch", examples: [{ title: "Nights", labels: { add: ["sleep"] } }] });

/** Who an anonymous session turns out to belong to. */
export const identification = z
  .strictObject({
    customer_id: customerId.describe("Registered if it is not known yet."),
    carry: z.boolean().optional().describe("Moves what the anonymous session has of its own to the customer; else it is removed."),
  })
  .meta({ id: "Identification" });

/** Where a fork begins. */
export const newFork = z
  .strictObject({ at: offset.optional().describe("The last offset that is shared; the head if left out."), title: z.string().max(200).optional() })
  .meta({ id: "NewFork" });
