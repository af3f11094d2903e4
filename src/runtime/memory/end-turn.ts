import { ThroughlineError } from "../../kernel/error.ts";
import type { Answer } from "../answer.ts";
import type { Turn } from "../begin.ts";
import { headerOf } from "../commit.ts";
import { remembered, type Remembered } from "./remember-turn.ts";
import { whoseSession } from "./whose.ts";

/** How often the owner is looked up anew: a session is given to a customer once. */
const tries = 2;

/** Ends a turn with what it leaves in memory: one commit. Whoever the session belongs to by now is whose memory it is. */
export async function withMemory(turn: Turn, { text, final }: Answer, commit: (beside: Remembered) => Promise<void>): Promise<void> {
  const { runtime, claim, loaded } = turn;
  let { owner_id } = loaded.session;
  for (let tried = 1; ; tried++) {
    const beside = await remembered(turn, { owner_id, reply: final ? text : undefined });
    try {
      await commit(beside);
      runtime.memory.touched(owner_id, whoseSession(runtime, claim.session_id));
      return;
    } catch (error) {
      // The session was given to a customer while the turn was at work: the owner that it began with is gone.
      if (tried === tries || beside.owner === undefined || !ThroughlineError.is(error, "customer.not_found")) throw error;
      const now = await headerOf(runtime, claim.session_id);
      if (now.owner_id === owner_id) throw error;
      owner_id = now.owner_id;
    }
  }
}
