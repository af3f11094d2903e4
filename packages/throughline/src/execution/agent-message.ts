/** Messages of an agent's log, and ranges of them. */
import type { ExecutionId, StepId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ModelToolCall } from "../model/port.ts";
import { groupMessages, type GroupedMessage } from "../state/message-groups.ts";

/** Where a message came from. */
export interface MessageTags {
  readonly agent_id: string;
  readonly execution_id: ExecutionId;
  readonly step_id: StepId;
  /** Work on the way to an answer: messages of steps that called tools or had errors. */
  readonly is_trace?: true;
}

/** The content of a message. */
export interface AgentMessageGiven {
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly text: string;
  readonly name?: string;
  /** The calls that an assistant message asks for. */
  readonly calls?: readonly ModelToolCall[];
  /** The call that a tool message is the result of. */
  readonly call_id?: string;
  readonly metadata?: JsonObject;
}

/** An entry of an agent's log of messages. It never changes, moves or vanishes. */
export interface AgentMessage extends AgentMessageGiven {
  /** Its position in the log. */
  readonly id: number;
  readonly created_at: number;
  readonly tags?: MessageTags;
}

/** Messages by their ids, from one up to, not including, another. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** A text that stands in for a range of messages. */
export interface MessageSummary extends MessageRange {
  readonly text: string;
  readonly created_at: number;
}

/** Whether some range has an id. */
export const hasIn = (ranges: readonly MessageRange[], id: number): boolean => ranges.some(({ from, to }) => from <= id && id < to);

/** The ranges with one more at the end, as part of the last if it follows on it. */
export function joined(ranges: readonly MessageRange[], next: MessageRange): readonly MessageRange[] {
  const last = ranges.at(-1);
  return last?.to === next.from ? [...ranges.slice(0, -1), { from: last.from, to: next.to }] : [...ranges, next];
}

const notEmpty = ({ from, to }: MessageRange): boolean => from < to;

/** What of the ranges lies within another. */
export const covered = (ranges: readonly MessageRange[], { from, to }: MessageRange): readonly MessageRange[] =>
  ranges.map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) })).filter(notEmpty);

/** What of the ranges lies outside of another. */
export const without = (ranges: readonly MessageRange[], { from, to }: MessageRange): readonly MessageRange[] =>
  ranges
    .flatMap((range) => [
      { from: range.from, to: Math.min(range.to, from) },
      { from: Math.max(range.from, to), to: range.to },
    ])
    .filter(notEmpty);

/** Whether a range holds a call without its result, or a result without its call. */
export function separates(messages: readonly AgentMessage[], { from, to }: MessageRange): boolean {
  const within = ({ id }: { readonly id: number }): boolean => from <= id && id < to;
  const lost = (head: GroupedMessage & { readonly id: number }): typeof head => head;
  return groupMessages<GroupedMessage & { readonly id: number }>(messages, lost).some((group) =>
    group.some((message) => within(message) !== within(group[0])),
  );
}
