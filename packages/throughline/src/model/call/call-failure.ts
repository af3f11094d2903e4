/** Why a call to a model's service ended without an answer, and what to do about it. */
import type { ErrorCode } from "../../kernel/error-catalogue.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { ModelToolCall } from "../port.ts";

/**
 * Why a call to a model's service ended without an answer, as a value, so that the code that repeats calls can inspect it. It holds only what may be
 * logged: never a key, never what a service wrote about the request, which may quote a person.
 */
export interface Failure {
  readonly type: "failure";
  readonly code: Extract<ErrorCode, "model.failed" | "model.invalid_response">;
  /** A sentence without secrets. */
  readonly message: string;
  readonly hint?: string;
  /** Whether the same request may succeed when it is sent again. */
  readonly again: boolean;
  readonly status?: number;
  /** How long the service asks to be left alone. */
  readonly retry_after_ms?: number;
}

/** No service answered, or it refused. */
export const failed = (message: string, rest: Omit<Failure, "type" | "code" | "message">): Failure => ({
  type: "failure",
  code: "model.failed",
  message,
  ...rest,
});

/** The service answered something that cannot be read, or half an answer. */
export const unreadable = (message: string, rest: Omit<Failure, "type" | "code" | "message">): Failure => ({
  type: "failure",
  code: "model.invalid_response",
  message,
  ...rest,
});

/** The failure as the error that the caller of a model gets. There is no cause: a client's own error may hold the request with its key. */
export function errorOf({ code, message, hint, status, retry_after_ms }: Failure, attempts: number): ThroughlineError {
  const details: JsonObject = {
    ...(status === undefined ? {} : { status }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    attempts,
  };
  return new ThroughlineError(code, message, { ...(hint === undefined ? {} : { hint }), details });
}

/** What an HTTP status code means for a retry. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}

/** What to do about a status code; undefined if the catalogue's hint says it. */
export function hintOf(status: number): string | undefined {
  if (status === 401 || status === 403) return "Check the API key, and that it may use this model.";
  if (status === 404) return "Check the base URL and the model's name.";
  if (status >= 300 && status < 400) return "Give the address that the service redirects to as the base URL: a key is not sent elsewhere.";
  if (status === 429) return "Wait, or raise the limits at the model's service.";
  return undefined;
}

/** Characters of what a model sent that are kept: enough to see what is wrong. */
const longest = 2_000;

/** A call whose arguments are not one JSON object; the loop answers it with an error. */
export const malformedCall = (call_id: string, name: string, sent: string): ModelToolCall => ({
  call_id,
  name,
  arguments: {},
  malformed: sent.slice(0, longest),
});
