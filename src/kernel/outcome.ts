/** Writes that a database did not confirm. */
import { ThroughlineError } from "./error.ts";

/** Details of the error of a write that may have happened: the connection ended, or the limit passed, before the database answered. */
export const unknownOutcome = { outcome: "unknown" } as const;

/** Whether the write that failed with this error may have happened. */
export const isOutcomeUnknown = (error: unknown): error is ThroughlineError =>
  ThroughlineError.is(error) && error.details["outcome"] === unknownOutcome.outcome;

/** The same error, saying that the write may have happened. */
export const withUnknownOutcome = (error: unknown): ThroughlineError => {
  const { code, message, hint, details } = ThroughlineError.from(error);
  return new ThroughlineError(code, message, { cause: error, hint, details: { ...details, ...unknownOutcome } });
};
