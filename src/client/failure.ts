/** Errors that the service answered with, and what can be done about them. */
import { retryAfterOf } from "./backoff.ts";
import { RequestError } from "./request-error.ts";
import type { WireProblem } from "./wire.ts";

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
