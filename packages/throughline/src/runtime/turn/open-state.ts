/** The state of a turn that is under way, from the log: the same for its worker, for whoever ends it from outside, and for whoever reads it later. */
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { Event, EventOf } from "../../session/event.ts";
import type { foldState } from "../../session/fold.ts";
import { decodeEvent } from "../../session/upcast.ts";
import { decodeState } from "../../state/document.ts";
import { beginTurn, replayTransient } from "../../state/state-turn.ts";
import type { LoadedSession } from "../../store/port.ts";
import { inputValues, type Agent } from "../agent/agent.ts";
import { eventAt } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import type { AnyState } from "./journal.ts";

/** What a turn answers: messages, and custom events in which the screen has found danger. */
export type Cause = EventOf<"message"> | EventOf<"custom">;

/** A customer's message or custom event, as what a turn may answer. */
export const causeOf = (event: Event | undefined): readonly Cause[] => (event?.kind === "message" || event?.kind === "custom" ? [event] : []);

/** What stands at these offsets: most are among the last messages, an older one is read. */
export async function causesAt(runtime: RuntimeContext, loaded: LoadedSession, offsets: readonly number[]): Promise<readonly Cause[]> {
  const events: Cause[] = [];
  for (const offset of offsets) {
    const stored = loaded.messages.find((message) => message.offset === offset);
    const event = stored === undefined ? await eventAt(runtime, loaded.session.session_id, offset) : decodeEvent(stored);
    events.push(...causeOf(event));
  }
  return events;
}

/** The operations on fields that end with the turn, in the order of its journal. */
export const transientOf = (journal: readonly Event[]): readonly PatchOperation[] =>
  journal.flatMap(({ kind, data }) => (kind === "turn" && (data.type === "stage" || data.type === "fields") ? (data.patch ?? []) : []));

/**
 * What is stored, with the input fields of the last message that the turn answers, and with its turn fields fresh but for what it has written to them. Throws
 * what `decodeState`, `beginTurn` and `replayTransient` throw.
 */
export function openState(
  agent: Agent,
  document: ReturnType<typeof foldState>["document"],
  { causes, patches }: { readonly causes: readonly Cause[]; readonly patches: readonly PatchOperation[] },
): AnyState {
  const input = inputValues(agent, causes.findLast((cause) => cause.kind === "message")?.data);
  return replayTransient(agent.state, beginTurn(agent.state, decodeState(agent.state, document), { input }).state, patches);
}
