/** What failed turns threw, for the developer: logged with its place, and kept in this process for `result.error.cause`. */
import { placeOf, withCause } from "../../extension/failure.ts";
import type { ThroughlineError } from "../../kernel/error.ts";
import type { TurnId } from "../../kernel/id.ts";
import type { Logger } from "../../kernel/log.ts";
import { setRecent } from "../../kernel/recent.ts";
import type { Claim } from "../../store/port.ts";
import type { TurnResult } from "../reading/outcome.ts";

/** Maximum number of turns whose errors are kept. */
const mostTurns = 256;

/** The parts of a runtime that a report needs. */
interface Reporting {
  readonly logger: Logger;
  readonly thrown: Map<TurnId, unknown>;
}

/** Where something failed: the claim, and the name of the agent if it is known. */
export interface FailedAt {
  readonly agent?: { readonly name: string } | undefined;
  readonly claim: Pick<Claim, "session_id" | "turn">;
}

/** Fields of a log entry that name the agent, the session and the turn. */
export const fieldsOf = ({ agent, claim }: FailedAt): { readonly agent?: string; readonly session_id: string; readonly turn_id: string } => ({
  ...(agent === undefined ? {} : { agent: agent.name }),
  session_id: claim.session_id,
  turn_id: claim.turn.turn_id,
});

/** Logs the failure of a turn, and keeps the error for the turn's result. The fields have its code and its place, not its message, which may quote a user. */
export function reportFailure({ logger, thrown }: Reporting, at: FailedAt, error: ThroughlineError): void {
  setRecent(thrown, at.claim.turn.turn_id, error, mostTurns);
  const cause = error.cause instanceof Error ? { cause: error.cause.name } : {};
  logger.error("turn failed", { ...fieldsOf(at), ...placeOf(error), code: error.code, ...cause }, error);
}

/** Returns the result of a turn. If the turn failed in this process, its error has the thrown error as `cause`. */
export function withThrown({ thrown }: Pick<Reporting, "thrown">, result: TurnResult): TurnResult {
  const { status, turn_id, error } = result;
  if (status !== "failed" || error === undefined || turn_id === undefined || !thrown.has(turn_id)) return result;
  return { ...result, error: withCause(error, thrown.get(turn_id)) };
}
