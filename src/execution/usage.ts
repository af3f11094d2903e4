import type { Usage } from "../model/port.ts";

/** The kinds of tokens. */
export const usageKinds = ["input", "output", "cache_write", "cache_read", "reasoning"] as const;
/** A kind of tokens. */
export type UsageKind = (typeof usageKinds)[number];

/** No tokens at all. */
export const noUsage: Usage = Object.freeze({ input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0 });

/** The sum of two usages, kind by kind. */
export function addUsage(left: Usage, right: Usage): Usage {
  return Object.freeze({
    input: left.input + right.input,
    output: left.output + right.output,
    cache_write: left.cache_write + right.cache_write,
    cache_read: left.cache_read + right.cache_read,
    reasoning: left.reasoning + right.reasoning,
  });
}

/** All tokens; reading from a cache counts in full. */
export const totalTokens = (usage: Usage): number => usage.input + usage.output + usage.cache_write + usage.cache_read + usage.reasoning;

/** The stored form: kinds of which there were none are left out. */
export const storedUsage = (usage: Usage): { readonly [Kind in UsageKind]?: number } =>
  Object.fromEntries(usageKinds.filter((kind) => usage[kind] > 0).map((kind) => [kind, usage[kind]]));
