/** Sessions: settings, turns and handovers. */
import type { ClientAgent, ClientState, ClientStateEdit } from "./agent-types.ts";
import { type ClientMemory, type ClientVariables, memoryOf, variablesOf } from "./client-customers.ts";
import { type BodyFor, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import { linesOf } from "./event-frames.ts";
import { sessionLog, type SessionLog } from "./session-log.ts";
import { openOnce, type Wire } from "./transport.ts";
import type { WireSession } from "./wire.ts";

type Found = ResultOf<"listSessions">["items"][number];

/** A body with the name of an agent. */
type OfAgent<A extends ClientAgent, Body> = Omit<Body, "agent"> & { readonly agent: A["name"] };

/** Commands for sessions. */
export interface ClientSessions {
  /**
   * Opens the session of an agent, a customer and a key, or creates it. With the agent's type, the session has its types.
   * @example const session = await client.sessions.open<typeof desk>({ agent: "desk", customer_id: "crm-7" })
   */
  open<A extends ClientAgent = ClientAgent>(session: OfAgent<A, BodyFor<"openSession">>, options?: RequestOptions): Promise<ClientSession<A>>;
  /** Creates a session. */
  create<A extends ClientAgent = ClientAgent>(session: OfAgent<A, BodyFor<"createSession">>, options?: RequestOptions): Promise<ClientSession<A>>;
  /** Returns a handle for an id without a request to the service. */
  get<A extends ClientAgent = ClientAgent>(session_id: string): ClientSession<A>;
  /** Lists a page of sessions. */
  list(query?: QueryFor<"listSessions">, options?: RequestOptions): Promise<ResultOf<"listSessions">>;
  /** Yields all sessions that match a filter and loads the pages on demand. */
  all(query?: QueryFor<"listSessions">, options?: RequestOptions): AsyncGenerator<Found, void, undefined>;
  /** Imports the lines of an export, completely or not at all. Sessions get new ids. Needs an API key with `admin`. `timeoutMs` is 10 minutes by default. */
  import(bundle: string, options?: RequestOptions): Promise<ResultOf<"importBundle">>;
  /** Deletes all sessions of a customer or of an agent. */
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
    import: (bundle, options) => call("importBundle", { timeoutMs: 600_000, ...options, body: { bundle } }),
    deleteAll: (query, options) => call("deleteSessions", { ...options, query }),
  });
}

/** One conversation. It holds only the session's id; every call reads from the service. */
export interface ClientSession<A extends ClientAgent = ClientAgent> extends SessionLog<A>, SessionSettings, SessionTurns<A>, SessionHandover {
  readonly id: string;
  /**
   * Continues from an offset in a new session; from the head by default. With `reuse`, calls of tools return what this session has recorded after
   * `at`, and no `once` tool runs.
   */
  fork(options?: RequestOptions & BodyFor<"forkSession">): Promise<ClientSession<A>>;
}

/** Creates the handle of a session without a request. That it belongs to the agent is the caller's statement. */
function clientSession<A extends ClientAgent>(wire: Wire, call: Caller, id: string): ClientSession<A>;
function clientSession(wire: Wire, call: Caller, id: string): ClientSession {
  return Object.freeze<ClientSession>({
    id,
    ...sessionLog(wire, call, id),
    ...sessionSettings(wire, call, id),
    ...sessionTurns(call, id),
    ...sessionHandover(call, id),
    fork: async ({ at, title, reuse, ...options } = {}) => {
      const body = {
        ...(at === undefined ? {} : { at }),
        ...(title === undefined ? {} : { title }),
        ...(reuse === undefined ? {} : { reuse }),
      };
      return clientSession(wire, call, (await call("forkSession", { ...options, path: { session_id: id }, body })).id);
    },
  });
}

type Patch = BodyFor<"updateSession">;

/** A session's header and settings. */
export interface SessionSettings {
  /** Reads the session. */
  info(options?: RequestOptions): Promise<WireSession>;
  /** Changes the given members and keeps the others. */
  update(patch: Patch, options?: RequestOptions): Promise<WireSession>;
  /** Hands the session over to operators (`manual`: the agent stops responding immediately) or back to the agent (`auto`). */
  setMode(mode: NonNullable<Patch["mode"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets the title; null removes it. */
  setTitle(title: string | null, options?: RequestOptions): Promise<WireSession>;
  /** Sets the given metadata, removes values that are null, and keeps the others. Agents never see metadata. */
  updateMetadata(metadata: NonNullable<Patch["metadata"]>, options?: RequestOptions): Promise<WireSession>;
  /** Sets the given variables of this session and removes those that are null. The agent sees the change from its next turn on. */
  setVariables(values: BodyFor<"updateSessionVariables">, options?: RequestOptions): Promise<ResultOf<"updateSessionVariables">>;
  /** The variables of this session only. */
  readonly variables: ClientVariables;
  /** The memory of the session's owner. For an incognito session, reads are empty and changes fail with `memory.incognito`. */
  readonly memory: ClientMemory;
  /** Ends the episode and waits for the memories that remain of it. */
  closeEpisode(options?: RequestOptions): Promise<ResultOf<"closeEpisode">>;
  /** Ends the episode. The next message begins another. */
  endEpisode(options?: RequestOptions): Promise<WireSession>;
  /** Assigns a customer to an anonymous session. */
  identify(customer_id: string, options?: RequestOptions & { readonly carry?: boolean }): Promise<WireSession>;
  /** Records that the customer gives or withdraws consent. Returns the offset. */
  consent(consent: BodyFor<"giveConsent">, options?: RequestOptions): Promise<ResultOf<"giveConsent">>;
  /** Stores the customer's feedback on the session; null if it could not be stored. */
  feedback(label: BodyFor<"giveFeedback">["label"], options?: RequestOptions): Promise<ResultOf<"giveFeedback">>;
  /** Reads the session's usage. */
  usage(options?: RequestOptions): Promise<ResultOf<"getSessionUsage">>;
  /** Counts what deleting the session would remove. */
  erasurePreview(options?: RequestOptions): Promise<ResultOf<"previewSessionErasure">>;
  /** Yields the lines of a bundle as they arrive. The last line confirms that it is complete. A redacted bundle masks all texts. */
  export(options?: RequestOptions & { readonly redacted?: boolean }): AsyncGenerator<string, void, undefined>;
  /** Deletes the session with its log. */
  delete(options?: RequestOptions): Promise<void>;
}

/** Creates the settings commands of one session. */
function sessionSettings(wire: Wire, call: Caller, session_id: string): SessionSettings {
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
    erasurePreview: (options) => call("previewSessionErasure", { ...options, path }),
    export: async function* ({ redacted, ...options } = {}) {
      const headers = { accept: "application/x-ndjson" };
      yield* linesOf(await openOnce(wire, "exportSession", { ...options, path, query: { redacted }, headers }), wire.stallMs);
    },
    delete: (options) => call("deleteSession", { ...options, path, removes: true }),
  };
}

/** Commands for the turns and the state of a session. */
export interface SessionTurns<A extends ClientAgent = ClientAgent> {
  /** Lists a page of turns. */
  turns(query?: QueryFor<"listTurns">, options?: RequestOptions): Promise<ResultOf<"listTurns">>;
  /** Reads one turn. */
  turn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurn">>;
  /** Reads the items that a turn recalled, and why. */
  turnMemory(turn_id: string, options?: RequestOptions): Promise<ResultOf<"getTurnMemory">>;
  /** Reads a model request as it was sent. Throws `prompt.not_kept` if the agent keeps no requests. */
  prompt(query?: QueryFor<"getPrompt">, options?: RequestOptions): Promise<ResultOf<"getPrompt">>;
  /** Starts a turn in which the agent answers the waiting messages. */
  resume(options?: RequestOptions & BodyFor<"startTurn">): Promise<ResultOf<"startTurn">>;
  /** Stops a turn that has not ended. */
  stopTurn(turn_id: string, options?: RequestOptions & BodyFor<"stopTurn">): Promise<ResultOf<"stopTurn">>;
  /** Starts a new turn for the messages of the last turn, which failed or was stopped. */
  retryTurn(turn_id: string, options?: RequestOptions): Promise<ResultOf<"retryTurn">>;
  /** Lists the calls that wait for a decision. */
  pending(options?: RequestOptions): Promise<ResultOf<"listPending">["items"]>;
  /** Decides a pending call. */
  decide(turn_id: string, decision: BodyFor<"decideCall">, options?: RequestOptions): Promise<ResultOf<"decideCall">>;
  /** Reads the current state, or the state at an offset. `view` is `public` by default. */
  state(query?: QueryFor<"getState"> & { readonly view?: "public" | undefined }, options?: RequestOptions): Promise<ClientState<A>>;
  state(query: QueryFor<"getState"> & { readonly view: "output" }, options?: RequestOptions): Promise<ClientState<A, "output">>;
  state(query: QueryFor<"getState"> & { readonly view: "internal" }, options?: RequestOptions): Promise<ClientState<A, "internal">>;
  state(query: QueryFor<"getState">, options?: RequestOptions): Promise<ResultOf<"getState">>;
  /** Reads who wrote each field of the state last. */
  stateWriters(query?: QueryFor<"listStateWriters">, options?: RequestOptions): Promise<ResultOf<"listStateWriters">>;
  /** Reads what an edit would do: its patch, and what it would be refused for. Changes nothing. */
  previewState(edit: Pick<ClientStateEdit<A>, "delta">, options?: RequestOptions): Promise<ResultOf<"previewState">>;
  /** Lists calls with effects outside, after an offset. A fork from there does not undo them. */
  effects(query?: QueryFor<"listEffects">, options?: RequestOptions): Promise<ResultOf<"listEffects">>;
  /** Edits the state through the agent's reducers. */
  editState(edit: ClientStateEdit<A>, options?: RequestOptions): Promise<ResultOf<"editState">>;
}

/** Creates the turn commands of one session. */
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
    stateWriters: (query = {}, options = {}) => call("listStateWriters", { ...options, path, query }),
    previewState: (body, options = {}) => call("previewState", { ...options, path, body }),
    effects: (query = {}, options = {}) => call("listEffects", { ...options, path, query }),
    editState: (body, options = {}) => call("editState", { ...options, path, body }),
  };
}

/** The status of a handover. */
export type HandoverStanding = ResultOf<"handOver">;

/** Hands a session over to operators and back. */
export interface SessionHandover {
  /** Hands the session over to operators. The agent stops responding immediately. */
  handOver(request?: BodyFor<"handOver">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Assigns the session to an operator. Throws `handover.taken` if an operator other than `from` has it. */
  assign(assignment: BodyFor<"assignSession">, options?: RequestOptions): Promise<HandoverStanding>;
  /** Returns the session to the queue. */
  unassign(options?: RequestOptions): Promise<HandoverStanding>;
  /** Hands the session back to the agent. */
  handBack(request?: BodyFor<"handBack">, options?: RequestOptions): Promise<HandoverStanding>;
}

/** Creates the handover commands of one session. */
function sessionHandover(call: Caller, session_id: string): SessionHandover {
  const path = { session_id };
  return {
    handOver: (body = {}, options = {}) => call("handOver", { ...options, path, body }),
    assign: (body, options) => call("assignSession", { ...options, path, body }),
    unassign: (options) => call("unassignSession", { ...options, path }),
    handBack: (body = {}, options = {}) => call("handBack", { ...options, path, body }),
  };
}
