/** Step 6 of a turn: commits its end or its pause, and the ends of turns that could not start. */
import { styleOf } from "../../context/prompt-options.ts";
import { defaultApologies } from "../../extension/apology.ts";
import { changes, commitOnce, headerOf, loadSession, refused } from "../../extension/commit.ts";
import { failedIn, isOfExtension, isOwnFailure, named, storable } from "../../extension/failure.ts";
import { type Answer, type DraftEnd, type Ending, type Extension, type FinishBeside, hasPoint, type InsteadOfApology } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type OwnerId, stepIdOf } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import { newHandover } from "../../session/control.ts";
import type { Outcome } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { inputsOf } from "../../session/session-messages.ts";
import { scopedVariables, versionsOf } from "../../session/session-variables.ts";
import { isLabelled, takenUpBy, viewOf } from "../../session/session-view.ts";
import type { Claim, Handover, LoadedSession, NewEvent, ReleaseRequest } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import { wakeParent } from "../subagent/parent-turn.ts";
import type { Paused } from "./answer.ts";
import { isData, isName, isStorableRecord, type Journal, onceEach, refusedRecord } from "./journal.ts";
import { poisonedAt } from "./lease.ts";
import { park } from "./pause.ts";
import { isUnprompted, type Turn } from "./running-turn.ts";
import { extensionTurn } from "./stages.ts";
import { fieldsOf, reportFailure } from "./thrown.ts";

/** Number of times that an extension may name a record or a head that the store refuses. */
const refusals = 3;

/** Maximum number of messages that a turn answers if it cannot start. */
const lastMessages = 50;

/** Milliseconds until the retry of a turn that could neither run nor end. */
const retryMs = 2_000;

/** Step 6. Commits everything uncommitted, the reply and the outcome, and releases the lease, in one commit. `ms` is the turn's duration so far. */
async function finish(turn: Turn, answer: Answer, ms: number): Promise<void> {
  const owner_id = await commitEnd(turn, answer, ms);
  for (const extension of turn.agent.extensions)
    try {
      extension.finished?.({ ...extensionTurn(turn), owner_id });
    } catch (error) {
      turn.runtime.logger.error(
        "an extension failed after a turn",
        { ...fieldsOf(turn), extension: extension.name, code: ThroughlineError.from(error).code },
        error,
      );
    }
}

/** Ends the turn. Returns the owner of the session at that time. */
async function commitEnd(turn: Turn, answer: Answer, ms: number): Promise<OwnerId> {
  const { journal, claim, agent, timings, refreshed } = turn;
  const { number, attempts } = claim.turn;
  const { outcome } = answer;
  const moved = movedBy(turn);
  if (isReplied(answer, isUnprompted(claim, turn.answered.length))) journal.addReply(replyEvent(claim, agent, answer));
  if (moved !== undefined) journal.add(newEvent("session", "system", { type: "mode", ...moved }, { turn: number }));
  journal.add(readyEvent(number, outcome));
  const diagnostics = {
    stage_timings: timings,
    ...present({ refresh_timings: refreshed }),
    ...turn.diagnostics,
    ...promptDiagnostics(turn, answer),
    turn_total_ms: Math.round(ms * 10) / 10,
    ...(answer.tokens > 0 ? { tokens: answer.tokens } : {}),
    ...(answer.steps > 1 ? { steps: answer.steps } : {}),
    ...(answer.truncated === true ? { truncated: true } : {}),
    ...(Object.keys(answer.calls).length > 0 ? { tool_calls: answer.calls } : {}),
    ...(attempts > 1 ? { attempt: attempts } : {}),
    ...(journal.heavyPatches > 0 ? { "state.patch_heavy": journal.heavyPatches } : {}),
  };
  journal.add(turnEvent(number, { type: "ended", outcome, diagnostics }));
  // The end raises the epoch, so that a concurrent stop detects that the turn has ended.
  const end = { end_turns: [number], fence: true, ...present({ header: moved }) };
  return flushWith(turn, answer, end);
}

/** Whether a commit was rejected because the data behind its decision has changed. */
function hasMoved(error: unknown): boolean {
  if (ThroughlineError.is(error, "customer.not_found")) return true;
  const reason = ThroughlineError.is(error, "session.conflict") ? error.details?.["reason"] : undefined;
  return reason === "stale_version" || reason === "stale_head";
}

/**
 * Commits the end of a turn with the additions of its extensions. If the owner has changed meanwhile, it calls the extensions again. Their entries
 * belong to the current owner. If a record of theirs is refused, it calls them again, and then leaves out the extension that wrote it.
 */
async function flushWith(turn: Turn, answer: Answer, end: Parameters<Journal["flush"]>[0]): Promise<OwnerId> {
  const { runtime, claim, loaded, agent, journal } = turn;
  const finishing = agent.extensions.filter((extension) => hasPoint(extension, "finish"));
  let owner = { owner_id: loaded.session.owner_id, version: loaded.session.owner_version };
  let head = -1;
  const refused = new Map<string, number>();
  const isLeftOut = (by: string): boolean => refused.get(by) === refusals;
  for (let tried = 1; ; tried++) {
    const parts: (FinishBeside & { readonly by: string })[] = [];
    for (const extension of finishing)
      if (!isLeftOut(extension.name)) parts.push({ ...(await partOf(turn, extension, { answer, owner })), by: extension.name });
    const writes = parts.flatMap(({ entries }) => (entries === undefined ? [] : [entries]));
    const records = parts.flatMap(({ records: some = [] }) => some);
    const based = parts.find((part) => part.head !== undefined);
    const { owner_id, version } = owner;
    try {
      await journal.flush(end, based?.head === undefined ? undefined : { head: based.head }, {
        ...(writes.length === 0 ? {} : { owner: { owner_id, depends: { version }, entries: writes.flat() } }),
        ...(records.length === 0 ? {} : { records }),
      });
      return owner_id;
    } catch (error) {
      const record = refusedRecord(error);
      if (record === undefined && !hasMoved(error)) throw error;
      const now = await headerOf(runtime, claim.session_id);
      // A head that the log had passed before the extension was called, or has not reached yet, is the extension's mistake.
      const isWrong = based?.head !== undefined && (based.head < head || based.head > now.head);
      const by = record === undefined ? isWrong && based.by : parts.findLast((part) => part.records?.includes(record))?.by;
      if (typeof by === "string") refused.set(by, (refused.get(by) ?? 0) + 1);
      else if (record !== undefined || tried === changes || (writes.length === 0 && based === undefined)) throw error;
      if (typeof by === "string" && isLeftOut(by)) logLeftOut(turn, by, error);
      owner = { owner_id: now.owner_id, version: now.owner_version };
      head = now.head;
    }
  }
}

/**
 * Returns an extension's additions to the end of a turn. If the extension fails, the failure is logged and its part is left out, so that the reply is
 * still sent. If the store fails, the commit fails.
 */
async function partOf(turn: Turn, extension: Extension & Required<Pick<Extension, "finish">>, ending: Ending): Promise<FinishBeside> {
  try {
    const part = (await named(extension, turn.signal, () => extension.finish(extensionTurn(turn), ending))) ?? {};
    const { records = [], ...rest } = part;
    // Of two records with one key, the later one wins.
    const once = { ...rest, records: onceEach(records) };
    checkPart(once);
    return once;
  } catch (error) {
    if (!isOwnFailure(error)) throw error;
    logLeftOut(turn, extension.name, error);
    return {};
  }
}

/** Throws for additions that no store accepts. One of them would cost the reply. */
function checkPart({ entries = [], records = [], head = 0 }: FinishBeside): void {
  const isHeld = entries.every(({ entry_id, kind, data }) => isName(entry_id) && isName(kind) && isData(data)) && records.every(isStorableRecord);
  if (!isHeld || !Number.isSafeInteger(head) || head < 0)
    throw new ThroughlineError("extension.failed", "The additions to the end of a turn have an invalid name or head, or no data.");
}

function logLeftOut(turn: Turn, extension: string, error: unknown): void {
  turn.runtime.logger.error(
    "an extension failed at the end of a turn",
    { ...fieldsOf(turn), extension, code: ThroughlineError.from(error).code },
    error,
  );
}

/** Returns the stage of the episode, and whether the state held a response style that the agent does not have. */
function promptDiagnostics({ agent, journal, loaded, stage }: Turn, { steps }: Answer): JsonObject {
  const unknown = steps > 0 && styleOf(agent.prompt, journal.state) === null;
  return {
    ...(stage === undefined ? {} : { session_stage: stage.stage, session_progress: { ...stage, episode: loaded.session.episode } }),
    ...(unknown ? { response_style_unknown: true } : {}),
  };
}

/** Returns the new mode and handover, if the turn requested a person. No turn runs in a session that people have already. */
function movedBy({ runtime, asked }: Turn): { readonly mode: "manual"; readonly handover: Handover } | undefined {
  const { mode, handover = {} } = asked.control;
  return mode === "manual" ? { mode, handover: newHandover(runtime.clock.now(), handover) } : undefined;
}

/** A missing or failed greeting needs no apology, because the customer has not written yet. */
const isReplied = ({ text, final }: Pick<Answer, "text" | "final">, greeting: boolean): boolean => !greeting || (final && text.trim() !== "");

function replyEvent({ turn }: Claim, agent: Pick<Agent, "name">, { text, final, steps }: Pick<Answer, "text" | "final" | "steps">): NewEvent {
  const origin = { agent_id: agent.name, step_id: stepIdOf(steps), ...(final ? {} : { is_trace: true as const, stands_in: true as const }) };
  return newEvent("message", "ai_agent", { role: "assistant", parts: [{ type: "text", text }], origin }, { turn: turn.number });
}

const readyEvent = (turn: number, outcome: Outcome): NewEvent =>
  newEvent(
    "status",
    "ai_agent",
    outcome.status === "failed" ? { status: "error", error: outcome.error } : { status: "ready", stage: outcome.status },
    { turn },
  );

/** Ends a turn that cannot start, for example because the state does not decode. Replies with the apology and leaves the state unchanged. */
export async function failUnstarted(runtime: RuntimeContext, claim: Claim, error: ThroughlineError): Promise<void> {
  const { session_id, epoch, turn } = claim;
  const loaded = await loadSession(runtime, session_id, { messages: lastMessages }).catch((unread: unknown) => {
    reportFailure(runtime, { claim }, error);
    throw unread;
  });
  reportFailure(runtime, { agent: { name: loaded.session.agent }, claim }, error);
  const { agent, agent_version, state_offset } = loaded.session;
  const versions = { agent: agent_version, state: state_offset, ...versionsOf(scopedVariables(loaded)) };
  const outcome: Outcome = { status: "failed", error: storable(error) };
  const answers = takenUpBy(viewOf(loaded), turn.number);
  const started = turnEvent(turn.number, { type: "started", cause: turn.cause, answers, versions });
  const { events = [], records = [], text } = await replyInstead(runtime, { claim, loaded, answers });
  const apology = { text, final: false, steps: 0 };
  const begins = loaded.journal.length === 0;
  const result = await commitOnce(runtime, {
    ...(records.length === 0 ? {} : { records }),
    session: {
      session_id,
      depends: { epoch },
      events: [
        ...(begins ? [started] : []),
        ...events,
        ...(isReplied(apology, isUnprompted(claim, answers.length)) ? [replyEvent(claim, { name: agent }, apology)] : []),
        readyEvent(turn.number, outcome),
        turnEvent(turn.number, { type: "ended", outcome, diagnostics: {} }),
      ],
      ...(begins ? { start_turn: { number: turn.number, event: 0 } } : {}),
      end_turns: [turn.number],
      fence: true,
    },
  });
  if (result.outcome === "refused") throw refused(result, session_id);
}

/** Returns the reply that replaces an answer, and the data to keep with it. It is the apology, unless the customer's text needs a different reply. */
async function replyInstead(
  runtime: RuntimeContext,
  { claim, loaded, answers }: { readonly claim: Claim; readonly loaded: LoadedSession; readonly answers: readonly number[] },
): Promise<InsteadOfApology> {
  const agent = runtime.agents.get(loaded.session.agent);
  const events = loaded.messages.map((stored) => decodeEvent(stored)).filter(({ offset }) => answers.includes(offset));
  const inputs = inputsOf(events.filter((event) => event.kind === "message" || event.kind === "custom"));
  const text = inputs.map((message) => message.text).join("\n");
  for (const extension of agent?.extensions ?? []) {
    try {
      const instead = agent === undefined ? undefined : await extension.insteadOfApology?.({ context: runtime, agent, claim, loaded, text });
      if (instead !== undefined) return instead;
    } catch (error) {
      const failure = failedIn(extension, error);
      // A failing store leaves the turn for another attempt, as at other points. The last attempt must end it.
      if (!isOwnFailure(failure) && claim.turn.attempts < poisonedAt) throw failure;
      runtime.logger.error(
        "an extension failed for a turn that could not start",
        { ...fieldsOf({ agent, claim }), extension: extension.name, code: failure.code },
        failure,
      );
    }
  }
  return { text: (agent?.apology ?? defaultApologies).failed };
}

/**
 * Releases a lease. If the database cannot be reached, the worker of this process releases it at its first poll that succeeds; if the process ends
 * before, the lease expires by itself. Never fails, because the caller has an error of its own.
 */
export async function releaseLease({ store, unreleased }: Pick<RuntimeContext, "store" | "unreleased">, request: ReleaseRequest): Promise<void> {
  try {
    await store.release(request);
  } catch {
    // The time until a retry has passed by then.
    unreleased.set(request.session_id, { ...request, retry_in_ms: 0 });
  }
}

/** Releases the turn for a retry: immediately if this process is closing, after a delay if something failed. */
export async function giveBack(runtime: RuntimeContext, claim: Claim, reason: unknown): Promise<void> {
  const retry_in_ms = ThroughlineError.is(reason, "aborted") ? 0 : retryMs;
  await releaseLease(runtime, { session_id: claim.session_id, epoch: claim.epoch, counted: isOfExtension(reason), retry_in_ms });
}

/**
 * Records the cost of model calls whose steps were not committed, after the turn was taken from this worker or before the worker leaves it. The
 * commit has no precondition: the turn may have ended, or another worker may run it.
 */
export async function recordSpent(runtime: RuntimeContext, { session_id, turn }: Claim, journal: Journal): Promise<void> {
  const events = journal.uncommittedSteps.map(({ model, usage, ms, cost }) =>
    turnEvent(turn.number, { type: "spent", ...present({ model }), usage, ms, ...present({ cost }) }),
  );
  if (events.length === 0) return;
  try {
    await commitOnce(runtime, { session: { session_id, events } });
  } catch (error) {
    runtime.logger.warn("usage not recorded", { turn_id: turn.turn_id, code: ThroughlineError.from(error).code }, error);
  }
}

/** An operator took over between accept and claim, so the messages wait for an explicit resume. */
export async function backToWaiting({ runtime, claim, loaded }: Turn): Promise<void> {
  const depends = { epoch: claim.epoch, version: loaded.session.version };
  const session = { session_id: claim.session_id, depends, dequeue_turns: [claim.turn.number], fence: true };
  const result = await commitOnce(runtime, { session });
  // The operator may already have handed the session back. Then the turn is claimed again.
  if (result.outcome === "refused" && result.reason === "stale_version") await giveBack(runtime, claim, new ThroughlineError("aborted"));
}

/**
 * Step 6. Commits the turn's end, or the pause with its pending calls, in one commit. Then wakes the parent turn of a child agent, unless the parent
 * waits for it in this process (`awaited`). `ms` is the turn's duration so far. Returns the end that readers of the draft receive.
 */
export async function conclude(
  turn: Turn,
  answered: Answer | Paused,
  { ms, awaited }: { readonly ms: number; readonly awaited: boolean },
): Promise<DraftEnd> {
  const paused = "paused" in answered;
  if (paused) await park(turn, answered.paused);
  else await finish(turn, answered, ms);
  // The parent already knows the pending calls of a turn that is parked again.
  const again = paused && turn.waits !== undefined;
  if (!awaited && !again && isLabelled(turn.loaded.session)) await wakeParent(turn.runtime, turn.claim.session_id);
  return paused || answered.final ? "end" : "failed";
}
