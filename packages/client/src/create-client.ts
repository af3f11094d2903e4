import { credentialsOf, type Fetch, request, type TokenSource, type Wire } from "./transport.ts";
import { clientCustomers, type ClientCustomers, clientJobs, type ClientJobs, type ClientVariables, variablesOf } from "./client-customers.ts";
import { type AllOptions, type EventOfAll, followAll } from "./follow-all.ts";
import { follow, placeInSessions, type Streamed } from "./follow-log.ts";
import { type BodyFor, type CallOf, type Caller, pagesOf, type QueryFor, type RequestOptions, type ResultOf } from "./operation-call.ts";
import type { FollowOptions } from "./session-log.ts";
import { clientRuns, type ClientRuns } from "./client-runs.ts";
import { clientSessions, type ClientSessions } from "./client-session.ts";
import type { OperationId } from "./wire.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** The address of the service, such as `http://127.0.0.1:8420`. */
  readonly baseUrl: string;
  /** An API key. */
  readonly key?: string;
  /** A customer token, or a function that returns one. The client calls it again after the service rejects the last token. */
  readonly token?: TokenSource;
  /** The platform's `fetch` by default. */
  readonly fetch?: Fetch;
  /** Retries of temporary failures; 4 by default. Streams reconnect for as long as they are read. */
  readonly retries?: number;
  /** Timeout of each try in milliseconds, including its response; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds before the second try; 250 by default. The delay doubles with each try, up to 8 seconds. */
  readonly backoffMs?: number;
  /** Milliseconds without data after which a stream is considered dead; 37,500 by default, 2.5 times the service's heartbeat. */
  readonly stallMs?: number;
}

/** Options for reading several sessions over one stream. */
export interface LiveOptions extends Pick<FollowOptions, "kinds" | "signal" | "onConnection"> {
  /** The first offset by session; the beginning of the log by default. */
  readonly offsets?: Readonly<Record<string, number>>;
  /** Whether to receive drafts; true by default. */
  readonly drafts?: boolean;
}

/** A client of one service. */
export interface ThroughlineClient {
  readonly sessions: ClientSessions;
  readonly customers: ClientCustomers;
  readonly jobs: ClientJobs;
  readonly runs: ClientRuns;
  readonly handovers: {
    /** Lists a page of a queue. Alerts come first, then the longest waiting sessions. */
    list(query: QueryFor<"listHandovers">, options?: RequestOptions): Promise<ResultOf<"listHandovers">>;
  };
  /** The webhooks that the service sends. All need the scope `webhooks`. */
  readonly webhooks: {
    /** Lists all targets and addresses with their state. */
    list(options?: RequestOptions): Promise<ResultOf<"listWebhooks">["items"]>;
    /** Lists how far each target is in a session. */
    positions(session_id: string, options?: RequestOptions): Promise<ResultOf<"listSessionWebhooks">["items"]>;
    /** Lists a page of events that could not be delivered. */
    deadLetters(query?: QueryFor<"listDeadLetters">, options?: RequestOptions): Promise<ResultOf<"listDeadLetters">>;
    /** Delivers a dead letter once more, under its first id. Throws `outbound.failed` if that fails. */
    resend(id: string, options?: RequestOptions): Promise<ResultOf<"resendDeadLetter">>;
    /** Stops the deliveries to an endpoint. Events wait. */
    pause(endpoint: string, options?: RequestOptions): Promise<ResultOf<"pauseWebhook">>;
    /** Continues the deliveries to an endpoint, in order. */
    resume(endpoint: string, options?: RequestOptions): Promise<ResultOf<"resumeWebhook">>;
    /** Makes a new secret for a target without configured ones. The former one signs too for a day. */
    rotate(name: string, options?: RequestOptions): Promise<ResultOf<"rotateWebhookSecret">>;
  };
  /** API keys. All need the scope `admin`. */
  readonly keys: {
    /** Creates a key. It is shown once. */
    create(key: BodyFor<"createKey">, options?: RequestOptions): Promise<ResultOf<"createKey">>;
    /** Lists all keys without their secrets, oldest first. */
    list(options?: RequestOptions): Promise<ResultOf<"listKeys">["items"]>;
    /** Revokes a key. Within two seconds every process rejects it. */
    revoke(key_id: string, options?: RequestOptions): Promise<ResultOf<"revokeKey">>;
  };
  /** The state of the service. All need the scope `admin`. */
  readonly operations: {
    /** Reads the schema, the agents, the number of open turns and the limits. */
    status(options?: RequestOptions): Promise<ResultOf<"getStatus">>;
    /** Lists a page of open turns with the workers that hold them. */
    openTurns(query?: QueryFor<"listOpenTurns">, options?: RequestOptions): Promise<ResultOf<"listOpenTurns">>;
  };
  readonly agents: {
    /** Lists all agents by name. */
    list(options?: RequestOptions): Promise<ResultOf<"listAgents">["items"]>;
    /** Reads one agent with its input, public and output schemas. */
    get(agent: string, options?: RequestOptions): Promise<ResultOf<"getAgent">>;
    /** The variables of an agent, which apply to all its sessions. */
    variables(agent: string): ClientVariables;
  };
  /** Yields the events of several sessions over one connection until the reader stops. Each event arrives once, in the order of its session. */
  live(sessions: readonly string[], options?: LiveOptions): AsyncGenerator<Streamed, void, undefined>;
  /**
   * Yields the events of all sessions until the reader stops: each once, those of a session in order. Needs an API key with `sessions:read`. A reader that
   * stores the `cursor` of the last event it has processed continues there with `after`. Throws `cursor.invalid` for a cursor after the last event.
   */
  all(options?: AllOptions): AsyncGenerator<EventOfAll, void, undefined>;
  /** Sends any request of the service by its operation id, with typed arguments and result. */
  call<Id extends OperationId>(id: Id, call: CallOf<Id>): Promise<ResultOf<Id>>;
}

/** Creates a client of the service at `baseUrl`, authenticated by `key` or `token`. It holds no connection, so it needs no closing. */
export function createClient(options: ClientOptions): ThroughlineClient {
  const wire = wireOf(options);
  const call: Caller = async (id, given) => (await request(wire, id, given)).body as ResultOf<typeof id>;
  return Object.freeze<ThroughlineClient>({
    call,
    sessions: clientSessions(wire, call),
    customers: clientCustomers(call),
    jobs: clientJobs(wire, call),
    runs: clientRuns(call),
    handovers: Object.freeze<ThroughlineClient["handovers"]>({ list: (query, options) => call("listHandovers", { ...options, query }) }),
    webhooks: Object.freeze<ThroughlineClient["webhooks"]>({
      list: (options = {}) => Array.fromAsync(pagesOf((query) => call("listWebhooks", { ...options, query }))),
      positions: (session_id, options = {}) =>
        Array.fromAsync(pagesOf((query) => call("listSessionWebhooks", { ...options, path: { session_id }, query }))),
      deadLetters: (query = {}, options = {}) => call("listDeadLetters", { ...options, query }),
      resend: (id, options) => call("resendDeadLetter", { ...options, body: { id } }),
      pause: (endpoint, options) => call("pauseWebhook", { ...options, path: { endpoint } }),
      resume: (endpoint, options) => call("resumeWebhook", { ...options, path: { endpoint } }),
      rotate: (name, options) => call("rotateWebhookSecret", { ...options, path: { name } }),
    }),
    keys: Object.freeze<ThroughlineClient["keys"]>({
      create: (body, options) => call("createKey", { ...options, body }),
      list: (options = {}) => Array.fromAsync(pagesOf((query) => call("listKeys", { ...options, query }))),
      revoke: (key_id, options) => call("revokeKey", { ...options, path: { key_id } }),
    }),
    operations: Object.freeze<ThroughlineClient["operations"]>({
      status: (options = {}) => call("getStatus", options),
      openTurns: (query = {}, options = {}) => call("listOpenTurns", { ...options, query }),
    }),
    agents: Object.freeze<ThroughlineClient["agents"]>({
      list: async (options = {}) => (await call("listAgents", options)).items,
      get: (agent, options) => call("getAgent", { ...options, path: { agent } }),
      variables: (agent) => variablesOf(call, { scope: "Agent", path: { agent } }),
    }),
    live: (sessions, { offsets = {}, kinds, drafts, signal, onConnection } = {}) =>
      follow(wire, { place: placeInSessions(sessions, offsets, { kinds, drafts }), signal, onConnection }),
    all: (options) => followAll(wire, options),
  });
}

function wireOf(options: ClientOptions): Wire {
  const { baseUrl, key, token, fetch = globalThis.fetch, retries = 4, timeoutMs = 30_000, backoffMs = 250, stallMs = 37_500 } = options;
  return Object.freeze({
    baseUrl: baseUrl.replace(/\/+$/, ""),
    credentials: credentialsOf(token ?? key),
    // A browser's `fetch` must not be called as a method of another object.
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    retries,
    backoff: { firstMs: backoffMs, mostMs: 8_000 },
    timeoutMs,
    stallMs,
  });
}
