/**
 * A turn: one cause to one outcome, in seven steps. `accept` is the first two, on behalf of whoever sends; `runTurn` is the rest, in whichever
 * process holds the session's lease. Between the two, and between any two commits, a process may die: nothing accepted is lost, and nothing is
 * answered twice.
 */
import { acceptedBy, type DraftEnd } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { turnIdOf, type SessionId, type TurnId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import { answer } from "./answer.ts";
import { begin, type Turn } from "./begin.ts";
import { conclude } from "./conclude.ts";
import type { RuntimeContext } from "../context.ts";
import { draftEndInLog } from "./draft-end.ts";
import { openDraft } from "./drafts.ts";
import { executeAccepted } from "./execute-accepted.ts";
import { isOwnFailure } from "../../extension/failure.ts";
import { backToWaiting, failUnbegun, giveBack, recordSpent } from "./finish.ts";
import { turnOfFirstUse } from "../commands/idempotency.ts";
import type { Journal } from "./journal.ts";
import { listenTo, type EndedHere } from "./ended-here.ts";
import { holdLease } from "./lease.ts";
import { receive, type Incoming } from "./receive.ts";
import { isLabelled } from "../../session/session-view.ts";
import { shareProgress } from "../subagent/progress.ts";
import { superseding } from "./supersede.ts";

/** A message that is on disk. */
export interface Accepted {
  readonly offset: number;
  /** The turn that will answer it; undefined in manual mode. */
  readonly turn_id: TurnId | undefined;
}

interface Accepting {
  readonly session_id: SessionId;
  readonly agent: Agent;
  /** Hears of the epoch of a turn that the message supersedes. */
  readonly fenced: (epoch: number) => void;
  /** Hears that its turn is urgent. */
  readonly hurried: () => void;
}

/** Steps 1 and 2: receive and accept. From its return on the message is never lost and never answered twice. */
export async function accept(runtime: RuntimeContext, { session_id, agent, fenced, hurried }: Accepting, incoming: Incoming): Promise<Accepted> {
  // 1. Receive: the right shape, and values that the agent's input fields take.
  const { message, body_hash } = receive(agent, incoming);

  // 2. Accept: the agent's extensions look at it, and one commit holds the message and queues its turn.
  const effect = acceptedBy({ agent, text: incoming.text, kind: "message" });
  const { idempotencyKey, metadata, traceId } = incoming;
  const urgent = effect?.urgent === true;
  const command: Extract<Command, { type: "accept" }> = {
    type: "accept",
    ...(urgent ? { urgent } : {}),
    message,
    trace_id: traceId ?? runtime.ids.trace(),
    at: runtime.clock.now(),
    silenceMs: agent.episodeSilenceMs,
    limit: agent.waitingLimit,
    wake: agent.onMessageWhilePaused === "reject",
    ...(metadata === undefined ? {} : { metadata }),
  };
  const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, body_hash };
  const supersedes = urgent || agent.onNewMessage === "supersede";
  const accepting = supersedes ? (loaded: LoadedSession) => superseding(runtime, { loaded, urgent }, command) : command;
  const result = await executeAccepted(runtime, { session_id, effect, accepting, idempotency });
  if (urgent) hurried();
  if (result?.first !== undefined) return { offset: result.first.offset, turn_id: await turnOfFirstUse(runtime, session_id, result.first) };
  if (result === undefined) throw new ThroughlineError("internal", "A message was accepted without an event.");
  if (result.fenced) fenced(result.epoch);
  const { head, queued_turn } = result.committed;
  return { offset: head, turn_id: queued_turn === undefined ? undefined : turnIdOf(session_id, queued_turn) };
}

/** What a turn that this process is done with leaves. */
export interface Left {
  /** What it came to, if it ended here. */
  readonly ended?: EndedHere | undefined;
  /** Whether the session may have another turn to run. */
  readonly more: boolean;
}

/**
 * Steps 3 to 7. Returns when the turn has ended here, or throws why it did not: then it is another worker's, or waits for the next try. `awaitedBy`: the turn
 * whose call a child agent's turn works for. It waits in this process, so it is not woken, and makes the progress that the child makes.
 */
export async function runTurn(
  runtime: RuntimeContext,
  claim: Claim,
  stop: AbortSignal,
  { awaitedBy }: { readonly awaitedBy?: Pick<Turn, "journal"> } = {},
): Promise<Left> {
  // 3. Claim: the lease is kept up; losing it aborts everything below.
  const began = runtime.clock.monotonic();
  const lease = holdLease(runtime.store, claim, { ...runtime.lease, clock: runtime.clock });
  const signal = AbortSignal.any([lease.signal, stop]);
  const draft = openDraft(runtime, claim);
  let ending: DraftEnd = "fence";
  let journal: Journal | undefined;
  try {
    // 4. Begin: one consistent read, the fold, the turn's fields.
    const turn = await begin(runtime, claim, signal);
    ({ journal } = turn);
    if (isLabelled(turn.loaded.session)) journal.onProgress(() => shareProgress(turn, awaitedBy));
    if (turn.loaded.session.mode === "manual") {
      await backToWaiting(turn);
      return { more: true };
    }
    // What extensions have rewritten is told by the log alone.
    const ended = runtime.rewrite === undefined ? listenTo(turn) : () => undefined;

    // 5. Stages, then the reply, streamed as a draft; around both the agent's extensions.
    const answered = await answer(turn, draft);

    // 6. Finish: reply, state and outcome in one commit; or the questions that the turn waits with.
    ending = await conclude(turn, answered, { ms: runtime.clock.monotonic() - began, awaited: awaitedBy !== undefined });
    return { ended: ended(), more: journal.openTurns !== 0 };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    ending = await endingOf(runtime, claim, reason);
    if (journal !== undefined) await recordSpent(runtime, claim, journal);
    await notFinished(runtime, claim, reason);
    return { more: true };
  } finally {
    // 7. Deliver: readers follow the log; all that is left to do is to take back what was provisional.
    draft.end(ending);
    lease.stop();
  }
}

/** What is left of a turn that did not come to its end: it is ended as failed, or it is another's, or it is given back. Throws the last two. */
async function notFinished(runtime: RuntimeContext, claim: Claim, reason: unknown): Promise<void> {
  if (wasTaken(reason)) throw reason;
  if (isOwnFailure(reason)) return failUnbegun(runtime, claim, ThroughlineError.from(reason, "turn.failed"));
  await giveBack(runtime, claim, reason);
  throw reason;
}

/** Whether a turn was taken from this worker: whoever did it has written its end, or another worker will. */
export const wasTaken = (reason: unknown): boolean => ThroughlineError.is(reason, "turn.fenced", "turn.stopped", "session.manual");

/** What readers of the draft are told. */
function endingOf({ store }: RuntimeContext, claim: Claim, reason: unknown): DraftEnd | Promise<DraftEnd> {
  if (ThroughlineError.is(reason, "turn.stopped")) return "stopped";
  if (ThroughlineError.is(reason, "session.manual")) return "manual";
  if (wasTaken(reason)) return draftEndInLog(store, claim);
  return isOwnFailure(reason) ? "failed" : "fence";
}
