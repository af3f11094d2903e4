/** All sessions of a service. */
import type { BodyFor, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import { pagesOf } from "./pages.ts";
import { clientSession, type ClientSession } from "./session.ts";
import type { Wire } from "./transport.ts";

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
