/** Decides what to commit for a command on a session. Pure. A command that the session does not allow throws a coded error. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import { type Json, type JsonObject, present } from "../kernel/json.ts";
import type { EventSource, HeaderChange, NewEvent, SessionMode } from "../store/port.ts";
import { acknowledged, decideHandover, endedEarly, type HandoverCommand, startsOf } from "./decide-handover.ts";
import type { AssessmentData, MessageData, MessagePart, Outcome, StatusData, Writer } from "./event.ts";
import { type Decided, newEvent } from "./new-event.ts";
import { queuedTurn, runningTurn, type SessionView, takenUpBy } from "./session-view.ts";

/** Default silence that closes an episode, in milliseconds. */
export const episodeSilenceMs = 20 * 60 * 1000;

/** Default limit of waiting messages per session. */
export const waitingLimit = 50;

export const titleLimit = 200;

const superseded = "superseded";

/** Whether a new message superseded the turn before it had shown any output. A later turn answers its messages together with the new one. */
export const isSuperseded = (outcome: Outcome): boolean => outcome.status === "stopped" && outcome.reason === superseded;

/** A custom event's value and source. */
export interface CustomInput {
  readonly source: EventSource;
  readonly value: Json;
}

/** Commands on an existing session. */
export type Command =
  | {
      readonly type: "accept";
      /** A message, or a custom event with customer content that must be answered like a message. */
      readonly message: Pick<MessageData, "parts" | "participant" | "input" | "start"> | CustomInput;
      readonly metadata?: JsonObject;
      readonly trace_id: TraceId;
      readonly at: number;
      readonly silenceMs?: number | undefined;
      readonly limit?: number | undefined;
      /** The running turn has shown no output and may be superseded. The next turn answers its messages together with this one. */
      readonly supersede?: true;
      /** Urgent: skips the queue and ignores the waiting limit. */
      readonly urgent?: true;
      /** A turn that waits for a decision continues without it. */
      readonly wake?: boolean;
      /** The safety gate's finding, for a session in manual mode: no turn will record it there. `alert`: the alert level for the operators. */
      readonly assessed?: AssessmentData & { readonly alert?: number };
    }
  | {
      readonly type: "post_message";
      readonly source: "human_agent" | "human_agent_on_behalf_of_ai_agent";
      readonly parts: readonly MessagePart[];
      readonly participant?: MessageData["participant"];
      readonly metadata?: JsonObject;
      readonly trace_id: TraceId;
    }
  | (CustomInput & {
      readonly type: "post_custom";
      readonly metadata?: JsonObject;
      readonly trace_id: TraceId;
      /** The safety gate's finding about a customer's event; committed together with the event. */
      readonly assessed?: AssessmentData;
    })
  | {
      readonly type: "post_status";
      readonly source: EventSource;
      readonly data: StatusData;
      readonly metadata?: JsonObject;
      readonly trace_id: TraceId;
    }
  | { readonly type: "set_mode"; readonly mode: SessionMode; readonly at: number; readonly trace_id: TraceId }
  | HandoverCommand
  | { readonly type: "set_title"; readonly title: string | null; readonly trace_id: TraceId }
  | { readonly type: "end_episode"; readonly trace_id: TraceId }
  | { readonly type: "consent"; readonly given: boolean; readonly text_version: string; readonly purpose: string; readonly trace_id: TraceId }
  | { readonly type: "queue_turn"; readonly cause: "greeting" | "resume" | "retry"; readonly trace_id: TraceId; readonly head?: number }
  /** `turn`: stops the turn only if it is the open turn with this number. */
  | { readonly type: "stop_turn"; readonly message?: string; readonly turn?: number }
  /** Sets header values, computed from the loaded session. A new title or mode also appends events. */
  | {
      readonly type: "patch";
      readonly header: Pick<HeaderChange, "metadata" | "labels" | "consumers">;
      readonly title?: string | null;
      readonly mode?: SessionMode;
      readonly at: number;
      readonly trace_id: TraceId;
    }
  | {
      readonly type: "withdraw";
      readonly from: number;
      readonly patch: readonly PatchOperation[];
      readonly effects: readonly string[];
      readonly trace_id: TraceId;
      /** The metadata that follows from the restored state, if it changes. */
      readonly metadata?: JsonObject;
    }
  | {
      readonly type: "edit";
      readonly patch: readonly PatchOperation[];
      readonly writer: Writer;
      readonly trace_id: TraceId;
      readonly metadata?: JsonObject;
      /** State after the edit, if a checkpoint is due. */
      readonly checkpoint?: JsonObject;
      /** Migrates the state to a newer definition before the edit. No turn may start in between, so the commit depends on the epoch. */
      readonly migration?: { readonly to: number; readonly patch: readonly PatchOperation[]; readonly epoch: number };
    };

/** Commands that need only the session's header. They do not depend on waiting messages or open turns. */
export const restsOnHeader: ReadonlySet<Command["type"]> = new Set([
  "accept",
  "post_message",
  "post_custom",
  "post_status",
  "queue_turn",
  "set_title",
  "end_episode",
  "consent",
]);

/** Returns the change to commit for a command. Throws a coded error if the session does not allow the command. */
export function decide(view: SessionView, command: Command): Decided {
  switch (command.type) {
    case "accept":
      return accept(view, command);
    case "post_message":
      return {
        events: [newEvent("message", command.source, postedMessage(view, command), { trace_id: command.trace_id, metadata: command.metadata })],
      };
    case "post_custom":
      return {
        events: [
          ...assessedEvents(command.assessed, command.trace_id),
          newEvent("custom", command.source, { value: command.value }, { trace_id: command.trace_id, metadata: command.metadata }),
        ],
      };
    case "post_status":
      return { events: [newEvent("status", command.source, command.data, { trace_id: command.trace_id, metadata: command.metadata })] };
    case "set_mode":
      return setMode(view, command);
    case "hand_over":
    case "assign":
    case "unassign":
    case "hand_back":
      return decideHandover(view, command);
    case "patch":
      return patch(view, command);
    case "set_title":
      return setTitle(view, command.title, command.trace_id);
    case "consent": {
      const { type, given, text_version, purpose, trace_id } = command;
      return { events: [newEvent("session", "system", { type, given, text_version, purpose }, { trace_id })] };
    }
    case "end_episode":
      return endEpisode(view, "ended", command.trace_id);
    case "queue_turn":
      if (view.mode === "manual") throw new ThroughlineError("session.manual", "A person has taken this session over, so no turn can be queued.");
      return {
        events: [acknowledged(command.trace_id)],
        queue: { cause: command.cause, trace_id: command.trace_id },
        ...(command.head === undefined ? {} : { depends: { head: command.head } }),
      };
    case "stop_turn":
      return stopTurn(view, command);
    case "withdraw":
      return withdraw(view, command);
    case "edit":
      return edit(view, command);
  }
}

function edit(view: SessionView, command: Extract<Command, { type: "edit" }>): Decided {
  const { patch, writer, trace_id, metadata, checkpoint, migration } = command;
  if (patch.length === 0) return {};
  const edited = { patch, writer, definition: migration?.to ?? view.definition };
  const events = [newEvent("state", "system", edited, { trace_id, metadata })];
  const checked = checkpoint === undefined ? {} : { checkpoint };
  if (migration === undefined) return { depends: { base: view.state_offset }, events, ...checked };
  const { to, epoch } = migration;
  const migrated = { patch: migration.patch, writer: { type: "migration", from: view.definition, to }, definition: to } as const;
  return {
    depends: { base: view.state_offset, epoch },
    events: [newEvent("state", "system", migrated, { trace_id }), ...events],
    header: { agent_version: to },
    ...checked,
  };
}

function accept(view: SessionView, command: Extract<Command, { type: "accept" }>): Decided {
  const { message: given } = command;
  if (!("value" in given)) requireParts(given.parts);
  const { silenceMs = episodeSilenceMs, limit = waitingLimit } = command;
  const silent = view.head > 0 && command.at - view.updated_at > silenceMs;
  const episode = silent ? endEpisode(view, "silence", command.trace_id) : undefined;
  const placed = { turn: "queued", trace_id: command.trace_id, waiting: true, metadata: command.metadata } as const;
  const message =
    "value" in given
      ? newEvent("custom", given.source, { value: given.value }, placed)
      : newEvent("message", "customer", { role: "user", ...participantOf(view), ...given }, placed);
  const running = command.supersede !== undefined && view.mode === "auto" ? runningTurn(view) : undefined;
  const alerted = view.mode === "manual" ? alertOperators(view, command) : {};
  const header = { ...episode?.header, ...alerted.header };
  return {
    ...episode,
    events: [
      ...(running === undefined ? [] : endedEarly(view, running, { status: "stopped", reason: superseded })),
      ...(episode?.events ?? []),
      ...(alerted.events ?? []),
      // The message comes last, so its offset is the offset at which its commit ends.
      message,
    ],
    ...(Object.keys(header).length === 0 ? {} : { header }),
    // The superseded turn's messages wait again. The turn that this commit queues answers them.
    ...(running === undefined ? {} : { ...startsOf([running]), fence: true, dequeue_turns: [running.number] }),
    queue: { cause: "message", trace_id: command.trace_id, ...(command.urgent === true ? { urgent: true } : { limit }) },
    ...(command.wake === true ? { wake: true } : {}),
  };
}

/** Records the gate's finding with a message to human operators, and raises their alert level. */
function alertOperators(view: SessionView, { assessed, at, trace_id }: Extract<Command, { type: "accept" }>): Decided {
  if (assessed === undefined) return {};
  const { alert } = assessed;
  const alerted = alert === undefined ? {} : decideHandover(view, { type: "hand_over", at, given: { alert }, trace_id });
  return { ...alerted, events: [...assessedEvents(assessed, trace_id), ...(alerted.events ?? [])] };
}

const assessedEvents = (assessed: AssessmentData | undefined, trace_id: TraceId): readonly NewEvent[] =>
  assessed === undefined ? [] : [newEvent("assessment", "system", { audit_id: assessed.audit_id, level: assessed.level }, { trace_id })];

function participantOf({ customer }: SessionView): Pick<MessageData, "participant"> {
  if (customer === undefined) return {};
  return { participant: { id: customer.id, ...present({ display_name: customer.name }) } };
}

function postedMessage(view: SessionView, command: Extract<Command, { type: "post_message" }>): MessageData {
  requireParts(command.parts);
  const participant = command.source === "human_agent" ? command.participant : { display_name: view.agent, ...command.participant };
  return { role: "assistant", parts: command.parts, ...present({ participant }) };
}

function requireParts(parts: readonly MessagePart[]): void {
  if (parts.some((part) => part.type !== "text" || part.text.trim() !== "")) return;
  throw new ThroughlineError("input.invalid", "A message needs a part with text or data.", { details: { path: "parts" } });
}

function setMode(view: SessionView, command: Extract<Command, { type: "set_mode" }>): Decided {
  const { mode, ...rest } = command;
  if (mode !== "auto" && mode !== "manual")
    throw new ThroughlineError("session.invalid", `A session's mode is "auto" or "manual", not ${seen(mode)}.`, { details: { mode } });
  if (mode === view.mode) return {};
  return decideHandover(view, { ...rest, type: mode === "manual" ? "hand_over" : "hand_back" });
}

function setTitle(view: SessionView, title: string | null, trace_id: TraceId): Decided {
  if (title !== null && (typeof title !== "string" || title.length > titleLimit)) {
    throw new ThroughlineError(
      "session.invalid",
      `A title has at most ${titleLimit} characters, got ${typeof title === "string" ? title.length : seen(title)}.`,
    );
  }
  return title === view.title ? {} : { events: [newEvent("session", "system", { type: "title", title }, { trace_id })], header: { title } };
}

function endEpisode(view: SessionView, reason: "silence" | "ended", trace_id: TraceId): Decided {
  const opened = view.episode + 1;
  return {
    depends: { episode: view.episode },
    events: [newEvent("session", "system", { type: "episode", closed: view.episode, opened, reason }, { trace_id })],
    header: { episode: opened },
  };
}

function stopTurn(view: SessionView, command: Extract<Command, { type: "stop_turn" }>): Decided {
  const running = runningTurn(view);
  const turn = command.turn === undefined ? (running ?? queuedTurn(view)) : view.turns.find(({ number }) => number === command.turn);
  if (turn === undefined) return {};
  const outcome: Outcome = { status: "stopped", reason: "user_requested", ...present({ message: command.message }) };
  // Stopping the queued turn does not fence the running turn.
  const fence = running === undefined || turn === running;
  return { events: endedEarly(view, turn, outcome), ...startsOf([turn]), ...(fence ? { fence } : {}), end_turns: [turn.number] };
}

/** The mode's events come first, because `start_turn` refers to events by index. */
function patch(view: SessionView, command: Extract<Command, { type: "patch" }>): Decided {
  const { type: _type, header, title, mode, ...rest } = command;
  const moved = mode === undefined ? {} : setMode(view, { ...rest, type: "set_mode", mode });
  const titled = title === undefined ? {} : setTitle(view, title, command.trace_id);
  const events = [...(moved.events ?? []), ...(titled.events ?? [])];
  const changed = { ...header, ...moved.header, ...titled.header };
  if (Object.keys(changed).length === 0) return {};
  return { ...moved, ...(events.length === 0 ? {} : { events }), header: changed };
}

function withdraw(view: SessionView, command: Extract<Command, { type: "withdraw" }>): Decided {
  const { from, patch, effects, trace_id, metadata } = command;
  if (!Number.isInteger(from) || from < 1) {
    throw new ThroughlineError("log.offset_invalid", `A session can be withdrawn from offset 1 on, not from ${seen(from)}.`, { details: { from } });
  }
  if (from > view.head) return {};
  const cut = view.turns.filter((turn) => turn.status === "running" || takenUpBy(view, turn.number).every((offset) => offset >= from));
  const outcome: Outcome = { status: "stopped", reason: "withdrawn" };
  const withdrawn = newEvent("session", "system", { type: "withdrawn", from, effects }, { trace_id });
  const state = newEvent("state", "system", { patch, writer: { type: "withdrawal", from }, definition: view.definition }, { trace_id });
  return {
    depends: { base: view.state_offset },
    // The withdrawal comes first, so content is hidden exactly from that event on. A reader or a fork in the middle of this commit sees the same.
    events: [withdrawn, ...cut.flatMap((turn) => endedEarly(view, turn, outcome)), ...(patch.length === 0 ? [] : [state])],
    fence: true,
    ...startsOf(cut, 1),
    end_turns: cut.map((turn) => turn.number),
    withdraw_from: from,
    ...(metadata === undefined ? {} : { header: { metadata } }),
  };
}
