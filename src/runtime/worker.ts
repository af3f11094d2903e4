import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import type { Claim } from "../store/port.ts";
import type { RuntimeContext } from "./context.ts";
import { runTurn, wasTaken } from "./turn.ts";

export interface WorkerOptions {
  /** Turns at work at the same time, in different sessions; 16 by default. */
  readonly concurrency: number;
  /** Milliseconds between looks for turns that nobody works on; 2,000 by default. */
  readonly pollMs: number;
  /** Whether this process runs turns at all. */
  readonly work: boolean;
}

interface Drive {
  /** The turn at work, and how to end it. */
  current: { readonly claim: Claim; readonly stop: AbortController } | undefined;
  readonly done: Promise<void>;
  /** A turn of the session that was claimed for this drive. */
  handed: Claim | undefined;
  /** A turn was queued while this drive was under way. */
  again: boolean;
}

/** Runs the turns of this process: one at a time in a session, several sessions side by side. */
export class Worker {
  readonly #runtime: RuntimeContext;
  readonly #options: WorkerOptions;
  readonly #drives = new Map<SessionId, Drive>();
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  #free: (() => void)[] = [];
  #active = 0;
  #polling: Promise<void> | undefined;
  /** The look of the poll that is under way, or the last one. */
  #taking: Promise<boolean> = Promise.resolve(false);

  constructor(runtime: RuntimeContext, options: WorkerOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  /** Aborts when this process has done the last that it does: whoever waits here for a turn that is not done waits in vain. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Looks for turns that nobody works on, now and every `pollMs`. */
  start(): void {
    if (this.#options.work) this.#polling ??= this.#poll();
  }

  /** Runs the session's turns until none is left. Rejects when one can neither be run nor ended here: its message is kept and tried again later. */
  drive(session: SessionId): Promise<void> {
    if (!this.#options.work) return Promise.resolve();
    const running = this.#drives.get(session);
    if (running !== undefined) {
      running.again = true;
      return running.done;
    }
    return this.#begin(session, undefined);
  }

  /** Aborts the session's turn if this process runs it under this epoch, which whoever asks has fenced before. */
  interrupt(session: SessionId, epoch: number, reason: ThroughlineError): void {
    const current = this.#drives.get(session)?.current;
    if (current !== undefined && current.claim.epoch <= epoch) current.stop.abort(reason);
  }

  /** Takes up no more turns, waits up to `drainMs` for those at work, then gives them back for another process. */
  async close(drainMs: number): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    const all = Promise.allSettled([...this.#drives.values()].map((drive) => drive.done));
    const timer = new AbortController();
    await Promise.race([all, this.#runtime.clock.sleep(drainMs, timer.signal).catch(() => {})]);
    timer.abort();
    for (const drive of this.#drives.values()) drive.current?.stop.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await all;
    await this.#polling;
    this.#closed.abort(
      new ThroughlineError("aborted", "The runtime was closed before the turn was done.", {
        hint: "What was accepted is kept, and answered by the next runtime on this database.",
      }),
    );
  }

  #begin(session: SessionId, claim: Claim | undefined): Promise<void> {
    const drive: Drive = { current: undefined, handed: claim, again: false, done: Promise.resolve() };
    const done = this.#run(session, drive).finally(() => this.#drives.delete(session));
    this.#drives.set(session, Object.assign(drive, { done }));
    // Whoever waits for the turn hears of it; a drive that nobody waits for is logged below.
    done.catch(() => {});
    return done;
  }

  async #run(session: SessionId, drive: Drive): Promise<void> {
    await this.#enter();
    try {
      do {
        drive.again = false;
        const { handed } = drive;
        drive.handed = undefined;
        let claim = handed ?? (await this.#claim(session));
        while (claim !== undefined) {
          await this.#runOne(claim, drive);
          claim = await this.#claim(session);
        }
        // What the poll is taking up may be this session's turn: it is handed to this drive, so that whoever waits hears of its end.
        await this.#taking.catch(() => {});
      } while (!this.#closing.signal.aborted && (drive.again || drive.handed !== undefined));
    } finally {
      this.#leave();
      if (drive.handed !== undefined) await this.#giveUp(drive.handed);
    }
  }

  async #claim(session: SessionId): Promise<Claim | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const { store, worker, lease } = this.#runtime;
    const claim = await store.claim({ kind: "session", session_id: session, worker, lease_ms: lease.leaseMs });
    return claim === undefined ? undefined : this.#kept(claim);
  }

  async #runOne(claim: Claim, drive: Drive): Promise<void> {
    const { tracer, logger } = this.#runtime;
    const { turn_id, attempts } = claim.turn;
    const stop = new AbortController();
    drive.current = { claim, stop };
    try {
      await tracer.span("turn", { session_id: claim.session_id, turn_id, attempt: attempts }, () => runTurn(this.#runtime, claim, stop.signal));
    } catch (error) {
      if (wasTaken(error)) return;
      logger.error("turn not run", { turn_id, code: ThroughlineError.from(error).code });
      throw error;
    } finally {
      drive.current = undefined;
    }
  }

  /** The claim, unless closing began while it was asked for: nobody would wait for its turn, or stop it. */
  async #kept(claim: Claim): Promise<Claim | undefined> {
    if (!this.#closing.signal.aborted) return claim;
    await this.#giveUp(claim);
    return undefined;
  }

  /** Gives a claim back that nobody here will run. A database that cannot be reached keeps it until it runs out. */
  async #giveUp({ session_id, epoch }: Claim): Promise<void> {
    await this.#runtime.store.release({ session_id, epoch, counted: false }).catch(() => false);
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#runtime;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        // As long as there are turns and room for them.
        do this.#taking = this.#takeNext();
        while (await this.#taking);
      } catch (error) {
        logger.warn("looking for turns failed", { code: ThroughlineError.from(error).code });
      }
      await clock.sleep(this.#options.pollMs, signal).catch(() => {});
    }
  }

  /** Takes up a turn that nobody works on. False if there is none, or no room. */
  async #takeNext(): Promise<boolean> {
    const { store, worker, lease } = this.#runtime;
    if (this.#drives.size >= this.#options.concurrency || this.#closing.signal.aborted) return false;
    const next = await store.claim({ kind: "next", worker, lease_ms: lease.leaseMs });
    const claim = next && (await this.#kept(next));
    if (claim === undefined) return false;
    const drive = this.#drives.get(claim.session_id);
    if (drive === undefined) this.#begin(claim.session_id, claim).catch(() => {});
    // The drive of the session is between two turns, or has found this one taken.
    else drive.handed = claim;
    return true;
  }

  async #enter(): Promise<void> {
    while (this.#active >= this.#options.concurrency) await new Promise<void>((resolve) => this.#free.push(resolve));
    this.#active += 1;
  }

  #leave(): void {
    this.#active -= 1;
    this.#free.shift()?.();
  }
}
