import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { TurnId } from "../kernel/id.ts";
import { notJson } from "../kernel/json.ts";
import type { Logger } from "../kernel/log.ts";

/** Returns the error for an invalid value of a caller. `path` names the value. */
export const invalidAt = (
  code: "input.invalid" | "session.invalid" | "handover.invalid" | "state.invalid_value",
  path: string,
  message: string,
): ThroughlineError => new ThroughlineError(code, message, { details: { path } });

/** Returns the error for an invalid definition of an agent, or of a part of one. */
export const invalidAgent = (message: string): ThroughlineError => new ThroughlineError("agent.invalid", message);

/** Tells whether an error fails the turn. Errors such as an unreachable database or an outdated definition leave the turn for another attempt. */
export function isOwnFailure(error: unknown): boolean {
  if (!ThroughlineError.is(error)) return true;
  return (
    !error.code.startsWith("store.") &&
    !ThroughlineError.is(
      error,
      "aborted",
      "turn.fenced",
      "turn.stopped",
      "session.manual",
      "session.conflict",
      "session.not_found",
      "state.definition_newer",
      "agent.not_found",
    )
  );
}

/**
 * Returns an error of a stage or a model as the failure of its turn. An error that looks like a lost turn, such as `session.not_found` for another
 * session, becomes `other`. The turn would otherwise be retried forever.
 */
export const failureOf = (error: unknown, other: ThroughlineError): ThroughlineError =>
  ThroughlineError.is(error) && isOwnFailure(error) ? error : other;

/** Where errors come from: the turn's own work, or code of an extension. */
const origins = new WeakMap<object, "turn" | "extension">();

/** Marks an error as the turn's own, unless it comes from an extension. A turn can be given back because of its own errors without counting the attempt. */
export function ofTurn<Thrown>(error: Thrown): Thrown {
  if (typeof error === "object" && error !== null && !origins.has(error)) origins.set(error, "turn");
  return error;
}

/** Runs the turn's own work within a point of an extension. */
export async function own<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw ofTurn(error);
  }
}

/** Whether an error is a failure of the store in an extension's own code. The attempt counts, since the extension may use another store. */
export const isOfExtension = (error: unknown): boolean => typeof error === "object" && error !== null && origins.get(error) === "extension";

/**
 * Runs a point of an extension. Its exceptions become `extension.failed`, except for those that `failedIn` leaves unchanged. Their text may quote a
 * user, so only the cause has it, not the log.
 */
export async function named<Result>(extension: { readonly name: string }, signal: AbortSignal, point: () => Promise<Result>): Promise<Result> {
  try {
    return await point();
  } catch (error) {
    signal.throwIfAborted();
    throw failedIn(extension, error);
  }
}

/**
 * Returns an exception of an extension as an error that names the extension. Errors that fail the turn are returned unchanged, as are the turn's own
 * errors and those of a store. An error that only looks like a lost turn would otherwise be retried forever.
 */
export function failedIn({ name }: { readonly name: string }, error: unknown): ThroughlineError {
  if (ThroughlineError.is(error)) {
    if (isOwnFailure(error) || origins.has(error)) return error;
    if (error.code.startsWith("store.")) {
      origins.set(error, "extension");
      return error;
    }
  }
  return new ThroughlineError("extension.failed", `Extension "${name}" failed.`, { cause: error, details: { extension: name } });
}

/** Logs the code of a turn's failure without its message, which may quote a user. */
export function logFailure(logger: Logger, turn_id: TurnId, error: ThroughlineError): void {
  const cause = error.cause instanceof Error ? { cause: error.cause.name } : {};
  logger.error("turn failed", { turn_id, code: error.code, ...cause });
}

/** Returns an error in the form that the log stores. Details that are not JSON, which only a stage or a model can add, are left out. */
export function storable(error: ThroughlineError): ErrorInfo {
  const { details, ...info } = error.toJSON();
  return details === undefined || notJson(details) !== undefined ? info : { ...info, details };
}
