/** Schemas of events as they are read, posted and streamed. */
import { z } from "zod";
import { type EventDataByKind, eventDeclarations } from "throughline/session";
import { type EventKind, eventKinds, type EventSource, eventSources } from "throughline/store";
import { schemaOf } from "./declared.ts";
import { json, jsonObject, offset, sessionId, time } from "./wire-value.ts";

/** The event kinds that some audience can see. */
export const wireKinds: readonly EventKind[] = eventKinds.filter((kind) => "shown" in eventDeclarations[kind]);

const common = {
  session_id: sessionId,
  offset,
  id: z.string(),
  source: z.enum(eventSources),
  trace_id: z.string(),
  turn_id: z.string().optional(),
  origin: sessionId.nullable().optional().describe("The session that it was written in, if this one was forked from it since."),
  created_at: time,
  metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
};

/** An event on the wire. For some kinds, customer tokens see fewer members. */
export type WireEvent = {
  [Kind in EventKind]: Omit<z.output<z.ZodObject<typeof common>>, "source"> & {
    readonly source: EventSource;
    readonly kind: Kind;
    readonly data: EventDataByKind[Kind];
  };
}[EventKind];

const [first, ...more] = wireKinds.map((kind) =>
  z.object({ ...common, kind: z.literal(kind), data: schemaOf<unknown>(eventDeclarations[kind].data) }),
);
if (first === undefined) throw new TypeError("Nobody is shown any event.");
/** An event: an immutable entry of the log. */
// The members come from the declarations that also determine the type.
export const wireEvent = z.discriminatedUnion("kind", [first, ...more]).meta({ id: "Event" }) as unknown as z.ZodType<WireEvent, WireEvent>;

const text = z
  .string()
  .max(100_000)
  .refine((value) => value.trim() !== "", "a message needs a text that is not blank");
const participant = z.strictObject({ display_name: z.string().trim().min(1).max(200) });
const metadata = jsonObject.optional();

/** A customer's message. The agent answers it. */
export const customerMessage = z.strictObject({
  kind: z.literal("message"),
  source: z.literal("customer"),
  text,
  input: jsonObject.optional().describe("Values of the agent's other input fields."),
  start: jsonObject.optional().describe("Updates of the agent's start fields."),
  metadata,
});
/** A message of an operator who has taken over. */
const operatorMessage = z.strictObject({ kind: z.literal("message"), source: z.literal("human_agent"), text, participant, metadata });
/** An operator's message in the agent's name. */
const onBehalfMessage = z.strictObject({
  kind: z.literal("message"),
  source: z.literal("human_agent_on_behalf_of_ai_agent"),
  text,
  participant: participant.optional(),
  metadata,
});
/** Starts a turn in which the agent speaks. It has no content. */
const agentTurn = z.strictObject({ kind: z.literal("message"), source: z.literal("ai_agent") });
const message = z.discriminatedUnion("source", [customerMessage, operatorMessage, onBehalfMessage, agentTurn]);

const others = z.enum(["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "system"]);
/** Any JSON that the agent sees in its next turn. */
const custom = z.strictObject({
  kind: z.literal("custom"),
  source: others.optional().describe("`system` if left out."),
  data: json.refine((value) => value !== undefined, "a custom event needs data"),
  metadata,
});
/** The activity of the agent, or of a human operator in its place. */
export const activity = z.enum(["acknowledged", "processing", "typing", "ready", "cancelled", "error"]);
/** The status of a participant other than the agent. The model does not see it. */
const status = z.strictObject({
  kind: z.literal("status"),
  source: others.optional().describe("`human_agent` if left out."),
  status: activity,
  data: jsonObject.optional(),
  metadata,
});

const isMessageWithoutSource = (value: unknown): value is { readonly kind: "message" } =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "message" && !("source" in value);

const posted = z.discriminatedUnion("kind", [message, custom, status]);
type Posted = z.ZodType<z.output<typeof posted>, z.input<typeof posted> | Omit<z.input<typeof customerMessage>, "source">>;

/** An event to post. The default source of a message is the customer. */
export const newEvent = z
  .preprocess((value: unknown) => (isMessageWithoutSource(value) ? { ...value, source: "customer" } : value), posted)
  .meta({ id: "NewEvent" }) as unknown as Posted;

/** An event to post. */
export type NewEventBody = z.output<typeof posted>;

const place = { turn_id: z.string(), epoch: z.int(), message: z.int().describe("Counts the drafts of the turn, from 0.") };

/** The next piece of a reply that is being written. */
const draftDelta = z.object({ type: z.literal("draft.delta"), session_id: sessionId, ...place, text: z.string() }).meta({ id: "DraftDelta" });

/** A running tool call without effects, whose events are not in the log yet. */
const toolStarted = z
  .object({ type: z.literal("tool.started"), session_id: sessionId, ...place, call_id: z.string(), name: z.string().describe("Name of the tool.") })
  .meta({ id: "ToolStarted" });

/** Ends a draft. Without a turn, it ends all drafts of the session; open ones then restart from their beginning. */
const draftReset = z
  .object({
    type: z.literal("draft.reset"),
    session_id: sessionId,
    turn_id: place.turn_id.optional(),
    epoch: place.epoch.optional(),
    message: place.message.optional(),
    reason: z
      .enum(["end", "fence", "manual", "stopped", "failed", "resumed"])
      .describe(
        "`end`: its text was committed, and its message follows; or its calls are over, and their events follow. `resumed`: the stream goes on from where another one was cut.",
      ),
  })
  .meta({ id: "DraftReset" });

/** The data of a `draft` frame: the content of a turn before it is in the log. Such frames are not events and have no id. */
export const draft = z.discriminatedUnion("type", [draftDelta, toolStarted, draftReset]);

/** The data of a `gone` frame: the session was erased. */
export const gone = z.object({ session_id: sessionId }).meta({ id: "Gone" });

/** The data of a `bye` frame, the last one of a stream. The service has ended the stream, and the reader can resume it. */
export const bye = z
  .object({
    reason: z
      .enum(["shutdown", "idle", "expired"])
      .describe("`idle`: nothing has happened for as long as `idle` says. `expired`: the key or the token is not taken any more."),
    positions: z.record(z.string(), offset).describe("The offset to go on from, by session."),
  })
  .meta({ id: "Bye" });

const id = z.string().describe("Where to go on: a reader sends it back as `Last-Event-ID`.");

/** A stream frame with the lines `id`, `event` and `data`. `data` is shown as parsed JSON. */
export const streamFrame = z
  .discriminatedUnion("event", [
    z.object({ event: z.enum(wireKinds), id, data: wireEvent }),
    z.object({ event: z.literal("draft"), data: draft }),
    z.object({ event: z.literal("gone"), data: gone }),
    z.object({ event: z.literal("bye"), id: id.optional(), data: bye }),
  ])
  .meta({ id: "StreamFrame" });

/** A draft on the wire. */
export type WireDraft = z.output<typeof draft>;
/** A `gone` frame on the wire. */
export type Gone = z.output<typeof gone>;
/** A `bye` frame on the wire. */
export type Bye = z.output<typeof bye>;
