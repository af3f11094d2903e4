/** A turn that waits for somebody's word is ended as a crash would end it, on purpose: what it asks is on record, and its lease is given up. */
import { ThroughlineError } from "../../kernel/error.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { undecided } from "../../session/pending-calls.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import { hasOther, pauseOf } from "../approval/pause-of.ts";
import type { Turn } from "./begin.ts";
import { commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import type { Waiting } from "../loop/reply.ts";
import { hasMoved, wakeIfMoved } from "../subagent/pending.ts";

/** A turn that waits for a child agent looks after it so often: who was to wake it may have died before. */
const lookAgainMs = 60_000;

/** What a claimed turn goes on with. */
export interface Resumed {
  readonly loaded: LoadedSession;
  /** What it still waits for: it is parked again. */
  readonly waits: Waiting | undefined;
}

/**
 * Puts on record what counts as decided without anybody's word, because its time is over or the customer wrote instead. Nobody else decides the same
 * call: the commit holds only on the log that was looked at.
 */
export async function resumePause(runtime: RuntimeContext, claim: Claim, { loaded, agent }: Pick<Turn, "loaded" | "agent">): Promise<Resumed> {
  const pause = pauseOf(loaded, agent, runtime.clock.now());
  if (pause === undefined) return { loaded, waits: undefined };
  const settled = pause.asked.filter(({ decision, offset }) => decision !== undefined && offset === undefined);
  const pending = undecided(pause).map(({ call }) => call);
  if (settled.length === 0) {
    const goesOn = pending.length === 0 || (await hasMoved(runtime, pending));
    return { loaded, waits: goesOn ? undefined : { phase: "waiting", step_id: pause.step_id, pending } };
  }
  const { session_id, epoch, turn } = claim;
  const events = settled.flatMap(({ call: { call_id, index, arguments_hash }, decision }) =>
    decision === undefined ? [] : [turnEvent(turn.number, { type: "decided", call_id, index, arguments_hash, decision })],
  );
  const result = await commitOnce(runtime, { session: { session_id, events, depends: { epoch, head: loaded.session.head } } });
  if (result.outcome === "refused" && result.reason !== "stale_head") throw refused(result, session_id);
  // As many messages as before, and whatever has come in between.
  const again = await loadSession(runtime, session_id, { messages: Math.max(60, loaded.messages.length) });
  return resumePause(runtime, claim, { loaded: again, agent });
}

/**
 * Step 6 of a turn that waits for somebody's word: everything so far, and what is asked, in one commit that gives the lease up. It holds only on the log
 * as it was looked at: a word or a message that has come in between finds a turn that nobody has parked yet, so the turn is looked at again at once. A turn
 * that still waits with what it waited with is parked again, and nothing else is written.
 */
export async function park(turn: Turn, { step_id, pending }: Waiting): Promise<void> {
  const { runtime, journal, claim, agent } = turn;
  const { session_id } = claim;
  const { number } = claim.turn;
  if (turn.waits === undefined) {
    journal.add(newEvent("status", "ai_agent", { status: "ready", stage: "paused" }, { turn: number }));
    journal.add(turnEvent(number, { type: "paused", step_id, pending }));
  }
  const now = runtime.clock.now();
  // Words on what is asked now come after it; those on what was asked before may have come since the turn began.
  const loaded = turn.waits === undefined ? await loadSession(runtime, session_id) : turn.loaded;
  const times = pending.flatMap(({ expires_at }) => (expires_at === undefined ? [] : [expires_at]));
  if (pending.some(({ child }) => child !== undefined)) times.push(now + lookAgainMs);
  if (agent.onMessageWhilePaused === "reject" && hasOther(loaded, number)) times.push(now);
  const until = times.length === 0 ? {} : { until: Math.min(...times) };
  try {
    await journal.flush({ park: { turn: number, ...until } }, { head: loaded.session.head });
  } catch (error) {
    if (!ThroughlineError.is(error, "session.conflict")) throw error;
    await journal.flush({ park: { turn: number, until: now } });
  }
  await wakeIfMoved(runtime, session_id, pending);
}
