import { ThroughlineError, seen } from "../kernel/error.ts";
import type { GroupedMessage } from "./message-groups.ts";

/** How much of a conversation stays verbatim. */
export interface SummaryLimits {
  /** Minimum number of newest messages that stay. A message and the results of its calls count as one. */
  readonly keep: number;
  /** Number of messages up to which nothing is summarized. `keep` by default. */
  readonly over?: number;
  /** Maximum number of tokens that stay, in any number of messages. The newest message always stays. No limit by default. */
  readonly maxTokens?: number;
  /** Counts the tokens of a text. By default, a quarter of its characters. */
  readonly tokensOf?: (text: string) => number;
}

const quarter = (text: string): number => Math.ceil(text.length / 4);

/** Counts the tokens of a message, including its calls. */
const weightOf = ({ text, calls }: GroupedMessage, tokensOf: (text: string) => number): number =>
  tokensOf(calls === undefined || calls.length === 0 ? text : `${text}${JSON.stringify(calls)}`);

/**
 * Returns the index up to which messages can be summarized; 0 if there is nothing to summarize. The index never falls between a call and its result.
 * Throws `input.invalid` if a limit is not a number from 0.
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
