/** Accepts a customer's input: the additions of extensions, and the turn that it supersedes. */
import { eventsOf } from "../../extension/lists.ts";
import type { AcceptBeside, AcceptEffect } from "../../extension/port.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject } from "../../kernel/json.ts";
import type { Command } from "../../session/decide-command.ts";
import type { LoadedSession, StoredEvent, TurnRow } from "../../store/port.ts";
import { execute, type Executed } from "../commands/execute.ts";
import type { Idempotency } from "../commands/idempotency.ts";
import type { RuntimeContext } from "../context.ts";

/** Commands that can carry a customer's text. */
type AcceptCommand = Extract<Command, { type: "accept" | "post_custom" }>;

/** Accepts a customer's input, with the additions of extensions in the same commit. Every try decides anew. */
export async function executeAccepted(
  runtime: RuntimeContext,
  given: {
    readonly session_id: SessionId;
    readonly effect: AcceptEffect | undefined;
    readonly accepting: AcceptCommand | ((loaded: LoadedSession) => Promise<AcceptCommand>);
    readonly idempotency: Idempotency | undefined;
    readonly traceparent?: string | undefined;
  },
): Promise<Executed | undefined> {
  const { session_id, effect, accepting, idempotency, traceparent } = given;
  if (effect === undefined) return execute(runtime, session_id, accepting, { idempotency });
  let beside: AcceptBeside | undefined;
  const command = async (loaded: LoadedSession): Promise<AcceptCommand> => {
    const accept = typeof accepting === "function" ? await accepting(loaded) : accepting;
    const answered = accept.type === "accept" && loaded.session.mode !== "manual";
    beside = await effect.beside({ context: runtime, loaded, session_id, trace_id: accept.trace_id, traceparent, answered });
    return beside?.assessed === undefined ? accept : { ...accept, assessed: beside.assessed };
  };
  return execute(runtime, session_id, command, {
    idempotency,
    alongside: () => Promise.resolve(beside?.records === undefined ? undefined : { records: beside.records }),
  });
}

type Accept = Extract<Command, { type: "accept" }>;

/** Causes of turns that a customer's message may supersede. Excludes turns that other callers requested, and retries, whose messages are not waiting. */
const supersededCauses: ReadonlySet<TurnRow["cause"]> = new Set(["message", "greeting", "resume"]);

/**
 * Returns the command that accepts a message. It supersedes the running turn if that turn has shown nothing. An `urgent` message supersedes it in any
 * case, including a turn that waits for a decision. The turn that takes over the messages runs no tools.
 */
export async function superseding(
  runtime: RuntimeContext,
  { loaded, urgent }: { readonly loaded: LoadedSession; readonly urgent: boolean },
  command: Accept,
): Promise<Accept> {
  const running = loaded.turns.find((turn) => turn.status === "running");
  if (running === undefined || !supersededCauses.has(running.cause)) return command;
  if (!urgent && (await hasShown(runtime, running))) return command;
  // If the superseded turn was urgent, the turn that takes over its messages is urgent too.
  return { ...command, supersede: true, ...(running.urgent === true ? { urgent: true } : {}) };
}

/**
 * Whether the log contains something that the customer may have seen, or that would happen twice if another turn repeated it. These are the status
 * "typing", a message, a call with effects, and a state change. A message that only contains calls does not count, nor does a call without effects.
 * Data in memory is invisible: a turn shows nothing, drafts included, before it is committed.
 */
async function hasShown(runtime: RuntimeContext, { session_id, turn_id, started_offset }: TurnRow): Promise<boolean> {
  if (started_offset === undefined) return false;
  const kinds = ["status", "message", "tool", "custom", "state"] as const;
  const readOnly = new Set<unknown>();
  for await (const event of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds })) {
    const { kind, data } = event;
    if (kind === "tool" && data["effects"] === "none") readOnly.add(data["call_id"]);
    if (event.turn_id === turn_id && isShown(event) && !(kind === "tool" && readOnly.has(data["call_id"]))) return true;
  }
  return false;
}

function isShown({ kind, source, data }: StoredEvent): boolean {
  if (kind === "status") return data["status"] === "typing" || data["status"] === "ready";
  // Text with calls was a draft before, and the status "typing" covers that draft.
  return (
    source !== "customer" && source !== "customer_ui" && !(kind === "message" && isPlainObject(data["origin"]) && data["origin"]["is_trace"] === true)
  );
}
