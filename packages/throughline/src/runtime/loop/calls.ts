/** Runs the calls of a step: decides which start, runs them concurrently or in order, and collects their results. */
import { observed } from "../../extension/observe.ts";
import { present } from "../../kernel/json.ts";
import { capBudget, exhausted, type Ledger, reserveChild, settleChild } from "../../execution/ledger.ts";
import { standing, type StopSignal } from "../../execution/step.ts";
import { ThroughlineError, type ErrorInfo } from "../../kernel/error.ts";
import type { PendingCall, SpentData, ToolResult } from "../../session/event.ts";
import { shownOf } from "../../tools/results.ts";
import { schedule, useOf, writeConflicts } from "../../tools/schedule.ts";
import type { Tool } from "../../tools/tool.ts";
import { runSubagent } from "../subagent/run-subagent.ts";
import { stopCall } from "../subagent/child-sessions.ts";
import { isSubagent, type Subagent } from "../subagent/subagent.ts";
import { extensionTurn } from "../turn/stages.ts";
import { stopRequests, raise, spendTime, stateFor, timeLimit, type TimeLimit, type Work } from "./work.ts";
import { failure, keyOf, noteCalled, noteReturned, reportTool, tryCall, type Going, type Ran } from "./call.ts";
import { mergeReady, noteResult } from "./merge.ts";
import { bind, plain, prepare, type Known } from "./prepare.ts";
import type { OpenCall, OpenStep } from "./record.ts";

/**
 * Runs the calls of a step. No call starts before all waiting calls are decided. Calls that read the output of others run after them; the rest run
 * concurrently. Calls with a recorded result are not repeated. Returns the calls that wait for a decision, or an empty list if all calls have a
 * result.
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
    // Later calls may read the output of a waiting one.
    if (pending.length > 0) break;
    const next = batch.flatMap((index) => todo[index] ?? []);
    mergeReady(work, open, next);
    pending.push(...(await runBatch(work, open, next, known)));
  }
  if (pending.length === 0) mergeReady(work, open, []);
  return pending;
}

/** Skips the calls that have not started if a stop of the execution was requested. */
function skipStopped(work: Work, open: OpenStep): void {
  for (const call of open.calls) call.result ??= skippedBy(work, call);
}

function skippedBy(work: Work, call: OpenCall): ToolResult | undefined {
  const [signal] = stopRequests(work);
  // A call that an earlier attempt started continues, so that its result is known.
  if (signal === undefined || call.mayHaveRun || call.suspended) return undefined;
  return { type: "skipped", reason: `A stop of the execution was requested: ${signal.message}` };
}

/** Records the results of calls that do not run. A resumed step then does not ask again, which might give a different answer. */
function noteSettled(work: Work, open: OpenStep): void {
  for (const call of open.calls) if (call.result !== undefined && !call.recorded) noteReturned(work, call, call.result);
}

/** Fails the later of concurrent calls that replace the same field, if the loop treats that as an error. */
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
    // A call that an earlier attempt started may have been made.
    call.result ??= call.mayHaveRun ? { type: "unknown" } : { type: "error", error: plain(error) };
  }
}

/**
 * Runs calls concurrently, up to the loop's limit. The start of a call with effects is committed before it runs, together with the result of the
 * previous call.
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
        // Another call may have requested a stop, or failed, while the start was committed.
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
  // All started calls have ended, so no call of this step continues in the background.
  if (failures.length > 0) throw failures[0];
  return pending;
}

const afterFailure = ({ mayHaveRun }: OpenCall): ToolResult =>
  mayHaveRun ? { type: "unknown" } : { type: "skipped", reason: "Another call of the same reply has ended the execution." };

/** Lets a call start, and records the start if the call has effects. Returns undefined for a call that does not start, because it has a result. */
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

/** Returns the result of a call that a stop or a limit prevents, or undefined if it may start. Throws if the turn is over. */
function keptBack(work: Work, call: OpenCall, limit: TimeLimit): ToolResult | undefined {
  const { turn, execution } = work;
  turn.signal.throwIfAborted();
  const reached = limit.reached();
  if (reached !== undefined && !execution.execution.signals.includes(reached)) raise(work, reached);
  const stopped = skippedBy(work, call);
  if (stopped !== undefined) return stopped;
  const [over] = reached === undefined ? overLimits(work) : [reached];
  if (over === undefined) return undefined;
  // An earlier attempt may have made the call, and this attempt cannot determine that.
  return call.mayHaveRun ? { type: "unknown" } : { type: "skipped", reason: over.message };
}

/** Returns the limits of the budget that leave no room for another call. */
function overLimits({ turn, ledger, execution }: Work): readonly StopSignal[] {
  return standing(exhausted(ledger, turn.runtime.clock.now(), { before: "call" }), execution.execution.continuation);
}

/** Runs a call that may start. Sets its result, or returns the questions that it waits for. */
export async function runCall(work: Work, call: OpenCall, going: Going): Promise<readonly PendingCall[]> {
  const { turn, hooks } = work;
  const { tool } = call;
  if (tool === undefined) return [];
  call.started = true;
  if (tool.effects === "none") work.started({ call_id: call.call.call_id, name: tool.name });
  const began = turn.runtime.clock.monotonic();
  const { call_id } = call.call;
  const headers: Record<string, string> = {};
  const child = isSubagent(tool) ? tool.child.agent.name : undefined;
  const ran = await observed(
    {
      context: turn.runtime,
      extensions: turn.agent.extensions,
      span: [`tool ${tool.name}`, { turn_id: turn.claim.turn.turn_id, tool: tool.name, call_id }],
      work: () => ({
        ...{ kind: "tool", turn: extensionTurn(turn), name: tool.name, effects: tool.effects, call_id },
        ...{ arguments: call.arguments, child, headers },
      }),
      end: (ended) => ("pending" in ended ? {} : { result: ended.result }),
    },
    () => (isSubagent(tool) ? runChild(work, call, { tool, limit: going.limit }) : tryCall(work, call, { ...going, headers })),
  );
  call.ms += Math.round(turn.runtime.clock.monotonic() - began);
  if ("pending" in ran) return ran.pending;
  if (ran.control !== undefined) call.control = ran.control;
  const { name } = call.call;
  try {
    const result = await hooks.afterTool(work.execution, { call_id, name, arguments: call.arguments }, ran.result);
    call.result = result.type === "ok" && ran.not_stored !== undefined ? { ...result, not_stored: ran.not_stored } : result;
  } catch (error) {
    if (ThroughlineError.is(error, "hook.failed")) noteReturned(work, call, withheld(tool, ran.result, plain(error)));
    throw error;
  }
  return [];
}

/**
 * Returns the recorded result of a call whose hook failed: the call was made, or may have been. The output is left out, because the hook may exist to
 * mask it. A call without effects counts as failed and can be repeated.
 */
function withheld({ effects }: Tool, result: ToolResult, error: ErrorInfo): ToolResult {
  if (result.type === "unknown" || result.type === "skipped") return result;
  if (result.type !== "ok" || effects === "none") return { type: "error", error };
  return { type: "ok", value: "[withheld: a hook failed on it]", not_stored: error };
}

/** Tells each child agent among the next calls how many calls share the rest of the budget. */
export function shareOut(calls: readonly OpenCall[]): void {
  const children = calls.filter(({ tool }) => tool !== undefined && isSubagent(tool));
  for (const [index, call] of children.entries()) call.sharing = children.length - index;
}

/** Returns the budget that children may share. It excludes the step that is reserved for the final answer. */
function forChildren({ settings, ledger }: Work): Ledger {
  const { steps } = ledger.limits;
  return settings.finalAnswer && steps !== undefined ? { ...ledger, limits: { ...ledger.limits, steps: Math.max(0, steps - 1) } } : ledger;
}

/** Runs a child agent under its share of the budget, and charges its spending whatever the outcome. */
export async function runChild(work: Work, call: OpenCall, { tool, limit }: { readonly tool: Subagent; readonly limit: TimeLimit }): Promise<Ran> {
  const { turn } = work;
  const { agent, budget } = tool.child;
  const key = keyOf(work, call);
  const own = budget === undefined ? agent.budget : capBudget(agent.budget, budget);
  const share = reserveChild(forChildren(work), own, { now: turn.runtime.clock.now(), siblings: call.sharing ?? 1 });
  if (share.type === "refused") {
    // An earlier attempt may have started it.
    await stopCall(turn.runtime, key);
    return { result: { type: "skipped", reason: share.signals[0]?.message ?? "The budget has no room for it." } };
  }
  work.ledger = Object.freeze({ ...share.ledger, limits: work.ledger.limits });
  let spent: SpentData = {};
  try {
    const given = { call_id: call.call.call_id, key, args: call.live, state: stateFor(work, tool), signal: limit.signal };
    const done = await runSubagent(turn, tool, { ...given, budget: share.budget });
    call.child = done.child;
    if (done.type === "paused") return { pending: done.pending };
    spent = done.spent;
    if (Object.keys(spent).length > 0) call.spent = spent;
    if (done.type === "failed") return { result: failure(work, tool, { error: done.error, limit }) };
    const shown = shownOf(tool, done.value);
    return { result: { type: "ok", value: done.value, ...present({ shown }) } };
  } catch (error) {
    work.turn.signal.throwIfAborted();
    reportTool(work, { tool, call, attempt: 1, error, limit });
    return { result: failure(work, tool, { error, limit }) };
  } finally {
    work.ledger = settleChild(work.ledger, share.budget, spent).ledger;
  }
}
