/** Writes and reads an agent's message log. */
import { ThroughlineError } from "../kernel/error.ts";
import { deepFreeze, present } from "../kernel/json.ts";
import { groupMessages, summaryBoundary, type SummaryLimits } from "../state/message-groups.ts";
import { missingText } from "../state/tool-outcome.ts";
import {
  covered,
  hasIn,
  joined,
  separates,
  without,
  type AgentMessage,
  type AgentMessageGiven,
  type MessageRange,
  type MessageTags,
} from "./agent-message.ts";
import { withContext, type AgentContext, type AgentState } from "./agent-state.ts";
import { messageGivenShape } from "./state-shape.ts";

/** Options of a change. */
export interface Change {
  /** Time of the change, in milliseconds since 1970. */
  readonly at: number;
}

/** Appends messages to the log and to a section of the context. */
export function appended(
  context: AgentContext,
  given: readonly AgentMessageGiven[],
  options: Change & { section?: string; tags?: MessageTags },
): AgentContext {
  if (given.length === 0) return context;
  const { at, section = "messages", tags } = options;
  const from = context.messages.length;
  const messages = given.map((message, index): AgentMessage =>
    deepFreeze({ id: from + index, created_at: at, ...messageGivenShape(message, `/messages/${index}`), ...present({ tags }) }),
  );
  const ranges = joined(sectionOf(context, section), { from, to: from + given.length });
  return Object.freeze({
    ...context,
    messages: context.messages.concat(messages),
    sections: deepFreeze({ ...context.sections, [section]: ranges }),
  });
}

/** Appends messages to a section, default `messages`. Returns the same state without messages. */
export const withAppendedMessages = (
  state: AgentState,
  messages: readonly AgentMessageGiven[],
  options: Change & { readonly section?: string },
): AgentState => (messages.length === 0 ? state : withContext(state, appended(state.context, messages, options), options.at));

/** Appends a user message. */
export const withUserMessage = (state: AgentState, text: string, { at }: Change): AgentState =>
  withAppendedMessages(state, [{ role: "user", text }], { at });

/** Replaces the messages of the section `messages`. The old ones stay in the log but in no section. */
export function withMessages(state: AgentState, messages: readonly AgentMessageGiven[], { at }: Change): AgentState {
  const before = sectionOf(state.context, "messages");
  if (messages.length === 0 && before.length === 0) return state;
  const emptied = { ...state.context, sections: deepFreeze({ ...state.context.sections, messages: [] }) };
  return withContext(state, appended(emptied, messages, { at }), at);
}

/** Empties all sections and removes all summaries. Returns the same state if there are none. */
export function clearMessages(state: AgentState, { at }: Change): AgentState {
  const { sections, summaries } = state.context;
  if (summaries.length === 0 && Object.values(sections).every((ranges) => ranges.length === 0)) return state;
  return withContext(
    state,
    { summaries: Object.freeze([]), sections: deepFreeze(Object.fromEntries(Object.keys(sections).map((name) => [name, []]))) },
    at,
  );
}

/**
 * Moves the conversation before a message to the section `buffer`, to be summarized next. Messages stay in place, since a section is a list of
 * ranges. Throws `input.invalid` if this would separate a call from its result.
 */
export function withBuffer(state: AgentState, upto: number, { at }: Change): AgentState {
  const { sections } = state.context;
  const range = { from: 0, to: upto };
  const moved = covered(sectionOf(state.context, "messages"), range);
  if (moved.length === 0) return state;
  assertWhole(inSection(state.context, "messages"), range);
  const buffer = moved.reduce(joined, sectionOf(state.context, "buffer"));
  return withContext(state, { sections: deepFreeze({ ...sections, buffer, messages: without(sectionOf(state.context, "messages"), range) }) }, at);
}

/**
 * Adds a summary of a message range. The messages stay in the log, but views show the summary instead. Summaries within the range are replaced.
 * Throws `input.invalid` for an invalid range, one that separates a call from its result, or one that cuts another summary.
 */
export function withSummary(state: AgentState, summary: MessageRange & { readonly text: string }, { at }: Change): AgentState {
  const { from, to, text } = summary;
  const { summaries, messages } = state.context;
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from >= to || to > messages.length)
    throw new ThroughlineError("input.invalid", `A summary covers messages from 0 to ${messages.length}, got ${from} to ${to}.`);
  assertWhole(messages.toArray(), { from, to });
  if (summaries.some((known) => known.from === from && known.to === to && known.text === text)) return state;
  const others = summaries.filter((known) => known.from < from || known.to > to);
  const cut = others.find((known) => known.from < to && known.to > from);
  if (cut !== undefined)
    throw new ThroughlineError("input.invalid", `A summary of messages ${from} to ${to} would cut the one of ${cut.from} to ${cut.to} in two.`);
  const added = [...others, { from, to, text, created_at: at }].toSorted((left, right) => left.from - right.from);
  return withContext(state, { summaries: deepFreeze(added) }, at);
}

function assertWhole(messages: readonly AgentMessage[], range: MessageRange): void {
  if (!separates(messages, range)) return;
  throw new ThroughlineError("input.invalid", `The messages ${range.from} to ${range.to} separate a call from its result.`, {
    hint: "Take the range from compactionRange.",
  });
}

/** Returns the range of a section to summarize, so that the rest respects the limits. Returns undefined if nothing needs to be summarized. */
export function compactionRange(state: AgentState, limits: SummaryLimits & { readonly section?: string }): MessageRange | undefined {
  const { section = "messages", ...others } = limits;
  const left = uncovered(state.context, section);
  // Results that follow a summary of their call have no call left.
  const messages = left.slice(
    Math.max(
      0,
      left.findIndex(({ role }) => role !== "tool"),
    ),
  );
  for (let index = summaryBoundary(messages, others); index > 0; index--) {
    const range = { from: messages[0]?.id ?? 0, to: (messages[index - 1]?.id ?? 0) + 1 };
    const cuts = state.context.summaries.some(
      (known) => known.from < range.to && known.to > range.from && !(known.from >= range.from && known.to <= range.to),
    );
    if (!cuts && messages[index]?.role !== "tool" && !separates(state.context.messages.toArray(), range)) return range;
  }
  return undefined;
}

const sectionOf = ({ sections }: AgentContext, name: string): readonly MessageRange[] =>
  Object.hasOwn(sections, name) ? (sections[name] ?? []) : [];

/** Returns the messages of a section that no summary covers. */
const uncovered = (context: AgentContext, section: string): readonly AgentMessage[] =>
  inSection(context, section).filter(({ id }) => !hasIn(context.summaries, id));

const inSection = (context: AgentContext, section: string): readonly AgentMessage[] =>
  sectionOf(context, section).flatMap(({ from, to }) => context.messages.slice(from, to));

/** Returns the messages of a section, default `messages`. Returns none for an unknown section. */
export const messagesIn = ({ context }: AgentState, section = "messages"): readonly AgentMessage[] => inSection(context, section);

/** Options of {@link conversation}. */
export interface ConversationOptions {
  /** Which tool work is included: none, that of the current execution (default), or all. Of excluded work, the text stays. */
  readonly traces?: "none" | "current" | "all";
  /** Sections in order. Default: `summary`, `buffer`, `messages`. `summary` has the summaries. */
  readonly sections?: readonly string[];
}

/** Returns the conversation for a model: summaries first, and each call directly followed by exactly one result. */
export function conversation(state: AgentState, options: ConversationOptions = {}): readonly AgentMessage[] {
  const { traces = "current", sections = ["summary", "buffer", "messages"] } = options;
  const { context, execution } = state;
  const current = execution.phase === "idle" ? undefined : execution.execution_id;
  const shown = sections.flatMap((name) => (name === "summary" ? summariesOf(context) : uncovered(context, name)));
  return groupMessages(shown, lost).flatMap((group): readonly AgentMessage[] => {
    const [head] = group;
    if (head.tags?.is_trace !== true || traces === "all" || (traces === "current" && head.tags.execution_id === current)) return group;
    const { calls, ...prose } = head;
    return calls === undefined || head.text.trim() === "" ? [] : [prose];
  });
}

const summariesOf = (context: AgentContext): readonly AgentMessage[] =>
  context.summaries.map(({ from, text, created_at }) => ({ id: from, role: "system", text, created_at }));

const lost = (head: AgentMessage, index: number): AgentMessage => ({
  id: head.id,
  created_at: head.created_at,
  role: "tool",
  text: missingText("unknown"),
  call_id: head.calls?.[index]?.call_id ?? "",
  ...present({ tags: head.tags }),
});
