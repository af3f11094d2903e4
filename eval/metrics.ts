/** Figures of a ranking against the evidence that it should have found. All are shares from 0 to 1. */
import { chance } from "../bench/chance.ts";

/** Share of the gold that is among the first `k`: |gold ∩ first k| / |gold|, as the paper of LoCoMo defines it. */
export function recallAt(ranked: readonly string[], gold: readonly string[], k: number): number {
  const wanted = new Set(gold);
  const found = new Set(ranked.slice(0, k).filter((id) => wanted.has(id)));
  return wanted.size === 0 ? 0 : found.size / wanted.size;
}

/** 1 divided by the place of the first gold; 0 if there is none. */
export function reciprocalRank(ranked: readonly string[], gold: readonly string[]): number {
  const wanted = new Set(gold);
  return 1 / (ranked.findIndex((id) => wanted.has(id)) + 1 || Number.POSITIVE_INFINITY);
}

/** The evidence in the order in which it was found, each once. */
export const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

/** The mean; not a number for nothing. */
export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The bounds between which a mean lies with 95 % confidence. */
export type Interval = readonly [low: number, high: number];

/** How often a bootstrap draws: bounds move by less than a tenth of a point from seed to seed. */
const draws = 1000;

/** Means of `draws` samples of the same size, drawn with replacement, in ascending order. The seed decides all of them. */
export function resampledMeans(values: readonly number[], seed = 1): readonly number[] {
  const next = chance(seed);
  const size = values.length;
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < size; drawn++) sum += values[Math.floor(next() * size)] ?? 0;
    return sum / size;
  });
  return means.toSorted((a, b) => a - b);
}

/** The percentile bootstrap of a mean (Efron 1979): the middle 95 % of the resampled means. */
export function confidence(values: readonly number[], seed = 1): Interval {
  const means = resampledMeans(values, seed);
  const at = (part: number): number => means[Math.min(means.length - 1, Math.floor(means.length * part))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
