import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { summaryBoundary, type SummaryLimits } from "../state/message-boundary.ts";
import type { Message } from "./messages.ts";

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
  const messages = history.slice(0, boundary).filter(({ role, offset }) => {
    if (role !== "tool") covered = offset <= upto;
    return covered;
  });
  return messages.length === 0 ? undefined : { upto, messages };
}
