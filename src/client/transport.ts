/** Sends requests: one try after another, as long as that is safe and of use. */
import { newKey } from "./ambient.ts";
import type { AnyCall } from "./operation-call.ts";
import { abortedBy, type Backoff, failureOf, isUncertain, passes, RequestError, sleep, waitAfter } from "./request-errors.ts";
import { type OperationId, routes } from "./wire.ts";

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

/** A `fetch`, as the platform has it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What one try is given. */
interface Try {
  readonly fetch: Fetch;
  readonly token: string | undefined;
  /** Milliseconds until the answer is there, for `open` its headers. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An answer that is there as a whole. */
interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if there is none. */
  readonly body: unknown;
}

/** An answer whose body is still to come. */
export interface Opened {
  readonly response: Response;
  /** Lets the connection go. */
  readonly close: () => void;
}

/** Sends a request and reads its answer; throws a {@link RequestError} for one that is an error, or that did not come whole in time. */
async function exchange(request: Outgoing, given: Try): Promise<Received> {
  return within(given, async (signal) => {
    const response = await send(request, given, signal);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : parse(text, response) };
  });
}

/** Sends a request and reads its answer up to its headers. The signal goes on to hold for the body. */
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
    // A service does not redirect; whoever does would get the request without its body, or its body without our knowing.
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
    throw new RequestError({ code: "connection.failed", message: `What came from ${response.url} is not whole, or not from the service.`, cause });
  }
}

/** Runs one try within its time; whatever breaks it off comes as an error of the request. Nothing is waited for that does not listen to its signal. */
async function within<Result>({ timeoutMs, signal }: Try, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  if (signal?.aborted === true) throw abortedBy(signal);
  const given = new AbortController();
  const leave = (): void => given.abort(signal === undefined ? undefined : abortedBy(signal));
  const late = (): void => given.abort(new RequestError({ code: "timeout", message: `There was no answer within ${timeoutMs} ms.` }));
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
      : new RequestError({ code: "connection.failed", message: "The service could not be reached, or broke off its answer.", cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

/** A request that can be sent any number of times. */
interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request of a call. Whatever changes something names itself, so that the service tells a second try from a second request. */
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

/** A part of a path. One that an address would lose, or read as "up", would be another request: it is refused here. */
function segment(name: string, value: string | undefined): string {
  if (typeof value === "string" && value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new RequestError({ code: "request.invalid", message: `${name} cannot be ${value === undefined ? "left out" : `"${value}"`}.` });
}

/** Parameters: what is undefined is left out, a list has commas between. */
function search(query: NonNullable<AnyCall["query"]>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** A token, or a function that returns one: called once, and again when the service refuses the last token. */
export type TokenSource = string | (() => string | Promise<string>);

/** What requests say of who sends them. Those that are under way at the same time share one token, and one asking for it. */
interface Credentials {
  /** The token to send; undefined if there is none to send. */
  token(): Promise<string | undefined>;
  /** Whether there may be another token, now that the service has refused this one. */
  refused(token: string | undefined): boolean;
}

export function credentialsOf(source: TokenSource | undefined): Credentials {
  if (typeof source !== "function") return { token: () => Promise.resolve(source), refused: () => false };
  let asked: Promise<string> | undefined;
  let last: string | undefined;
  const ask = async (): Promise<string> => (last = await source());
  const forget = (): void => {
    [asked, last] = [undefined, undefined];
  };
  return {
    token: () => {
      if (asked === undefined) {
        asked = ask();
        asked.catch(forget);
      }
      return asked;
    },
    refused: (token) => {
      // Otherwise another request has replaced it, or is about to.
      if (token === last) forget();
      return true;
    },
  };
}
