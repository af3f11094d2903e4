import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { summaryBoundary, type SummaryLimits } from "../state/message-boundary.ts";
import type { Message } from "./messages.ts";

/** A summary in a state field that replaces the beginning of the conversation. Nothing is moved or removed: without it all is as it was. */
export interface ConversationSummary {
  /** Offset of the last message that it covers. */
  readonly upto: number;
  readonly text: string;
}

/** The summary in a field of the state; undefined while there is none. `state.invalid_value` names the field if it holds something else. */
export function summaryIn(state: Readonly<Record<string, unknown>>, field: string): ConversationSummary | undefined {
  const value = state[field];
  if (value === undefined || value === null) return undefined;
  if (isPlainObject(value) && Number.isInteger(value["upto"]) && typeof value["text"] === "string")
    return { upto: Number(value["upto"]), text: value["text"] };
  throw new ThroughlineError("state.invalid_value", `The field "${field}" must hold a summary, { upto, text }, got ${seen(value)}.`, {
    details: { field },
  });
}

/** The beginning of a conversation that a summary can be made of. */
export interface Summarisable {
  /** For {@link ConversationSummary}. */
  readonly upto: number;
  /** What the summary is to tell. */
  readonly messages: readonly Message[];
}

/**
 * The beginning of a history to summarize so that the rest respects the limits; undefined if there is nothing to do. No call is
 * separated from its result.
 * @example const due = summarisable(context.history, { keep: 10 });
 */
export function summarisable(history: readonly Message[], limits: SummaryLimits): Summarisable | undefined {
  const boundary = summaryBoundary(history, limits);
  const offsets = (messages: readonly Message[]): readonly number[] => messages.flatMap(({ role, offset }) => (role === "tool" ? [] : [offset]));
  const last = offsets(history.slice(0, boundary)).reduce((highest, offset) => Math.max(highest, offset), -1);
  // A message that was sent while an earlier reply was written stands after that reply with a lower offset: the summary must not cover it.
  const upto = offsets(history.slice(boundary)).reduce((lowest, offset) => Math.min(lowest, offset - 1), last);
  let covered = false;
  const messages = history.slice(0, boundary).filter(({ role, offset }) => {
    if (role !== "tool") covered = offset <= upto;
    return covered;
  });
  return messages.length === 0 ? undefined : { upto, messages };
}
