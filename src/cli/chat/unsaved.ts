/** A reply that a database which is away has not held up. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { TurnResult } from "../../runtime/reading/outcome.ts";
import { storable } from "../../extension/failure.ts";
import type { Conversation } from "./conversation.ts";

/**
 * What became of a message that the database has failed on, where the agent has a gate: it is answered all the same, and the assessment waits beside the
 * database. Any other error is thrown as it is.
 */
export async function unsavedResult({ runtime, session }: Conversation, text: string, error: unknown): Promise<TurnResult> {
  const { id: session_id } = await session();
  const told = await runtime.sessions.unsaved({ session_id, text }, error);
  if (!ThroughlineError.is(told) || told.details["saved"] === undefined) throw told;
  const { reply, saved } = told.details;
  return {
    ...{ offset: 0, turn_id: undefined, status: "failed", saved: saved === false ? saved : "unknown", output: {}, diagnostics: {} },
    reply: typeof reply === "string" ? reply : undefined,
    error: storable(told),
  };
}
