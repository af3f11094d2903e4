/** The one error class, and errors of writes that a database did not confirm. */
import { errorCatalogue, type ErrorCode, type ErrorKind } from "./error-catalogue.ts";
import type { JsonObject } from "./json-type.ts";

const marker: unique symbol = Symbol.for("throughline.error");

/** Options of {@link ThroughlineError}. */
export interface ErrorOptions {
  /** What to do about the error. By default the catalogue's hint. */
  readonly hint?: string;
  /** The values seen. They must be safe to show to the caller: never secrets, never another customer's data. */
  readonly details?: JsonObject;
  readonly cause?: unknown;
}

/** An error as plain data for logs, events and clients. It has no stack and no cause. */
export interface ErrorInfo {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details?: JsonObject;
}

/**
 * The only error class: a code from the catalogue, a message with the values seen, and a hint that says what to do. Test for it with
 * `ThroughlineError.is(error, "session.conflict")`, which also works across copies of the package.
 */
export class ThroughlineError extends Error {
  override readonly name = "ThroughlineError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: JsonObject;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string = errorCatalogue[code].meaning, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? errorCatalogue[code].hint;
    this.details = options.details ?? {};
  }

  /** The kind of the error, from the catalogue. */
  get kind(): ErrorKind {
    return errorCatalogue[this.code].kind;
  }

  /** Whether the same call may succeed later without a change. */
  get retryable(): boolean {
    return errorCatalogue[this.code].retryable;
  }

  /** Returns the error without its stack and cause. */
  toJSON(): ErrorInfo {
    const info = { code: this.code, message: this.message, hint: this.hint };
    return Object.keys(this.details).length === 0 ? info : { ...info, details: this.details };
  }

  /** Whether `error` is a ThroughlineError. With `codes`, whether it also has one of them. */
  static is<Code extends ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ThroughlineError & { readonly code: Code } {
    return (
      typeof error === "object" &&
      error !== null &&
      marker in error &&
      (codes.length === 0 || codes.some((code) => code === (error as ThroughlineError).code))
    );
  }

  /** Returns a ThroughlineError unchanged. Wraps any other error as its cause, under `code` and the catalogue's message, so that no unknown message leaks. */
  static from(error: unknown, code: ErrorCode = "internal"): ThroughlineError {
    return ThroughlineError.is(error) ? error : new ThroughlineError(code, undefined, { cause: error });
  }
}

/** Renders a value for an error message, in at most 80 characters. */
export function seen(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol" || typeof value === "undefined") return String(value);
  if (typeof value === "bigint") return `${value}n`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  const shown = text ?? Object.prototype.toString.call(value);
  return shown.length <= 80 ? shown : `${shown.slice(0, 77)}...`;
}

/** Error details of a write that may have been applied: the connection closed or the time limit passed before the database responded. */
export const unknownOutcome = { outcome: "unknown" } as const;

/** Whether the write that failed with this error may have been applied. */
export const isOutcomeUnknown = (error: unknown): error is ThroughlineError =>
  ThroughlineError.is(error) && error.details["outcome"] === unknownOutcome.outcome;

/** Returns the same error with details that mark the write as possibly applied. */
export const withUnknownOutcome = (error: unknown): ThroughlineError => {
  const { code, message, hint, details } = ThroughlineError.from(error);
  return new ThroughlineError(code, message, { cause: error, hint, details: { ...details, ...unknownOutcome } });
};
