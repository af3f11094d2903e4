/** Asking a classifier within a time that a person can wait. */
import { abortable } from "../../kernel/abort.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { ClassifierInput, ClassifierVerdict, SafetyClassifier } from "../assessment.ts";
import type { Breaker } from "../breaker.ts";
import { readVerdict } from "./verdict.ts";

/** How a classifier was asked, and how that ended. */
export type ClassifiedPath = "union" | "llm_timeout" | "llm_error" | "llm_invalid" | "breaker_open";

/** What came of asking a classifier: a verdict with the path `union`, or why there is none. */
export interface Classified {
  readonly verdict?: ClassifierVerdict;
  readonly path: ClassifiedPath;
  /** Milliseconds that it was waited for. */
  readonly ms: number;
}

export interface ClassifyMeans {
  readonly classifier: SafetyClassifier;
  /** Asked too once `softMs` have passed, or as soon as the first one has failed; the first verdict counts. */
  readonly hedge?: SafetyClassifier | undefined;
  readonly softMs: number;
  /** After this, the decision falls without. Retries are within it. */
  readonly hardMs: number;
  readonly breaker: Breaker;
  readonly clock: Clock;
  /** The turn's own: its abort is the only thing that is thrown. */
  readonly signal: AbortSignal;
}

type Outcome = Omit<Classified, "ms">;

const isInvalid = (error: unknown): boolean => ThroughlineError.is(error, "safety.classifier_invalid");

/** One classifier's outcome. An answer that is none is asked for once more. */
async function attempt(classifier: SafetyClassifier, input: ClassifierInput, signal: AbortSignal): Promise<Outcome> {
  const once = async (): Promise<Outcome> => {
    try {
      const asked = (async () => readVerdict(await classifier.classify(input, { signal })))();
      return { verdict: await abortable(asked, signal), path: "union" };
    } catch (error) {
      return { path: isInvalid(error) ? "llm_invalid" : "llm_error" };
    }
  };
  const first = await once();
  return first.path === "llm_invalid" && !signal.aborted ? once() : first;
}

/** The first verdict of the two, or the failure of the first. */
async function hedged(input: ClassifierInput, means: ClassifyMeans, signal: AbortSignal): Promise<Outcome> {
  const { classifier, hedge, softMs, clock } = means;
  const first = attempt(classifier, input, signal);
  if (hedge === undefined) return first;
  const soon = clock.sleep(softMs, signal).then(
    () => undefined,
    () => undefined,
  );
  const early = await Promise.race([first, soon]);
  if (early?.verdict !== undefined || signal.aborted) return early ?? (await first);
  const second = attempt(hedge, input, signal);
  const verdictOf = async (outcome: Promise<Outcome>): Promise<Outcome> => {
    const known = await outcome;
    return known.verdict === undefined ? Promise.reject(new Error("no verdict")) : known;
  };
  return Promise.any([verdictOf(first), verdictOf(second)]).catch(() => first);
}

/**
 * Asks a classifier and never waits longer than `hardMs`; while the breaker is open it does not wait at all. Whatever a classifier throws or answers
 * becomes a path, and what is still under way afterwards is aborted. Throws only the reason of the turn's own signal.
 */
export async function classifyWithin(means: ClassifyMeans, input: ClassifierInput): Promise<Classified> {
  const { hardMs, breaker, clock, signal } = means;
  signal.throwIfAborted();
  if (!breaker.allows()) return { path: "breaker_open", ms: 0 };
  const started = clock.monotonic();
  const leave = new AbortController();
  const both = AbortSignal.any([signal, leave.signal]);
  const late = clock.sleep(hardMs, both).then(
    (): Outcome => ({ path: "llm_timeout" }),
    (): Outcome => ({ path: "llm_timeout" }),
  );
  try {
    const outcome = await abortable(Promise.race([hedged(input, means, both), late]), signal);
    if (outcome.verdict === undefined) breaker.failed();
    else breaker.succeeded();
    return { ...outcome, ms: Math.max(0, Math.round(clock.monotonic() - started)) };
  } finally {
    leave.abort();
  }
}
