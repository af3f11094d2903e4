/**
 * Fits the learned weights on labelled messages: logistic regression by dual coordinate descent, in an order that is always the same, so that the same
 * messages give the same weights.
 */
import { foldText, gramsOf, type LearnedWeights, rootOf } from "../../packages/throughline/src/safety/screen/learned.ts";
import type { SafetyLevel } from "../../packages/throughline/src/safety/assessment.ts";

/** A message as the weights see it: the buckets of its n-grams, those of characters first. */
export interface Sample {
  readonly level: SafetyLevel;
  readonly buckets: Int32Array;
  readonly characters: number;
  /** How much it counts. */
  readonly weight: number;
}

/** Buckets of n-grams: more of them than a fit knows n-grams, so that few share one. */
const buckets = 2 ** 20;

/** What a message looks like to the weights. */
export function sampleOf(text: string, level: SafetyLevel, weight: number): Sample {
  const read = foldText(text);
  const grams = gramsOf(read, 0, read.length, buckets);
  return { level, buckets: grams.buckets.slice(), characters: grams.characters, weight };
}

/** How a fit is done. Each was chosen by cross-validation. */
interface Recipe {
  /** N-grams of fewer messages are left out. */
  readonly leastMessages: number;
  /** What an error costs against the size of the weights. */
  readonly cost: number;
  /** How often each message is looked at. */
  readonly rounds: number;
  /** How much more n-grams count that tell the two sides apart: this, and the log of how much oftener one side has them, to the power. */
  readonly telling: { readonly least: number; readonly most: number; readonly power: number };
  /** How much an unclear message counts against a grave one: asking more about it is a lesser error than asking about a harmless one. */
  readonly unclear: number;
  /** How much of "unclear or more" goes into "grave": the two err in different places. */
  readonly borrowed: number;
}
const recipe: Recipe = { leastMessages: 2, cost: 8, rounds: 10, telling: { least: 0.5, most: 3, power: 0.5 }, unclear: 0.1, borrowed: 0.25 };

/** Messages as rows of numbered n-grams with their values. */
interface Rows {
  readonly starts: Int32Array;
  readonly terms: Int32Array;
  readonly values: Float32Array;
  /** By row: the sum of the squared values, and one for the bias. */
  readonly norms: Float64Array;
  /** By term: its bucket, and what its value is worth. */
  readonly buckets: Int32Array;
  readonly worth: Float64Array;
}

function rowsOf(samples: readonly Sample[], least: number): Rows {
  const counts = new Int32Array(buckets);
  for (const sample of samples) for (const bucket of sample.buckets) counts[bucket] = (counts[bucket] ?? 0) + 1;
  const terms = new Int32Array(buckets).fill(-1);
  const known: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1)
    if ((counts[bucket] ?? 0) >= least) {
      terms[bucket] = known.length;
      known.push(bucket);
    }
  const worth = Float64Array.from(known, (bucket) => 1 + Math.log((1 + samples.length) / (1 + (counts[bucket] ?? 0))));
  const [starts, ids, values] = [new Int32Array(samples.length + 1), [] as number[], [] as number[]];
  const norms = new Float64Array(samples.length);
  for (const [row, sample] of samples.entries()) {
    let norm = 1;
    for (const [from, to] of [[0, sample.characters] as const, [sample.characters, sample.buckets.length] as const]) {
      const own = Array.from(sample.buckets.subarray(from, to), (bucket) => terms[bucket] ?? -1).filter((term) => term >= 0);
      const root = rootOf(own.length);
      for (const term of own) {
        const value = (worth[term] ?? 0) / root / meanWorth;
        ids.push(term);
        values.push(value);
        norm += value * value;
      }
    }
    norms[row] = norm;
    starts[row + 1] = ids.length;
  }
  return { starts, terms: Int32Array.from(ids), values: Float32Array.from(values), norms, buckets: Int32Array.from(known), worth };
}

/** Returns rows in which an n-gram counts the more, the better it alone tells the two sides apart (Wang, Manning 2012). */
function telling(rows: Rows, targets: readonly (1 | -1)[], weight: readonly number[]): Rows {
  const { least, most, power } = recipe.telling;
  const [ones, others] = [new Float64Array(rows.worth.length).fill(1), new Float64Array(rows.worth.length).fill(1)];
  let [all, allOthers] = [1, 1];
  for (const [row, target] of targets.entries()) {
    const [side, one] = [target === 1 ? ones : others, weight[row] ?? 0];
    if (target === 1) all += one;
    else allOthers += one;
    for (let place = rows.starts[row] ?? 0; place < (rows.starts[row + 1] ?? 0); place += 1) {
      const term = rows.terms[place] ?? 0;
      side[term] = (side[term] ?? 0) + one;
    }
  }
  const factors = ones.map((one, term) => (least + Math.min(most, Math.abs(Math.log(one / all / ((others[term] ?? 1) / allOthers))))) ** power);
  const values = rows.values.map((value, place) => value * (factors[rows.terms[place] ?? 0] ?? 1));
  const norms = rows.norms.map((_, row) => values.subarray(rows.starts[row], rows.starts[row + 1]).reduce((sum, value) => sum + value * value, 1));
  return { ...rows, values, norms, worth: rows.worth.map((worth, term) => worth * (factors[term] ?? 1)) };
}

/** What a usual n-gram is worth, so that values are about one over the root of their number. */
const meanWorth = 7;

/** A sequence of numbers from 0 to 1 that is always the same. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Most steps towards the share of one message. */
const mostSearched = 12;

/** Finds the log-odds of the share that a message takes, by Newton's method between bounds. */
function oddsOf({ margin, norm, cost, before }: Readonly<Record<"margin" | "norm" | "cost" | "before", number>>): number {
  let [low, high] = [-margin - norm * (cost - before), -margin + norm * before];
  let odds = before === 0 ? (low + high) / 2 : Math.log(before / (cost - before));
  for (let step = 0; step < mostSearched; step += 1) {
    if (!(odds > low && odds < high)) odds = (low + high) / 2;
    const share = 1 / (1 + Math.exp(-odds));
    const slope = norm * (cost * share - before) + margin + odds;
    if (Math.abs(slope) < 1e-4) break;
    [low, high] = slope > 0 ? [low, odds] : [odds, high];
    odds -= slope / (1 + norm * cost * share * (1 - share));
  }
  return odds;
}

/** The dual of logistic regression, one message at a time (Yu, Huang, Lin 2011). */
function regress(
  rows: Rows,
  targets: readonly (1 | -1)[],
  costs: readonly number[],
  rounds: number,
): { readonly weights: Float64Array; readonly bias: number } {
  const weights = new Float64Array(rows.buckets.length);
  let bias = 0;
  const shares = new Float64Array(targets.length);
  const order = Int32Array.from(targets, (_, row) => row);
  const random = numbers(18);
  for (let round = 0; round < rounds; round += 1) {
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
    }
    for (const row of order) {
      const [target, cost, norm] = [targets[row] ?? 1, costs[row] ?? 0, rows.norms[row] ?? 1];
      if (cost === 0) continue;
      const [start, end] = [rows.starts[row] ?? 0, rows.starts[row + 1] ?? 0];
      let score = bias;
      for (let place = start; place < end; place += 1) score += (weights[rows.terms[place] ?? 0] ?? 0) * (rows.values[place] ?? 0);
      const before = shares[row] ?? 0;
      const odds = oddsOf({ margin: target * score, norm, cost, before });
      const after = Math.min(cost * (1 - 1e-9), cost / (1 + Math.exp(-odds)));
      shares[row] = after;
      const by = (after - before) * target;
      for (let place = start; place < end; place += 1) {
        const term = rows.terms[place] ?? 0;
        weights[term] = (weights[term] ?? 0) + by * (rows.values[place] ?? 0);
      }
      bias += by;
    }
  }
  return { weights, bias };
}

/** The largest step of a byte. Weights beyond the last thousandth are cut to it. */
const mostSteps = 127;

/** What each n-gram is worth by a regression, and what a text without any is. */
interface Fit {
  readonly worth: Float64Array;
  readonly bias: number;
}

/** Returns the weights that samples give, without the scores from which they raise. */
export function fit(samples: readonly Sample[], version: string): LearnedWeights {
  const { leastMessages, cost, rounds, unclear, borrowed } = recipe;
  const rows = rowsOf(samples, leastMessages);
  const of = (threshold: 1 | 2): Fit => {
    const targets = samples.map(({ level }) => (level >= threshold ? 1 : -1));
    const weight = samples.map((sample) => sample.weight * (threshold === 2 && sample.level === 1 ? unclear : 1));
    const sum = (target: 1 | -1): number => weight.reduce((total, one, row) => total + (targets[row] === target ? one : 0), 0);
    const shares = { 1: sum(1) / samples.length, "-1": sum(-1) / samples.length };
    const costs = weight.map((one, row) => (cost * one) / (2 * (targets[row] === 1 ? shares[1] : shares["-1"])));
    const own = telling(rows, targets, weight);
    const { weights, bias } = regress(own, targets, costs, rounds);
    return { worth: weights.map((one, term) => (one * (own.worth[term] ?? 0)) / meanWorth), bias };
  };
  const [one, two] = [of(1), of(2)] as const;
  const between = (own: number, other = 0): number => (own + borrowed * other) / (1 + borrowed);
  const fits = [one, { worth: two.worth.map((worth, term) => between(worth, one.worth[term])), bias: between(two.bias, one.bias) }] as const;
  const steps = new Int8Array(2 * buckets);
  const scaleOf = ({ worth }: Fit): number => {
    const sizes = worth.map(Math.abs).toSorted();
    return (sizes[Math.floor(0.999 * sizes.length)] ?? 1) / mostSteps || 1;
  };
  const scale = [scaleOf(fits[0]), scaleOf(fits[1])] as const;
  for (const [kind, { worth }] of fits.entries())
    for (const [term, bucket] of rows.buckets.entries())
      steps[2 * bucket + kind] = Math.max(-mostSteps, Math.min(mostSteps, Math.round((worth[term] ?? 0) / (scale[kind] ?? 1))));
  return { version, messages: samples.length, bias: [fits[0].bias, fits[1].bias], scale, raises: {}, steps };
}
