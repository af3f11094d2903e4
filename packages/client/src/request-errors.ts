/** Errors of requests, and the rules for retrying them. */
import { chance, now } from "./ambient.ts";
import type { WireProblem } from "./wire.ts";

/** Details of a failed request. */
export interface RequestFailure {
  readonly code: string;
  readonly message: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status?: number;
  readonly hint?: string;
  readonly request_id?: string;
  readonly errors?: WireProblem["errors"];
  readonly details?: WireProblem["details"];
  readonly saved?: WireProblem["saved"];
  readonly reply?: string;
  /** Milliseconds until a retry is allowed. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A request that failed after all retries. `code` is a code of the service, such as `session.not_found`. It is `connection.failed`, `timeout` or
 * `aborted` if the service did not respond.
 */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** How to resolve the error. */
  readonly hint: string | undefined;
  /** Identifies the request in the service's log. */
  readonly request_id: string | undefined;
  /** All violations in the request. */
  readonly errors: NonNullable<WireProblem["errors"]>;
  readonly details: NonNullable<WireProblem["details"]>;
  /**
   * Present with a `reply`. `false`: the service did not accept the message. `"unknown"`: it may have; to find out, send it again with the same
   * idempotency key.
   */
  readonly saved: WireProblem["saved"];
  /** A reply to show immediately to the author of a message that the service could not accept. It may name crisis services. */
  readonly reply: string | undefined;
  /** Milliseconds until a retry is allowed, if the service names a delay. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: RequestFailure) {
    super(failure.message, failure.cause === undefined ? {} : { cause: failure.cause });
    const { code, status = 0, hint, request_id, errors = [], details = {}, saved, reply, retryAfterMs } = failure;
    this.code = code;
    this.status = status;
    this.hint = hint;
    this.request_id = request_id;
    this.errors = errors;
    this.details = details;
    this.saved = saved;
    this.reply = reply;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether a value is a request error with one of these codes, or with any code if none is given. */
  static is(value: unknown, ...codes: readonly string[]): value is RequestError {
    return value instanceof RequestError && (codes.length === 0 || codes.includes(value.code));
  }
}

/** The error of a request that the caller aborted. */
export const abortedBy = (signal: AbortSignal): RequestError =>
  new RequestError({ code: "aborted", message: "The request was aborted by its caller.", cause: signal.reason });

/** The error in a response. A response without a problem document comes from a proxy. */
export function failureOf({ status, headers }: Response, text: string): RequestError {
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  const problem = problemIn(text);
  if (problem === undefined)
    return new RequestError({
      code: "connection.failed",
      status,
      message: `A proxy answered with status ${status}.`,
      retryAfterMs,
    });
  const { code, detail, hint, request_id, errors, details, retry_after, saved, reply } = problem;
  return new RequestError({
    code,
    status,
    message: detail,
    hint,
    request_id,
    ...(errors === undefined ? {} : { errors }),
    ...(details === undefined ? {} : { details }),
    ...(saved === undefined ? {} : { saved }),
    ...(reply === undefined ? {} : { reply }),
    retryAfterMs: retryAfterMs ?? (retry_after === undefined ? undefined : retry_after * 1000),
  });
}

function problemIn(text: string): WireProblem | undefined {
  try {
    const value = JSON.parse(text) as Partial<WireProblem> | null;
    return typeof value?.code === "string" && typeof value.detail === "string" ? (value as WireProblem) : undefined;
  } catch {
    return undefined;
  }
}

/** Statuses that are temporary for any request. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether a retry may succeed. The service sends `Retry-After` with temporary errors. */
export function passes({ status, code, retryAfterMs, reply }: RequestError): boolean {
  // A fallback reply is shown immediately, without more tries.
  if (reply !== undefined) return false;
  if (status === 0) return code === "connection.failed" || code === "timeout";
  return status >= 500 || passing.has(status) || retryAfterMs !== undefined;
}

/** Whether the service may have applied the request. */
export const isUncertain = ({ status }: RequestError): boolean => status === 0 || status >= 500;

/** Delays between tries. */
export interface Backoff {
  /** Milliseconds before the second try. The delay doubles with each try. */
  readonly firstMs: number;
  /** Maximum delay in milliseconds. */
  readonly mostMs: number;
}

/** Milliseconds until the next try. Half of the delay is random, so that callers that failed together do not retry together. */
export function waitAfter(tries: number, { firstMs, mostMs }: Backoff): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30));
  return most / 2 + (most / 2) * chance();
}

/** Parses a `Retry-After` header to milliseconds. Accepts seconds, or a date as proxies may send. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}

/** Waits. Returns early when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted === true) done();
    else signal?.addEventListener("abort", done, { once: true });
  });
}
