import { groupMessages, type MessageGroup } from "../state/message-groups.ts";
import { missingText } from "../state/tool-outcome.ts";
import type { Message } from "./messages.ts";

/** Which of the earlier turns' work a model sees: the prose beside its calls (`own`: calls and results of its own turn only), or all of it. */
export type ShownTraces = "own" | "all";

/** Options of {@link historyOf}. */
export interface HistoryOptions {
  /** Maximum number of messages of the conversation, the newest. A message with the results of its calls counts once; the turn's own are always there. */
  readonly window: number;
  /** Offsets of the messages that the turn at work answers. */
  readonly answers: readonly number[];
  /** Offset of the event that began the turn at work; what its agent wrote after it is its own. Needed for a turn that answers no message. */
  readonly started?: number;
  /** `own` by default. */
  readonly traces?: ShownTraces;
  /** Messages up to this offset are told by a summary and left out, but for those that are answered. */
  readonly summarised?: number;
}

type Group = MessageGroup<Message>;

/**
 * The messages that a model sees. Of earlier executions it sees what was said, not the calls and their results. A message that was sent while an
 * earlier reply was being written stands in the log before that reply; the model sees it where it is answered, after it. Each call has exactly one
 * result right after it, whatever the window and the messages. A redacted message it does not see.
 */
export function historyOf(messages: readonly Message[], options: HistoryOptions): readonly Message[] {
  const { window, answers, traces = "own", summarised = -1 } = options;
  const since = answers[0] ?? options.started ?? Number.POSITIVE_INFINITY;
  const groups = groupMessages(messages, lost);
  const started = options.started ?? lastReplyAfter(since, groups);
  const answered = new Set(answers);
  const isOwn = ([{ offset, source }]: Group): boolean => answered.has(offset) || (offset >= since && (source !== "ai_agent" || offset > started));

  // An execution of a thousand steps comes by here a thousand times, so nothing is made that is not shown.
  const earlier: Group[] = [];
  const own: Message[] = [];
  let room = window;
  for (const group of groups) {
    const [head] = group;
    if (isForgotten(head) || (head.offset <= summarised && !answered.has(head.offset))) continue;
    if (!isOwn(group)) earlier.push(...(traces === "all" ? [group] : said(group)));
    else {
      for (const message of group) own.push(message);
      if (!head.is_trace) room -= 1;
    }
  }
  return room <= 0 ? own : [...earlier.slice(-room).flat(), ...own];
}

/** The last reply at or after an offset: what the agent wrote up to it belongs to the turn before. */
function lastReplyAfter(since: number, groups: readonly Group[]): number {
  return groups.findLast(([head]) => head.source === "ai_agent" && !head.is_trace && head.offset >= since)?.[0].offset ?? since;
}

/** Of an earlier execution's work, the prose beside its calls; a message that stands in for an answer is no conversation. */
function said(group: Group): readonly Group[] {
  const [head] = group;
  if (!head.is_trace) return [group];
  const { calls, ...prose } = head;
  return calls === undefined || head.text.trim() === "" ? [] : [[prose]];
}

/** Of a redacted message nothing is left to be shown, unless results belong to its calls. */
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
