/** Turns that are ended externally: stopped, withdrawn, superseded or handed over. */
import type { NewEvent, SessionChange } from "../store/port.ts";
import type { Outcome, TurnData } from "./event.ts";
import { newEvent, turnEvent } from "./new-event.ts";
import { takenUpBy, type OpenTurn, type SessionView } from "./view.ts";

/** Returns the events that end a turn externally. A turn that has not started gets a `started` event too, so the log records which messages it answers. */
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

/** Tells the store which event starts a turn that is ended early. `at`: index of the first event from {@link endedEarly}. */
export function startsOf(turns: readonly OpenTurn[], at = 0): Pick<SessionChange, "start_turn"> {
  const first = turns.findIndex((turn) => !turn.started);
  // A turn that had already started contributes two events.
  return turns[first] === undefined ? {} : { start_turn: { number: turns[first].number, event: at + 2 * first } };
}
