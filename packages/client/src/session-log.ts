/** The log of a session: posting events, reading them, and waiting for replies. */
import type { ClientAgent, ClientMessage } from "./agent-types.ts";
import { follow, type Following, placeInSession } from "./follow-log.ts";
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { abortedBy, RequestError } from "./request-errors.ts";
import { request, type Wire } from "./transport.ts";
import { type ClientTurnStream, followTurn, type ClientFollowOptions, streamTurn, type ClientStreamOptions } from "./client-turn-stream.ts";
import type { WireDraft, WireEvent } from "./wire.ts";

type Posted = BodyFor<"postEvent">;
type Custom = Extract<Posted, { readonly kind: "custom" }>;

/** A filter for events. */
export interface ClientEventFilter {
  /** The first offset: the last seen one plus one. The beginning of the log by default. */
  readonly minOffset?: number;
  /** All kinds except `turn` by default. */
  readonly kinds?: readonly WireEvent["kind"][];
  readonly source?: WireEvent["source"];
  readonly traceId?: string;
  /** Whether to include withdrawn events; false by default. */
  readonly withdrawn?: boolean;
}

/** Options for following a log. */
export interface FollowOptions extends ClientEventFilter {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** Called when the stream connects and when it is lost. It reconnects automatically. */
  readonly onConnection?: (connection: "open" | "lost") => void;
}

/** Commands for the log of a session. */
export interface SessionLog<A extends ClientAgent = ClientAgent> {
  /** Posts a customer's message. Once this resolves, the message is durable and will be answered exactly once. */
  post(message: ClientMessage<A>, options?: RequestOptions): Promise<WireEvent>;
  /** Posts a customer's message and waits for its outcome. */
  send(message: ClientMessage<A>, options?: RequestOptions): Promise<ClientReply>;
  /** Waits for the outcome of a message that was posted earlier. */
  replyTo(event: WireEvent, options?: Pick<RequestOptions, "signal">): Promise<ClientReply>;
  /** Posts a message of an operator who has taken over, in the operator's name or in the agent's. */
  postOperator(
    text: string,
    options: RequestOptions & ({ readonly name: string } | { readonly onBehalfOfAgent: true; readonly name?: string }),
  ): Promise<WireEvent>;
  /** Posts any JSON, which the agent sees in its next turn. */
  postCustom(data: Custom["data"], options?: RequestOptions & Pick<Custom, "source" | "metadata">): Promise<WireEvent>;
  /** Posts any event that can be posted. */
  postEvent(event: Posted, options?: RequestOptions): Promise<WireEvent>;
  /** Yields every event from an offset on, once and in order, until the reader stops. Reconnects after any interruption. */
  events(options?: FollowOptions): AsyncGenerator<WireEvent, void, undefined>;
  /** The same with drafts of replies in between. A `draft.reset` ends a draft. */
  live(options?: FollowOptions): AsyncGenerator<WireEvent | WireDraft, void, undefined>;
  /**
   * Posts a customer's message and streams the turn that answers it: text while it is written, calls, approvals, changes of public state, and last the
   * outcome. The message is posted also if nobody reads. Leaving the loop ends the reading; `stopTurn` ends the turn.
   */
  stream(message: ClientMessage<A>, options?: ClientStreamOptions): ClientTurnStream<A>;
  /**
   * Streams the turn of an accepted message, by its offset, or a turn, by its id. `after` is the offset of the last part that the reader has: after a
   * reload, or in another page.
   */
  follow(of: number | string, options?: ClientFollowOptions): ClientTurnStream<A>;
  /** Reads a page of the log. */
  page(query?: QueryFor<"listEvents">, options?: RequestOptions): Promise<NonNullable<ResultOf<"listEvents">>>;
  /** Reads a page of event summaries: one line for each event, from either end of the log. */
  summaries(query?: QueryFor<"listEventSummaries">, options?: RequestOptions): Promise<ResultOf<"listEventSummaries">>;
  /** Reads one event by its offset or id. */
  event(event: number | string, options?: RequestOptions): Promise<WireEvent>;
  /** Withdraws everything from the offset on, which must be the first of a turn. */
  withdraw(minOffset: number, options?: RequestOptions): Promise<void>;
}

/** Creates the log commands of one session. */
export function sessionLog(wire: Wire, call: Caller, session_id: string): SessionLog {
  const path = { session_id };
  const postEvent = (body: Posted, options: RequestOptions = {}): Promise<WireEvent> => call("postEvent", { ...options, path, body });
  const post = (message: ClientMessage, options?: RequestOptions): Promise<WireEvent> =>
    postEvent({ kind: "message", source: "customer", ...(typeof message === "string" ? { text: message } : message) }, options);
  const replyOf = (event: WireEvent, { signal }: Pick<RequestOptions, "signal"> = {}): Promise<ClientReply> => replyTo(wire, event, signal);
  return {
    postEvent,
    post,
    replyTo: replyOf,
    send: async (message, options = {}) => replyOf(await post(message, options), options),
    postOperator: (text, { name, ...options }) => {
      const { onBehalfOfAgent, ...rest } = "onBehalfOfAgent" in options ? options : { onBehalfOfAgent: false, ...options };
      const source = onBehalfOfAgent ? "human_agent_on_behalf_of_ai_agent" : "human_agent";
      // The service rejects an operator's message without a name, unless it is in the agent's name.
      const participant = name === undefined ? {} : { participant: { display_name: name } };
      return postEvent({ kind: "message", source, text, ...participant } as Posted, rest);
    },
    postCustom: (data, { source, metadata, ...options } = {}) =>
      postEvent({ kind: "custom", data, ...(source === undefined ? {} : { source }), ...(metadata === undefined ? {} : { metadata }) }, options),
    events: (options) => read(wire, session_id, { ...options, drafts: false }) as AsyncGenerator<WireEvent, void, undefined>,
    live: (options) => read(wire, session_id, { ...options, drafts: true }),
    stream: (message, options) => streamTurn(wire, session_id, typeof message === "string" ? { text: message } : message, options),
    follow: (of, options) => followTurn(wire, session_id, of, options),
    page: async (query = {}, options = {}) => (await call("listEvents", { ...options, path, query })) as NonNullable<ResultOf<"listEvents">>,
    summaries: (query = {}, options = {}) => call("listEventSummaries", { ...options, path, query }),
    event: (event, options = {}) => call("getEvent", { ...options, path: { session_id, event: String(event) } }),
    withdraw: (min_offset, options = {}) => call("withdrawEvents", { ...options, path, query: { min_offset } }),
  };
}

/** Follows one session. Throws `session.not_found` if it is erased. */
async function* read(
  wire: Wire,
  session_id: string,
  options: FollowOptions & { readonly drafts: boolean },
): AsyncGenerator<WireEvent | WireDraft, void, undefined> {
  const { minOffset, kinds, source, traceId, withdrawn, drafts, signal, onConnection } = options;
  const place = placeInSession(session_id, minOffset, { kinds, source, trace_id: traceId, withdrawn, drafts });
  const following: Following = { place, signal, onConnection };
  for await (const item of follow(wire, following)) {
    if ("type" in item && item.type === "gone")
      throw new RequestError({ code: "session.not_found", status: 404, message: `Session ${session_id} was erased while it was read.` });
    yield item;
  }
}

/** The outcome of a message. */
export interface ClientReply {
  /** Offset of the message. */
  readonly offset: number;
  /**
   * The status of the message.
   *
   * - `paused`: the agent waits for a decision on a call.
   * - `waiting`: operators have the session and will answer.
   * - `withdrawn`: the message was withdrawn.
   *
   * A reader of public data sees `stopped` and `paused` as `completed` without a reply.
   */
  readonly status: "completed" | "stopped" | "failed" | "paused" | "waiting" | "withdrawn";
  /** The agent's reply. */
  readonly text: string | undefined;
  /** The event of the reply. */
  readonly event: WireEvent | undefined;
}

type Status = ClientReply["status"];

/** Follows the log from a message on until its turn has ended or cannot continue by itself. */
async function replyTo(wire: Wire, message: WireEvent, signal: AbortSignal | undefined): Promise<ClientReply> {
  const { session_id, offset } = message;
  const answer = (status: Status, event?: WireEvent): ClientReply => ({
    offset,
    status,
    text: event === undefined ? undefined : eventText(event),
    event,
  });
  let turn = message.turn_id;
  if (turn === undefined) return answer("waiting");
  let reply: WireEvent | undefined;
  let hasOwnReply = false;
  const place = placeInSession(session_id, offset + 1, { kinds: ["message", "status", "session"], drafts: false });
  for await (const event of follow(wire, { place, signal, onConnection: undefined })) {
    if (!("kind" in event)) continue;
    const early = withoutReply(event, offset);
    if (early !== undefined) return answer(early);
    if (event.turn_id !== turn) continue;
    if (event.kind === "message" && event.source === "ai_agent" && event.data.calls === undefined) {
      // Messages that a hook adds after the reply have no origin.
      const isOwn = event.data.origin !== undefined;
      if (isOwn || !hasOwnReply) reply = event;
      hasOwnReply ||= isOwn;
    }
    if (event.kind !== "status") continue;
    if (event.data.status === "error") return answer("failed", reply);
    if (event.data.status === "ready") return answer(statusOf(event.data.stage), reply);
    if (event.data.status !== "cancelled") continue;
    const why = await causeOf(wire, event, signal);
    if (why === undefined || !("turn" in why)) return answer(why?.status ?? "stopped", reply);
    [turn, reply, hasOwnReply] = [why.turn, undefined, false];
  }
  if (signal?.aborted === true) throw abortedBy(signal);
  throw new RequestError({ code: "session.not_found", status: 404, message: `Session ${session_id} was erased before its reply.` });
}

/** Whether an event ends the wait without the end of a turn. */
function withoutReply(event: WireEvent, offset: number): Status | undefined {
  if (event.kind !== "session") return undefined;
  const { data } = event;
  if (data.type === "withdrawn") return data.from <= offset ? "withdrawn" : undefined;
  return data.type === "mode" && data.mode === "manual" ? "waiting" : undefined;
}

const statusOf = (stage: string | undefined): Status => (stage === "stopped" || stage === "paused" ? stage : "completed");

/** Finds the reason for a cancelled turn in the same commit: a message whose turn replaces it, or a handover to operators. */
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
