/** Events on the wire: the same JSON in a page, in a stream, and in the answer to a post. */
import { z } from "zod";
import { assessmentData, messageData, sessionData, stateData, statusData, toolData, turnData } from "./event-data.ts";
import { json, jsonObject, offset, sessionId, time } from "./value.ts";

export const wireKinds = ["message", "tool", "status", "custom", "state", "turn", "session", "assessment"] as const;
export const wireSources = ["customer", "customer_ui", "human_agent", "human_agent_on_behalf_of_ai_agent", "ai_agent", "system"] as const;

const common = {
  session_id: sessionId,
  offset,
  id: z.string(),
  source: z.enum(wireSources),
  trace_id: z.string(),
  turn_id: z.string().optional(),
  origin: sessionId.nullable().optional().describe("The session that it was written in, if this one was forked from it since."),
  created_at: time,
  metadata: jsonObject.optional().describe("The integration's own; only for keys that may read metadata."),
};

/** An event: an immutable fact at its place in the log. */
export const wireEvent = z
  .discriminatedUnion("kind", [
    z.object({ ...common, kind: z.literal("message"), data: messageData }),
    z.object({ ...common, kind: z.literal("tool"), data: toolData }),
    z.object({ ...common, kind: z.literal("status"), data: statusData }),
    z.object({ ...common, kind: z.literal("custom"), data: z.object({ value: json }) }),
    z.object({ ...common, kind: z.literal("state"), data: stateData }),
    z.object({ ...common, kind: z.literal("turn"), data: turnData }),
    z.object({ ...common, kind: z.literal("session"), data: sessionData }),
    z.object({ ...common, kind: z.literal("assessment"), data: assessmentData }),
  ])
  .meta({ id: "Event" });

/** An event as it is on the wire. */
export type WireEvent = z.output<typeof wireEvent>;
