/** Sessions: their settings, their turns, and who answers them. */
import { type ClientMemory, type ClientVariables, memoryOf, variablesOf } from "./client-customers.ts";
import { type BodyFor, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import { sessionLog, type SessionLog } from "./session-log.ts";
import type { Wire } from "./transport.ts";
import type { WireSession } from "./wire.ts";

type Found = ResultOf<"listSessions">["items"][number];

/** The sessions of a service. */
export interface ClientSessions {
  /** The session of an agent, a customer and a key: the one there is, or a new one. */
  open(session: BodyFor<"openSession">, options?: RequestOptions): Promise<ClientSession>;
  /** A new session. */
  create(session: BodyFor<"createSession">, options?: RequestOptions): Promise<ClientSession>;
  /** The session of an id; nothing is asked of the service yet. */
  get(session_id: string): ClientSession;
  /** A page of sessions. */
  list(query?: QueryFor<"listSessions">, options?: RequestOptions): Promise<ResultOf<"listSessions">>;
  /** All sessions that a filter finds, page by page as they are read. */
  all(query?: QueryFor<"listSessions">, options?: RequestOptions): AsyncGenerator<Found, void, undefined>;
  /** Deletes all sessions of a customer, or of an agent. */
  deleteAll(filter: QueryFor<"deleteSessions">, options?: RequestOptions): Promise<ResultOf<"deleteSessions">>;
}

export function clientSessions(wire: Wire, call: Caller): ClientSessions {
  const list: ClientSessions["list"] = (query = {}, options = {}) => call("listSessions", { ...options, query });
  return Object.freeze<ClientSessions>({
    open: async (body, options) => clientSession(wire, call, (await call("openSession", { ...options, body })).id),
    create: async (body, options) => clientSession(wire, call, (await call("createSession", { ...options, body })).id),
    get: (session_id) => clientSession(wire, call, session_id),
    list,
    all: (query = {}, options = {}) => pagesOf((cursor) => list({ ...query, ...cursor }, options)),
    deleteAll: (query, options) => call("deleteSessions", { ...options, query }),
  });
}

/** One conversation. It holds nothing but the session's id: every call asks the service. */
export interface ClientSession extends SessionLog, SessionSettings, SessionTurns, SessionHandover {
  readonly id: string;
  /** Goes on from an offset in another session; from the head if none is named. */
  fork(options?: RequestOptions & BodyFor<"forkSession">): Promise<ClientSession>;
}

/** The session of an id, of which nothing is asked yet. */
function clientSession(wire: Wire, call: Caller, id: string): ClientSession {
  return Object.freeze<ClientSession>({
    id,
    ...sessionLog(wire, call, id),
    ...sessionSettings(call, id),
    ...sessionTurns(call, id),
    ...sessionHandover(call, id),
    fork: async ({ at, title, ...options } = {}) => {
      const body = { ...(at === undefined ? {} : { at }), ...(title === undefined ? {} : { title }) };
      return clientSession(wire, call, (await call("forkSession", { ...options, path: { session_id: id }, body })).id);
    },
  });
}

type Patch = BodyFor<"updateSession">;

/** A session's header and settings. */
export interface SessionSettings {
  /** The session as it stands. */
  info(options?: RequestOptions): Promise<WireSession>;
  /** Changes what is named, and leaves the rest. */
  update(patch: Patch, options?: RequestOptions): Promise<WireSession>;
  /** Hands it to people (`manual`: the agent falls silent at once) or back to the agent (`auto`). */
  setMode(mode: NonNullable<Patch["mode"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets the title; null takes it away. */
  setTitle(title: string | null, options?: RequestOptions): Promise<WireSession>;
  /** Sets metadata that is named, takes away what is named with null, and leaves the rest. No agent ever sees any of it. */
  updateMetadata(metadata: NonNullable<Patch["metadata"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets variables of this session alone that are named, takes away those named with null; in force from the agent's next turn on. */
  setVariables(values: BodyFor<"updateSessionVariables">, options?: RequestOptions): Promise<ResultOf<"updateSessionVariables">>;
  /** The variables of this session alone, one by one. */
  readonly variables: ClientVariables;
  /** The memory of the session's owner. Of an incognito session everything reads as empty, and a change is `memory.incognito`. */
  readonly memory: ClientMemory;
  /** Ends the episode and waits for what of it is remembered. */
  closeEpisode(options?: RequestOptions): Promise<ResultOf<"closeEpisode">>;
  /** Ends the episode, so that the next message begins another. */
  endEpisode(options?: RequestOptions): Promise<WireSession>;
  /** Says who the customer of an anonymous session is. */
  identify(customer_id: string, options?: RequestOptions & { readonly carry?: boolean }): Promise<WireSession>;
  /** Puts on record what the person agrees to, or no longer does; where that stands in the log. */
  consent(consent: BodyFor<"giveConsent">, options?: RequestOptions): Promise<ResultOf<"giveConsent">>;
  /** Keeps what the person says of the session; null where that could not be. */
  feedback(label: BodyFor<"giveFeedback">["label"], options?: RequestOptions): Promise<ResultOf<"giveFeedback">>;
  /** What it has spent. */
  usage(options?: RequestOptions): Promise<ResultOf<"getSessionUsage">>;
  /** Deletes it with its log. */
  delete(options?: RequestOptions): Promise<void>;
}

/** The settings of one session. */
function sessionSettings(call: Caller, session_id: string): SessionSettings {
  const path = { session_id };
  const update = (body: Patch, options?: RequestOptions): Promise<WireSession> => call("updateSession", { ...options, path, body });
  return {
    info: (options) => call("getSession", { ...options, path }),
    update,
    setMode: (mode, options) => update({ mode }, options),
    setTitle: (title, options) => update({ title }, options),
    updateMetadata: (metadata, options) => update({ metadata }, options),
    setVariables: (body, options) => call("updateSessionVariables", { ...options, path, body }),
    variables: variablesOf(call, { scope: "Session", path }),
    memory: memoryOf(call, { scope: "Session", path }),
    closeEpisode: (options) => call("closeEpisode", { ...options, path }),
    endEpisode: (options) => call("endEpisode", { ...options, path }),
    identify: (customer_id, { carry, ...options } = {}) =>
      call("identifySession", { ...options, path, body: { customer_id, ...(carry === undefined ? {} : { carry }) } }),
    consent: (body, options) => call("giveConsent", { ...options, path, body }),
    feedback: (label, options) => call("giveFeedback", { ...options, path, body: { label } }),
    usage: (options) => call("getSessionUsage", { ...options, path }),
    delete: (options) => call("deleteSession", { ...options, path, removes: true }),
  };
}

/** The turns of a session, and its state. */
export interface SessionTurns {
  /** A page of turns. */
  turns(query?: QueryFor<"listTurns">, options?: RequestOptions): Promise<ResultOf<"listTurns">>;
  /** One turn. */
  turn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurn">>;
  /** What a turn recalled of the person, and why. */
  turnMemory(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurnMemory">>;
  /** What a model was asked, as it was sent; `prompt.not_kept` if the agent keeps no requests. */
  prompt(query?: QueryFor<"getPrompt">, options?: RequestOptions): Promise<ResultOf<"getPrompt">>;
  /** Lets the agent speak: it answers what waits. */
  resume(options?: RequestOptions & BodyFor<"startTurn">): Promise<ResultOf<"startTurn">>;
  /** Stops a turn that has not ended. */
  stopTurn(turn_id: string, options?: RequestOptions & BodyFor<"stopTurn">): Promise<ResultOf<"stopTurn">>;
  /** Has answered again what the last turn failed, or was stopped, to answer. */
  retryTurn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"retryTurn">>;
  /** The calls that wait for a decision. */
  pending(options?: RequestOptions): Promise<ResultOf<"listPending">["items"]>;
  /** Gives that word. */
  decide(turn_id: string, decision: BodyFor<"decideCall">, options?: RequestOptions): Promise<ResultOf<"decideCall">>;
  /** The state now, or as it was at an offset. */
  state(query?: QueryFor<"getState">, options?: RequestOptions): Promise<ResultOf<"getState">>;
  /** Changes the state by hand, through the agent's reducers. */
  editState(edit: BodyFor<"editState">, options?: RequestOptions): Promise<ResultOf<"editState">>;
}

/** The turns of one session. */
function sessionTurns(call: Caller, session_id: string): SessionTurns {
  const path = { session_id };
  return {
    turns: (query = {}, options = {}) => call("listTurns", { ...options, path, query }),
    turn: (turn_id, options = {}) => call("getTurn", { ...options, path: { session_id, turn_id } }),
    turnMemory: (turn_id, options = {}) => call("getTurnMemory", { ...options, path: { session_id, turn_id } }),
    prompt: (query = {}, options = {}) => call("getPrompt", { ...options, path, query }),
    resume: ({ cause, ...options } = {}) => call("startTurn", { ...options, path, body: cause === undefined ? {} : { cause } }),
    stopTurn: (turn_id, { message, ...options } = {}) =>
      call("stopTurn", { ...options, path: { session_id, turn_id }, body: message === undefined ? {} : { message } }),
    retryTurn: (turn_id, options = {}) => call("retryTurn", { ...options, path: { session_id, turn_id } }),
    pending: (options = {}) => Array.fromAsync(pagesOf((query) => call("listPending", { ...options, path, query }))),
    decide: (turn_id, body, options = {}) => call("decideCall", { ...options, path: { session_id, turn_id }, body }),
    state: (query = {}, options = {}) => call("getState", { ...options, path, query }),
    editState: (body, options = {}) => call("editState", { ...options, path, body }),
  };
}

/** Where a hand-over stands. */
export type HandoverStanding = ResultOf<"handOver">;

/** Handing a session to people, and back. */
export interface SessionHandover {
  /** Hands the session to people: the agent falls silent at once. */
  handOver(request?: BodyFor<"handOver">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Assigns the session to a person. `handover.taken` if another person has it whom `from` does not name. */
  assign(assignment: BodyFor<"assignSession">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Puts it back into the queue. */
  unassign(options?: RequestOptions): Promise<HandoverStanding>;
  /** Hands it back to the agent. */
  handBack(request?: BodyFor<"handBack">, options?: RequestOptions): Promise<HandoverStanding>;
}

/** The hand-over of one session. */
function sessionHandover(call: Caller, session_id: string): SessionHandover {
  const path = { session_id };
  return {
    handOver: (body = {}, options = {}) => call("handOver", { ...options, path, body }),
    assign: (body, options) => call("assignSession", { ...options, path, body }),
    unassign: (options) => call("unassignSession", { ...options, path }),
    handBack: (body = {}, options = {}) => call("handBack", { ...options, path, body }),
  };
}
