/** Runs within a turn: each step commits their status, and the step that ends a run commits its result, with the position or not at all. */
import type { ExtensionTurn, Ending } from "../../extension/port.ts";
import { type EndedRun, type Position, positionIn, runsIn, topOf } from "../position.ts";
import type { Routine } from "../routine.ts";
import { changesOf, endingOf, endOf, findRun, isOpen, type RunStatus } from "./run-record.ts";

/** What this attempt of a turn has written last of each run. */
const written = new WeakMap<ExtensionTurn, Map<string, RunStatus>>();

/** Whether a node lets the turn end before the routine does. */
export function isWaiting(position: Position, run: string, routines: ReadonlyMap<string, Routine>): boolean {
  const top = topOf(position);
  // Others run above it, or wait themselves.
  if (top === undefined || runsIn(position).at(-1) !== run) return true;
  const kind = routines.get(top.routine)?.nodes[top.node]?.kind;
  return kind === "wait" || kind === "approve";
}

/** Writes the runs with the next commit of the turn: those that ended, and the status of the others. */
export async function keepRuns(
  turn: ExtensionTurn,
  {
    position,
    ended,
    routines,
  }: { readonly position: Position; readonly ended: ReadonlyMap<string, EndedRun>; readonly routines: ReadonlyMap<string, Routine> },
): Promise<void> {
  const { store, clock } = turn.runtime;
  const told = written.get(turn) ?? new Map<string, RunStatus>();
  written.set(turn, told);
  for (const [id, how] of ended) {
    const row = await findRun(store, id);
    if (row === undefined || !isOpen(row)) continue;
    const end = endingOf(how, { output: routines.get(row.routine)?.output });
    const { change, also } = endOf(row, end, clock.now());
    for (const record of [...changesOf(row, change), ...also]) turn.journal.keep(record);
  }
  for (const id of runsIn(position)) {
    const status = isWaiting(position, id, routines) ? "waiting" : "running";
    if (told.get(id) === status) continue;
    told.set(id, status);
    const row = await findRun(store, id);
    if (row !== undefined && isOpen(row) && row.status !== status) changesOf(row, { status }).forEach((record) => turn.journal.keep(record));
  }
}

/** Reports runs that a turn leaves in the middle, so that the worker ends them: the turn failed, or was stopped. */
export async function reportLost(turn: ExtensionTurn, { answer }: Ending, routines: ReadonlyMap<string, Routine>): Promise<void> {
  const { store, clock } = turn.runtime;
  const position = positionIn(turn.journal.state);
  const { outcome } = answer;
  for (const id of runsIn(position)) {
    if (isWaiting(position, id, routines)) continue;
    const row = await findRun(store, id);
    if (row === undefined || !isOpen(row)) continue;
    const lost = outcome.status === "failed" ? outcome.error.code : outcome.status === "stopped" ? outcome.reason : "turn_failed";
    changesOf(row, { lost, next_at: clock.now() }).forEach((record) => turn.journal.keep(record));
  }
}
