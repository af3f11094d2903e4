import { credentialsOf, type Fetch, request, type TokenSource, type Wire } from "./transport.ts";
import { clientCustomers, type ClientCustomers, clientJobs, type ClientJobs, type ClientVariables, variablesOf } from "./client-customers.ts";
import { follow, placeInSessions, type Streamed } from "./follow.ts";
import type { CallOf, Caller, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";
import type { FollowOptions } from "./session-log.ts";
import { clientSessions, type ClientSessions } from "./client-session.ts";
import type { OperationId } from "./wire.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8420`. */
  readonly baseUrl: string;
  /** An API key. */
  readonly key?: string;
  /** A customer's token, or a function that gets one: it is asked again when the service refuses the last. */
  readonly token?: TokenSource;
  /** The platform's by default. */
  readonly fetch?: Fetch;
  /** Retries of temporary failures; 4 by default. Streams reconnect as long as they are read. */
  readonly retries?: number;
  /** Milliseconds that each try may take, its answer included; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds before the second try, which double from try to try up to 8 seconds; 250 by default. */
  readonly backoffMs?: number;
  /** Milliseconds without a byte after which a stream counts as dead; 37,500 by default, 2.5 times the service's heartbeat. */
  readonly stallMs?: number;
}

/** Options of reading several sessions at once. */
export interface StreamOptions extends Pick<FollowOptions, "kinds" | "signal" | "onConnection"> {
  /** First offsets, by session; the beginning of the log for those left out. */
  readonly offsets?: Readonly<Record<string, number>>;
  /** Whether drafts come too; true by default. */
  readonly drafts?: boolean;
}

/** A client of one service. */
export interface ThroughlineClient {
  readonly sessions: ClientSessions;
  readonly customers: ClientCustomers;
  readonly jobs: ClientJobs;
  readonly handovers: {
    /** A page of a queue: alerts in front, then who waits longest. */
    list(query: QueryFor<"listHandovers">, options?: RequestOptions): Promise<ResultOf<"listHandovers">>;
  };
  readonly agents: {
    /** All agents, by name. */
    list(options?: RequestOptions): Promise<ResultOf<"listAgents">["items"]>;
    /** One agent, with the shapes of what it takes and shows. */
    get(agent: string, options?: RequestOptions): Promise<ResultOf<"getAgent">>;
    /** The variables of an agent, for all its sessions. */
    variables(agent: string): ClientVariables;
  };
  /** The events of several sessions over one connection, each once and in the order of its session, until the reader stops. */
  stream(sessions: readonly string[], options?: StreamOptions): AsyncGenerator<Streamed, void, undefined>;
  /** Sends any request of the service by the id of its operation, typed by what that takes and gives. */
  call<Id extends OperationId>(id: Id, call: CallOf<Id>): Promise<ResultOf<Id>>;
}

/** A client of the service at `baseUrl`. It keeps no connection and needs no closing; with a `key` or a `token` it says who it is. */
export function createClient(options: ClientOptions): ThroughlineClient {
  const wire = wireOf(options);
  const call: Caller = async (id, given) => (await request(wire, id, given)).body as ResultOf<typeof id>;
  return Object.freeze<ThroughlineClient>({
    call,
    sessions: clientSessions(wire, call),
    customers: clientCustomers(call),
    jobs: clientJobs(wire, call),
    handovers: Object.freeze<ThroughlineClient["handovers"]>({ list: (query, options) => call("listHandovers", { ...options, query }) }),
    agents: Object.freeze<ThroughlineClient["agents"]>({
      list: async (options = {}) => (await call("listAgents", options)).items,
      get: (agent, options) => call("getAgent", { ...options, path: { agent } }),
      variables: (agent) => variablesOf(call, { scope: "Agent", path: { agent } }),
    }),
    stream: (sessions, { offsets = {}, kinds, drafts, signal, onConnection } = {}) =>
      follow(wire, { place: placeInSessions(sessions, offsets, { kinds, drafts }), signal, onConnection }),
  });
}

function wireOf(options: ClientOptions): Wire {
  const { baseUrl, key, token, fetch = globalThis.fetch, retries = 4, timeoutMs = 30_000, backoffMs = 250, stallMs = 37_500 } = options;
  return Object.freeze({
    baseUrl: baseUrl.replace(/\/+$/, ""),
    credentials: credentialsOf(token ?? key),
    // A browser's fetch wants to be called as nobody's method.
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    retries,
    backoff: { firstMs: backoffMs, mostMs: 8_000 },
    timeoutMs,
    stallMs,
  });
}
