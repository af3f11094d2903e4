import type { Clock } from "../../kernel/clock.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { failed, hintOf, isTemporary, unreadable, type Failure } from "../call/failure.ts";
import { retryAfterOf } from "../call/retry.ts";

/**
 * What an error of a provider means. It holds the request and what the service wrote, so nothing of it is passed on but its name, its status
 * and how long the service asks to be left alone.
 */
export function failureOf(error: unknown, { name, clock }: { readonly name: string; readonly clock: Clock }): Failure {
  const { name: kind, statusCode, isRetryable, responseHeaders } = fieldsOf(error);
  const shown = typeof kind === "string" && /^AI_[A-Za-z]{1,50}$/.test(kind) ? ` (${kind})` : "";
  if (shown === " (AI_JSONParseError)" || shown === " (AI_TypeValidationError)")
    return unreadable(`${name} sent an answer that cannot be read${shown}.`, { again: false });
  const status = typeof statusCode === "number" && Number.isInteger(statusCode) && statusCode > 0 ? statusCode : undefined;
  // The service had begun to answer, and the connection broke or the end was missing.
  if (shown === " (AI_InvalidResponseDataError)" || (status !== undefined && status < 300)) return cut(name);
  const headers = isPlainObject(responseHeaders) ? responseHeaders : {};
  const retry_after_ms = retryAfterOf((header) => (typeof headers[header] === "string" ? headers[header] : undefined), clock.now());
  const hint = status === undefined ? undefined : hintOf(status);
  return failed(`${name} ${status === undefined ? "failed" : `answered ${status}`}${shown}.`, {
    again: typeof isRetryable === "boolean" ? isRetryable : status === undefined ? shown === "" : isTemporary(status),
    ...(status === undefined ? {} : { status }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** The stream ended before the model said that it had finished. */
export const cut = (name: string): Failure => unreadable(`${name} ended its answer before it was finished.`, { again: true });

/** Whether a provider's filter refused the request: an answer of its own kind, not a failure. */
export function isFiltered(error: unknown): boolean {
  const { statusCode, data } = fieldsOf(error);
  const told = isPlainObject(data) && isPlainObject(data["error"]) ? data["error"]["code"] : undefined;
  return statusCode === 400 && (told === "content_filter" || told === "content_policy_violation");
}

interface ErrorFields {
  readonly data?: unknown;
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: unknown;
}

const fieldsOf = (error: unknown): ErrorFields => (typeof error === "object" && error !== null ? error : {});
