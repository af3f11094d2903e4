/** Schemas of the stream of one turn: a message to stream, the live parts, and their frames. */
import { z } from "zod";
import { patch as declaredPatch, toolCall, toolResult } from "throughline/internal";
import { schemaOf } from "./declared.ts";
import { activity, bye, customerMessage, gone } from "./wire-event.ts";
import { pendingCall } from "./wire-turn.ts";
import { json, jsonObject, offset } from "./wire-value.ts";

/** A customer's message whose turn is streamed. */
export const streamedMessage = customerMessage
  .extend({ kind: customerMessage.shape.kind.optional(), source: customerMessage.shape.source.optional() })
  .meta({ id: "StreamedMessage" });

/** The outcome of a turn. */
export const turnResult = z
  .object({
    offset: offset.describe("Of the message; for a turn without one, of its first event."),
    turn_id: z.string().optional().describe("The turn that answered it. Absent while it waits."),
    status: z
      .enum(["completed", "stopped", "failed", "paused", "waiting", "withdrawn"])
      .describe("Customers are shown `stopped` and `paused` as `completed`, as events show it to them."),
    reply: z.string().optional().describe("The reply to the customer."),
    output: jsonObject.describe("The state at the end of the turn: with `state:read` what integrations are shown, else the public fields."),
    pending: z.array(pendingCall).optional().describe("The calls that a paused turn waits for. Only keys see them."),
    ended_by: z.object({ call_id: z.string(), name: z.string() }).optional().describe("The call that ended the turn. Only keys see it."),
    reason: z.string().optional().describe("Why the turn stopped. Only keys see it."),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional().describe("Why the turn failed. Only keys see it."),
    diagnostics: jsonObject.optional().describe("Metrics of the turn. Only keys see them."),
  })
  .meta({ id: "TurnResult" });

const position = { offset: offset.describe("Of the event that the part is, or of the last one before it. A reader continues after it.") };
const call = { call_id: z.string(), name: z.string().describe("Name of the tool.") };
const requested = pendingCall.extend({ arguments: jsonObject.optional() });

/** One item of a turn's live stream. */
export const livePart = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("status"), ...position, status: activity, stage: z.string().optional() }),
    z.object({ type: z.literal("text.delta"), ...position, text: z.string().describe("Text of the next `message`, provisional until then.") }),
    z.object({
      type: z.literal("draft.reset"),
      ...position,
      reason: z
        .enum(["fence", "manual", "stopped", "failed", "replaced", "reconnected"])
        .describe(
          "The text since the last `message` is void. `replaced`: the committed text is different, or its message is not shown to this reader. `reconnected`: the stream goes on from where another one was cut.",
        ),
    }),
    z.object({
      type: z.literal("message"),
      ...position,
      text: z.string().describe("That of the deltas since the last `message` or `draft.reset`."),
      calls: z.array(schemaOf(toolCall)).readonly().describe("Customers are shown none."),
    }),
    z.object({ type: z.literal("tool.started"), ...position, ...call, arguments: jsonObject.optional() }),
    z.object({
      type: z.literal("tool.progress"),
      ...position,
      call_id: z.string(),
      progress: json.describe("What the running call reports. It replaces the earlier progress of the call, and is not stored."),
    }),
    z.object({ type: z.literal("tool.result"), ...position, ...call, result: schemaOf(toolResult) }),
    z.object({ type: z.literal("approval.requested"), ...position, calls: z.array(requested).readonly() }),
    z.object({ type: z.literal("state"), ...position, patch: schemaOf(declaredPatch).describe("A change of the state's public fields.") }),
    z.object({ type: z.literal("end"), ...position, result: turnResult }),
  ])
  .meta({ id: "LivePart" });

/** What a stream is about: the first frame. */
export const streamAccepted = z
  .object({ offset, turn_id: z.string().optional().describe("The turn that will answer the message. Absent while it waits.") })
  .meta({ id: "StreamAccepted" });

const id = offset.describe("The part's offset: a reader sends it back as `Last-Event-ID`.");

/** A frame of a turn's stream with the lines `id`, `event` and `data`. `data` is shown as parsed JSON. */
export const turnStreamFrame = z
  .discriminatedUnion("event", [
    z.object({ event: z.literal("accepted"), data: streamAccepted }),
    z.object({ event: z.enum(livePart.options.map(({ shape }) => shape.type.value)), id, data: livePart }),
    z.object({ event: z.literal("gone"), data: gone }),
    z.object({ event: z.literal("bye"), id: id.optional(), data: bye }),
  ])
  .meta({ id: "TurnStreamFrame" });

/** A live part on the wire. */
export type WireLivePart = z.output<typeof livePart>;
/** The outcome of a turn on the wire. */
export type WireTurnResult = z.output<typeof turnResult>;
/** What a stream is about, on the wire. */
export type WireStreamAccepted = z.output<typeof streamAccepted>;
