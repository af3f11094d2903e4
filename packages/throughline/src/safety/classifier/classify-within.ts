/** Calls a classifier with a time limit that a person can wait for, and stops calling one that keeps failing. */
import { abortable } from "../../kernel/deadline.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { ClassifierInput, ClassifierVerdict, SafetyClassifier } from "../assessment.ts";
import { readVerdict } from "./model-classifier.ts";

/** How the call of a classifier ended. */
type ClassifiedPath = "union" | "llm_timeout" | "llm_error" | "llm_invalid" | "breaker_open";

/** Result of calling a classifier: a verdict with the path `union`, or the path that tells why there is none. */
export interface Classified {
  readonly verdict?: ClassifierVerdict;
  readonly path: ClassifiedPath;
  /** Milliseconds that the gate waited. */
  readonly ms: number;
}

export interface ClassifyMeans {
  readonly classifier: SafetyClassifier;
  /** Called too after `softMs`, or as soon as the first classifier fails. The first verdict counts. */
  readonly hedge?: SafetyClassifier | undefined;
  readonly softMs: number;
  /** After this, the gate decides without a verdict. Retries count against it. */
  readonly hardMs: number;
  readonly breaker: Breaker;
  readonly clock: Clock;
  /** The turn's signal. Its abort is the only error that is thrown. */
  readonly signal: AbortSignal;
}

type Outcome = Omit<Classified, "ms">;

const isInvalid = (error: unknown): boolean => ThroughlineError.is(error, "safety.classifier_invalid");

/** Calls one classifier. An invalid answer is retried once. */
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

/** Returns the first verdict of the two classifiers, or the failure of the first. */
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
 * Calls a classifier and waits at most `hardMs`. While the breaker is open, it does not wait at all. Every error and invalid answer becomes a path.
 * Calls that are still running at the end are aborted. Throws only the reason of the turn's signal.
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

/** `half_open`: the breaker lets one probe through. */
type BreakerState = "closed" | "open" | "half_open";

/** Circuit breaker: while it is open, no message waits for the failing classifier. */
export interface Breaker {
  /** Tells whether a call may be made. An open breaker returns true once per `probeMs`; that call is the probe. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
  readonly state: BreakerState;
}

/** Options of {@link createBreaker}. */
interface BreakerOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Consecutive failures that open the breaker; default 3. */
  readonly failures?: number;
  /** Share of failed calls within `windowMs` that opens the breaker, 0 to 1; default 0.2. */
  readonly share?: number;
  /** Fewest calls in the window for `share` to apply; default 10. */
  readonly minCalls?: number;
  /** Milliseconds; default 30,000. */
  readonly windowMs?: number;
  /** Milliseconds between probes; default 15,000. */
  readonly probeMs?: number;
}

class CallBreaker implements Breaker {
  readonly #options: Required<BreakerOptions>;
  #calls: { readonly at: number; readonly ok: boolean }[] = [];
  #inRow = 0;
  /** When the breaker opened or last sent a probe; undefined while it is closed. */
  #openSince: number | undefined;
  #probing = false;

  constructor(options: Required<BreakerOptions>) {
    this.#options = options;
  }

  get state(): BreakerState {
    if (this.#openSince === undefined) return "closed";
    return this.#probing ? "half_open" : "open";
  }

  allows(): boolean {
    if (this.#openSince === undefined) return true;
    const now = this.#options.clock.monotonic();
    if (now - this.#openSince < this.#options.probeMs) return false;
    // A probe that never reports back blocks nothing: the next one is due after the same time.
    this.#openSince = now;
    this.#probing = true;
    return true;
  }

  succeeded(): void {
    this.#inRow = 0;
    if (this.#openSince !== undefined) {
      this.#openSince = undefined;
      this.#probing = false;
      this.#calls = [];
    }
    this.#count(true);
  }

  failed(): void {
    this.#inRow += 1;
    this.#count(false);
    const { clock, failures, share, minCalls } = this.#options;
    const failed = this.#calls.filter(({ ok }) => !ok).length;
    const many = this.#calls.length >= minCalls && failed / this.#calls.length >= share;
    if (this.#openSince === undefined ? this.#inRow >= failures || many : this.#probing) this.#openSince = clock.monotonic();
    this.#probing = false;
  }

  #count(ok: boolean): void {
    const at = this.#options.clock.monotonic();
    this.#calls = [...this.#calls.filter((call) => at - call.at < this.#options.windowMs), { at, ok }].slice(-1_000);
  }
}

/**
 * Creates a circuit breaker for a classifier. It opens after 3 consecutive failures, or if a fifth of the calls of 30 s fail. It then lets one call
 * through every 15 s until one succeeds. It reads the monotonic clock.
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { clock, failures = 3, share = 0.2, minCalls = 10, windowMs = 30_000, probeMs = 15_000 } = options;
  return new CallBreaker({ clock, failures, share, minCalls, windowMs, probeMs });
}
