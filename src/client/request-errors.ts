/** Errors of requests: what the service answered with, and when a request that failed may be sent again. */
import { chance, now } from "./ambient.ts";
import type { WireProblem } from "./wire.ts";

/** Details of a failed request. */
export interface RequestFailure {
  readonly code: string;
  readonly message: string;
  /** The HTTP status; 0 if there was no answer. */
  readonly status?: number;
  readonly hint?: string;
  readonly request_id?: string;
  readonly errors?: WireProblem["errors"];
  readonly details?: WireProblem["details"];
  readonly saved?: WireProblem["saved"];
  readonly reply?: string;
  /** Milliseconds after which it may be sent again. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A request that failed, after all tries that were worth it. `code` is one of the service's codes, such as `session.not_found`; or `connection.failed`,
 * `timeout` and `aborted`, for requests that the service did not answer.
 */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: string;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** What to do. */
  readonly hint: string | undefined;
  /** Names the request in the service's log. */
  readonly request_id: string | undefined;
  /** Everything that was wrong with what was sent. */
  readonly errors: NonNullable<WireProblem["errors"]>;
  readonly details: NonNullable<WireProblem["details"]>;
  /** Present with a `reply`. `false`: the service did not take the message. `"unknown"`: it may have; send it again under the same idempotency key to find out. */
  readonly saved: WireProblem["saved"];
  /** What to show at once to who wrote a message that the service could not take: it may say where help is. */
  readonly reply: string | undefined;
  /** Milliseconds after which it may be sent again, where the service says so. */
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

  /** Whether a value is such an error with one of these codes; with any if none is named. */
  static is(value: unknown, ...codes: readonly string[]): value is RequestError {
    return value instanceof RequestError && (codes.length === 0 || codes.includes(value.code));
  }
}

/** The caller has aborted the request. */
export const abortedBy = (signal: AbortSignal): RequestError =>
  new RequestError({ code: "aborted", message: "The request was aborted by its caller.", cause: signal.reason });

/** The error in an answer; one that is not a problem document comes from a proxy. */
export function failureOf({ status, headers }: Response, text: string): RequestError {
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  const problem = problemIn(text);
  if (problem === undefined)
    return new RequestError({
      code: "connection.failed",
      status,
      message: `Something before the service answered with status ${status}.`,
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

/** Statuses that say nothing of the request itself. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether the same request may be answered otherwise a little later. The service names a time with those of its errors that pass. */
export function passes({ status, code, retryAfterMs, reply }: RequestError): boolean {
  // A reply for a person is shown at once, not after more tries.
  if (reply !== undefined) return false;
  if (status === 0) return code === "connection.failed" || code === "timeout";
  return status >= 500 || passing.has(status) || retryAfterMs !== undefined;
}

/** Whether the service may have done what it was asked, although it did not say so. */
export const isUncertain = ({ status }: RequestError): boolean => status === 0 || status >= 500;

/** How long to wait between tries. */
export interface Backoff {
  /** Milliseconds before the second try; they double from try to try. */
  readonly firstMs: number;
  /** Milliseconds at most. */
  readonly mostMs: number;
}

/** Milliseconds until the next try. Half of the wait is random, so that callers that failed together do not return together. */
export function waitAfter(tries: number, { firstMs, mostMs }: Backoff): number {
  const most = Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30));
  return most / 2 + (most / 2) * chance();
}

/** A `Retry-After` header in milliseconds: seconds, or the time of day that a proxy may send. */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now());
}

/** Waits; returns early when the signal aborts. */
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
