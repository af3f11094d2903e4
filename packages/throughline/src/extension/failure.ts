import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { TurnId } from "../kernel/id.ts";
import { notJson } from "../kernel/json.ts";
import type { Logger } from "../kernel/log.ts";

/** Whether an error ends the turn: a database that does not answer or a definition that is too old leaves it for another try. */
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
 * What a stage or a model has thrown, as the failure of its turn. Whatever it met, such as another session that is not there or a database of
 * its own, must not look as if this turn were lost: it would be tried for ever.
 */
export const failureOf = (error: unknown, other: ThroughlineError): ThroughlineError =>
  ThroughlineError.is(error) && isOwnFailure(error) ? error : other;

/**
 * What an extension does at one of its points; what it throws that is no error of Throughline's names it. That may quote what a person wrote, so its text stays
 * out of the log; the cause has it.
 */
export async function named<Result>(extension: { readonly name: string }, signal: AbortSignal, point: () => Promise<Result>): Promise<Result> {
  try {
    return await point();
  } catch (error) {
    signal.throwIfAborted();
    throw failedIn(extension, error);
  }
}

/** What an extension has thrown, as an error that names it. */
export const failedIn = ({ name }: { readonly name: string }, error: unknown): ThroughlineError =>
  ThroughlineError.is(error)
    ? error
    : new ThroughlineError("extension.failed", `Extension "${name}" failed.`, { cause: error, details: { extension: name } });

/** Logs why a turn failed: what it is called, and not what it says, which may quote a person. */
export function logFailure(logger: Logger, turn_id: TurnId, error: ThroughlineError): void {
  const cause = error.cause instanceof Error ? { cause: error.cause.name } : {};
  logger.error("turn failed", { turn_id, code: error.code, ...cause });
}

/** An error as the log can hold it: details that are no JSON, which only a stage or a model can have put there, are left out. */
export function storable(error: ThroughlineError): ErrorInfo {
  const { details, ...info } = error.toJSON();
  return details === undefined || notJson(details) !== undefined ? info : { ...info, details };
}
