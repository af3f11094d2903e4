import type { Answer, DraftEnd } from "../../extension/port.ts";
import type { Paused } from "./answer.ts";
import type { Turn } from "./begin.ts";
import { finish } from "./finish.ts";
import { park } from "./pause.ts";
import { isLabelled } from "../../session/session-view.ts";
import { wakeParent } from "../subagent/pending.ts";

/**
 * Step 6: the turn's end, or the questions that it waits with, in one commit. Then the turn that a child agent works for is told, unless it waits for it
 * in this process (`awaited`). `ms` is the turn's time so far. Returns what readers of the draft are told.
 */
export async function conclude(
  turn: Turn,
  answered: Answer | Paused,
  { ms, awaited }: { readonly ms: number; readonly awaited: boolean },
): Promise<DraftEnd> {
  const paused = "paused" in answered;
  if (paused) await park(turn, answered.paused);
  else await finish(turn, answered, ms);
  // Whoever waits for a turn that is parked again knows what it waits with.
  const again = paused && turn.waits !== undefined;
  if (!awaited && !again && isLabelled(turn.loaded.session)) await wakeParent(turn.runtime, turn.claim.session_id);
  return paused || answered.final ? "end" : "failed";
}
