import type { Clock } from "../kernel/clock.ts";

/** `half_open`: one call is let through, to find out whether the others can be. */
export type BreakerState = "closed" | "open" | "half_open";

/** Keeps a classifier that fails from holding up every person who writes: while it is open, nobody waits for it. */
export interface Breaker {
  /** Whether a call may be made. In a breaker that is open, true once in `probeMs`: that call is the probe. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
  readonly state: BreakerState;
}

/** Options of {@link createBreaker}. */
export interface BreakerOptions {
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
