import type { ModelMessage } from "../model/port.ts";
import type { Message } from "../session/messages.ts";

/** What was made of messages: the steps of an execution ask with the same ones over and over. */
const made = new WeakMap<Message, ModelMessage>();

/** A message as a model gets it. */
export function toModelMessage(message: Message): ModelMessage {
  const known = made.get(message);
  if (known !== undefined) return known;
  const fresh = Object.freeze(modelMessageOf(message));
  made.set(message, fresh);
  return fresh;
}

/** A person's message is marked in its text, since not every model's wire has a place for a name. */
function modelMessageOf(message: Message): ModelMessage {
  const { role, text } = message;
  const name = message.name === undefined ? {} : { name: message.name };
  if (role === "tool") return { role, call_id: message.call_id ?? "", ...name, text };
  const shown = message.source === "human_agent" ? `[${message.name ?? "a human colleague"}, a person, wrote:] ${text}` : text;
  return {
    role,
    text: shown,
    ...name,
    ...(message.calls === undefined ? {} : { calls: message.calls }),
  };
}
