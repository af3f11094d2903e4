/** Messages of a log: read from its events, with the texts of results, and what remains of redacted ones. */
import { jsonEqual, type JsonObject } from "../kernel/json.ts";
import { groupMessages } from "../state/message-groups.ts";
import { missingText, outcomeText } from "../state/tool-outcome.ts";
import type { EventSource, LoadedSession } from "../store/port.ts";
import { authorityOf, wordsIn } from "./authority.ts";
import type { Event, EventOf, MessageData, MessagePart, ToolCall, ToolResult } from "./event.ts";

/** An entry of `messages`: its text, author and place in the log. */
export interface Message {
  /** Offset of the event. A result that the log does not hold has the offset of the message that requests the call. */
  readonly offset: number;
  readonly role: "user" | "assistant" | "system" | "tool";
  /** Who wrote the message. */
  readonly source: EventSource;
  readonly text: string;
  /** Display name of the author, if known. For a result, the name of its tool. */
  readonly name?: string;
  /** The message comes from a `custom` event. Its text is the event's value as JSON. */
  readonly custom?: true;
  /** The message is intermediate work of an execution. A result has the value of the message that requests its call. */
  readonly is_trace: boolean;
  readonly call_id?: string;
  readonly calls?: readonly ToolCall[];
  /** The log holds no result of this call. The text states what the log records. */
  readonly missing?: true;
  /** The message was redacted. Its text is empty, and no model sees it. */
  readonly redacted?: true;
}

/** Information about calls, apart from their results. */
interface Called {
  /** Returns the arguments that a call ran with; undefined if no event records that it ran. */
  of(head: Message, call_id: string): JsonObject | undefined;
  readonly open: number;
}

/**
 * Projects the log to the messages of the conversation, from its `message`, `tool` and `custom` events. The role follows from the event's kind and
 * source (`authorities`). Content from a customer's page is customer content, regardless of the role that it claims.
 *
 * Each call is directly followed by exactly one result, in the order of the calls. A late result moves up to its call. A result without a call is
 * left out. A call without a result gets a placeholder.
 *
 * `open`: offset at which a turn starts that runs or waits ({@link openSince}). Calls from there on are pending, not lost. By default no call is pending.
 */
export function messagesOf(events: readonly Event[], options: { readonly open?: number } = {}): readonly Message[] {
  const { open = Number.POSITIVE_INFINITY } = options;
  const requested = new Map<string, { readonly head: Message; readonly call: ToolCall; ran?: JsonObject }>();
  const ran = new Map<Message, ReadonlyMap<string, JsonObject>>();
  const messages: Message[] = [];
  for (const event of events) {
    if (event.kind === "message") {
      const head = messageOf(event);
      messages.push(head);
      for (const call of head.calls ?? []) requested.set(call.call_id, { head, call });
    } else if (event.kind === "custom") {
      messages.push(customMessageOf(event, JSON.stringify(event.data.value)));
    } else if (event.kind === "tool") {
      const { data } = event;
      const about = requested.get(data.call_id);
      if (about === undefined) continue;
      if (data.type === "called") {
        about.ran = data.arguments;
        ran.set(about.head, new Map(ran.get(about.head)).set(data.call_id, data.arguments));
        continue;
      }
      const text = withEdit(resultText(data.result), about.call, about.ran);
      const { is_trace } = about.head;
      messages.push({ offset: event.offset, role: "tool", source: event.source, name: about.call.name, text, is_trace, call_id: data.call_id });
    }
  }
  return groupMessages(messages, (head, index) =>
    missingResult(head, index, { of: (asking, call_id) => ran.get(asking)?.get(call_id), open }),
  ).flat();
}

/** Returns the inputs of a turn as messages. The text of a custom event is the text in its value, as the safety gate reads it. */
export const inputsOf = (events: readonly (EventOf<"message"> | EventOf<"custom">)[]): readonly Message[] =>
  events.map((event) => (event.kind === "message" ? messageOf(event) : customMessageOf(event, wordsIn(event.data.value))));

/** Returns the offset at which the turn starts that runs or waits for a decision; undefined if there is none. `turns` are the open turns. */
export const openSince = ({ turns }: Pick<LoadedSession, "turns">): number | undefined =>
  turns.find((turn) => turn.started_offset !== undefined)?.started_offset;

function customMessageOf({ offset, source }: EventOf<"custom">, text: string): Message {
  const { role } = authorityOf("custom", source);
  return { offset, role: role === "user" ? role : "system", source, text, is_trace: false, custom: true };
}

/** Builds a placeholder for a missing result from what the log records about the call. */
function missingResult(head: Message, index: number, called: Called): Message {
  const call = head.calls?.[index];
  const call_id = call?.call_id ?? "";
  const ran = called.of(head, call_id);
  const text = missingText(head.offset >= called.open ? "pending" : ran === undefined ? "skipped" : "unknown");
  return {
    offset: head.offset,
    role: "tool",
    source: head.source,
    ...(call === undefined ? {} : { name: call.name }),
    text: call === undefined ? text : withEdit(text, call, ran),
    is_trace: head.is_trace,
    call_id,
    missing: true,
  };
}

/** States the arguments that a call ran with, if they differ. Otherwise the model would attribute the result to its own arguments. */
const withEdit = (text: string, call: ToolCall, ran: JsonObject | undefined): string =>
  ran === undefined || jsonEqual(ran, call.arguments) ? text : `[This call was made with other arguments: ${JSON.stringify(ran)}]\n${text}`;

/** Messages of frozen events. What is derived from a message is cached by the message. */
const made = new WeakMap<Event, Message>();

function messageOf(event: EventOf<"message">): Message {
  const known = made.get(event);
  if (known !== undefined) return known;
  const message = messageIn(event);
  if (Object.isFrozen(event)) made.set(event, Object.freeze(message));
  return message;
}

function messageIn(event: EventOf<"message">): Message {
  const { data, source } = event;
  // A flagged text is withheld from the model. The reasons are not.
  const text = data.flagged === undefined ? textOf(data.parts) : `[withheld: ${data.flagged.join(", ")}]`;
  const name = data.participant?.display_name;
  const { role } = authorityOf("message", source);
  return {
    offset: event.offset,
    // An imported log may contain any role. Only the agent's own code and the system can choose one.
    role: role === "user" || role === "assistant" ? role : data.role,
    source,
    text,
    is_trace: data.origin?.is_trace ?? false,
    ...(name === undefined ? {} : { name }),
    ...(data.calls === undefined ? {} : { calls: data.calls }),
    ...(data.redacted === true ? { redacted: true } : {}),
  };
}

/** Whether a message is part of the conversation with the customer. Intermediate steps and messages that the system inserts for the model are not. */
export const reachesCustomer = ({ source, data: { role, origin } }: Pick<EventOf<"message">, "source" | "data">): boolean =>
  role !== "system" && source !== "system" && (origin?.is_trace !== true || origin.stands_in === true);

/** Returns the text of a message's parts, one per line. A JSON part is rendered as JSON. */
export const textOf = (parts: readonly MessagePart[]): string =>
  parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part.value))).join("\n");

/**
 * Renders a tool result for the model. A returned value is the tool's own rendering, a string as it is, or JSON. Any other outcome is a JSON object
 * with the key `error`, `blocked`, `skipped` or `unknown`. A value that the state does not hold is rendered as `done`, with the reason in
 * `not_stored`.
 */
export function resultText(result: ToolResult): string {
  if (result.type !== "ok") return outcomeText(result);
  const { value, shown, not_stored } = result;
  if (not_stored === undefined) return shown === undefined ? outcomeText(result) : textOf(shown);
  const { code, message } = not_stored;
  const reason = "This call was made. Do not repeat it. What it returned could not be stored.";
  return JSON.stringify({ done: shown === undefined ? value : textOf(shown), not_stored: { reason, code, message } });
}

/** Whether a call succeeded and the state holds its value. */
export const isStored = (result: ToolResult): boolean => result.type === "ok" && result.not_stored === undefined;

/**
 * Returns what remains of a redacted message: role, participant, origin, and the calls that results refer to. The text and everything sent with it
 * are removed.
 */
export const redactedMessage = ({ role, participant, origin, calls }: MessageData): MessageData => ({
  role,
  parts: [],
  ...(participant === undefined ? {} : { participant }),
  ...(origin === undefined ? {} : { origin }),
  ...(calls === undefined ? {} : { calls }),
  redacted: true,
});

/** Returns the offsets that events of a log report as redacted. */
export const toldRedacted = (events: readonly Event[]): ReadonlySet<number> =>
  new Set(events.flatMap(({ kind, data }) => (kind === "session" && data.type === "redacted" ? data.offsets : [])));
