/** Why a call to a model service failed, and what to do about it. */
import type { ErrorCode } from "../../kernel/error-catalogue.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { ModelToolCall } from "../model-port.ts";

/**
 * Why a call to a model service failed, as a value, so that the retry code can inspect it. It contains only loggable data: never a key or the
 * service's response, which may quote a customer.
 */
export interface Failure {
  readonly type: "failure";
  readonly code: Extract<ErrorCode, "model.failed" | "model.invalid_response">;
  /** A sentence without secrets. */
  readonly message: string;
  readonly hint?: string;
  /** Whether the same request may succeed if it is repeated. */
  readonly again: boolean;
  readonly status?: number;
  /** The service refused the schema of the answer, not the request as a whole. */
  readonly schema?: true;
  /** The retry delay that the service requested, in milliseconds. */
  readonly retry_after_ms?: number;
}

/** Creates a failure: no service responded, or it rejected the request. */
export const failed = (message: string, rest: Omit<Failure, "type" | "code" | "message">): Failure => ({
  type: "failure",
  code: "model.failed",
  message,
  ...rest,
});

/** Creates a failure: the response is unreadable or incomplete. */
export const unreadable = (message: string, rest: Omit<Failure, "type" | "code" | "message">): Failure => ({
  type: "failure",
  code: "model.invalid_response",
  message,
  ...rest,
});

/** Converts the failure to an error for the caller of a model. It has no cause, because a client's error may contain the request with its key. */
export function errorOf({ code, message, hint, status, retry_after_ms }: Failure, attempts: number): ThroughlineError {
  const details: JsonObject = {
    ...present({ status, retry_after_ms }),
    attempts,
  };
  return new ThroughlineError(code, message, { ...present({ hint }), details });
}

/** Whether an HTTP status code permits a retry. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** Returns a hint for a status code. Undefined if the catalogue's hint applies. */
export function hintOf(status: number): string | undefined {
  if (status === 401 || status === 403) return "Check the API key, and that it may use this model.";
  if (status === 404) return "Check the base URL and the model's name.";
  if (status >= 300 && status < 400) return "Give the address that the service redirects to as the base URL: a key is not sent elsewhere.";
  if (status === 429) return "Wait, or raise the limits at the model's service.";
  return undefined;
}

/** Maximum characters kept of a model's invalid arguments. */
const longest = 2_000;

/** Creates a call whose arguments are not one JSON object. The loop returns an error for it. */
export const malformedCall = (call_id: string, name: string, sent: string): ModelToolCall => ({
  call_id,
  name,
  arguments: {},
  malformed: sent.slice(0, longest),
});
