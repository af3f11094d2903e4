import { ThroughlineError } from "../../kernel/error.ts";
import type { PendingCall } from "../../session/event.ts";
import { schedule, useOf, writeConflicts } from "../../tools/schedule.ts";
import { spendTime } from "./budget.ts";
import { noteCalled, noteReturned } from "./call.ts";
import { shareOut } from "./child.ts";
import { mergeReady, noteResult } from "./merge.ts";
import type { OpenCall, OpenStep } from "./open-step.ts";
import { plain, prepare, type Known } from "./prepare.ts";
import { runCall } from "./run-call.ts";
import { askedToStop } from "./stop.ts";
import { timeLimit } from "./time-limit.ts";
import type { Work } from "./work.ts";

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
  await beginCalls(work, todo);
  shareOut(todo);
  const batches = schedule(todo.map((call) => useOf(call.tool)));
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

/** When something has asked the execution to stop, what it has not begun is not begun. */
function skipStopped(work: Work, open: OpenStep): void {
  const [signal] = askedToStop(work);
  if (signal === undefined) return;
  for (const call of open.calls)
    if (!call.called && !call.suspended) call.result ??= { type: "skipped", reason: `The execution was asked to stop: ${signal.message}` };
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
    todo.map((call) => ({ tool: call.tool, ...useOf(call.tool) })),
    turn.agent.state,
  )) {
    const call = todo[second];
    if (call === undefined) continue;
    const error = new ThroughlineError("tool.conflict", `Another call of the same reply writes "${field}" too; call them one after the other.`, {
      details: { field },
    });
    call.result ??= { type: "error", error: plain(error) };
  }
}

/** Puts on record which calls begin. One commit does it before the first, unless none of them does anything outside. */
async function beginCalls(work: Work, calls: readonly OpenCall[]): Promise<void> {
  const fresh = calls.filter((call) => !call.called);
  for (const call of fresh) if (call.tool !== undefined) noteCalled(work, call, call.tool);
  for (const call of fresh) call.called = true;
  if (fresh.some((call) => call.tool?.effects !== "none")) await work.turn.journal.flush();
}

/** Runs calls side by side, as many at a time as the loop allows. */
async function runBatch(work: Work, open: OpenStep, calls: readonly OpenCall[], known: Known): Promise<readonly PendingCall[]> {
  const limit = timeLimit(work);
  const began = work.turn.runtime.clock.monotonic();
  const queue = [...calls];
  const pending: PendingCall[] = [];
  const failures: unknown[] = [];
  const drain = async (): Promise<void> => {
    for (let call = queue.shift(); call !== undefined && failures.length === 0; call = queue.shift()) {
      try {
        const waits = await runCall(work, call, { known, limit });
        pending.push(...waits);
        if (waits.length === 0) await noteResult(work, open, call);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(work.settings.concurrency, calls.length) }, drain));
  } finally {
    limit.stop();
    spendTime(work, work.turn.runtime.clock.monotonic() - began);
  }
  // All that were begun have come to their end: nothing of this step runs on behind its back.
  if (failures.length > 0) throw failures[0];
  return pending;
}
