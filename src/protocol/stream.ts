/** What a stream of events sends besides events: drafts, and what happens to the stream itself. */
import { z } from "zod";
import { wireEvent, wireKinds } from "./event.ts";
import { offset, sessionId } from "./value.ts";

const place = { turn_id: z.string(), epoch: z.int(), message: z.int().describe("Counts the drafts of the turn, from 0.") };

/** More of a reply that is being written. */
export const draftDelta = z.object({ type: z.literal("draft.delta"), session_id: sessionId, ...place, text: z.string() }).meta({ id: "DraftDelta" });

/** A tool call is running whose events are not in the log yet: its tool has no effects. */
export const toolStarted = z
  .object({ type: z.literal("tool.started"), session_id: sessionId, ...place, call_id: z.string(), name: z.string().describe("Name of the tool.") })
  .meta({ id: "ToolStarted" });

/** A draft is over. Without a turn: all that the reader has of the session's drafts is; what is open follows from its beginning. */
export const draftReset = z
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

/** The data of a frame `draft`: what a turn shows before it is in the log. It is no event, and such frames have no id. */
export const draft = z.discriminatedUnion("type", [draftDelta, toolStarted, draftReset]);

/** The data of a frame `gone`: the session was erased. */
export const gone = z.object({ session_id: sessionId }).meta({ id: "Gone" });

/** The data of a frame `bye`, the last of its stream: it was ended by the service, and can be resumed. */
export const bye = z
  .object({
    reason: z
      .enum(["shutdown", "idle", "expired"])
      .describe("`idle`: nothing has happened for as long as `idle` says. `expired`: the key or the token is not taken any more."),
    positions: z.record(z.string(), offset).describe("The offset to go on from, by session."),
  })
  .meta({ id: "Bye" });

const id = z.string().describe("Where to go on: a reader sends it back as `Last-Event-ID`.");

/** One frame of a stream: the lines `id`, `event` and `data`, with `data` as what its JSON says. */
export const streamFrame = z
  .discriminatedUnion("event", [
    z.object({ event: z.enum(wireKinds), id, data: wireEvent }),
    z.object({ event: z.literal("draft"), data: draft }),
    z.object({ event: z.literal("gone"), data: gone }),
    z.object({ event: z.literal("bye"), id: id.optional(), data: bye }),
  ])
  .meta({ id: "StreamFrame" });

/** A draft, as it is on the wire. */
export type WireDraft = z.output<typeof draft>;
/** A frame `gone`, as it is on the wire. */
export type Gone = z.output<typeof gone>;
/** A frame `bye`, as it is on the wire. */
export type Bye = z.output<typeof bye>;
