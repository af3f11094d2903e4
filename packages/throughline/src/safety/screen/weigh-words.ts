/**
 * Word weights for messages that match no rule: a linear model over all words of a message, fitted on labeled messages. It is independent of the
 * rules, so each can correct the other. It raises a level where the rules find nothing, and settles what they only suspect. Its result can be
 * explained term by term.
 */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SafetyLevel } from "../assessment.ts";
import type { Word } from "./matcher.ts";

/** A fitted model: one logistic regression for "unclear or more" and one for "grave", over the same terms. */
export interface WordWeights {
  /** Date and count, raised with every fit. */
  readonly version: string;
  /** Number of labeled messages in the fit. */
  readonly messages: number;
  /** A score is the sum of a message's term weights, divided by the square root of their number, plus this. */
  readonly bias: readonly [unclear: number, grave: number];
  /** Word stems and pairs of stems (`_`: one word between), with their weights in hundredths. */
  readonly terms: ReadonlyMap<string, readonly [unclear: number, grave: number]>;
}

const isPair = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

/** Validates weights from a file. Throws `safety.invalid` with the problem. */
export function wordWeights(value: {
  readonly version: string;
  readonly messages: number;
  readonly bias: unknown;
  readonly terms: object;
}): WordWeights {
  const { version, messages, bias } = value;
  if (!isPair(bias)) throw new ThroughlineError("safety.invalid", `Weights ${version} have the bias ${seen(bias)}: it is two numbers.`);
  const terms = new Map<string, readonly [unclear: number, grave: number]>();
  for (const [term, weights] of Object.entries(value.terms)) {
    if (!isPair(weights)) throw new ThroughlineError("safety.invalid", `Weights ${version}: ${seen(term)} weighs ${seen(weights)}, not two numbers.`);
    terms.set(term, weights);
  }
  return Object.freeze({ version, messages, bias, terms });
}

/** Scores of a message: the log-odds that it is unclear or more, and that it is grave. */
export interface Score {
  readonly unclear: number;
  readonly grave: number;
}

/** Letters of a stem, alone and in a pair. */
const stem = 6;
const pairStem = 5;
/** A longer text is scored in parts of this many words that overlap by half, so that the rest does not outweigh a grave part. */
const partWords = 60;

/** Scores from which a message is unclear, or grave. `suspected` applies if the rules suspect a danger too. All were set on messages outside the fit. */
const raises = { unclear: 0.8, grave: 1.4, suspected: 0.9 };
/** Scores below which a finding of the rules is lowered by one level: from 2 to 1, and from 1 to 0. */
const settles = { grave: -0.8, unclear: -0.7 };

/** Least number of terms in the divisor, because few terms are weak evidence. */
const leastTerms = 20;

/** Returns the divisor for a sum of weights. */
export const rootOf = (terms: number): number => Math.sqrt(Math.max(leastTerms, terms));

/** Terms that start with one form of a word: the word alone, with the next one, and with the one after that. */
interface Begun {
  readonly alone: string;
  readonly next: string | undefined;
  readonly second: string | undefined;
}

function begunAt(words: readonly Word[], at: number): readonly Begun[] {
  const start = (place: number): string | undefined => words[place]?.forms[0]?.slice(0, pairStem);
  const [next, second] = [start(at + 1), start(at + 2)];
  return (words[at]?.forms ?? []).map((form) => {
    const begin = form.slice(0, pairStem);
    return {
      alone: form.slice(0, stem),
      next: next === undefined ? undefined : `${begin} ${next}`,
      second: second === undefined ? undefined : `${begin} _ ${second}`,
    };
  });
}

/** Returns the terms of a part. Pairs do not extend beyond its end. */
function termsIn(part: readonly (readonly Begun[])[]): ReadonlySet<string> {
  const terms = new Set<string>();
  for (const [at, begun] of part.entries())
    for (const { alone, next, second } of begun) {
      terms.add(alone);
      if (next !== undefined && at + 1 < part.length) terms.add(next);
      if (second !== undefined && at + 2 < part.length) terms.add(second);
    }
  return terms;
}

/** Returns the terms of a message, or of the parts of a long one. Fitting and scoring both use it. */
export function termsOf(words: readonly Word[]): readonly ReadonlySet<string>[] {
  const begun = words.map((_, at) => begunAt(words, at));
  const parts: ReadonlySet<string>[] = [];
  for (let from = 0; from === 0 || from + partWords / 2 < words.length; from += partWords / 2)
    parts.push(termsIn(begun.slice(from, from + partWords)));
  return parts;
}

/** Returns the scores of a message's gravest part. */
export function scoreOf(parts: readonly ReadonlySet<string>[], { terms, bias }: WordWeights): Score {
  let most: Score = { unclear: Number.NEGATIVE_INFINITY, grave: Number.NEGATIVE_INFINITY };
  for (const part of parts) {
    let [known, unclear, grave] = [0, 0, 0];
    for (const term of part) {
      const weights = terms.get(term);
      if (weights === undefined) continue;
      known += 1;
      unclear += weights[0];
      grave += weights[1];
    }
    const size = 100 * rootOf(known);
    most = { unclear: Math.max(most.unclear, unclear / size + bias[0]), grave: Math.max(most.grave, grave / size + bias[1]) };
  }
  return most;
}

/** Returns the level from the scores, where the rules found `level`. A level 3 stays. An explicit statement (`sure`) stays at least 1. */
export function weighedLevel({ unclear, grave }: Score, { level, sure }: { readonly level: SafetyLevel; readonly sure: boolean }): SafetyLevel {
  if (level === 3) return 3;
  let lowered = level;
  if (lowered === 2 && grave < settles.grave) lowered = 1;
  if (lowered === 1 && !sure && unclear < settles.unclear) lowered = 0;
  if (grave >= (level === 0 ? raises.grave : raises.suspected)) return 2;
  return unclear >= raises.unclear && lowered === 0 ? 1 : lowered;
}

/** Shorter messages ("yes", "I did it") are judged by rules alone: in them, words carry another meaning. */
const leastWeighed = 5;
/** Below this many words, the weights do not lower a finding of the rules: too few of the words are known. */
const leastSettled = 9;

/** Returns the level of a message by its words, where the rules found `ruled`. */
export function weigh(words: readonly Word[], weights: WordWeights, ruled: { readonly level: SafetyLevel; readonly sure: boolean }): SafetyLevel {
  if (words.length < leastWeighed) return ruled.level;
  const level = weighedLevel(scoreOf(termsOf(words), weights), ruled);
  return level < ruled.level && words.length < leastSettled ? ruled.level : level;
}
