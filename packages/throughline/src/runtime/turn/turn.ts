/**
 * A turn: one cause to one outcome, in seven steps. `accept` is the first two, for the sender. `runTurn` is the rest, in the process that holds the
 * session's lease. A process may die between the two and between any two commits. Nothing accepted is lost, and nothing is answered twice.
 */
import { present } from "../../kernel/json.ts";
import { observed } from "../../extension/observe.ts";
import {
  acceptedBy,
  type Answer,
  type DraftEnd,
  extensionsWith,
  type ObservedWork,
  type OpenDraft,
  type Screened,
  type WorkEnd,
} from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { traceOf, turnIdOf, type SessionId, type TurnId } from "../../kernel/id.ts";
import type { Command } from "../../session/decide-command.ts";
import type { Claim, LoadedSession } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import { answer, type Paused, poisoned } from "./answer.ts";
import type { Turn } from "./running-turn.ts";
import { begin } from "./begin.ts";
import { backToWaiting, conclude, failUnstarted, giveBack, recordSpent } from "./finish.ts";
import type { RuntimeContext } from "../context.ts";
import { draftEndInLog, openDraft } from "./drafts.ts";
import { executeAccepted, superseding } from "./accept-input.ts";
import { isOfExtension, isOwnFailure, storable } from "../../extension/failure.ts";
import { turnOfFirstUse } from "../commands/idempotency.ts";
import type { Journal } from "./journal.ts";
import { listenTo, type EndedHere } from "./ended-here.ts";
import { holdLease, poisonedAt } from "./lease.ts";
import { receive, type Incoming } from "./receive.ts";
import { extensionTurn } from "./stages.ts";
import { shareProgress } from "../subagent/parent-turn.ts";

/** A durable message. */
export interface Accepted {
  readonly offset: number;
  /** The turn that will answer it. Undefined in manual mode. */
  readonly turn_id: TurnId | undefined;
}

interface Accepting {
  readonly session_id: SessionId;
  readonly agent: Agent;
  /** Called with the epoch of a turn that the message supersedes. */
  readonly fenced: (epoch: number) => void;
  /** Called if the message's turn is urgent. */
  readonly hurried: () => void;
  /** The effect of the extensions on the message, if it is known already. */
  readonly screened?: Screened | undefined;
}

/** Steps 1 and 2: receive and accept. Once this resolves, the message is never lost and never answered twice. */
export async function accept(
  runtime: RuntimeContext,
  { session_id, agent, fenced, hurried, screened }: Accepting,
  incoming: Incoming,
): Promise<Accepted> {
  // 1. Receive: checks the shape, and the values against the agent's input fields.
  const { message, body_hash } = receive(agent, incoming);

  // 2. Accept: the agent's extensions inspect the message. One commit stores it and queues its turn.
  const { effect } = acceptedBy({ agent, text: incoming.text, kind: "message" }, screened);
  const { idempotencyKey, metadata, traceId, traceparent } = incoming;
  const urgent = effect?.urgent === true;
  const command: Extract<Command, { type: "accept" }> = {
    type: "accept",
    ...(urgent ? { urgent } : {}),
    message,
    trace_id: traceId ?? (traceparent === undefined ? undefined : traceOf(traceparent)) ?? runtime.ids.trace(),
    at: runtime.clock.now(),
    silenceMs: agent.episodeSilenceMs,
    limit: agent.waitingLimit,
    wake: agent.onMessageWhilePaused === "reject",
    ...present({ metadata }),
  };
  const idempotency = idempotencyKey === undefined ? undefined : { key: idempotencyKey, body_hash };
  const supersedes = urgent || agent.onNewMessage === "supersede";
  const accepting = supersedes ? (loaded: LoadedSession) => superseding(runtime, { loaded, urgent }, command) : command;
  const result = await executeAccepted(runtime, { session_id, effect, accepting, idempotency, traceparent });
  if (urgent) hurried();
  if (result?.first !== undefined) return { offset: result.first.offset, turn_id: await turnOfFirstUse(runtime, session_id, result.first) };
  if (result === undefined) throw new ThroughlineError("internal", "A message was accepted without an event.");
  if (result.fenced) fenced(result.epoch);
  const { head, queued_turn } = result.committed;
  return { offset: head, turn_id: queued_turn === undefined ? undefined : turnIdOf(session_id, queued_turn) };
}

/** Result of running a turn in this process. */
export interface Left {
  /** The end of the turn, if it ended here. */
  readonly ended?: EndedHere | undefined;
  /** Whether the session may have another turn to run. */
  readonly more: boolean;
  /** What observers learn: how the attempt ended, and when it showed its first text. */
  readonly observed: Pick<WorkEnd, "outcome" | "first_ms">;
}

/**
 * Steps 3 to 7. Returns when the turn has ended here. Otherwise throws the reason: another worker has the turn, or it waits for a retry. `awaitedBy`
 * is the parent turn whose call a child agent's turn serves. The parent waits in this process, so it is not woken, and the child's progress counts
 * for it.
 */
export function runTurn(
  runtime: RuntimeContext,
  claim: Claim,
  stop: AbortSignal,
  { awaitedBy }: { readonly awaitedBy?: Pick<Turn, "journal"> } = {},
): Promise<Left> {
  const { session_id, turn } = claim;
  const observing = {
    context: runtime,
    extensions: extensionsWith(runtime, "observe"),
    span: ["turn", { session_id, turn_id: turn.turn_id, attempt: turn.attempts }],
    work: (): ObservedWork => ({ kind: "turn", context: runtime, claim, awaited: awaitedBy !== undefined }),
    end: (left: Left) => left.observed,
  } as const;
  return observed(observing, () => run(runtime, claim, stop, awaitedBy));
}

async function run(runtime: RuntimeContext, claim: Claim, stop: AbortSignal, awaitedBy: Pick<Turn, "journal"> | undefined): Promise<Left> {
  // 3. Claim: the lease is renewed in the background. Losing it aborts everything below.
  const began = runtime.clock.monotonic();
  const lease = holdLease(runtime.store, claim, { ...runtime.lease, clock: runtime.clock });
  runtime.leases.add(lease);
  const signal = AbortSignal.any([lease.signal, stop]);
  let first_ms: number | undefined;
  const draft = firstShown(openDraft(runtime, claim), () => {
    first_ms ??= runtime.clock.monotonic() - began;
  });
  let ending: DraftEnd = "fence";
  let journal: Journal | undefined;
  try {
    // 4. Begin: one consistent read, the fold, the turn's fields.
    const turn = await begin(runtime, claim, signal);
    ({ journal } = turn);
    journal.onProgress(() => shareProgress(turn, awaitedBy));
    if (turn.loaded.session.mode === "manual") {
      await backToWaiting(turn);
      return { more: true, observed: { outcome: { status: "waiting" } } };
    }
    const ended = listenTo(turn);

    // 5. Answer: stages, then the reply, streamed as a draft, surrounded by the agent's extensions.
    const { extensions } = turn.agent;
    const work = (): ObservedWork => ({ kind: "answer", turn: extensionTurn(turn) });
    const answered = await observed({ context: runtime, extensions, work, end: (made) => ({ outcome: outcomeOf(made) }) }, () => answer(turn, draft));

    // 6. Finish: commits the reply, the state and the outcome, or the calls that the turn waits for.
    ending = await conclude(turn, answered, { ms: runtime.clock.monotonic() - began, awaited: awaitedBy !== undefined });
    return { ended: ended(), more: journal.openTurns !== 0, observed: { outcome: outcomeOf(answered), ...present({ first_ms }) } };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    ending = await endingOf(runtime, claim, reason);
    if (journal !== undefined) await recordSpent(runtime, claim, journal);
    const failed = await notFinished(runtime, claim, reason);
    return { more: true, observed: { outcome: { status: "failed", error: storable(failed) }, ...present({ first_ms }) } };
  } finally {
    // 7. Deliver: readers follow the log. Only the draft must still be closed.
    draft.end(ending);
    lease.stop();
    runtime.leases.delete(lease);
  }
}

/** Cleans up an unfinished turn: ends it as failed and returns the failure, or, if it was fenced or must be retried, releases it and rethrows. */
async function notFinished(runtime: RuntimeContext, claim: Claim, reason: unknown): Promise<ThroughlineError> {
  if (wasTaken(reason)) throw reason;
  if (!isSpoiled(claim, reason) && !isOwnFailure(reason)) {
    await giveBack(runtime, claim, reason);
    throw reason;
  }
  const failure = isSpoiled(claim, reason) ? poisoned(claim, reason) : ThroughlineError.from(reason, "turn.failed");
  await failUnstarted(runtime, claim, failure);
  return failure;
}

/** Returns a draft that reports when text is written. */
const firstShown = (draft: OpenDraft, shown: () => void): OpenDraft => ({
  ...draft,
  write: (text, after) => {
    shown();
    draft.write(text, after);
  },
});

const outcomeOf = (made: Answer | Paused): NonNullable<WorkEnd["outcome"]> => ("paused" in made ? { status: "paused" } : made.outcome);

/** Whether an extension's store failed in every attempt of a turn. */
const isSpoiled = ({ turn }: Claim, reason: unknown): boolean => isOfExtension(reason) && turn.attempts >= poisonedAt;

/** Whether a turn was taken from this worker. Then its end is already committed, or another worker will commit it. */
export const wasTaken = (reason: unknown): boolean => ThroughlineError.is(reason, "turn.fenced", "turn.stopped", "session.manual");

/** Returns the end that readers of the draft receive. */
function endingOf({ store }: RuntimeContext, claim: Claim, reason: unknown): DraftEnd | Promise<DraftEnd> {
  if (ThroughlineError.is(reason, "turn.stopped")) return "stopped";
  if (ThroughlineError.is(reason, "session.manual")) return "manual";
  if (wasTaken(reason)) return draftEndInLog(store, claim);
  return isOwnFailure(reason) || isSpoiled(claim, reason) ? "failed" : "fence";
}
