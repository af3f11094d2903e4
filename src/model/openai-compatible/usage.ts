import { isPlainObject } from "../../kernel/json.ts";
import type { Usage } from "../port.ts";

const tokensOf = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0);
const detailsOf = (value: unknown): Readonly<Record<string, unknown>> => (isPlainObject(value) ? value : {});

/** The tokens by kind. What a server counts twice, such as cached tokens among those of the prompt, is counted once. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isPlainObject(value)) return undefined;
  const prompt = tokensOf(value["prompt_tokens"]);
  const completion = tokensOf(value["completion_tokens"]);
  const asked = detailsOf(value["prompt_tokens_details"]);
  const cache_read = Math.min(prompt, tokensOf(asked["cached_tokens"] ?? value["prompt_cache_hit_tokens"]));
  const cache_write = Math.min(prompt - cache_read, tokensOf(asked["cache_write_tokens"]));
  const reasoning = tokensOf(detailsOf(value["completion_tokens_details"])["reasoning_tokens"]);
  // A few servers count what the model thinks beside its answer; the total tells.
  const beside = reasoning > 0 && tokensOf(value["total_tokens"]) === prompt + completion + reasoning;
  return {
    input: prompt - cache_read - cache_write,
    output: beside ? completion : Math.max(0, completion - reasoning),
    cache_write,
    cache_read,
    reasoning: beside ? reasoning : Math.min(completion, reasoning),
  };
}
