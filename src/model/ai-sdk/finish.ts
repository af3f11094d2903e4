import { isPlainObject } from "../../kernel/json.ts";
import type { FinishReason, Usage } from "../port.ts";

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});
const tokensOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;

/** The tokens by kind. Version 2 gives totals that hold the other kinds, versions 3 and 4 give the kinds, or only some of them. */
export function usageOf(value: unknown): Usage {
  const usage = objectOf(value);
  if (!isPlainObject(usage["inputTokens"]) && !isPlainObject(usage["outputTokens"])) return flatUsage(usage);
  const asked = objectOf(usage["inputTokens"]);
  const said = objectOf(usage["outputTokens"]);
  const cache_read = tokensOf(asked["cacheRead"]) ?? 0;
  const cache_write = tokensOf(asked["cacheWrite"]) ?? 0;
  const reasoning = tokensOf(said["reasoning"]) ?? 0;
  return {
    input: tokensOf(asked["noCache"]) ?? Math.max(0, (tokensOf(asked["total"]) ?? 0) - cache_read - cache_write),
    output: tokensOf(said["text"]) ?? Math.max(0, (tokensOf(said["total"]) ?? 0) - reasoning),
    cache_write,
    cache_read,
    reasoning,
  };
}

function flatUsage(usage: Readonly<Record<string, unknown>>): Usage {
  const cache_read = tokensOf(usage["cachedInputTokens"]) ?? 0;
  const reasoning = tokensOf(usage["reasoningTokens"]) ?? 0;
  return {
    input: Math.max(0, (tokensOf(usage["inputTokens"]) ?? 0) - cache_read),
    output: Math.max(0, (tokensOf(usage["outputTokens"]) ?? 0) - reasoning),
    cache_write: 0,
    cache_read,
    reasoning,
  };
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "error",
};

/**
 * Why the model stopped: a word in version 2, a word and the provider's own in versions 3 and 4. Undefined if the stream was cut: many providers
 * end it all the same, with a reason that they do not know and tokens that nobody counted.
 */
export function reasonOf(value: unknown, usage: unknown): FinishReason | undefined {
  const word = isPlainObject(value) ? value["unified"] : value;
  if (word === "interrupted" || typeof word !== "string") return undefined;
  const known = Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  if (known !== undefined) return known;
  const told = isPlainObject(value) && typeof value["raw"] === "string";
  return told || Object.values(usageOf(usage)).some((tokens) => tokens > 0) ? "other" : undefined;
}
