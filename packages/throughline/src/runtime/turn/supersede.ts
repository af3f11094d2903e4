import { isPlainObject } from "../../kernel/json.ts";
import type { Command } from "../../session/decide.ts";
import type { LoadedSession, StoredEvent, TurnRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { eventsOf } from "../../extension/lists.ts";

type Accept = Extract<Command, { type: "accept" }>;

/** Turns that somebody else than the customer has asked for are not the customer's to supersede; nor one that does another again, whose messages wait nowhere. */
const causes: ReadonlySet<TurnRow["cause"]> = new Set(["message", "greeting", "resume"]);

/**
 * The acceptance of a message, which supersedes the running turn as long as nothing of that has been shown. An `urgent` one supersedes it whatever it has
 * shown, and one that waits for somebody's word too: no tool is run in the turn that takes up its messages.
 */
export async function superseding(
  runtime: RuntimeContext,
  { loaded, urgent }: { readonly loaded: LoadedSession; readonly urgent: boolean },
  command: Accept,
): Promise<Accept> {
  const running = loaded.turns.find((turn) => turn.status === "running");
  if (running === undefined || !causes.has(running.cause)) return command;
  if (!urgent && (await hasShown(runtime, running))) return command;
  // What was urgent in it is so in the turn that takes it up.
  return { ...command, supersede: true, ...(running.urgent === true ? { urgent: true } : {}) };
}

/**
 * Whether the log holds something of the turn that its customer may have seen, or that would happen twice if another turn repeated it: that the
 * agent is typing, a message, a call with effects, a change of the state. A message that only asks for calls, and a call without effects, are neither.
 * What a turn has only in memory nobody has seen: it shows nothing that is not on disk, drafts included.
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
  // Text beside calls was a draft before, which the status "typing" tells of.
  return (
    source !== "customer" && source !== "customer_ui" && !(kind === "message" && isPlainObject(data["origin"]) && data["origin"]["is_trace"] === true)
  );
}
