/** A circuit breaker for calls to services. */
import { type Clock, systemClock } from "./clock.ts";

/** `half_open`: the breaker lets one probe through. */
type BreakerState = "closed" | "open" | "half_open";

/** Circuit breaker: while it is open, nobody waits for a service that fails. */
export interface Breaker {
  /** Tells whether a call may be made. An open breaker returns true once per `probeMs`; that call is the probe. */
  allows(): boolean;
  succeeded(): void;
  failed(): void;
  readonly state: BreakerState;
}

/** Options of {@link createBreaker}. */
export interface BreakerOptions {
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, "monotonic">;
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
 * Creates a circuit breaker for a service, such as a model. It opens after 3 consecutive failures, or if a fifth of the calls of 30 s fail. It then lets one call
 * through every 15 s until one succeeds. It reads the monotonic clock.
 * @example const breaker = createBreaker({ failures: 5 })
 */
export function createBreaker(options: BreakerOptions = {}): Breaker {
  const { clock = systemClock, failures = 3, share = 0.2, minCalls = 10, windowMs = 30_000, probeMs = 15_000 } = options;
  return new CallBreaker({ clock, failures, share, minCalls, windowMs, probeMs });
}
