/** Hands a session to human operators and back, and ends turns externally: stopped, withdrawn, superseded or handed over. Pure. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import { type Json, jsonEqual, type JsonObject, present } from "../kernel/json.ts";
import type { Handover, NewEvent, SessionChange } from "../store/port.ts";
import type { Outcome, TurnData } from "./event.ts";
import { newHandover, type HandoverGiven } from "./control.ts";
import { type Decided, newEvent, turnEvent } from "./new-event.ts";
import { type OpenTurn, queuedTurn, runningTurn, type SessionView, takenUpBy } from "./session-view.ts";

interface Attribution {
  readonly trace_id: TraceId;
  /** Who performs the change, for the record. */
  readonly by?: string | undefined;
}

/** Commands that change who answers. */
export type HandoverCommand =
  | (Attribution & { readonly type: "hand_over"; readonly at: number; readonly given?: HandoverGiven })
  | (Attribution & { readonly type: "assign"; readonly at: number; readonly operator: string; readonly from?: string | undefined })
  | (Attribution & { readonly type: "unassign"; readonly from?: string | undefined })
  | (Attribution & {
      readonly type: "hand_back";
      /** A state edit to commit together with the hand-back. */
      readonly edited?: Decided;
      /** A note for the agent, appended as a custom event. */
      readonly note?: Json;
      /** Queues a turn, so the agent speaks immediately. */
      readonly resume?: boolean;
    });

/** Returns the change to commit for a command. Throws `handover.none` if the session is not in manual mode, and `handover.taken` if another operator has it. */
export function decideHandover(view: SessionView, command: HandoverCommand): Decided {
  switch (command.type) {
    case "hand_over":
      return view.mode === "manual" ? amended(view, command) : handOver(view, command);
    case "assign":
      return assign(view, command);
    case "unassign":
      return unassign(view, command);
    case "hand_back":
      return handBack(view, command);
  }
}

type Command<Type extends HandoverCommand["type"]> = Extract<HandoverCommand, { readonly type: Type }>;

const byOf = ({ by }: Attribution): { readonly by?: string } => (by === undefined ? {} : { by });

/** Returns the current handover of a session in manual mode. If none is recorded, as in earlier versions, or the last one is resolved, it waits since `at`. */
const standing = ({ handover }: SessionView, at: number): Handover =>
  handover === undefined || handover.status === "resolved" ? newHandover(at, {}) : handover;

function handOver(view: SessionView, command: Command<"hand_over">): Decided {
  const { at, given = {}, trace_id } = command;
  const handover = newHandover(at, given);
  const running = runningTurn(view);
  const queued = queuedTurn(view);
  const outcome: Outcome = { status: "stopped", reason: "manual", message: "A person has taken over." };
  return {
    // The running turn has already taken its messages, so only the operator can answer them. The log counts them as answered by the stopped turn.
    events: [
      ...(running === undefined ? [] : endedEarly(view, running, outcome)),
      newEvent("session", "system", { type: "mode", mode: "manual", handover, ...byOf(command) }, { trace_id }),
    ],
    header: { mode: "manual", handover },
    fence: true,
    ...startsOf(running === undefined ? [] : [running]),
    end_turns: running === undefined ? [] : [running.number],
    dequeue_turns: queued === undefined ? [] : [queued.number],
  };
}

/** Adds details to a handover in progress. An alert is never lowered, and the assigned operator keeps the session. */
function amended(view: SessionView, command: Command<"hand_over">): Decided {
  const { at, given = {} } = command;
  const now = standing(view, at);
  const { operator = now.operator } = given;
  requireFree(now, operator);
  const alert = Math.max(now.alert ?? 0, given.alert ?? 0);
  return moved(view, command, {
    ...now,
    ...given,
    ...(alert === 0 ? {} : { alert }),
    status: operator === undefined ? "waiting" : "assigned",
  });
}

function assign(view: SessionView, command: Command<"assign">): Decided {
  requireManual(view);
  const now = standing(view, command.at);
  if (now.operator !== command.from) requireFree(now, command.operator);
  return moved(view, command, { ...now, operator: command.operator, status: "assigned" });
}

function unassign(view: SessionView, command: Command<"unassign">): Decided {
  requireManual(view);
  const { handover: now } = view;
  if (now?.status !== "assigned") return {};
  if (command.from !== undefined) requireFree(now, command.from);
  const { operator: _operator, ...rest } = now;
  return moved(view, command, { ...rest, status: "waiting" });
}

function handBack(view: SessionView, command: Command<"hand_back">): Decided {
  requireManual(view);
  const { trace_id, edited = {}, note, resume = false } = command;
  const handover = view.handover && ({ ...view.handover, status: "resolved" } as const);
  const header = { mode: "auto", ...present({ handover }) } as const;
  const events: readonly NewEvent[] = [
    newEvent("session", "system", { type: "mode", ...header, ...byOf(command) }, { trace_id }),
    ...(edited.events ?? []),
    ...(note === undefined ? [] : [newEvent("custom", "human_agent", { value: note }, { trace_id })]),
    ...(resume ? [acknowledged(trace_id)] : []),
  ];
  return { ...edited, events, header: { ...edited.header, ...header }, ...(resume ? { queue: { cause: "resume", trace_id } } : {}) };
}

/** Returns the first event of a turn that starts without a message. The event names the turn. */
export const acknowledged = (trace_id: TraceId): NewEvent => newEvent("status", "ai_agent", { status: "acknowledged" }, { turn: "queued", trace_id });

/** Commits a changed handover without changing the mode. Commits nothing if the handover is unchanged. */
function moved(view: SessionView, command: Attribution, handover: Handover): Decided {
  if (view.handover !== undefined && jsonEqual(view.handover as unknown as JsonObject, handover as unknown as JsonObject)) return {};
  return {
    events: [newEvent("session", "system", { type: "handover", handover, ...byOf(command) }, { trace_id: command.trace_id })],
    header: { handover },
  };
}

function requireManual({ mode, session_id }: SessionView): void {
  if (mode === "manual") return;
  throw new ThroughlineError("handover.none", `Session ${session_id} is not in manual mode.`, { details: { session_id } });
}

/** Throws `handover.taken` if the session is assigned to a different operator. */
function requireFree(now: Handover, operator: string | undefined): void {
  if (now.status !== "assigned" || now.operator === operator) return;
  throw new ThroughlineError("handover.taken", `The session is assigned to ${seen(now.operator)}.`, { details: { operator: now.operator ?? null } });
}

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
