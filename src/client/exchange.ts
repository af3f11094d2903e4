/** One try of a request, and what came of it. */
import type { Outgoing } from "./outgoing.ts";
import { RequestError, abortedBy } from "./request-error.ts";
import { failureOf } from "./failure.ts";

/** A `fetch`, as the platform has it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What one try is given. */
export interface Try {
  readonly fetch: Fetch;
  readonly token: string | undefined;
  /** Milliseconds until the answer is there, for `open` its headers. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An answer that is there as a whole. */
export interface Received {
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
export async function exchange(request: Outgoing, given: Try): Promise<Received> {
  return within(given, async (signal) => {
    const response = await send(request, given, signal);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : parse(text, response) };
  });
}

/** Sends a request and reads its answer up to its headers. The signal goes on to hold for the body. */
export async function open(request: Outgoing, given: Try): Promise<Opened> {
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
