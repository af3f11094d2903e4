/**
 * The state of an open turn, rebuilt from the log. It is the same for the turn's worker, for a process that ends the turn from outside, and for later
 * readers.
 */
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { Event, EventOf } from "../../session/event.ts";
import { decodeEvent, type foldState } from "../../session/fold.ts";
import { decodeState } from "../../state/document.ts";
import { beginTurn, replayTransient } from "../../state/state-turn.ts";
import type { LoadedSession } from "../../store/port.ts";
import { inputValues, type Agent } from "../agent/agent.ts";
import { eventAt } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import type { AnyState } from "./journal.ts";

/** An event that a turn answers: a message, or a custom event in which the screen found danger. */
export type Cause = EventOf<"message"> | EventOf<"custom">;

/** Returns the event if a turn can answer it: a customer's message or custom event. */
export const causeOf = (event: Event | undefined): readonly Cause[] => (event?.kind === "message" || event?.kind === "custom" ? [event] : []);

/** Returns the events at these offsets. Most are among the last messages; older ones are read from the store. */
export async function causesAt(runtime: RuntimeContext, loaded: LoadedSession, offsets: readonly number[]): Promise<readonly Cause[]> {
  const events: Cause[] = [];
  for (const offset of offsets) {
    const stored = loaded.messages.find((message) => message.offset === offset);
    const event = stored === undefined ? await eventAt(runtime, loaded.session.session_id, offset) : decodeEvent(stored);
    events.push(...causeOf(event));
  }
  return events;
}

/** Returns the operations on turn fields, in the order of the turn's journal. */
export const transientOf = (journal: readonly Event[]): readonly PatchOperation[] =>
  journal.flatMap(({ kind, data }) => (kind === "turn" && (data.type === "stage" || data.type === "fields") ? (data.patch ?? []) : []));

/**
 * Returns the stored state with the input fields of the last answered message. The turn fields are reset, and the turn's own changes to them are
 * replayed. Throws the errors of `decodeState`, `beginTurn` and `replayTransient`.
 */
export function openState(
  agent: Agent,
  document: ReturnType<typeof foldState>["document"],
  { causes, patches }: { readonly causes: readonly Cause[]; readonly patches: readonly PatchOperation[] },
): AnyState {
  const input = inputValues(agent, causes.findLast((cause) => cause.kind === "message")?.data);
  return replayTransient(agent.state, beginTurn(agent.state, decodeState(agent.state, document), { input }).state, patches);
}
