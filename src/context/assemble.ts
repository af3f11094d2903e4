import type { ModelMessage, ModelRequest, PromptSection } from "../model/port.ts";
import type { Message } from "../session/messages.ts";
import { summaryIn } from "../session/summary.ts";
import { conversationOf, type ConversationSources } from "./conversation.ts";
import type { PromptPart, SectionContext } from "./section.ts";

/** Everything a prompt is made of. */
export interface PromptSources extends SectionContext<never>, Omit<ConversationSources, "state"> {}

/** The request for a model: the sections that have text, in order, and what it sees of the conversation. */
export function assemble(parts: readonly PromptPart[], sources: PromptSources): ModelRequest {
  const sections = parts.flatMap((part): readonly PromptSection[] => {
    const name = part.type === "section" ? part.name : part.summary;
    const text = part.type === "section" ? part.render(sources) : name === undefined ? undefined : summaryIn(sources.state, name)?.text;
    return name !== undefined && text !== undefined && text.trim() !== "" ? [{ name, text }] : [];
  });
  return { sections, messages: conversationOf(parts, sources).map(toModelMessage), tools: [] };
}

/** What was made of messages: the steps of an execution ask with the same ones over and over. */
const made = new WeakMap<Message, ModelMessage>();

function toModelMessage(message: Message): ModelMessage {
  const known = made.get(message);
  if (known !== undefined) return known;
  const fresh = Object.freeze(modelMessageOf(message));
  made.set(message, fresh);
  return fresh;
}

/** A person's message is marked in its text, since not every model's wire has a place for a name. */
function modelMessageOf(message: Message): ModelMessage {
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
