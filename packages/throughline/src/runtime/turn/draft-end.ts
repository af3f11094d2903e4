/** Reasons for the end of a draft, as shown to its readers. */
import type { DraftEnd } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { Outcome } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Claim, Store } from "../../store/port.ts";
import { eventsOf } from "../../extension/lists.ts";

const draftEnds: readonly DraftEnd[] = ["end", "fence", "manual", "stopped", "failed"];

/** Returns the end that a piece reports. The store port allows any string. */
export const draftEndOf = (ended: string): DraftEnd => draftEnds.find((end) => end === ended) ?? "fence";

const endByReason: Readonly<Record<string, DraftEnd>> = { manual: "manual", withdrawn: "fence", superseded: "fence" };

/** Returns the draft's end for the outcome of a turn. */
export function draftEndBy(outcome: Outcome): DraftEnd {
  if (outcome.status === "completed") return "end";
  if (outcome.status === "failed") return "failed";
  return endByReason[outcome.reason] ?? "stopped";
}

/** Returns the draft's end for a turn that was taken from its worker. The log has the reason, unless another worker continues the turn. */
export async function draftEndInLog(store: Pick<Store, "read">, { session_id, turn }: Claim): Promise<DraftEnd> {
  try {
    for await (const stored of eventsOf(store, { session_id, min_offset: turn.started_offset ?? 0, kinds: ["turn"], trace_id: turn.trace_id })) {
      const event = decodeEvent(stored);
      if (event.kind === "turn" && event.turn_id === turn.turn_id && event.data.type === "ended") return draftEndBy(event.data.outcome);
    }
  } catch (error) {
    // If the log cannot be read, the reason is unknown, but the draft must still end.
    if (!ThroughlineError.is(error)) throw error;
  }
  return "fence";
}
