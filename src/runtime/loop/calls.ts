import { ThroughlineError } from "../../kernel/error.ts";
import { exhausted } from "../../execution/ledger.ts";
import { standing, type StopSignal } from "../../execution/stop.ts";
import type { PendingCall, ToolResult } from "../../session/event.ts";
import { schedule, useOf, writeConflicts } from "../../tools/schedule.ts";
import { spendTime } from "./budget.ts";
import { noteCalled, noteReturned } from "./call.ts";
import { shareOut } from "./child.ts";
import { mergeReady, noteResult } from "./merge.ts";
import type { OpenCall, OpenStep } from "./open-step.ts";
import { bind, plain, prepare, type Known } from "./prepare.ts";
import { runCall } from "./run-call.ts";
import { askedToStop } from "./stop.ts";
import { timeLimit, type TimeLimit } from "./time-limit.ts";
import { raise, type Work } from "./work.ts";

/**
 * Runs the calls of a step: none of them before all that wait for somebody's word have it, those that read what others write after them, the rest side
 * by side. What is on record already is not done again. Returns what is waited for; nothing, when all calls have a result.
 */
export async function runCalls(work: Work, open: OpenStep, known: Known): Promise<readonly PendingCall[]> {
  skipStopped(work, open);
  const waits = await prepare(work, open, known);
  skipStopped(work, open);
  noteSettled(work, open);
  if (waits.length > 0) return waits;
  refuseConflicts(work, open);
  noteSettled(work, open);
  const todo = open.calls.filter((call) => call.result === undefined);
  shareOut(todo);
  const batches = schedule(todo.map(useOf));
  const pending: PendingCall[] = [];
  for (const batch of batches) {
    // A call that waits is one that later ones may read from.
    if (pending.length > 0) break;
    const next = batch.flatMap((index) => todo[index] ?? []);
    mergeReady(work, open, next);
    pending.push(...(await runBatch(work, open, next, known)));
  }
  if (pending.length === 0) mergeReady(work, open, []);
  return pending;
}

/** Skips the calls that have not started, if something has asked the execution to stop. */
function skipStopped(work: Work, open: OpenStep): void {
  for (const call of open.calls) call.result ??= skippedBy(work, call);
}

function skippedBy(work: Work, call: OpenCall): ToolResult | undefined {
  const [signal] = askedToStop(work);
  // A call that an earlier attempt started goes on, so that its result is known.
  if (signal === undefined || call.mayHaveRun || call.suspended) return undefined;
  return { type: "skipped", reason: `The execution was asked to stop: ${signal.message}` };
}

/** Puts on record what was said of calls that do not run: whoever goes on with the step does not ask again, and may not get the same answer. */
function noteSettled(work: Work, open: OpenStep): void {
  for (const call of open.calls) if (call.result !== undefined && !call.recorded) noteReturned(work, call, call.result);
}

/** Where calls that run side by side replace one field, and that is to be an error, the later ones do not run. */
function refuseConflicts({ settings, turn }: Work, open: OpenStep): void {
  if (settings.conflicts === "last") return;
  const todo = open.calls.filter((call) => call.result === undefined);
  for (const { second, field } of writeConflicts(
    todo.map((call) => ({ tool: call.tool, ...useOf(call) })),
    turn.agent.state,
  )) {
    const call = todo[second];
    if (call === undefined) continue;
    const error = new ThroughlineError("tool.conflict", `Another call of the same reply writes "${field}" too; call them one after the other.`, {
      details: { field },
    });
    // One that an earlier attempt has begun may have been made.
    call.result ??= call.mayHaveRun ? { type: "unknown" } : { type: "error", error: plain(error) };
  }
}

/**
 * Runs calls side by side, as many at a time as the loop allows. The start of a call with effects is on disk before it runs, in one commit with the
 * result of the call before.
 */
async function runBatch(work: Work, open: OpenStep, calls: readonly OpenCall[], known: Known): Promise<readonly PendingCall[]> {
  const limit = timeLimit(work);
  const began = work.turn.runtime.clock.monotonic();
  const queue = [...calls];
  const pending: PendingCall[] = [];
  const failures: unknown[] = [];
  const hasFailed = (): boolean => failures.length > 0;
  const drain = async (): Promise<void> => {
    let unsaved = false;
    try {
      for (let call = queue.shift(); call !== undefined && !hasFailed(); call = queue.shift()) {
        const starts = admit(work, call, limit);
        if (unsaved || starts === "recorded") await work.turn.journal.flush();
        // Another call may have asked for a stop, or failed, while the start was written.
        if (starts === "recorded") call.result ??= hasFailed() ? afterFailure(call) : keptBack(work, call, limit);
        if (call.result === undefined) pending.push(...(await runCall(work, call, { known, limit })));
        noteResult(work, open, call);
        unsaved = call.started && call.tool?.effects === "once";
      }
      if (unsaved) await work.turn.journal.flush();
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(work.settings.concurrency, calls.length) }, drain));
  } finally {
    limit.stop();
    spendTime(work, work.turn.runtime.clock.monotonic() - began);
  }
  // Every call that was started has ended: nothing of this step runs on in the background.
  if (failures.length > 0) throw failures[0];
  return pending;
}

const afterFailure = ({ mayHaveRun }: OpenCall): ToolResult =>
  mayHaveRun ? { type: "unknown" } : { type: "skipped", reason: "Another call of the same reply has ended the execution." };

/** Lets a call start, and records that it does if it has effects. Undefined for a call that does not start: it has its result. */
function admit(work: Work, call: OpenCall, limit: TimeLimit): "recorded" | "unrecorded" | undefined {
  const { tool } = call;
  if (tool === undefined) return undefined;
  call.result ??= keptBack(work, call, limit);
  if (call.result === undefined && Object.keys(tool.inputsFromState).length > 0) bind(work, call, tool);
  if (call.result !== undefined) return undefined;
  if (tool.effects === "none" || call.called === tool.effects) return "unrecorded";
  noteCalled(work, call, tool);
  return "recorded";
}

/** The result of a call that a stop or a limit keeps from starting; undefined if nothing does. Throws if the turn is over. */
function keptBack(work: Work, call: OpenCall, limit: TimeLimit): ToolResult | undefined {
  const { turn, execution } = work;
  turn.signal.throwIfAborted();
  const reached = limit.reached();
  if (reached !== undefined && !execution.execution.signals.includes(reached)) raise(work, reached);
  const stopped = skippedBy(work, call);
  if (stopped !== undefined) return stopped;
  const [over] = reached === undefined ? overLimits(work) : [reached];
  if (over === undefined) return undefined;
  // An earlier attempt may have made the call, and this one cannot find out.
  return call.mayHaveRun ? { type: "unknown" } : { type: "skipped", reason: over.message };
}

/** The limits of the budget that leave no room for another call. */
function overLimits({ turn, ledger, execution }: Work): readonly StopSignal[] {
  return standing(exhausted(ledger, turn.runtime.clock.now(), { before: "call" }), execution.execution.continuation);
}
