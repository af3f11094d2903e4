/** The history that a model receives, and the summary that stands for older messages. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { groupMessages, type MessageGroup, summaryBoundary, type SummaryLimits } from "../state/message-groups.ts";
import { missingText } from "../state/tool-outcome.ts";
import type { Message } from "./session-messages.ts";

/** How much of earlier turns' work a model sees. `own`: only the text of earlier messages; calls and results of the current turn alone. `all`: everything. */
export type ShownTraces = "own" | "all";

/** Options of {@link historyOf}. */
export interface HistoryOptions {
  /**
   * Maximum number of messages, counted from the newest. A message and the results of its calls count as one. The current turn's messages are always
   * included.
   */
  readonly window: number;
  /** Offsets of the messages that the current turn answers. */
  readonly answers: readonly number[];
  /** Offset of the event that started the current turn. Later messages of the agent belong to this turn. Needed for a turn that answers no message. */
  readonly started?: number;
  /** `own` by default. */
  readonly traces?: ShownTraces;
  /** Messages up to this offset are covered by a summary and left out, except those that the turn answers. */
  readonly summarised?: number;
}

type Group = MessageGroup<Message>;

/**
 * Returns the messages that a model sees. By default it leaves out the tool calls and results of earlier turns. A message sent while an earlier reply
 * was being written precedes that reply in the log. Here it follows that reply, because a later turn answers it. Each call is directly followed by
 * exactly one result, for any window. Redacted messages are left out, except those with tool calls.
 */
export function historyOf(messages: readonly Message[], options: HistoryOptions): readonly Message[] {
  const { window, answers, traces = "own", summarised = -1 } = options;
  const since = answers[0] ?? options.started ?? Number.POSITIVE_INFINITY;
  const groups = groupMessages(messages, lost);
  const started = options.started ?? lastReplyAfter(since, groups);
  const answered = new Set(answers);
  const isOwn = ([{ offset, source }]: Group): boolean => answered.has(offset) || (offset >= since && (source !== "ai_agent" || offset > started));

  // An execution of a thousand steps calls this a thousand times, so it builds nothing that is not shown.
  const earlier: Group[] = [];
  const own: Message[] = [];
  let room = window;
  for (const group of groups) {
    const [head] = group;
    if (isForgotten(head) || (head.offset <= summarised && !answered.has(head.offset))) continue;
    if (!isOwn(group)) earlier.push(...(traces === "all" ? [group] : proseOf(group)));
    else {
      for (const message of group) own.push(message);
      if (!head.is_trace) room -= 1;
    }
  }
  return room <= 0 ? own : [...earlier.slice(-room).flat(), ...own];
}

/** Returns the offset of the last reply at or after `since`; `since` if there is none. The agent's messages up to that offset belong to the previous turn. */
function lastReplyAfter(since: number, groups: readonly Group[]): number {
  return groups.findLast(([head]) => head.source === "ai_agent" && !head.is_trace && head.offset >= since)?.[0].offset ?? since;
}

/** Keeps the text of an earlier turn's trace message and drops its calls. A trace message without calls, such as an apology, is left out. */
function proseOf(group: Group): readonly Group[] {
  const [head] = group;
  if (!head.is_trace) return [group];
  const { calls, ...prose } = head;
  return calls === undefined || head.text.trim() === "" ? [] : [[prose]];
}

/** A redacted message has nothing left to show, unless results refer to its calls. */
const isForgotten = ({ redacted, calls }: Message): boolean => redacted === true && calls === undefined;

const lost = (head: Message, index: number): Message => ({
  offset: head.offset,
  role: "tool",
  source: head.source,
  text: missingText("unknown"),
  is_trace: head.is_trace,
  call_id: head.calls?.[index]?.call_id ?? "",
  missing: true,
});

/**
 * A summary in a state field that replaces the beginning of the conversation. The messages themselves stay in the log: without the summary, they are
 * shown again.
 */
export interface ConversationSummary {
  /** Offset of the last message that the summary covers. */
  readonly upto: number;
  readonly text: string;
}

/** Returns the summary in a state field; undefined if the field is empty. Throws `state.invalid_value` with the field's name if it holds anything else. */
export function summaryIn(state: Readonly<Record<string, unknown>>, field: string): ConversationSummary | undefined {
  const value = state[field];
  if (value === undefined || value === null) return undefined;
  if (isPlainObject(value) && Number.isInteger(value["upto"]) && typeof value["text"] === "string")
    return { upto: Number(value["upto"]), text: value["text"] };
  throw new ThroughlineError("state.invalid_value", `The field "${field}" must hold a summary, { upto, text }, got ${seen(value)}.`, {
    details: { field },
  });
}

/** The beginning of a conversation that can be summarized. */
export interface Summarisable {
  /** Value for {@link ConversationSummary.upto}. */
  readonly upto: number;
  /** The messages to summarize. */
  readonly messages: readonly Message[];
}

/**
 * Returns the beginning of a history to summarize, so that the rest stays within the limits. Returns undefined if there is nothing to summarize. A
 * call is never separated from its result.
 * @example const due = summarisable(context.history, { keep: 10 });
 */
export function summarisable(history: readonly Message[], limits: SummaryLimits): Summarisable | undefined {
  const boundary = summaryBoundary(history, limits);
  const offsets = (messages: readonly Message[]): readonly number[] => messages.flatMap(({ role, offset }) => (role === "tool" ? [] : [offset]));
  const last = offsets(history.slice(0, boundary)).reduce((highest, offset) => Math.max(highest, offset), -1);
  // A message sent while an earlier reply was being written follows that reply with a lower offset. The summary must not cover it.
  const upto = offsets(history.slice(boundary)).reduce((lowest, offset) => Math.min(lowest, offset - 1), last);
  let covered = false;
  const messages = history.filter(({ role, offset }) => {
    if (role !== "tool") covered = offset <= upto;
    return covered;
  });
  return messages.length === 0 ? undefined : { upto, messages };
}
