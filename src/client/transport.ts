/** Sends requests: once, and again while that is safe and of use. */
import { sleep, waitAfter, type Backoff } from "./backoff.ts";
import type { Credentials } from "./credentials.ts";
import { exchange, open, type Fetch, type Opened, type Received, type Try } from "./exchange.ts";
import { isUncertain, passes } from "./failure.ts";
import type { AnyCall } from "./operation-call.ts";
import { outgoing } from "./outgoing.ts";
import { RequestError, abortedBy } from "./request-error.ts";
import { routes, type OperationId } from "./wire.ts";

/** What all requests of a client share. */
export interface Wire {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly fetch: Fetch;
  /** Tries after the first. */
  readonly retries: number;
  readonly backoff: Backoff;
  /** Milliseconds that a try may take. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte after which a stream counts as dead. */
  readonly stallMs: number;
}

/** Milliseconds that a service may ask to be left alone for; a request that is to wait longer fails. */
const longestWait = 60_000;

/** Sends a request until it is answered. */
export async function request(wire: Wire, id: OperationId, call: AnyCall): Promise<Received> {
  const message = outgoing(wire.baseUrl, routes[id], call);
  let uncertain = false;
  for (let tries = 1; ; tries++) {
    try {
      return await authorised(wire, call, (given) => exchange(message, given));
    } catch (error) {
      if (!RequestError.is(error)) throw error;
      // It was there for the try before, which has taken it away and could not say so.
      if (call.removes === true && uncertain && error.status === 404) return { status: 204, headers: new Headers(), body: undefined };
      if (tries > wire.retries || !passes(error) || (error.retryAfterMs ?? 0) > longestWait) throw error;
      uncertain ||= isUncertain(error);
      await sleep(Math.max(error.retryAfterMs ?? 0, waitAfter(tries, wire.backoff)), call.signal);
      if (call.signal?.aborted === true) throw abortedBy(call.signal);
    }
  }
}

/** Sends a request once, for an answer that comes bit by bit. */
export function openOnce(wire: Wire, id: OperationId, call: AnyCall): Promise<Opened> {
  const message = outgoing(wire.baseUrl, routes[id], call);
  return authorised(wire, call, (given) => open(message, given));
}

/** One try, and another with a new token if the service refuses the one it was sent with. */
async function authorised<Result>(wire: Wire, call: AnyCall, run: (given: Try) => Promise<Result>): Promise<Result> {
  const { credentials, fetch } = wire;
  const { timeoutMs = wire.timeoutMs, signal } = call;
  const token = await credentials.token();
  try {
    return await run({ fetch, token, timeoutMs, signal });
  } catch (error) {
    if (!RequestError.is(error) || error.status !== 401 || !credentials.refused(token)) throw error;
    return run({ fetch, token: await credentials.token(), timeoutMs, signal });
  }
}
