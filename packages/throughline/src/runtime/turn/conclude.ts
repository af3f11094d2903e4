import type { Answer, DraftEnd } from "../../extension/port.ts";
import type { Paused } from "./answer.ts";
import type { Turn } from "./begin.ts";
import { finish } from "./finish.ts";
import { park } from "./pause.ts";
import { isLabelled } from "../../session/session-view.ts";
import { wakeParent } from "../subagent/pending.ts";

/**
 * Step 6. Commits the turn's end, or the pause with its pending calls, in one commit. Then wakes the parent turn of a child agent, unless the parent
 * waits for it in this process (`awaited`). `ms` is the turn's duration so far. Returns the end that readers of the draft receive.
 */
export async function conclude(
  turn: Turn,
  answered: Answer | Paused,
  { ms, awaited }: { readonly ms: number; readonly awaited: boolean },
): Promise<DraftEnd> {
  const paused = "paused" in answered;
  if (paused) await park(turn, answered.paused);
  else await finish(turn, answered, ms);
  // The parent already knows the pending calls of a turn that is parked again.
  const again = paused && turn.waits !== undefined;
  if (!awaited && !again && isLabelled(turn.loaded.session)) await wakeParent(turn.runtime, turn.claim.session_id);
  return paused || answered.final ? "end" : "failed";
}
