import type { AcceptBeside, AcceptEffect } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import type { LoadedSession } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { execute, type Executed } from "../commands/execute.ts";
import type { Idempotency } from "../commands/idempotency.ts";

/** Commands that can carry a customer's text. */
type Accepting = Extract<Command, { type: "accept" | "post_custom" }>;

/** Accepts a customer's input, with the additions of extensions in the same commit. Every try decides anew. */
export async function executeAccepted(
  runtime: RuntimeContext,
  given: {
    readonly session_id: SessionId;
    readonly effect: AcceptEffect | undefined;
    readonly accepting: Accepting | ((loaded: LoadedSession) => Promise<Accepting>);
    readonly idempotency: Idempotency | undefined;
  },
): Promise<Executed | undefined> {
  const { session_id, effect, accepting, idempotency } = given;
  if (effect === undefined) return execute(runtime, session_id, accepting, { idempotency });
  let beside: AcceptBeside | undefined;
  const command = async (loaded: LoadedSession): Promise<Accepting> => {
    const accept = typeof accepting === "function" ? await accepting(loaded) : accepting;
    const answered = accept.type === "accept" && loaded.session.mode !== "manual";
    beside = await effect.beside({ context: runtime, loaded, session_id, trace_id: accept.trace_id, answered });
    return beside?.assessed === undefined ? accept : { ...accept, assessed: beside.assessed };
  };
  return execute(runtime, session_id, command, {
    idempotency,
    alongside: () => Promise.resolve(beside?.records === undefined ? undefined : { records: beside.records }),
  });
}
