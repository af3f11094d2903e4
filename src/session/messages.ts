import type { EventSource } from "../store/port.ts";
import type { Event, EventOf, MessageData } from "./event.ts";
import { resultText, textOf } from "./result-text.ts";

/** An entry of `messages`: what was said, by whom, where it stands in the log. */
export interface Message {
  readonly offset: number;
  readonly role: "user" | "assistant" | "system" | "tool";
  /** Who wrote it. */
  readonly source: EventSource;
  readonly text: string;
  /** Display name of who wrote it, if it is known. */
  readonly name?: string;
  /** Work on the way to an answer, of an execution. */
  readonly is_trace: boolean;
  readonly call_id?: string;
  readonly calls?: MessageData["calls"];
}

/** The projection of the log that conversations are read from: `message` and `tool` events, and custom ones as what the system said. */
export function messagesOf(events: readonly Event[]): readonly Message[] {
  return events.flatMap((event): readonly Message[] => {
    if (event.kind === "message") return [messageOf(event)];
    if (event.kind === "custom")
      return [{ offset: event.offset, role: "system", source: event.source, text: JSON.stringify(event.data.value), is_trace: false }];
    if (event.kind === "tool" && event.data.type === "returned") {
      const { result, call_id } = event.data;
      return [
        {
          offset: event.offset,
          role: "tool",
          source: event.source,
          text: resultText(result),
          is_trace: true,
          call_id,
        },
      ];
    }
    return [];
  });
}

function messageOf(event: EventOf<"message">): Message {
  const { data, source } = event;
  // A flagged text is withheld from the model; the reasons are not.
  const text = data.flagged === undefined ? textOf(data.parts) : `[withheld: ${data.flagged.join(", ")}]`;
  const name = data.participant?.display_name;
  return {
    offset: event.offset,
    role: data.role,
    source,
    text,
    is_trace: data.origin?.is_trace ?? false,
    ...(name === undefined ? {} : { name }),
    ...(data.calls === undefined ? {} : { calls: data.calls }),
  };
}

/**
 * What a model sees of the messages: earlier executions' traces left out, the last `window` entries. A message that was sent while an earlier reply
 * was being written stands in the log before that reply; the model sees it where it is answered, after it.
 */
export function historyOf(
  messages: readonly Message[],
  options: { readonly window: number; readonly answers: readonly number[] },
): readonly Message[] {
  const { window, answers } = options;
  const since = answers[0] ?? Number.POSITIVE_INFINITY;
  const visible = messages.filter((message) => !message.is_trace || message.offset >= since);
  const isEarlierReply = (message: Message): boolean => message.source === "ai_agent" && !message.is_trace && message.offset > since;
  const begin = visible.findIndex((message) => message.offset >= since);
  const after = begin === -1 ? [] : visible.slice(begin);
  const ordered = [
    ...visible.slice(0, visible.length - after.length),
    ...after.filter(isEarlierReply),
    ...after.filter((message) => !isEarlierReply(message)),
  ];
  return window === 0 ? [] : ordered.slice(-window);
}
