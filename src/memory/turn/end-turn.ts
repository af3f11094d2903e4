import type { Answer } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { maskedBy, maskWrites } from "../control/masks.ts";
import type { EntryWrite } from "../entry.ts";
import type { Turn } from "../../runtime/turn/begin.ts";
import { changes, headerOf } from "../../extension/commit.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { Owner } from "../keep/change-memory.ts";
import { inTime, logUnread } from "./in-time.ts";
import { masksOf } from "./masked.ts";
import { remembered, type Remembered } from "./remember-turn.ts";
import { whoseSession } from "../keep/whose.ts";

/** What the last commit of a turn holds for the memory, and the head that it holds for, if it depends on that. */
interface Ending extends Remembered {
  readonly head?: number;
}

/** Whether a commit was refused because what it was decided on has changed. */
function hasMoved(error: unknown): boolean {
  if (ThroughlineError.is(error, "customer.not_found")) return true;
  const reason = ThroughlineError.is(error, "session.conflict") ? error.details?.["reason"] : undefined;
  return reason === "stale_version" || reason === "stale_head";
}

/**
 * Ends a turn with what it leaves in memory: one commit. Whoever the session belongs to by now is whose memory it is, and it holds for the memory as it stands alone:
 * what was forgotten while the turn was at work is not remembered after all.
 */
export async function withMemory(turn: Turn, { text, final }: Answer, commit: (ending: Ending) => Promise<void>): Promise<void> {
  const { runtime, claim, loaded } = turn;
  let owner = { owner_id: loaded.session.owner_id, version: loaded.session.owner_version };
  for (let tried = 1; ; tried++) {
    const hiding = await hidingOf(turn, owner);
    const left = await remembered(turn, { owner, reply: final ? text : undefined, hidden: hiding !== undefined });
    const ending: Ending = hiding === undefined ? left : { ...left, ...hidden(left, owner, hiding) };
    try {
      await commit(ending);
      runtime.memory.touched(owner.owner_id, whoseSession(runtime, claim.session_id));
      return;
    } catch (error) {
      if (tried === changes || (ending.owner === undefined && ending.head === undefined) || !hasMoved(error)) throw error;
      const { owner_id, owner_version } = await headerOf(runtime, claim.session_id);
      owner = { owner_id, version: owner_version };
    }
  }
}

/** How a reply is hidden from later prompts, in the commit that appends it. */
interface Hiding {
  readonly head: number;
  readonly writes: readonly EntryWrite[];
}

function hidden(left: Remembered, { owner_id, version }: Owner, { head, writes }: Hiding): Pick<Ending, "owner" | "head"> {
  return { head, owner: { owner_id, depends: { version }, entries: [...(left.owner?.entries ?? []), ...writes] } };
}

/**
 * A turn whose own message was forgotten, by its own deed or while it was at work, still answers: what it says rests on forgotten words, so its events are masked
 * with the commit that ends it. Their offsets are known because that commit depends on the head. Undefined for every other turn.
 */
async function hidingOf(turn: Turn, owner: Owner): Promise<Hiding | undefined> {
  const { runtime, agent, claim, loaded, answered, journal, signal, started } = turn;
  const { memory: settings } = agent;
  if (settings === undefined) return undefined;
  try {
    const { session_id } = claim;
    const read = (): ReturnType<typeof masksOf> => masksOf(runtime, { owner_id: owner.owner_id, owner_version: owner.version }, settings);
    const { masks } = await inTime(runtime, { ms: settings.readDeadlineMs, signal }, read);
    if (masks.length === 0) return undefined;
    const isMasked = maskedBy(masks);
    const isOwnMasked = masks.some((mask) => mask.session_id === session_id && mask.offsets.some((offset) => offset > started));
    const isAnswerMasked = answered.some(({ offset }) =>
      isMasked(loaded.messages.find((event) => event.offset === offset) ?? { session_id, offset }),
    );
    if (!isAnswerMasked && !isOwnMasked) return undefined;
    const own: number[] = [];
    for await (const event of eventsOf(runtime.store, { session_id, min_offset: started, kinds: ["message", "tool", "custom"] }))
      if (event.turn_id === claim.turn.turn_id && event.source !== "customer") own.push(event.offset);
    if (!isAnswerMasked && !own.some((offset) => isMasked({ session_id, offset }))) return undefined;
    const { head } = await headerOf(runtime, session_id);
    const next = Array.from({ length: journal.size }, (_, index) => head + 1 + index);
    const kept = masks.map((entry) => ({ entry }));
    return { head, writes: maskWrites(kept, new Map([[session_id, [...own, ...next]]]), runtime.clock.now()) };
  } catch (error) {
    signal.throwIfAborted();
    if (ThroughlineError.is(error, "session.not_found")) throw error;
    logUnread(runtime, "reply not masked: memory cannot be read", error);
    return undefined;
  }
}
