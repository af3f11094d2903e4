/** Calls of runs that are over: a turn that is resumed does not start them. */
import { eventsOf } from "../../extension/lists.ts";
import type { Answer, ExtensionTurn } from "../../extension/port.ts";
import { callIdOf } from "../../kernel/id.ts";
import { decodeEvent } from "../../session/fold.ts";
import { activeRun, asState, leaveRun, positionIn, positionWriter, topOf } from "../position.ts";
import { positionField, type Routine } from "../routine.ts";
import { wakeAt } from "../wake.ts";
import { isLate, isOpen, timedOut } from "./run-record.ts";
import { keepRuns, runHere } from "./run-turn.ts";

/**
 * Ends a turn that would resume a call of a run that is over, if the call has not started. The call is in the log, so no step is planned before it.
 * Returns undefined for every other turn.
 */
export async function endLateCall(turn: ExtensionTurn, routines: ReadonlyMap<string, Routine>): Promise<Answer | undefined> {
  const { journal, runtime, claim, agent } = turn;
  const position = positionIn(journal.state);
  const run = activeRun(position);
  const { asked } = topOf(position)?.at ?? {};
  if (run === undefined || asked?.turn !== claim.turn.number) return undefined;
  const row = await runHere(turn, run);
  const now = runtime.clock.now();
  if (row === undefined || (isOpen(row) && !isLate(row, now))) return undefined;
  if (await hasStarted(turn, callIdOf(asked.turn, asked.step, 1))) return undefined;
  const next = leaveRun(position, run, timedOut);
  journal.apply(positionWriter, { [positionField]: asState(next) });
  keepRuns(turn, { position: next, ended: new Map([[run, timedOut]]), routines });
  // This turn reads no commands for routines.
  journal.keep(wakeAt(claim.session_id, now));
  const outcome = { status: "stopped", reason: "deadline", message: `Run ${run} is over.` } as const;
  const isAnswering = turn.answered.length > 0;
  return { text: isAnswering ? agent.apology.stopped : "", final: !isAnswering, outcome, steps: 0, tokens: 0, calls: {} };
}

/** Whether a call has started, has a result or was rejected, so that going on with it starts nothing. */
async function hasStarted({ claim, loaded, runtime }: ExtensionTurn, call_id: string): Promise<boolean> {
  for (const stored of loaded.journal) {
    const { kind, data } = decodeEvent(stored);
    if (kind === "turn" && data.type === "decided" && data.call_id === call_id && data.decision.type === "reject") return true;
  }
  const min_offset = loaded.journal[0]?.offset ?? 0;
  for await (const { data } of eventsOf(runtime.store, { session_id: claim.session_id, min_offset, kinds: ["tool"] }))
    if (data["call_id"] === call_id) return true;
  return false;
}
