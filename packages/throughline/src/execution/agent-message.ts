/** Messages of an agent's log, and ranges of them. */
import type { ExecutionId, StepId } from "../kernel/id.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ModelToolCall } from "../model/model-port.ts";
import { groupMessages, type GroupedMessage } from "../state/message-groups.ts";

/** Origin of a message. */
export interface MessageTags {
  readonly agent_id: string;
  readonly execution_id: ExecutionId;
  readonly step_id: StepId;
  /** Intermediate work: messages of steps that called tools or had errors. */
  readonly is_trace?: true;
}

/** Content of a message. */
export interface AgentMessageGiven {
  readonly role: "user" | "assistant" | "system" | "tool";
  readonly text: string;
  readonly name?: string;
  /** Tool calls of an assistant message. */
  readonly calls?: readonly ModelToolCall[];
  /** Id of the call to which a tool message is the result. */
  readonly call_id?: string;
  readonly metadata?: JsonObject;
}

/** An entry of an agent's message log. It never changes, moves or disappears. */
export interface AgentMessage extends AgentMessageGiven {
  /** Position in the log. */
  readonly id: number;
  readonly created_at: number;
  readonly tags?: MessageTags;
}

/** A range of message ids, from `from` up to, but excluding, `to`. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** A text that replaces a range of messages. */
export interface MessageSummary extends MessageRange {
  readonly text: string;
  readonly created_at: number;
}

/** Tells whether any range contains an id. */
export const hasIn = (ranges: readonly MessageRange[], id: number): boolean => ranges.some(({ from, to }) => from <= id && id < to);

/** Returns the ranges with one more at the end. Adjacent ranges are merged. */
export function joined(ranges: readonly MessageRange[], next: MessageRange): readonly MessageRange[] {
  const last = ranges.at(-1);
  return last?.to === next.from ? [...ranges.slice(0, -1), { from: last.from, to: next.to }] : [...ranges, next];
}

const notEmpty = ({ from, to }: MessageRange): boolean => from < to;

/** Returns the parts of the ranges inside another range. */
export const covered = (ranges: readonly MessageRange[], { from, to }: MessageRange): readonly MessageRange[] =>
  ranges.map((range) => ({ from: Math.max(range.from, from), to: Math.min(range.to, to) })).filter(notEmpty);

/** Returns the parts of the ranges outside another range. */
export const without = (ranges: readonly MessageRange[], { from, to }: MessageRange): readonly MessageRange[] =>
  ranges
    .flatMap((range) => [
      { from: range.from, to: Math.min(range.to, from) },
      { from: Math.max(range.from, to), to: range.to },
    ])
    .filter(notEmpty);

/** Tells whether a range contains a call without its result, or a result without its call. */
export function separates(messages: readonly AgentMessage[], { from, to }: MessageRange): boolean {
  const within = ({ id }: { readonly id: number }): boolean => from <= id && id < to;
  const lost = (head: GroupedMessage & { readonly id: number }): typeof head => head;
  return groupMessages<GroupedMessage & { readonly id: number }>(messages, lost).some((group) =>
    group.some((message) => within(message) !== within(group[0])),
  );
}
