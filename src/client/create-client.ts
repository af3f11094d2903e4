import type { OperationId } from "../protocol/operations.ts";
import { credentialsOf, type TokenSource } from "./credentials.ts";
import type { Fetch } from "./exchange.ts";
import type { CallOf, ResultOf } from "./operation-call.ts";
import { request, type Wire } from "./transport.ts";

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
  /** Tries after the first, for what may pass; 4 by default. Streams come back as long as somebody reads them. */
  readonly retries?: number;
  /** Milliseconds that each try may take, its answer included; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Milliseconds before the second try, which double from try to try up to 8 seconds; 250 by default. */
  readonly backoffMs?: number;
  /** Milliseconds without a byte after which a stream counts as dead; 37,500 by default, 2.5 times the service's heartbeat. */
  readonly stallMs?: number;
}

/** A client of one service. */
export interface ThroughlineClient {
  /** Sends any request of the service by the id of its operation, typed by what that takes and gives. */
  call<Id extends OperationId>(id: Id, call: CallOf<Id>): Promise<ResultOf<Id>>;
}

/** A client of the service at `baseUrl`. It keeps no connection and needs no closing; with a `key` or a `token` it says who it is. */
export function createClient(options: ClientOptions): ThroughlineClient {
  const wire = wireOf(options);
  const call = async <Id extends OperationId>(id: Id, given: CallOf<Id>): Promise<ResultOf<Id>> =>
    (await request(wire, id, given)).body as ResultOf<Id>;
  return Object.freeze({ call });
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
