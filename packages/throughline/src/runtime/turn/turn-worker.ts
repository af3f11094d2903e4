import { extensionsWith } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import type { Claim } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { newerDefinition } from "./begin.ts";
import type { EndedHere } from "./ended-here.ts";
import { releaseLease } from "./finish.ts";
import { renewDueLeases } from "./lease.ts";
import { runTurn, wasTaken } from "./turn.ts";

export interface WorkerOptions {
  /** Maximum number of turns that run concurrently, in different sessions. Defaults to 16. */
  readonly concurrency: number;
  /** Milliseconds between polls for unclaimed turns. Defaults to 2,000. */
  readonly pollMs: number;
  /** Whether this process runs turns. */
  readonly work: boolean;
}

interface Drive {
  /** The running turn, with a controller to abort it. */
  current: { readonly claim: Claim; readonly stop: AbortController; readonly over: Promise<void> } | undefined;
  readonly done: Promise<void>;
  /** A turn of the session that was claimed for this drive. */
  handed: Claim | undefined;
  /** Whether a turn was queued while this drive was running. */
  again: boolean;
  /** Whether an at-risk customer waits for it. It then does not wait for a free slot. */
  urgent: boolean;
  /** Makes a waiting drive check again for a free slot. */
  wake: (() => void) | undefined;
}

/**
 * Runs the turns of this process: one at a time per session, several sessions concurrently. The number of sessions is limited. Urgent turns ignore
 * the limit.
 */
export class Worker {
  readonly #runtime: RuntimeContext;
  readonly #options: WorkerOptions;
  /** Versions of the agents that this process can run. Turns of other versions are left to other processes. */
  readonly #agents: Readonly<Record<string, number>>;
  readonly #drives = new Map<SessionId, Drive>();
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  /** Listeners for turns that end here, by session. */
  readonly #listeners = new Map<SessionId, Set<(ended: EndedHere) => void>>();
  /** Drives that wait for a free slot, in order. */
  readonly #waiting = new Set<Drive>();
  /** Whether urgent turns are possible. Only an extension makes turns urgent. */
  readonly #mayHurry: boolean;
  #active = 0;
  #polling: Promise<void> | undefined;
  /** The claim of the current poll, or of the last one. */
  #taking: Promise<boolean> = Promise.resolve(false);
  /** Aborts when a turn may be ready to claim. */
  #nudge = new AbortController();
  /** Whether the last poll found no free slot. */
  #full = false;

  constructor(runtime: RuntimeContext, options: WorkerOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#mayHurry = extensionsWith(runtime, "accept").length > 0;
    this.#agents = Object.freeze(Object.fromEntries([...runtime.agents.values()].map(({ name, version }) => [name, version])));
  }

  /** Aborts when this process has finished all its work. Callers that still wait for an unfinished turn here would wait forever. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Polls for unclaimed turns: now, when another process has queued one, and every `pollMs` to recover lost ones. */
  start(): void {
    if (this.#options.work) this.#polling ??= this.#poll();
  }

  /**
   * Runs the session's turns until none is left. Runs `urgent` ones immediately, even without a free slot. Rejects if a turn can neither run nor end
   * here. Its message is kept and retried later.
   */
  drive(session: SessionId, { urgent = false }: { readonly urgent?: boolean } = {}): Promise<void> {
    if (!this.#options.work) return Promise.resolve();
    const running = this.#drives.get(session);
    if (running === undefined) return this.#begin(session, { urgent });
    running.again = true;
    if (urgent) this.#hurry(running);
    // The running drive may fail at an earlier turn, so a caller that joined it starts its own.
    return running.done.catch(() => this.#drives.get(session)?.done ?? this.#begin(session, { urgent }));
  }

  /** Calls `listen` with each turn of the session that ends here, as soon as its end is committed. Returns a function that removes the listener. */
  hear(session: SessionId, listen: (ended: EndedHere) => void): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listen));
    return () => {
      listeners.delete(listen);
      if (listeners.size === 0 && this.#listeners.get(session) === listeners) this.#listeners.delete(session);
    };
  }

  /** Resolves when this process has finished the turn. Undefined if it is not running the turn. */
  atWork(session: SessionId, turn: TurnId): Promise<void> | undefined {
    const current = this.#drives.get(session)?.current;
    return current?.claim.turn.turn_id === turn ? current.over : undefined;
  }

  /** Aborts the session's turn if this process runs it under this epoch. The caller has already fenced the epoch. */
  interrupt(session: SessionId, epoch: number, reason: ThroughlineError): void {
    const current = this.#drives.get(session)?.current;
    if (current !== undefined && current.claim.epoch <= epoch) current.stop.abort(reason);
  }

  /** Stops claiming turns and waits up to `drainMs` for the running ones. Then releases them for another process. */
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
      new ThroughlineError("aborted", "The runtime was closed before the turn ended.", {
        hint: "The message is stored, and the next runtime on this database answers it.",
      }),
    );
  }

  #begin(session: SessionId, { urgent, claim }: { readonly urgent: boolean; readonly claim?: Claim }): Promise<void> {
    const drive: Drive = { current: undefined, handed: claim, again: false, urgent, wake: undefined, done: Promise.resolve() };
    const done = this.#run(session, drive);
    this.#drives.set(session, Object.assign(drive, { done }));
    // Callers of the drive receive the error. It is logged below for a drive without callers.
    done.catch(() => {});
    return done;
  }

  async #run(session: SessionId, drive: Drive): Promise<void> {
    await this.#enter(drive);
    let ran = false;
    try {
      do {
        drive.again = false;
        const { handed } = drive;
        drive.handed = undefined;
        let claim = handed ?? (await this.#claim(session));
        while (claim !== undefined) {
          ran = true;
          const more = await this.#runOne(claim, drive);
          claim = more ? await this.#claim(session) : undefined;
        }
        if (!ran) await this.#requireAble(session);
        // The poll may be claiming a turn of this session. It passes that turn to this drive, so that waiting callers learn of its end.
        await this.#taking.catch(() => {});
      } while (!this.#closing.signal.aborted && (drive.again || drive.handed !== undefined));
    } finally {
      for (let left = drive.handed; left !== undefined; left = drive.handed) {
        drive.handed = undefined;
        await this.#giveUp(left);
      }
      // Nothing is awaited between the last check and here. Later callers and claims of the session find no drive and start a new one.
      this.#drives.delete(session);
      this.#leave();
      if (this.#full) this.#nudge.abort();
    }
  }

  async #claim(session: SessionId): Promise<Claim | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const { store, worker, lease } = this.#runtime;
    await renewDueLeases(this.#runtime, session);
    const claim = await store.claim({ kind: "session", session_id: session, worker, lease_ms: lease.leaseMs, agents: this.#agents });
    return claim === undefined ? undefined : this.#kept(claim);
  }

  /** Throws if the session's turn needs a newer definition than this process has, because a caller would wait for it forever. */
  async #requireAble(session_id: SessionId): Promise<void> {
    const session = await this.#runtime.store.open({ session_id });
    const agent = session && this.#runtime.agents.get(session.agent);
    if (agent === undefined || session === undefined || session.agent_version <= agent.version) return;
    const loaded = await this.#runtime.store.load({ session_id, messages: 0 });
    if (loaded !== undefined && loaded.turns.length > 0) throw newerDefinition(session, agent);
  }

  /** Runs a turn. Returns whether the session may have another one. */
  async #runOne(claim: Claim, drive: Drive): Promise<boolean> {
    const { logger } = this.#runtime;
    const { session_id, turn } = claim;
    const { turn_id } = turn;
    const stop = new AbortController();
    const over = Promise.withResolvers<void>();
    drive.current = { claim, stop, over: over.promise };
    try {
      const { ended, more } = await runTurn(this.#runtime, claim, stop.signal);
      if (ended !== undefined) for (const listen of [...(this.#listeners.get(session_id) ?? [])]) listen(ended);
      return more;
    } catch (error) {
      if (wasTaken(error)) return true;
      logger.error("turn not run", { session_id, turn_id, code: ThroughlineError.from(error).code }, error);
      throw error;
    } finally {
      drive.current = undefined;
      over.resolve();
    }
  }

  /** Returns the claim, unless the worker started to close during the request. Nothing would wait for its turn or stop it then. */
  async #kept(claim: Claim): Promise<Claim | undefined> {
    if (!this.#closing.signal.aborted) return claim;
    await this.#giveUp(claim);
    return undefined;
  }

  /** Releases a claim that this process will not run. */
  #giveUp({ session_id, epoch }: Claim): Promise<void> {
    return releaseLease(this.#runtime, { session_id, epoch, counted: false });
  }

  /** Releases the leases that could not be released while the database was away. A lease that has changed hands is left alone by its epoch. */
  async #releaseLeft(): Promise<void> {
    const { store, unreleased } = this.#runtime;
    for (const [session, request] of unreleased) {
      await store.release(request);
      if (unreleased.get(session) === request) unreleased.delete(session);
    }
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#runtime;
    const { signal } = this.#closing;
    const watching = this.#watch();
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      try {
        await this.#releaseLeft();
        // Repeats while there are turns and free slots.
        do this.#taking = this.#takeNext();
        while (await this.#taking);
      } catch (error) {
        logger.warn("polling for turns failed", { code: ThroughlineError.from(error).code }, error);
        // If the database is unavailable, it is not queried at every nudge.
        this.#nudge = new AbortController();
      }
      await clock.sleep(this.#options.pollMs, AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
    (await watching)();
  }

  /** Watches for turns that other processes queue. If watching fails, the poll still finds them. */
  async #watch(): Promise<() => void> {
    try {
      return await this.#runtime.store.watchTurns(() => this.#nudge.abort());
    } catch (error) {
      this.#runtime.logger.warn("turns of other processes are not watched", { code: ThroughlineError.from(error).code }, error);
      return () => {};
    }
  }

  /** Claims a waiting turn, and an urgent one even without a free slot. Returns false if there is no turn or no slot. */
  async #takeNext(): Promise<boolean> {
    const { store, worker, lease } = this.#runtime;
    this.#full = this.#drives.size >= this.#options.concurrency;
    if ((this.#full && !this.#mayHurry) || this.#closing.signal.aborted) return false;
    const only = this.#full ? { urgent: true as const } : {};
    await renewDueLeases(this.#runtime);
    const next = await store.claim({ kind: "next", worker, lease_ms: lease.leaseMs, agents: this.#agents, ...only });
    const claim = next && (await this.#kept(next));
    if (claim === undefined) return false;
    const drive = this.#drives.get(claim.session_id);
    const urgent = claim.turn.urgent === true;
    if (drive === undefined) this.#begin(claim.session_id, { urgent, claim }).catch(() => {});
    else {
      // The session's drive is between two turns, waits for a slot, or has found this turn claimed.
      drive.handed = claim;
      if (urgent) this.#hurry(drive);
    }
    return true;
  }

  async #enter(drive: Drive): Promise<void> {
    while (!drive.urgent && this.#active >= this.#options.concurrency) {
      this.#waiting.add(drive);
      this.#count();
      await new Promise<void>((resolve) => (drive.wake = resolve));
      this.#waiting.delete(drive);
    }
    this.#active += 1;
    this.#count();
  }

  #count(): void {
    Object.assign(this.#runtime.turns, { running: this.#active, waiting: this.#waiting.size });
  }

  #leave(): void {
    this.#active -= 1;
    this.#count();
    const [first] = this.#waiting;
    if (first === undefined || this.#active >= this.#options.concurrency) return;
    this.#waiting.delete(first);
    first.wake?.();
  }

  /** Starts a drive that waits for a slot, without a free one. */
  #hurry(drive: Drive): void {
    drive.urgent = true;
    drive.wake?.();
  }
}
