/**
 * What no rule names: the words of a message as a whole, weighed by a linear model that was fitted on labelled messages. It knows nothing of the rules, so
 * that the one can hold up the other: it raises what they are silent about, and settles what they only suspect. What it rests on can be read term by term.
 */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SafetyLevel } from "../assessment.ts";
import type { Word } from "./matcher.ts";

/** A fitted model: logistic regression, one for "unclear or more" and one for "grave", over the same terms. */
export interface WordWeights {
  /** Date and count, raised with every fit. */
  readonly version: string;
  /** How many labelled messages it was fitted on. */
  readonly messages: number;
  /** A score is the sum of the weights of a message's terms, divided by the root of their number, and this. */
  readonly bias: readonly [unclear: number, grave: number];
  /** Words by their beginnings, and pairs of them (`_`: with a word between), with what each weighs in hundredths. */
  readonly terms: ReadonlyMap<string, readonly [unclear: number, grave: number]>;
}

const isPair = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => Number.isFinite(part));

/** Weights as a file holds them, checked; `safety.invalid` names what is wrong. */
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

/** How a message scores: the logarithm of the odds that it is unclear or more, and that it is grave. */
export interface Score {
  readonly unclear: number;
  readonly grave: number;
}

/** Words are told by so many first letters when alone, and when in pairs. */
const stem = 6;
const pairStem = 5;
/** A longer text is weighed in parts of so many words, which overlap by half: what is grave in it is not outweighed by the rest. */
const partWords = 60;

/**
 * From these scores on a message is unclear, and grave: with a lower one where rules suspect something too. All were set on messages that the weights in
 * question were not fitted on.
 */
const raises = { unclear: 0.8, grave: 1.4, suspected: 0.9 };
/** Below these scores what rules found is lowered by a level: to a question, and from a question to nothing. */
const settles = { grave: -0.8, unclear: -0.7 };

/** Few terms say little: a message counts as if it had at least so many. */
const leastTerms = 20;

/** What the sum of a message's weights is divided by. */
export const rootOf = (terms: number): number => Math.sqrt(Math.max(leastTerms, terms));

/** Terms that begin with one form of a word: it alone, with the word behind it, and with the one behind that. */
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

/** The terms of a part, which ends before its last words begin others. */
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

/** The terms of a message, of a long one part by part; the same for fitting and for use. */
export function termsOf(words: readonly Word[]): readonly ReadonlySet<string>[] {
  const begun = words.map((_, at) => begunAt(words, at));
  const parts: ReadonlySet<string>[] = [];
  for (let from = 0; from === 0 || from + partWords / 2 < words.length; from += partWords / 2)
    parts.push(termsIn(begun.slice(from, from + partWords)));
  return parts;
}

/** The score of a message's gravest part. */
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

/**
 * The level of a message by its score, where rules found `level`. What is imminent stays so; what was said outright (`sure`) is at least asked about.
 */
export function weighedLevel({ unclear, grave }: Score, { level, sure }: { readonly level: SafetyLevel; readonly sure: boolean }): SafetyLevel {
  if (level === 3) return 3;
  let lowered = level;
  if (lowered === 2 && grave < settles.grave) lowered = 1;
  if (lowered === 1 && !sure && unclear < settles.unclear) lowered = 0;
  if (grave >= (level === 0 ? raises.grave : raises.suspected)) return 2;
  return unclear >= raises.unclear && lowered === 0 ? 1 : lowered;
}

/** A message of fewer words ("yes", "I did it") is told by rules alone: its words weigh what they weigh in other company. */
const leastWeighed = 5;
/** What rules found in fewer words than this is not settled by them: too few of them are known. */
const leastSettled = 9;

/** The level of a message by its words, where rules found `ruled`. */
export function weigh(words: readonly Word[], weights: WordWeights, ruled: { readonly level: SafetyLevel; readonly sure: boolean }): SafetyLevel {
  if (words.length < leastWeighed) return ruled.level;
  const level = weighedLevel(scoreOf(termsOf(words), weights), ruled);
  return level < ruled.level && words.length < leastSettled ? ruled.level : level;
}
