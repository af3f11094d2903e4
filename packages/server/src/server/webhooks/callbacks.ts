/**
 * Sends the callbacks of runs: each under one delivery id until the receiver accepts it or its attempts are used up. Several processes share the work,
 * and a callback that a process was sending when it died is sent again.
 */
import { present, type WriterContext } from "throughline/internal";
import { type CallbackEnd, endCallback, isCallbackKept, type TakenCallback, takeCallbacks } from "throughline/internal/runtime";
import { type Clock, createIds, type Ids, type Logger, silentLogger, systemClock, ThroughlineError } from "throughline/kernel";
import type { Runtime } from "throughline";
import { createOutbound, type Outbound, type OutboundOptions, retryAfterOf, userAgent } from "./outbound.ts";
import { secretBytes, signedHeaders } from "./webhook-signature.ts";
import { deliveryId } from "./webhook-target.ts";

/** Options of {@link createCallbacks}. */
export interface CallbackOptions extends Pick<OutboundOptions, "allowHosts" | "lookup" | "timeoutMs"> {
  readonly runtime: Pick<Runtime, "store">;
  /** Standard Webhooks secrets that sign, the newest first: `whsec_` and 24 to 64 bytes in base64. */
  readonly secrets: readonly string[];
  /** Milliseconds before each further attempt. By default 5 s, 30 s, 2, 10 and 30 minutes, and 1 hour. */
  readonly retryMs?: readonly number[];
  /** Milliseconds between polls for runs that have ended; 1,000 by default. */
  readonly pollMs?: number;
  /** Requests under way at the same time in this process; 16 by default. */
  readonly concurrency?: number;
  /** Milliseconds after which another process sends what one was sending when it died; 30,000 by default, and at least twice `timeoutMs`. */
  readonly leaseMs?: number;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly logger?: Logger;
}

const defaultRetryMs = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000] as const;

/** Creates the sender of callbacks. Throws `input.invalid` without a secret. */
export const createCallbacks = (options: CallbackOptions): Callbacks => new Callbacks(options);

/** The callbacks of a database, as this process sends them. */
export class Callbacks {
  readonly #context: WriterContext;
  readonly #outbound: Outbound;
  readonly #secrets: readonly string[];
  readonly #options: Required<Pick<CallbackOptions, "retryMs" | "pollMs" | "concurrency" | "leaseMs">>;
  readonly #sending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #cut = new AbortController();
  #nudge = new AbortController();
  #counted: (result: "delivered" | "failed" | "dead") => void = () => {};
  #loop: Promise<void> | undefined;

  constructor(options: CallbackOptions) {
    const { runtime, secrets, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = options;
    const { retryMs = defaultRetryMs, pollMs = 1_000, concurrency = 16, timeoutMs = 10_000, leaseMs = 30_000 } = options;
    if (secrets.length === 0) throw new ThroughlineError("input.invalid", "Callbacks need a secret that signs them.");
    for (const secret of secrets) secretBytes(secret);
    this.#context = { store: runtime.store, clock, ids, logger };
    this.#outbound = createOutbound({ ...present({ allowHosts: options.allowHosts, lookup: options.lookup }), timeoutMs, clock });
    this.#secrets = secrets;
    this.#options = { retryMs, pollMs, concurrency, leaseMs: Math.max(leaseMs, 2 * timeoutMs) };
  }

  /** Checks an address as far as that is possible without a look-up. Throws `outbound.refused`. */
  check(url: string): void {
    this.#outbound.check(url);
  }

  /** Starts to send. Further calls have no effect. `counted` hears of the end of each attempt: `failed` is tried again, `dead` is not. */
  start({ counted }: { readonly counted?: (result: "delivered" | "failed" | "dead") => void } = {}): void {
    this.#counted = counted ?? this.#counted;
    if (!this.#closing.signal.aborted) this.#loop ??= this.#poll();
  }

  /** Stops. Requests under way are aborted after `drainMs` milliseconds (5,000 by default), and sent again by whoever comes next. */
  async close({ drainMs = 5_000 }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The service is stopping."));
    const over = new AbortController();
    const all = Promise.allSettled([...this.#sending, this.#loop]).then(() => over.abort());
    await Promise.race([all, this.#context.clock.sleep(drainMs, over.signal).catch(() => {})]);
    this.#cut.abort(this.#closing.signal.reason);
    await all;
    this.#outbound.close();
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      await this.#look().catch((error: unknown) => logger.warn("polling for callbacks failed", { code: ThroughlineError.from(error).code }, error));
      await clock.sleep(this.#options.pollMs, AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    const due = takeCallbacks(this.#context, this.#options);
    while (this.#sending.size < this.#options.concurrency && !this.#closing.signal.aborted) {
      const next = await due.next();
      if (next.done === true) return;
      const sending = this.#send(next.value).finally(() => {
        const isFull = this.#sending.size >= this.#options.concurrency;
        this.#sending.delete(sending);
        if (isFull) this.#nudge.abort();
      });
      this.#sending.add(sending);
    }
  }

  async #send(taken: TakenCallback): Promise<void> {
    const { logger } = this.#context;
    try {
      const end = await this.#attempt(taken);
      if (end === undefined) return;
      await endCallback(this.#context, taken, end);
      const result = end.delivered ? "delivered" : end.retryAt === undefined ? "dead" : "failed";
      this.#counted(result);
      if (result === "dead" && !end.delivered && taken.message !== undefined)
        logger.warn("a callback is given up", { run: taken.row.id, routine: taken.row.routine, attempts: taken.attempt, error: end.error });
    } catch (error) {
      // It is sent again when its lease ends.
      logger.warn("a callback was not noted", { run: taken.row.id, code: ThroughlineError.from(error).code }, error);
    }
  }

  /** Sends once. Returns undefined if this process is stopping. */
  async #attempt(taken: TakenCallback): Promise<CallbackEnd | undefined> {
    const { row, attempt, message } = taken;
    const { clock, logger } = this.#context;
    if (message === undefined) return { delivered: false, error: "session.not_found" };
    const id = deliveryId("callback", row.id);
    const body = JSON.stringify({ delivery_id: id, ...message.body });
    const signed = { id, seconds: Math.floor(clock.now() / 1000), body };
    const failed = (error: string, waitMs = 0): CallbackEnd => {
      const pause = this.#options.retryMs[attempt - 1];
      logger.debug("a callback failed", { run: row.id, attempt, error });
      return { delivered: false, error, ...(pause === undefined ? {} : { retryAt: clock.now() + Math.max(pause, waitMs) }) };
    };
    try {
      const answer = await this.#outbound.post(message.url, {
        body,
        headers: { "content-type": "application/json", "user-agent": userAgent, ...signedHeaders(this.#secrets, signed) },
        signal: this.#cut.signal,
        // An erasure that began during the look-up wins.
        beforeSend: async () => {
          if (!(await isCallbackKept(this.#context, taken))) throw new ThroughlineError("session.not_found");
        },
      });
      const { status } = answer;
      if (status >= 200 && status < 300) return { delivered: true };
      // `410` refuses further attempts.
      return status === 410 ? { delivered: false, error: "410" } : failed(String(status), retryAfterOf(answer));
    } catch (error) {
      if (this.#cut.signal.aborted) return undefined;
      const { code } = ThroughlineError.from(error);
      return code === "session.not_found" ? { delivered: false, error: code } : failed(code);
    }
  }
}
