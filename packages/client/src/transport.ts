/** Sends requests and retries them while that is safe and may succeed. */
import { newKey } from "./ambient.ts";
import type { AnyCall } from "./operation-call.ts";
import { abortedBy, type Backoff, failureOf, isUncertain, passes, RequestError, sleep, waitAfter } from "./request-errors.ts";
import { type OperationId, routes } from "./wire.ts";

/** Configuration that all requests of a client share. */
export interface Wire {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly fetch: Fetch;
  /** Retries after the first try. */
  readonly retries: number;
  readonly backoff: Backoff;
  /** Timeout of a try in milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds without data after which a stream is considered dead. */
  readonly stallMs: number;
}

/** Longest accepted `Retry-After` in milliseconds. A request that has to wait longer fails. */
const longestWait = 60_000;

/** Sends a request and retries temporary failures. */
export async function request(wire: Wire, id: OperationId, call: AnyCall): Promise<Received> {
  const message = outgoing(wire.baseUrl, routes[id], call);
  let uncertain = false;
  for (let tries = 1; ; tries++) {
    try {
      return await authorised(wire, call, (given) => exchange(message, given));
    } catch (error) {
      if (!RequestError.is(error)) throw error;
      // An earlier try has probably deleted the object without confirming it.
      if (call.removes === true && uncertain && error.status === 404) return { status: 204, headers: new Headers(), body: undefined };
      if (tries > wire.retries || !passes(error) || (error.retryAfterMs ?? 0) > longestWait) throw error;
      uncertain ||= isUncertain(error);
      await sleep(Math.max(error.retryAfterMs ?? 0, waitAfter(tries, wire.backoff)), call.signal);
      if (call.signal?.aborted === true) throw abortedBy(call.signal);
    }
  }
}

/** Sends a request once, for a response that is streamed. */
export function openOnce(wire: Wire, id: OperationId, call: AnyCall): Promise<Opened> {
  const message = outgoing(wire.baseUrl, routes[id], call);
  return authorised(wire, call, (given) => open(message, given));
}

/** Opens a stream of server-sent events; undefined if the response is something else. */
export async function openStream(wire: Wire, id: OperationId, call: AnyCall): Promise<Opened | undefined> {
  const opened = await openOnce(wire, id, { ...call, headers: { accept: "text/event-stream" } });
  if (/^text\/event-stream\b/.test(opened.response.headers.get("content-type") ?? "")) return opened;
  opened.close();
  return undefined;
}

/** Runs one try. If the service rejects the token, runs another with a new one. */
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

/** The type of the platform's `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Parameters of one try. */
interface Try {
  readonly fetch: Fetch;
  readonly token: string | undefined;
  /** Timeout in milliseconds for the response; with `open`, for its headers. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A completely received response. */
interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if there is none. */
  readonly body: unknown;
}

/** A response whose body has not been read. */
export interface Opened {
  readonly response: Response;
  /** Closes the connection. */
  readonly close: () => void;
}

/** Sends a request and reads its response. Throws a {@link RequestError} for an error response, and for a response that is late or incomplete. */
async function exchange(request: Outgoing, given: Try): Promise<Received> {
  return within(given, async (signal) => {
    const response = await send(request, given, signal);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : parse(text, response) };
  });
}

/** Sends a request and reads its response up to the headers. The signal also applies to the body. */
async function open(request: Outgoing, given: Try): Promise<Opened> {
  const left = new AbortController();
  const signal = given.signal === undefined ? left.signal : AbortSignal.any([left.signal, given.signal]);
  const response = await within(given, (timed) => {
    timed.addEventListener("abort", () => left.abort(timed.reason), { once: true });
    return send(request, given, signal);
  });
  return { response, close: () => left.abort() };
}

async function send({ url, method, headers, body }: Outgoing, { fetch, token }: Try, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body }),
    // The service never redirects. A redirect by a proxy could drop the body, or send it to another host.
    redirect: "error",
    cache: "no-store",
    signal,
  });
  if (response.ok) return response;
  throw failureOf(response, await response.text());
}

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new RequestError({
      code: "connection.failed",
      message: `What came from ${response.url} is incomplete or does not come from the service.`,
      cause,
    });
  }
}

/** Runs one try with a timeout and converts every failure to a {@link RequestError}. It does not wait for work that ignores its signal. */
async function within<Result>({ timeoutMs, signal }: Try, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  if (signal?.aborted === true) throw abortedBy(signal);
  const given = new AbortController();
  const leave = (): void => given.abort(signal === undefined ? undefined : abortedBy(signal));
  const late = (): void => given.abort(new RequestError({ code: "timeout", message: `The service did not respond within ${timeoutMs} ms.` }));
  const timer = setTimeout(late, timeoutMs);
  signal?.addEventListener("abort", leave, { once: true });
  const ended = new Promise<never>((_, reject) => {
    given.signal.addEventListener("abort", () => reject(given.signal.reason as RequestError), { once: true });
  });
  ended.catch(() => {});
  try {
    const running = run(given.signal);
    running.catch(() => {});
    return await Promise.race([running, ended]);
  } catch (cause) {
    if (given.signal.aborted) throw given.signal.reason;
    throw RequestError.is(cause)
      ? cause
      : new RequestError({ code: "connection.failed", message: "The service could not be reached, or its response was cut off.", cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** A request that can be sent repeatedly. */
interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Builds the request of a call. Changing requests carry an idempotency key, so that the service can tell a retry from a new request. */
function outgoing(baseUrl: string, route: string, call: AnyCall): Outgoing {
  const { path = {}, query = {}, body, headers: more, ifVersion, idempotencyKey = newKey() } = call;
  const [method = "", template = ""] = route.split(" ");
  const address = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, path[name]));
  const headers = {
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(method === "GET" ? {} : { "idempotency-key": idempotencyKey }),
    ...(ifVersion === undefined ? {} : { "if-match": `"${ifVersion}"` }),
    ...more,
  };
  return { method, url: baseUrl + address + search(query), headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** Encodes a path segment. Throws `request.invalid` for values that URLs drop or resolve, such as an empty string or `..`. */
function segment(name: string, value: string | undefined): string {
  if (typeof value === "string" && value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new RequestError({ code: "request.invalid", message: `${name} cannot be ${value === undefined ? "left out" : `"${value}"`}.` });
}

/** Formats the query. Omits undefined values and joins lists with commas. */
function search(query: NonNullable<AnyCall["query"]>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** A token, or a function that returns one. The client calls it once, and again after the service rejects the last token. */
export type TokenSource = string | (() => string | Promise<string>);

/** The credentials of requests. Concurrent requests share one token and one call for it. */
interface Credentials {
  /** The token to send; undefined if there is none. */
  token(): Promise<string | undefined>;
  /** Discards a token that the service rejected. Returns whether another one may be available. */
  refused(token: string | undefined): boolean;
}

export function credentialsOf(source: TokenSource | undefined): Credentials {
  if (typeof source !== "function") return { token: () => Promise.resolve(source), refused: () => false };
  let pending: Promise<string> | undefined;
  let last: string | undefined;
  const ask = async (): Promise<string> => (last = await source());
  const forget = (): void => {
    [pending, last] = [undefined, undefined];
  };
  return {
    token: () => {
      if (pending === undefined) {
        pending = ask();
        pending.catch(forget);
      }
      return pending;
    },
    refused: (token) => {
      // Otherwise a concurrent request has replaced the token or is replacing it.
      if (token === last) forget();
      return true;
    },
  };
}
