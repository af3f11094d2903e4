import type { JsonObject } from "../kernel/json.ts";
import { jsonEqual } from "../kernel/json.ts";
import { groupMessages } from "../state/message-groups.ts";
import { missingText } from "../state/tool-outcome.ts";
import type { EventSource } from "../store/port.ts";
import { authorityOf, wordsIn } from "./authority.ts";
import type { Event, EventOf, ToolCall } from "./event.ts";
import { resultText, textOf } from "./result-text.ts";

/** An entry of `messages`: text, author and place in the log. */
export interface Message {
  /** For a result that the log does not hold: the offset of the message that asks for the call. */
  readonly offset: number;
  readonly role: "user" | "assistant" | "system" | "tool";
  /** Who wrote it. */
  readonly source: EventSource;
  readonly text: string;
  /** Display name of who wrote it, if it is known; of a result, the name of its tool. */
  readonly name?: string;
  /** It comes from a `custom` event: the text is its value as JSON. */
  readonly custom?: true;
  /** Work on the way to an answer, of an execution; a result is what the message that asks for it is. */
  readonly is_trace: boolean;
  readonly call_id?: string;
  readonly calls?: readonly ToolCall[];
  /** The events hold no result of this call; the text says what can be said of it. */
  readonly missing?: true;
  /** What was said was forgotten: the text is empty, and no model is shown the message. */
  readonly redacted?: true;
}

/** What is known of calls besides their results. */
interface Called {
  /** What a call ran with; undefined if it is not on record that it ran. */
  of(head: Message, call_id: string): JsonObject | undefined;
  readonly open: number;
}

/**
 * The projection of the log that conversations are read from: `message`, `tool` and `custom` events. The role follows from kind and source (`authorities`): what a
 * customer's page posted is the customer's content, whatever it says. Each call of a
 * message has exactly one result right after it, in the order of the calls, whatever the log holds: a result that came later is brought there, one
 * whose call is not among the events is left out, and a call without a result gets one that says so. Calls asked for at the offset `open` or later are
 * still at work, not lost; give the offset where the turn at work begins.
 */
export function messagesOf(events: readonly Event[], options: { readonly open?: number } = {}): readonly Message[] {
  const { open = Number.POSITIVE_INFINITY } = options;
  const asked = new Map<string, { readonly head: Message; readonly call: ToolCall; ran?: JsonObject }>();
  const ran = new Map<Message, ReadonlyMap<string, JsonObject>>();
  const messages: Message[] = [];
  for (const event of events) {
    if (event.kind === "message") {
      const head = messageOf(event);
      messages.push(head);
      for (const call of head.calls ?? []) asked.set(call.call_id, { head, call });
    } else if (event.kind === "custom") {
      messages.push(customMessageOf(event, JSON.stringify(event.data.value)));
    } else if (event.kind === "tool") {
      const { data } = event;
      const about = asked.get(data.call_id);
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

/** What a turn answers, in words: of a custom event the words in it, as a gate reads them. */
export const inputsOf = (events: readonly (EventOf<"message"> | EventOf<"custom">)[]): readonly Message[] =>
  events.map((event) => (event.kind === "message" ? messageOf(event) : customMessageOf(event, wordsIn(event.data.value))));

function customMessageOf({ offset, source }: EventOf<"custom">, text: string): Message {
  const { role } = authorityOf("custom", source);
  return { offset, role: role === "user" || role === "assistant" ? role : "system", source, text, is_trace: false, custom: true };
}

/** The result of a call that has none, told from what is on record. */
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

/** A model that is not told what a call ran with would take the result for one of its own arguments. */
const withEdit = (text: string, call: ToolCall, ran: JsonObject | undefined): string =>
  ran === undefined || jsonEqual(ran, call.arguments) ? text : `[This call was made with other arguments: ${JSON.stringify(ran)}]\n${text}`;

function messageOf(event: EventOf<"message">): Message {
  const { data, source } = event;
  // A flagged text is withheld from the model; the reasons are not.
  const text = data.flagged === undefined ? textOf(data.parts) : `[withheld: ${data.flagged.join(", ")}]`;
  const name = data.participant?.display_name;
  const { role } = authorityOf("message", source);
  return {
    offset: event.offset,
    // An imported log may say anything of a role. Only the agent's own code and the system choose one.
    role: role === "user" || role === "assistant" ? role : data.role,
    source,
    text,
    is_trace: data.origin?.is_trace ?? false,
    ...(name === undefined ? {} : { name }),
    ...(data.calls === undefined ? {} : { calls: data.calls }),
    ...(data.redacted === true ? { redacted: true } : {}),
  };
}
