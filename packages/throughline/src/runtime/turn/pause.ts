/** Pausing a turn that waits for a decision. It ends on purpose as it would end in a crash: its questions are recorded and its lease is released. */
import { ThroughlineError } from "../../kernel/error.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { undecided } from "../../session/pending-calls.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import { hasOther, pauseOf } from "../approval/pending-approvals.ts";
import type { Turn } from "./running-turn.ts";
import { commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { RuntimeContext } from "../context.ts";
import type { Waiting } from "../loop/reply-port.ts";
import { hasMoved, wakeIfMoved } from "../subagent/parent-turn.ts";

/** Milliseconds between polls of a turn that waits for a child agent, because the process that should wake it may have died. */
const lookAgainMs = 60_000;

/** State with which a claimed turn continues. */
export interface Resumed {
  readonly loaded: LoadedSession;
  /** The calls that it still waits for. It is then parked again. */
  readonly waits: Waiting | undefined;
}

/**
 * Records decisions that no human made: the call expired, or the customer wrote instead. The commit depends on the log's head, so a call cannot be
 * decided twice.
 */
export async function resumePause(runtime: RuntimeContext, claim: Claim, { loaded, agent }: Pick<Turn, "loaded" | "agent">): Promise<Resumed> {
  const pause = pauseOf(loaded, agent, runtime.clock.now());
  if (pause === undefined) return { loaded, waits: undefined };
  const settled = pause.questions.filter(({ decision, offset }) => decision !== undefined && offset === undefined);
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
  // Loads as many messages as before, and those that have arrived since.
  const again = await loadSession(runtime, session_id, { messages: Math.max(60, loaded.messages.length) });
  return resumePause(runtime, claim, { loaded: again, agent });
}

/**
 * Step 6 of a turn that waits for a decision. Commits everything so far and the questions, and releases the lease, in one commit. The commit depends
 * on the log's head. If a decision or message arrives before it, the turn is not parked yet, so it becomes due immediately. If the turn still waits
 * for the same calls, it is parked again and nothing else is written.
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
  // Decisions on new calls come after this read. Decisions on earlier calls may have come since the turn started.
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
