import { ThroughlineError, seen } from "../kernel/error.ts";
import type { GroupedMessage } from "./message-groups.ts";

/** How much of a conversation stays verbatim. */
export interface SummaryLimits {
  /** Minimum number of newest messages that stay; a message and the results of its calls count as one. */
  readonly keep: number;
  /** Nothing is to be done while there are no more messages than this; `keep` by default. */
  readonly over?: number;
  /** Maximum number of tokens that stay, in any number of messages; the newest always stays. No limit by default. */
  readonly maxTokens?: number;
  /** Tokens of a text; a quarter of its characters by default. */
  readonly tokensOf?: (text: string) => number;
}

const quarter = (text: string): number => Math.ceil(text.length / 4);

/** Tokens of a message with its calls. */
const weightOf = ({ text, calls }: GroupedMessage, tokensOf: (text: string) => number): number =>
  tokensOf(calls === undefined || calls.length === 0 ? text : `${text}${JSON.stringify(calls)}`);

/**
 * The index up to which messages may be summarised: 0 if there is nothing to do. It lies at the beginning of a message that is no result, so that no
 * call is separated from what became of it. `input.invalid` for limits that are no numbers from 0.
 */
export function summaryBoundary(messages: readonly GroupedMessage[], limits: SummaryLimits): number {
  const { keep, over = keep, maxTokens = Number.POSITIVE_INFINITY, tokensOf = quarter } = limits;
  for (const [name, value] of Object.entries({ keep, over, maxTokens }))
    if (typeof value !== "number" || !(value >= 0))
      throw new ThroughlineError("input.invalid", `${name} must be a number from 0, got ${seen(value)}.`);
  const total = messages.filter((message) => message.role !== "tool").length;
  const tooMany = total > Math.max(keep, over);
  let kept = 0;
  let tokens = 0;
  let boundary = messages.length;
  for (let start = messages.length - 1; start >= 0; start--) {
    const message = messages[start] as GroupedMessage;
    tokens += weightOf(message, tokensOf);
    if (message.role === "tool") continue;
    if (kept > 0 && tokens > maxTokens) return boundary;
    if (tooMany && kept >= keep) return boundary;
    kept += 1;
    boundary = start;
  }
  return 0;
}
