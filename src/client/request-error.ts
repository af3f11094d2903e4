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
