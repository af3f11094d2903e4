/** Asks a classifier within a time that a person can wait, and stops asking one that keeps failing. */
import { abortable } from "../../kernel/deadline.ts";
import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { ClassifierInput, ClassifierVerdict, SafetyClassifier } from "../assessment.ts";
import { readVerdict } from "./model-classifier.ts";

/** How a classifier was asked, and how that ended. */
type ClassifiedPath = "union" | "llm_timeout" | "llm_error" | "llm_invalid" | "breaker_open";

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

/** `half_open`: one call is let through, to find out whether the others can be. */
type BreakerState = "closed" | "open" | "half_open";

/** Keeps a classifier that fails from holding up every person who writes: while it is open, nobody waits for it. */
export interface Breaker {
  /** Whether a call may be made. In a breaker that is open, true once in `probeMs`: that call is the probe. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
  readonly state: BreakerState;
}

/** Options of {@link createBreaker}. */
interface BreakerOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Failures in a row that open it; 3 by default. */
  readonly failures?: number;
  /** Share of the calls of `windowMs` whose failure opens it, 0 to 1; 0.2 by default. */
  readonly share?: number;
  /** Calls in the window below which a share says nothing; 10 by default. */
  readonly minCalls?: number;
  /** Milliseconds; 30,000 by default. */
  readonly windowMs?: number;
  /** Milliseconds between probes; 15,000 by default. */
  readonly probeMs?: number;
}

class CallBreaker implements Breaker {
  readonly #options: Required<BreakerOptions>;
  #calls: { readonly at: number; readonly ok: boolean }[] = [];
  #inRow = 0;
  /** When it opened, or was last probed; undefined while it is closed. */
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
    // A probe that never reports back holds up nothing: the next one is due after the same time.
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
 * A breaker around a classifier: opens after 3 failures in a row, or when a fifth of the calls of 30 s has failed, and lets one call through every 15 s
 * until one succeeds. Time is read from the clock that never steps back.
 */
export function createBreaker(options: BreakerOptions): Breaker {
  const { clock, failures = 3, share = 0.2, minCalls = 10, windowMs = 30_000, probeMs = 15_000 } = options;
  return new CallBreaker({ clock, failures, share, minCalls, windowMs, probeMs });
}
