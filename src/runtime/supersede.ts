import type { Command } from "../session/decide.ts";
import type { LoadedSession, StoredEvent, TurnRow } from "../store/port.ts";
import type { RuntimeContext } from "./context.ts";
import { eventsOf } from "./lists.ts";

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
 * Whether the log holds something of the turn that its customer may have seen, or that would be done twice if another turn did it anew: that the
 * agent is typing, a message, a call of a tool, a change of the state. What a turn has only in memory nobody has seen: it shows nothing that is not
 * on disk, drafts included.
 */
async function hasShown(runtime: RuntimeContext, { session_id, turn_id, started_offset }: TurnRow): Promise<boolean> {
  if (started_offset === undefined) return false;
  const kinds = ["status", "message", "tool", "custom", "state"] as const;
  for await (const event of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds }))
    if (event.turn_id === turn_id && isShown(event)) return true;
  return false;
}

const isShown = ({ kind, source, data }: StoredEvent): boolean =>
  kind === "status" ? data["status"] === "typing" || data["status"] === "ready" : source !== "customer";
