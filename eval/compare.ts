/** Whether figures of the same questions have become worse by more than chance. */
import { mean, resampledMeans } from "./metrics.ts";

/** Two runs over the same questions. */
export interface Comparison {
  /** Mean of the differences, later less earlier: below 0 is a drop. */
  readonly difference: number;
  /** How likely such a drop is by the choice of questions alone: the share of resampled differences that are no drop. */
  readonly p: number;
}

/** The paired bootstrap: the difference of each question is drawn, not each run by itself, so that questions that are hard in both cancel out. */
export function compare(earlier: readonly number[], later: readonly number[], seed = 1): Comparison {
  if (earlier.length !== later.length)
    throw new RangeError(`Both runs must answer the same questions; there are ${earlier.length} and ${later.length}.`);
  if (earlier.length === 0) return { difference: 0, p: 1 };
  const differences = later.map((value, place) => value - (earlier[place] ?? 0));
  const means = resampledMeans(differences, seed);
  return { difference: mean(differences), p: means.filter((value) => value >= 0).length / means.length };
}

/** A drop that counts: more than a point, and too unlikely to be chance. */
export const isDrop = ({ difference, p }: Comparison): boolean => difference < -0.01 && p < 0.05;
