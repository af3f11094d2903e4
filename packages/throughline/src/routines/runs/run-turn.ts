/** Runs within a turn: each step commits their status, and the step that ends a run commits its result, with the position or not at all. */
import type { ExtensionTurn, Ending } from "../../extension/port.ts";
import { activeRun, type EndedRun, type Position, positionIn, runsIn, topOf } from "../position.ts";
import type { RecordChange } from "../../store/port.ts";
import type { Routine } from "../routine.ts";
import { endingOf, endOf, findRun, guardedChangesOf, isLate, isOpen, type RunRow, type RunStatus, timedOut } from "./run-record.ts";

/** What this attempt of a turn has written last of each run. */
const written = new WeakMap<ExtensionTurn, Map<string, RunStatus>>();

/** Whether a node lets the turn end before the routine does. */
export function isWaiting(position: Position, run: string, routines: ReadonlyMap<string, Routine>): boolean {
  const top = topOf(position);
  // Others run above it, or wait themselves.
  if (top === undefined || activeRun(position) !== run) return true;
  const kind = routines.get(top.routine)?.nodes[top.node]?.kind;
  return kind === "wait" || kind === "approve";
}

/** Reads a run of the turn's session. Undefined for another session's, for example that of the session it was forked from. */
export async function runHere({ runtime, claim }: ExtensionTurn, id: string): Promise<RunRow | undefined> {
  const row = await findRun(runtime.store, id);
  return row?.session_id === claim.session_id ? row : undefined;
}

/** Writes a change of a run with the next commit of the turn, unless the run is over by then: it may be cancelled while the turn works. */
function keepChange(turn: ExtensionTurn, id: string, changed: (row: RunRow) => readonly RecordChange[]): void {
  turn.journal.keep(async () => {
    const row = await runHere(turn, id);
    return row === undefined || !isOpen(row) ? [] : changed(row);
  });
}

/** Writes the runs with the next commit of the turn: those that ended, and the status of the others. */
export function keepRuns(
  turn: ExtensionTurn,
  {
    position,
    ended,
    routines,
  }: { readonly position: Position; readonly ended: ReadonlyMap<string, EndedRun>; readonly routines: ReadonlyMap<string, Routine> },
): void {
  const { clock } = turn.runtime;
  const told = written.get(turn) ?? new Map<string, RunStatus>();
  written.set(turn, told);
  // The time may run out before the commit.
  for (const [id, how] of ended)
    keepChange(turn, id, (row) => {
      const now = clock.now();
      const ended = isLate(row, now) ? timedOut : how;
      const { change, also } = endOf(row, endingOf(ended, { output: routines.get(row.routine)?.output }), now);
      return [...guardedChangesOf(row, change), ...also];
    });
  for (const id of runsIn(position)) {
    const status = isWaiting(position, id, routines) ? "waiting" : "running";
    if (told.get(id) === status) continue;
    told.set(id, status);
    keepChange(turn, id, (row) => (row.status === status ? [] : guardedChangesOf(row, { status })));
  }
}

/** Reports runs that a turn leaves in the middle, so that the worker ends them: the turn failed, or was stopped. */
export function reportLost(turn: ExtensionTurn, { answer }: Ending, routines: ReadonlyMap<string, Routine>): void {
  const position = positionIn(turn.journal.state);
  const { outcome } = answer;
  const lost = outcome.status === "failed" ? outcome.error.code : outcome.status === "stopped" ? outcome.reason : "turn_failed";
  for (const id of runsIn(position))
    if (!isWaiting(position, id, routines)) keepChange(turn, id, (row) => guardedChangesOf(row, { lost, next_at: turn.runtime.clock.now() }));
}
