import { ThroughlineError } from "../../kernel/error.ts";
import type { Answer } from "../answer.ts";
import type { Turn } from "../begin.ts";
import { changes, headerOf } from "../commit.ts";
import { removePromptsOf } from "../kept-requests.ts";
import { logUnread } from "./in-time.ts";
import { remembered, type Remembered } from "./remember-turn.ts";
import { whoseSession } from "./whose.ts";

/** Whether a commit was refused because the owner has changed, or is another one by now. */
const hasMoved = (error: unknown): boolean =>
  ThroughlineError.is(error, "customer.not_found") ||
  (ThroughlineError.is(error, "session.conflict") && error.details?.["reason"] === "stale_version");

/**
 * Ends a turn with what it leaves in memory: one commit. Whoever the session belongs to by now is whose memory it is, and it holds for the memory as it stands alone:
 * what was forgotten while the turn was at work is not remembered after all.
 */
export async function withMemory(turn: Turn, answer: Answer, commit: (beside: Remembered) => Promise<void>): Promise<void> {
  const isUnchanged = await committed(turn, answer, commit);
  if (!isUnchanged) await removeStale(turn).catch((error: unknown) => logUnread(turn.runtime, "stored requests not removed", error));
}

/** Whether the memory is known to be as it was when the turn began. */
async function committed(turn: Turn, { text, final }: Answer, commit: (beside: Remembered) => Promise<void>): Promise<boolean> {
  const { runtime, claim, loaded } = turn;
  let owner = { owner_id: loaded.session.owner_id, version: loaded.session.owner_version };
  for (let tried = 1; ; tried++) {
    const beside = await remembered(turn, { owner, reply: final ? text : undefined });
    try {
      await commit(beside);
      runtime.memory.touched(owner.owner_id, whoseSession(runtime, claim.session_id));
      return tried === 1 && beside.owner !== undefined;
    } catch (error) {
      if (tried === changes || beside.owner === undefined || !hasMoved(error)) throw error;
      const { owner_id, owner_version } = await headerOf(runtime, claim.session_id);
      if (owner_id === owner.owner_id && owner_version === owner.version) throw error;
      owner = { owner_id, version: owner_version };
    }
  }
}

/** What the turn was shown before it was forgotten stands in the requests that it has kept since: they go. */
async function removeStale({ runtime, agent, claim, loaded, began_at }: Turn): Promise<void> {
  if (agent.keepRequestsMs === undefined) return;
  const { session_id, turn } = claim;
  const { owner_id, owner_version } = await headerOf(runtime, session_id);
  if (owner_id === loaded.session.owner_id && owner_version === loaded.session.owner_version) return;
  const [last] = await runtime.store.entries({ owner_id, kinds: ["bar", "mask"], newest: true, limit: 1 });
  if (last !== undefined && last.created_at >= began_at) await removePromptsOf(runtime, session_id, turn.number);
}
