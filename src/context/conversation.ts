import { historyOf } from "../session/history.ts";
import type { Message } from "../session/messages.ts";
import { summaryIn } from "../session/summary.ts";
import { recentMessages, type HistoryWindow, type PromptPart } from "./section.ts";

/** The conversation, and what the turn at work answers. */
export interface ConversationSources {
  readonly messages: readonly Message[];
  /** Offsets of the messages that the turn answers. */
  readonly answers: readonly number[];
  /** Offset of the event that began the turn, or of the head before it. */
  readonly started?: number;
  readonly state: Readonly<Record<string, unknown>>;
}

/** How much of the conversation the prompt's parts need, without a style. */
export const historyPart = (parts: readonly PromptPart[]): HistoryWindow => parts.find((part) => part.type === "history") ?? recentMessages;

/** How many messages have to be read for the prompt's parts: the most that any style sees. */
export const historyWindow = (parts: readonly PromptPart[]): number =>
  Math.max(historyPart(parts).window, ...parts.flatMap((part) => (part.type === "history" ? [part.window] : [])));

/** What a model sees of the conversation, by a part of the prompt and the summary in the state. */
export function conversationOf({ window, traces, summary }: HistoryWindow, sources: ConversationSources): readonly Message[] {
  const { answers, started } = sources;
  const summarised = summary === undefined ? undefined : summaryIn(sources.state, summary)?.upto;
  return historyOf(sources.messages, {
    window,
    traces,
    answers,
    ...(started === undefined ? {} : { started }),
    ...(summarised === undefined ? {} : { summarised }),
  });
}
