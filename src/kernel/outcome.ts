/** Writes that a database did not confirm. */
import { ThroughlineError } from "./error.ts";

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
