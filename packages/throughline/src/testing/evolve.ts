/**
 * Model of a session's view, derived from the log alone: turns and waiting messages. Stores keep the same in rows, and tests compare both. `given`
 * uses it as the start of decisions.
 */
import { ThroughlineError } from "../kernel/error.ts";
import { turnNumberOf } from "../kernel/id.ts";
import { isSuperseded } from "../session/decide.ts";
import type { Event, SessionData, TurnData } from "../session/event.ts";
import type { OpenTurn, SessionView } from "../session/session-view.ts";

/** Returns the view after one more event: a pure left fold over the log. The first event must be `session` created; otherwise throws `log.offset_invalid`. */
export function evolve(view: SessionView | undefined, event: Event): SessionView {
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
      const handed = { ...view, mode: data.mode, ...(data.handover === undefined ? {} : { handover: data.handover }) };
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
