import { ThroughlineError } from "../../kernel/error.ts";
import type { Turn } from "../turn/begin.ts";
import { commitOnce } from "../../extension/commit.ts";
import { lineageOf, parentOf } from "./lineage.ts";

/**
 * Counts the progress of a child agent's turn as progress of its parent turns: their attempts count from 1 again. `awaitedBy` is the parent's turn if
 * it waits in this process. A failure is only logged, because it must not end the child's turn.
 */
export async function shareProgress(turn: Turn, awaitedBy: Pick<Turn, "journal"> | undefined): Promise<void> {
  try {
    if (awaitedBy === undefined) await countAnew(turn);
    else await awaitedBy.journal.progress();
  } catch (error) {
    turn.runtime.logger.warn("progress of a child agent not counted", { turn_id: turn.claim.turn.turn_id, code: ThroughlineError.from(error).code });
  }
}

/** Resets the attempts of all parent turns to 1, whichever process runs them. */
async function countAnew(turn: Turn): Promise<void> {
  const { runtime } = turn;
  let parent = await lineageOf(turn);
  while (parent !== undefined) {
    const { session_id, turn_id } = parent;
    const loaded = await runtime.store.load({ session_id, messages: 0 });
    const row = loaded?.turns.find((open) => open.turn_id === turn_id);
    if (loaded === undefined || row === undefined) return;
    if (row.attempts > 1) await commitOnce(runtime, { session: { session_id, progress: row.number } });
    parent = await parentOf(runtime, loaded.session);
  }
}
