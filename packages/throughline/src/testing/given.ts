/**
 * Tests of decisions: a session's history, a command and the expected events. Also the model of a session's view, derived from the log alone. Stores keep
 * the same in rows, and tests compare both.
 */
import { deepStrictEqual } from "node:assert/strict";
import type { ErrorCode } from "../kernel/error-catalogue.ts";
import { type ErrorInfo, ThroughlineError } from "../kernel/error.ts";
import { eventIdOf, type SessionId, type TraceId, turnIdOf, turnNumberOf } from "../kernel/id.ts";
import { type JsonObject, present } from "../kernel/json.ts";
import { type Command, decide, isSuperseded } from "../session/decide-command.ts";
import type { Event, SessionData, TurnData } from "../session/event.ts";
import { decodeEvent } from "../session/fold.ts";
import { createdEvent, type Decided } from "../session/new-event.ts";
import type { OpenTurn, SessionView } from "../session/session-view.ts";
import type { NewEvent } from "../store/port.ts";

/** Returns the view after one more event: a pure left fold over the log. The first event must be `session` created; otherwise throws `log.offset_invalid`. */
function evolve(view: SessionView | undefined, event: Event): SessionView {
  if (view === undefined) return created(event);
  const next = { ...view, head: event.offset, updated_at: event.created_at };
  switch (event.kind) {
    case "message":
      return event.source === "customer" ? accepted(next, event) : next;
    case "state":
      return { ...next, state_offset: event.offset, definition: event.data.definition };
    case "turn":
      return onTurn(next, event, event.data);
    case "session":
      return onSession(next, event.data);
    default:
      return next;
  }
}

/** Returns the view after all `events`, from the first on. Throws `log.offset_invalid` if there are none. */
export function evolveAll(events: readonly Event[]): SessionView {
  const view = events.reduce<SessionView | undefined>(evolve, undefined);
  if (view === undefined) throw new ThroughlineError("log.offset_invalid", "A log without events has no view.");
  return view;
}

function created(event: Event): SessionView {
  if (event.kind !== "session" || event.data.type !== "created") {
    throw new ThroughlineError("log.offset_invalid", `A log begins with its session's creation, not with a "${event.kind}" event.`, {
      details: { offset: event.offset },
    });
  }
  return {
    session_id: event.session_id,
    agent: event.data.agent,
    definition: event.data.definition,
    mode: "auto",
    title: null,
    episode: event.data.episode,
    head: event.offset,
    state_offset: event.offset,
    updated_at: event.created_at,
    waiting: [],
    turns: [],
  };
}

/** Adds a customer's message to the queued turn or queues a new one. In manual mode it waits without a turn. */
function accepted(view: SessionView, event: Event): SessionView {
  if (event.turn_id === undefined) return { ...view, waiting: [...view.waiting, { offset: event.offset }] };
  const number = turnNumberOf(event.turn_id);
  const turns: readonly OpenTurn[] = view.turns.some((turn) => turn.number === number)
    ? view.turns
    : [...view.turns, { number, turn_id: event.turn_id, trace_id: event.trace_id, cause: "message", status: "queued", started: false }];
  const waiting = view.waiting.map((message) => (message.turn === undefined ? { ...message, turn: number } : message));
  return { ...view, turns, waiting: [...waiting, { offset: event.offset, turn: number }] };
}

function onTurn(view: SessionView, event: Event, data: TurnData): SessionView {
  if (event.turn_id === undefined) return view;
  const number = turnNumberOf(event.turn_id);
  const others = view.turns.filter((turn) => turn.number !== number);
  if (data.type === "started") {
    const turn: OpenTurn = { number, turn_id: event.turn_id, trace_id: event.trace_id, cause: data.cause, status: "running", started: true };
    const waiting = view.waiting.map((message) => (data.answers.includes(message.offset) ? { ...message, turn: number } : message));
    return { ...view, waiting, turns: [...others, turn].toSorted((left, right) => left.number - right.number) };
  }
  if (data.type === "ended") {
    const waiting = isSuperseded(data.outcome)
      ? view.waiting.map((message) => (message.turn === number ? { offset: message.offset } : message))
      : view.waiting.filter((message) => message.turn !== number);
    return { ...view, turns: others, waiting };
  }
  return view;
}

function onSession(view: SessionView, data: SessionData): SessionView {
  switch (data.type) {
    case "handover":
      return { ...view, handover: data.handover };
    case "mode": {
      const handed = { ...view, mode: data.mode, ...present({ handover: data.handover }) };
      if (data.mode === "auto") return handed;
      const queued = new Set(view.turns.filter((turn) => turn.status === "queued").map((turn) => turn.number));
      const waiting = view.waiting.map((message) => (message.turn !== undefined && queued.has(message.turn) ? { offset: message.offset } : message));
      return { ...handed, waiting, turns: view.turns.filter((turn) => turn.status !== "queued") };
    }
    case "forked": {
      const waiting = view.waiting.map((message) => (isBegun(view, message.turn) ? message : { offset: message.offset }));
      const { handover: _handover, ...rest } = view;
      return { ...rest, mode: "auto", title: null, waiting, turns: view.turns.filter((turn) => turn.started) };
    }
    case "episode":
      return { ...view, episode: data.opened };
    case "title":
      return { ...view, title: data.title };
    case "withdrawn": {
      const waiting = view.waiting.filter((message) => message.offset < data.from);
      const kept = new Set(waiting.map((message) => message.turn));
      return { ...view, waiting, turns: view.turns.filter((turn) => turn.status === "running" || kept.has(turn.number)) };
    }
    default:
      return view;
  }
}

const isBegun = (view: SessionView, number: number | undefined): boolean => view.turns.some((turn) => turn.number === number && turn.started);

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
