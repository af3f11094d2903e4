import { ThroughlineError } from "../kernel/error.ts";

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
