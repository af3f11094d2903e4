/** Fits the weights of words of a language on labelled messages: logistic regression by full-batch Adam, from zero, so that the same messages give the same weights. */
import { compilePacks, type RulePack } from "../../packages/throughline/src/safety/screen/rule-pack.ts";
import { createScreen, look } from "../../packages/throughline/src/safety/screen/screen.ts";
import { rootOf, termsOf, type WordWeights } from "../../packages/throughline/src/safety/screen/weigh-words.ts";
import type { Labelled } from "./labelled.ts";

/** A message as the weights see it. */
export interface Sample {
  readonly level: Labelled["level"];
  readonly parts: readonly ReadonlySet<string>[];
}

/** What messages look like to packs, without their weights. */
export function samplesOf(messages: readonly Labelled[], packs: readonly RulePack[]): readonly Sample[] {
  const bare = packs.map(({ weights: _weights, ...pack }) => pack);
  const compiled = compilePacks(bare);
  const screen = createScreen(bare);
  return messages.map(({ text, level, before }) => {
    const { language, evidence } = look(text, screen.contextOf(before), compiled);
    return { level, parts: termsOf(evidence.words[language.pack ?? 0] ?? []) };
  });
}

/** Terms of fewer messages are left out; how strongly weights are held near nothing; rounds and their size. */
const leastMessages = 2;
/** Terms that weigh less, in hundredths, are left out. */
const leastWeight = 5;
const ridge = 0.5;
const rounds = 300;
const rate = 0.08;

interface Row {
  readonly terms: readonly number[];
  readonly scale: number;
  readonly target: 0 | 1;
}

/** Adam (Kingma and Ba 2015) with its usual constants. Both kinds of messages count the same in all, however many of each there are. */
function regress(rows: readonly Row[], size: number): { readonly weights: Float64Array; readonly bias: number } {
  const found = Math.max(1, rows.filter(({ target }) => target === 1).length);
  const share = { 1: rows.length / (2 * found), 0: rows.length / (2 * Math.max(1, rows.length - found)) };
  const [weights, mean, square] = [new Float64Array(size + 1), new Float64Array(size + 1), new Float64Array(size + 1)];
  for (let round = 1; round <= rounds; round += 1) {
    const slope = new Float64Array(size + 1);
    for (const { terms, scale, target } of rows) {
      let score = weights[size] ?? 0;
      for (const term of terms) score += (weights[term] ?? 0) * scale;
      const error = share[target] * (1 / (1 + Math.exp(-score)) - target);
      for (const term of terms) slope[term] = (slope[term] ?? 0) + error * scale;
      slope[size] = (slope[size] ?? 0) + error;
    }
    for (let at = 0; at <= size; at += 1) {
      const weight = weights[at] ?? 0;
      const by = ((slope[at] ?? 0) + (at < size ? ridge * weight : 0)) / rows.length;
      const m = (mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * by);
      const v = (square[at] = 0.999 * (square[at] ?? 0) + 0.001 * by * by);
      weights[at] = weight - (rate * (m / (1 - 0.9 ** round))) / (Math.sqrt(v / (1 - 0.999 ** round)) + 1e-8);
    }
  }
  return { weights, bias: weights[size] ?? 0 };
}

const hundredths = (value: number): number => Math.round(100 * value);

/** The weights that samples give. */
export function fit(samples: readonly Sample[], version: string): WordWeights {
  const all = samples.map(({ parts, level }) => ({ terms: new Set(parts.flatMap((part) => [...part])), level }));
  const counts = new Map<string, number>();
  for (const { terms } of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const terms = [...counts]
    .filter(([, count]) => count >= leastMessages)
    .map(([term]) => term)
    .toSorted();
  const places = new Map(terms.map((term, place) => [term, place]));
  const rowsFor = (threshold: 1 | 2): readonly Row[] =>
    all.map((message) => {
      const known = [...message.terms].flatMap((term) => places.get(term) ?? []);
      return { terms: known, scale: 1 / rootOf(known.length), target: message.level >= threshold ? 1 : 0 };
    });
  const [unclear, grave] = [regress(rowsFor(1), terms.length), regress(rowsFor(2), terms.length)];
  const weighted = terms.map((term, at) => [term, [hundredths(unclear.weights[at] ?? 0), hundredths(grave.weights[at] ?? 0)] as const] as const);
  return {
    version,
    messages: samples.length,
    bias: [hundredths(unclear.bias) / 100, hundredths(grave.bias) / 100],
    terms: new Map(weighted.filter(([, weights]) => weights.some((weight) => Math.abs(weight) >= leastWeight))),
  };
}
