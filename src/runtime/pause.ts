import { turnEvent } from "../session/decide.ts";
import type { Turn } from "./begin.ts";
import type { Waiting } from "./loop/reply.ts";
import { wakeIfMoved } from "./subagent/pending.ts";

/** Step 6 of a turn that waits for somebody's word: everything so far, and what is asked, in one commit that gives the lease up. */
export async function park({ runtime, journal, claim }: Turn, { step_id, pending }: Waiting): Promise<void> {
  const { number } = claim.turn;
  journal.add(turnEvent(number, { type: "paused", step_id, pending }));
  const times = pending.flatMap(({ expires_at }) => (expires_at === undefined ? [] : [expires_at]));
  await journal.flush({ park: { turn: number, ...(times.length === 0 ? {} : { until: Math.min(...times) }) } });
  await wakeIfMoved(runtime, claim.session_id, pending);
}
