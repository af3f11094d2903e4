import type { ModelMessage, ModelRequest } from "../model/port.ts";
import { historyOf, type Message } from "../session/messages.ts";
import { recentMessages, type PromptPart, type SectionContext } from "./section.ts";

/** Everything a prompt is made of. */
export interface PromptSources extends SectionContext<never> {
  readonly messages: readonly Message[];
  /** Offsets of the messages that the turn answers. */
  readonly answers: readonly number[];
}

/** How many messages the prompt's parts want. */
export const historyWindow = (parts: readonly PromptPart[]): number => parts.find((part) => part.type === "history")?.window ?? recentMessages.window;

/** The request for a model: the sections that have text, in order, and the window of the conversation. */
export function assemble(parts: readonly PromptPart[], sources: PromptSources): ModelRequest {
  const sections = parts.flatMap((part) => {
    const text = part.type === "section" ? part.render(sources) : undefined;
    return part.type === "section" && text !== undefined && text.trim() !== "" ? [{ name: part.name, text }] : [];
  });
  const messages = historyOf(sources.messages, { window: historyWindow(parts), answers: sources.answers });
  return { sections, messages: messages.map(toModelMessage), tools: [] };
}

/** A person's message is marked in its text, since not every model's wire has a place for a name. */
function toModelMessage(message: Message): ModelMessage {
  const { role, text } = message;
  if (role === "tool") return { role, call_id: message.call_id ?? "", text };
  const shown = message.source === "human_agent" ? `[${message.name ?? "a human colleague"}, a person, wrote:] ${text}` : text;
  return {
    role,
    text: shown,
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.calls === undefined ? {} : { calls: message.calls }),
  };
}
