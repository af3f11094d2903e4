/** What becomes of a message, from what every reader of the log is shown. */
import { follow } from "./follow.ts";
import { placeInSession } from "./places.ts";
import { RequestError, abortedBy } from "./request-error.ts";
import { request, type Wire } from "./transport.ts";
import type { ResultOf } from "./operation-call.ts";
import type { WireEvent } from "./wire.ts";

/** What became of a message. */
export interface ClientReply {
  /** Offset of the message. */
  readonly offset: number;
  /**
   * `paused`: the agent waits for a decision on a call; `waiting`: the session is with people, who answer when they do; `withdrawn`: it was taken
   * back. A reader of public data only cannot tell `stopped` and `paused` from `completed` without a reply.
   */
  readonly status: "completed" | "stopped" | "failed" | "paused" | "waiting" | "withdrawn";
  /** What the agent said. */
  readonly text: string | undefined;
  /** The event that says it. */
  readonly event: WireEvent | undefined;
}

type Status = ClientReply["status"];

/** Follows the log from a message on until its turn has ended, or will not go on by itself. */
export async function replyTo(wire: Wire, message: WireEvent, signal: AbortSignal | undefined): Promise<ClientReply> {
  const { session_id, offset } = message;
  const answer = (status: Status, event?: WireEvent): ClientReply => ({
    offset,
    status,
    text: event === undefined ? undefined : eventText(event),
    event,
  });
  let turn = message.turn_id;
  if (turn === undefined) return answer("waiting");
  let said: WireEvent | undefined;
  let isSaid = false;
  const place = placeInSession(session_id, offset + 1, { kinds: ["message", "status", "session"], drafts: false });
  for await (const event of follow(wire, { place, signal, onConnection: undefined })) {
    if (!("kind" in event)) continue;
    const early = withoutReply(event, offset);
    if (early !== undefined) return answer(early);
    if (event.turn_id !== turn) continue;
    if (event.kind === "message" && event.source === "ai_agent" && event.data.calls === undefined) {
      // What a hook adds after the reply has no origin.
      const isOwn = event.data.origin !== undefined;
      if (isOwn || !isSaid) said = event;
      isSaid ||= isOwn;
    }
    if (event.kind !== "status") continue;
    if (event.data.status === "error") return answer("failed", said);
    if (event.data.status === "ready") return answer(statusOf(event.data.stage), said);
    if (event.data.status !== "cancelled") continue;
    const why = await causeOf(wire, event, signal);
    if (why === undefined || !("turn" in why)) return answer(why?.status ?? "stopped", said);
    [turn, said, isSaid] = [why.turn, undefined, false];
  }
  if (signal?.aborted === true) throw abortedBy(signal);
  throw new RequestError({ code: "session.not_found", status: 404, message: `Session ${session_id} was erased while the reply was waited for.` });
}

/** How a message ends up without a turn's end. */
function withoutReply(event: WireEvent, offset: number): Status | undefined {
  if (event.kind !== "session") return undefined;
  const { data } = event;
  if (data.type === "withdrawn") return data.from <= offset ? "withdrawn" : undefined;
  return data.type === "mode" && data.mode === "manual" ? "waiting" : undefined;
}

const statusOf = (stage: string | undefined): Status => (stage === "stopped" || stage === "paused" ? stage : "completed");

/** What came with the end of a cancelled turn, in the same commit: the message whose turn answers in its place, or that people have taken over. */
async function causeOf(
  wire: Wire,
  { session_id, offset, created_at }: WireEvent,
  signal: AbortSignal | undefined,
): Promise<{ readonly turn: string } | { readonly status: Status } | undefined> {
  const { body } = await request(wire, "listEvents", {
    path: { session_id },
    query: { min_offset: offset + 1, kinds: ["message", "session"], limit: 3 },
    ...(signal === undefined ? {} : { signal }),
  });
  for (const event of (body as ResultOf<"listEvents">)?.items ?? []) {
    if (event.offset > offset + 3 || event.created_at !== created_at) continue;
    const status = withoutReply(event, Number.MAX_SAFE_INTEGER);
    if (status !== undefined) return { status };
    if (event.kind === "message" && event.source === "customer" && event.turn_id !== undefined) return { turn: event.turn_id };
  }
  return undefined;
}

/** The text of a message. */
export function eventText(event: WireEvent): string {
  if (event.kind !== "message") return "";
  return event.data.parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");
}
