/** The log of a session: what is posted to it, and reading it. */
import { follow, type Following } from "./follow.ts";
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { placeInSession } from "./places.ts";
import { replyTo, type ClientReply } from "./reply.ts";
import { RequestError } from "./request-error.ts";
import type { Wire } from "./transport.ts";
import type { WireDraft, WireEvent } from "./wire.ts";

type Posted = BodyFor<"postEvent">;
type Custom = Extract<Posted, { readonly kind: "custom" }>;

/** A customer's message: its text, and values that go with it. */
export type ClientMessage = string | Omit<Extract<Posted, { readonly source: "customer"; readonly text: string }>, "kind" | "source">;

/** Which events to read. */
export interface ClientEventFilter {
  /** The first offset: the last one that was seen, plus one; the beginning of the log if left out. */
  readonly minOffset?: number;
  /** All but `turn` if left out. */
  readonly kinds?: readonly WireEvent["kind"][];
  readonly source?: WireEvent["source"];
  readonly traceId?: string;
  /** Also what was taken back; false by default. */
  readonly withdrawn?: boolean;
}

/** How to follow a log. */
export interface FollowOptions extends ClientEventFilter {
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** Hears when the stream stands, and when it is lost: it comes back by itself. */
  readonly onConnection?: (connection: "open" | "lost") => void;
}

/** What can be posted to a session, and read of it. */
export interface SessionLog {
  /** Posts a customer's message. It is on disk when this returns, and will be answered once. */
  post(message: ClientMessage, options?: RequestOptions): Promise<WireEvent>;
  /** Posts a customer's message and waits for what becomes of it. */
  send(message: ClientMessage, options?: RequestOptions): Promise<ClientReply>;
  /** Waits for what becomes of a customer's message that was posted before. */
  replyTo(event: WireEvent, options?: Pick<RequestOptions, "signal">): Promise<ClientReply>;
  /** Posts what a person wrote who has taken over: under their name, or in the agent's. */
  postOperator(
    text: string,
    options: RequestOptions & ({ readonly name: string } | { readonly onBehalfOfAgent: true; readonly name?: string }),
  ): Promise<WireEvent>;
  /** Posts any JSON, for the agent to see in its next turn. */
  postCustom(data: Custom["data"], options?: RequestOptions & Pick<Custom, "source" | "metadata">): Promise<WireEvent>;
  /** Posts any event that can be posted. */
  postEvent(event: Posted, options?: RequestOptions): Promise<WireEvent>;
  /** Every event from an offset on, in order and each once, until the reader stops. It survives any cut of the connection. */
  events(options?: FollowOptions): AsyncGenerator<WireEvent, void, undefined>;
  /** The same, with the drafts of replies in between. A draft is over when its `draft.reset` comes. */
  stream(options?: FollowOptions): AsyncGenerator<WireEvent | WireDraft, void, undefined>;
  /** A page of the log. */
  page(query?: QueryFor<"listEvents">, options?: RequestOptions): Promise<NonNullable<ResultOf<"listEvents">>>;
  /** One event, by its offset or its id. */
  event(event: number | string, options?: RequestOptions): Promise<WireEvent>;
  /** Takes back everything from the offset on, which is the first of a turn. */
  withdraw(minOffset: number, options?: RequestOptions): Promise<void>;
}

/** The log of one session. */
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
      // Without a name it is refused, unless it is in the agent's.
      const participant = name === undefined ? {} : { participant: { display_name: name } };
      return postEvent({ kind: "message", source, text, ...participant } as Posted, rest);
    },
    postCustom: (data, { source, metadata, ...options } = {}) =>
      postEvent({ kind: "custom", data, ...(source === undefined ? {} : { source }), ...(metadata === undefined ? {} : { metadata }) }, options),
    events: (options) => read(wire, session_id, { ...options, drafts: false }) as AsyncGenerator<WireEvent, void, undefined>,
    stream: (options) => read(wire, session_id, { ...options, drafts: true }),
    page: async (query = {}, options = {}) => (await call("listEvents", { ...options, path, query })) as NonNullable<ResultOf<"listEvents">>,
    event: (event, options = {}) => call("getEvent", { ...options, path: { session_id, event: String(event) } }),
    withdraw: (min_offset, options = {}) => call("withdrawEvents", { ...options, path, query: { min_offset } }),
  };
}

/** Follows one session; one that is erased is not there any more. */
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
