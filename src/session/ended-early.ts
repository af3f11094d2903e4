/** Turns that are ended from outside: stopped, withdrawn, superseded or handed over. */
import type { NewEvent, SessionChange } from "../store/port.ts";
import type { Outcome, TurnData } from "./event.ts";
import { newEvent, turnEvent } from "./new-event.ts";
import { takenUpBy, type OpenTurn, type SessionView } from "./view.ts";

/** The events that end a turn from outside: what it answers is on record even if it had not begun. */
export function endedEarly(view: SessionView, turn: OpenTurn, outcome: Outcome): readonly NewEvent[] {
  const started: TurnData = {
    type: "started",
    cause: turn.cause,
    answers: takenUpBy(view, turn.number),
    versions: { agent: view.definition, state: view.state_offset, ...(view.variables ?? { variables: 0 }) },
  };
  return [
    ...(turn.started ? [] : [turnEvent(turn.number, started)]),
    newEvent("status", "system", { status: "cancelled" }, { turn: turn.number }),
    turnEvent(turn.number, { type: "ended", outcome, diagnostics: {} }),
  ];
}

/** Where the events that end turns early, from index `at` on, say that one has begun: a store knows then where in the log it is. */
export function startsOf(turns: readonly OpenTurn[], at = 0): Pick<SessionChange, "start_turn"> {
  const first = turns.findIndex((turn) => !turn.started);
  // A turn that had begun before has two events here.
  return turns[first] === undefined ? {} : { start_turn: { number: turns[first].number, event: at + 2 * first } };
}
