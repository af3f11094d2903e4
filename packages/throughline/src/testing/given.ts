import { deepStrictEqual } from "node:assert/strict";
import { ThroughlineError, type ErrorInfo } from "../kernel/error.ts";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import { eventIdOf, turnIdOf, type SessionId, type TraceId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import { decide, type Command } from "../session/decide.ts";
import { createdEvent, type Decided } from "../session/new-event.ts";
import type { Event } from "../session/event.ts";
import { evolveAll } from "./evolve.ts";
import { decodeEvent } from "../session/upcast.ts";
import type { SessionView } from "../session/session-view.ts";
import type { NewEvent } from "../store/port.ts";

const session = "ses_00000000000000000000000000" as SessionId;

/** The decided events, or the error of the command. */
export interface GivenDecision {
  /** Asserts the kinds and data of the decided events. */
  thenEvents(expected: readonly { readonly kind: string; readonly data: unknown }[]): Decided;
  /** Asserts that no event was decided. */
  thenNothing(): void;
  /** Asserts that the command was rejected with this code. */
  thenError(code: ErrorCode): ErrorInfo;
}

/** A log that is ready for a command. */
export interface Given {
  readonly view: SessionView;
  readonly events: readonly Event[];
  when(command: Command): GivenDecision;
}

/**
 * Starts a test of a decision: a session's history, a command, and the expected events. The session's creation is prepended as the first event.
 * `turn: "queued"` of a given event means turn 1.
 * @example given([accepted("hello")]).when({ type: "set_mode", mode: "manual", at: 0, trace_id }).thenEvents([...])
 */
export function given(
  history: readonly NewEvent[],
  options: { readonly agent?: string; readonly state?: JsonObject; readonly at?: number } = {},
): Given {
  const { agent = "test", state = {}, at = 0 } = options;
  const trace = "0".repeat(32) as TraceId;
  const events = [createdEvent({ agent, definition: 1, state }, trace), ...history].map((event, offset): Event => {
    const { turn, waiting: _waiting, version = 1, trace_id = trace, ...rest } = event;
    const number = turn === "queued" ? 1 : turn;
    const placed = number === undefined ? {} : { turn_id: turnIdOf(session, number) };
    return decodeEvent({ ...rest, ...placed, trace_id, version, session_id: session, offset, id: eventIdOf(session, offset), created_at: at });
  });
  const view = evolveAll(events);
  return { view, events, when: (command) => when(view, command) };
}

function when(view: SessionView, command: Command): GivenDecision {
  let decided: Decided | undefined;
  let refusal: ThroughlineError | undefined;
  try {
    decided = decide(view, command);
  } catch (error) {
    refusal = ThroughlineError.from(error);
  }
  const made = (): Decided => {
    if (decided !== undefined) return decided;
    throw refusal ?? new ThroughlineError("internal");
  };
  return {
    thenEvents: (expected) => {
      const events = (made().events ?? []).map(({ kind, data }) => ({ kind, data }));
      deepStrictEqual(events, expected);
      return made();
    },
    thenNothing: () => deepStrictEqual(made(), {}),
    thenError: (code) => {
      if (ThroughlineError.is(refusal, code)) return refusal.toJSON();
      throw refusal ?? new Error(`The command was not refused with ${code}: it decided ${JSON.stringify(decided)}.`);
    },
  };
}
