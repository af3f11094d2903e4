import { errorCatalogue, type ErrorCode, type ErrorKind } from "./error-catalogue.ts";
import type { JsonObject } from "./json.ts";

const marker: unique symbol = Symbol.for("throughline.error");

/** Options of {@link ThroughlineError}. */
export interface ErrorOptions {
  /** What to do about it; the catalogue's hint if left out. */
  readonly hint?: string;
  /** The values seen, safe to show to the caller: never secrets, never another person's data. */
  readonly details?: JsonObject;
  readonly cause?: unknown;
}

/** An error as plain data: what logs, events and clients get. It has no stack and no cause. */
export interface ErrorInfo {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly details?: JsonObject;
}

/**
 * The one error class: a code of the catalogue, a sentence with the values seen, and a hint that says what to do.
 * Test for it with `ThroughlineError.is(error, "session.conflict")`, which also works across copies of the package.
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

  /** The kind of trouble, from the catalogue. */
  get kind(): ErrorKind {
    return errorCatalogue[this.code].kind;
  }

  /** Whether the same call may succeed later without a change. */
  get retryable(): boolean {
    return errorCatalogue[this.code].retryable;
  }

  /** The error without stack and cause. */
  toJSON(): ErrorInfo {
    const info = { code: this.code, message: this.message, hint: this.hint };
    return Object.keys(this.details).length === 0 ? info : { ...info, details: this.details };
  }

  /** Whether `error` is a ThroughlineError, of one of `codes` if any is named. */
  static is<Code extends ErrorCode>(error: unknown, ...codes: readonly Code[]): error is ThroughlineError & { readonly code: Code } {
    return (
      typeof error === "object" &&
      error !== null &&
      marker in error &&
      (codes.length === 0 || codes.some((code) => code === (error as ThroughlineError).code))
    );
  }

  /** The error itself, or an `internal` one that hides what it does not know. */
  static from(error: unknown, code: ErrorCode = "internal"): ThroughlineError {
    return ThroughlineError.is(error) ? error : new ThroughlineError(code, undefined, { cause: error });
  }
}

/** A short, safe rendering of a value for an error message: at most 80 characters. */
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
