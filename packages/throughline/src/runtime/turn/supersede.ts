import { isPlainObject } from "../../kernel/json.ts";
import type { Command } from "../../session/decide-command.ts";
import type { LoadedSession, StoredEvent, TurnRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";

type Accept = Extract<Command, { type: "accept" }>;

/** Causes of turns that a customer's message may supersede. Excludes turns that other callers requested, and retries, whose messages are not waiting. */
const causes: ReadonlySet<TurnRow["cause"]> = new Set(["message", "greeting", "resume"]);

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
  if (running === undefined || !causes.has(running.cause)) return command;
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
