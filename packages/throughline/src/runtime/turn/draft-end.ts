/** Why a draft is over: what its readers are told. */
import type { DraftEnd } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Outcome } from "../../session/event.ts";
import { decodeEvent } from "../../session/upcast.ts";
import type { Claim, Store } from "../../store/port.ts";
import { eventsOf } from "../../extension/lists.ts";

const draftEnds: readonly DraftEnd[] = ["end", "fence", "manual", "stopped", "failed"];

/** The end that a piece tells of; the port leaves the word open. */
export const draftEndOf = (ended: string): DraftEnd => draftEnds.find((end) => end === ended) ?? "fence";

const endByReason: Readonly<Record<string, DraftEnd>> = { manual: "manual", withdrawn: "fence", superseded: "fence" };

/** The end of the draft of a turn that has ended. */
export function draftEndBy(outcome: Outcome): DraftEnd {
  if (outcome.status === "completed") return "end";
  if (outcome.status === "failed") return "failed";
  return endByReason[outcome.reason] ?? "stopped";
}

/** The end of the draft of a turn that was taken from its worker: whoever did it has said why in the log, unless it goes on elsewhere. */
export async function draftEndInLog(store: Pick<Store, "read">, { session_id, turn }: Claim): Promise<DraftEnd> {
  try {
    for await (const stored of eventsOf(store, { session_id, min_offset: turn.started_offset ?? 0, kinds: ["turn"], trace_id: turn.trace_id })) {
      const event = decodeEvent(stored);
      if (event.kind === "turn" && event.turn_id === turn.turn_id && event.data.type === "ended") return draftEndBy(event.data.outcome);
    }
  } catch (error) {
    // Who cannot read the log cannot tell why; the draft ends all the same.
    if (!ThroughlineError.is(error)) throw error;
  }
  return "fence";
}
