import { capBudget } from "../../execution/budget.ts";
import { reserveChild, settleChild, type Ledger } from "../../execution/ledger.ts";
import type { SpentData } from "../../session/event.ts";
import { shownOf } from "../../tools/results.ts";
import { runSubagent } from "../subagent/run.ts";
import { stopCall } from "../subagent/stop.ts";
import { isSubagent, type Subagent } from "../subagent/subagent.ts";
import { failure, keyOf, type Ran } from "./call.ts";
import type { OpenCall } from "./open-step.ts";
import type { TimeLimit } from "./time-limit.ts";
import { stateFor, type Work } from "./work.ts";

/** Says of each child agent among calls that are about to run how many are to share what is left of the budget with it. */
export function shareOut(calls: readonly OpenCall[]): void {
  const children = calls.filter(({ tool }) => tool !== undefined && isSubagent(tool));
  for (const [index, call] of children.entries()) call.sharing = children.length - index;
}

/** What children may share: not the step that is kept for the final answer. */
function forChildren({ settings, ledger }: Work): Ledger {
  const { steps } = ledger.limits;
  return settings.finalAnswer && steps !== undefined ? { ...ledger, limits: { ...ledger.limits, steps: Math.max(0, steps - 1) } } : ledger;
}

/** Runs a child agent under its share of the budget, and charges what it has spent, whatever came of it. */
export async function runChild(work: Work, call: OpenCall, { tool, limit }: { readonly tool: Subagent; readonly limit: TimeLimit }): Promise<Ran> {
  const { turn } = work;
  const { agent, budget } = tool.child;
  const key = keyOf(work, call);
  const own = budget === undefined ? agent.budget : capBudget(agent.budget, budget);
  const share = reserveChild(forChildren(work), own, { now: turn.runtime.clock.now(), siblings: call.sharing ?? 1 });
  if (share.type === "refused") {
    // An earlier attempt may have begun it.
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
    return { result: { type: "ok", value: done.value, ...(shown === undefined ? {} : { shown }) } };
  } catch (error) {
    return { result: failure(work, tool, { error, limit }) };
  } finally {
    work.ledger = settleChild(work.ledger, share.budget, spent).ledger;
  }
}
