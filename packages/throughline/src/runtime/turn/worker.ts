import { extensionsWith } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import type { Claim } from "../../store/port.ts";
import { newerDefinition } from "./begin.ts";
import type { RuntimeContext } from "../context.ts";
import type { EndedHere } from "./ended-here.ts";
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
  current: { readonly claim: Claim; readonly stop: AbortController; readonly over: Promise<void> } | undefined;
  readonly done: Promise<void>;
  /** A turn of the session that was claimed for this drive. */
  handed: Claim | undefined;
  /** A turn was queued while this drive was under way. */
  again: boolean;
  /** Somebody in danger waits for it: it waits for no place. */
  urgent: boolean;
  /** Has it look for a place again, while it waits for one. */
  wake: (() => void) | undefined;
}

/**
 * Runs the turns of this process: one at a time in a session, several sessions side by side. How many that are is limited, but for urgent turns: those are run
 * however many others there are.
 */
export class Worker {
  readonly #runtime: RuntimeContext;
  readonly #options: WorkerOptions;
  /** Versions of the agents that this process can run: turns of others are left to those who can. */
  readonly #agents: Readonly<Record<string, number>>;
  readonly #drives = new Map<SessionId, Drive>();
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  /** Who wants to hear of turns that end here, by session. */
  readonly #listeners = new Map<SessionId, Set<(ended: EndedHere) => void>>();
  /** Drives that wait for a place, in order. */
  readonly #waiting = new Set<Drive>();
  /** Whether there can be urgent turns: only an extension makes them so. */
  readonly #mayHurry: boolean;
  #active = 0;
  #polling: Promise<void> | undefined;
  /** The look of the poll that is under way, or the last one. */
  #taking: Promise<boolean> = Promise.resolve(false);
  /** Aborts when there may be a turn to take up. */
  #nudge = new AbortController();
  /** The last look found no room. */
  #full = false;

  constructor(runtime: RuntimeContext, options: WorkerOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#mayHurry = extensionsWith(runtime, "accept").length > 0;
    this.#agents = Object.freeze(Object.fromEntries([...runtime.agents.values()].map(({ name, version }) => [name, version])));
  }

  /** Aborts when this process has done the last that it does: whoever waits here for a turn that is not done waits in vain. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Looks for turns that nobody works on: now, when another process has queued one, and every `pollMs` for what was lost. */
  start(): void {
    if (this.#options.work) this.#polling ??= this.#poll();
  }

  /**
   * Runs the session's turns until none is left; `urgent` ones at once, also where no place is free. Rejects when one can neither be run nor ended here: its message is
   * kept and tried again later.
   */
  drive(session: SessionId, { urgent = false }: { readonly urgent?: boolean } = {}): Promise<void> {
    if (!this.#options.work) return Promise.resolve();
    const running = this.#drives.get(session);
    if (running === undefined) return this.#begin(session, { urgent });
    running.again = true;
    if (urgent) this.#hurry(running);
    // What it fails at may be a turn before: whoever has joined it looks for themselves.
    return running.done.catch(() => this.#drives.get(session)?.done ?? this.#begin(session, { urgent }));
  }

  /** Calls `listen` with each turn of the session that ends here, as soon as its end is on disk. Returns how to stop. */
  hear(session: SessionId, listen: (ended: EndedHere) => void): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listen));
    return () => {
      listeners.delete(listen);
      if (listeners.size === 0 && this.#listeners.get(session) === listeners) this.#listeners.delete(session);
    };
  }

  /** Resolves when this process is done with the turn; undefined if it is not at work on it. */
  atWork(session: SessionId, turn: TurnId): Promise<void> | undefined {
    const current = this.#drives.get(session)?.current;
    return current?.claim.turn.turn_id === turn ? current.over : undefined;
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

  #begin(session: SessionId, { urgent, claim }: { readonly urgent: boolean; readonly claim?: Claim }): Promise<void> {
    const drive: Drive = { current: undefined, handed: claim, again: false, urgent, wake: undefined, done: Promise.resolve() };
    const done = this.#run(session, drive);
    this.#drives.set(session, Object.assign(drive, { done }));
    // Whoever waits for the turn hears of it; a drive that nobody waits for is logged below.
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
        // What the poll is taking up may be this session's turn: it is handed to this drive, so that whoever waits hears of its end.
        await this.#taking.catch(() => {});
      } while (!this.#closing.signal.aborted && (drive.again || drive.handed !== undefined));
    } finally {
      for (let left = drive.handed; left !== undefined; left = drive.handed) {
        drive.handed = undefined;
        await this.#giveUp(left);
      }
      // Between the last look and here nothing is waited for: who asks for the session, or hands a turn of it over, from now on finds no drive.
      this.#drives.delete(session);
      this.#leave();
      if (this.#full) this.#nudge.abort();
    }
  }

  async #claim(session: SessionId): Promise<Claim | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const { store, worker, lease } = this.#runtime;
    const claim = await store.claim({ kind: "session", session_id: session, worker, lease_ms: lease.leaseMs, agents: this.#agents });
    return claim === undefined ? undefined : this.#kept(claim);
  }

  /** Refuses a session whose turn waits for a newer definition than this process has: whoever waits for it here would wait in vain. */
  async #requireAble(session_id: SessionId): Promise<void> {
    const session = await this.#runtime.store.open({ session_id });
    const agent = session && this.#runtime.agents.get(session.agent);
    if (agent === undefined || session === undefined || session.agent_version <= agent.version) return;
    const loaded = await this.#runtime.store.load({ session_id, messages: 0 });
    if (loaded !== undefined && loaded.turns.length > 0) throw newerDefinition(session, agent);
  }

  /** Runs a turn. Whether the session may have another one. */
  async #runOne(claim: Claim, drive: Drive): Promise<boolean> {
    const { tracer, logger } = this.#runtime;
    const { session_id, turn } = claim;
    const { turn_id, attempts } = turn;
    const stop = new AbortController();
    const over = Promise.withResolvers<void>();
    drive.current = { claim, stop, over: over.promise };
    try {
      const { ended, more } = await tracer.span("turn", { session_id, turn_id, attempt: attempts }, () => runTurn(this.#runtime, claim, stop.signal));
      if (ended !== undefined) for (const listen of [...(this.#listeners.get(session_id) ?? [])]) listen(ended);
      return more;
    } catch (error) {
      if (wasTaken(error)) return true;
      logger.error("turn not run", { turn_id, code: ThroughlineError.from(error).code });
      throw error;
    } finally {
      drive.current = undefined;
      over.resolve();
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
    const watching = this.#watch();
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      try {
        // As long as there are turns and room for them.
        do this.#taking = this.#takeNext();
        while (await this.#taking);
      } catch (error) {
        logger.warn("looking for turns failed", { code: ThroughlineError.from(error).code });
        // A database that is away is not asked at every nudge.
        this.#nudge = new AbortController();
      }
      await clock.sleep(this.#options.pollMs, AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
    (await watching)();
  }

  /** Hears of turns that other processes queue. Without, the poll still finds them. */
  async #watch(): Promise<() => void> {
    try {
      return await this.#runtime.store.watchTurns(() => this.#nudge.abort());
    } catch (error) {
      this.#runtime.logger.warn("turns of other processes are not heard of", { code: ThroughlineError.from(error).code });
      return () => {};
    }
  }

  /** Takes up a turn that nobody works on; an urgent one also where there is no room. False if there is none, or no room. */
  async #takeNext(): Promise<boolean> {
    const { store, worker, lease } = this.#runtime;
    this.#full = this.#drives.size >= this.#options.concurrency;
    if ((this.#full && !this.#mayHurry) || this.#closing.signal.aborted) return false;
    const only = this.#full ? { urgent: true as const } : {};
    const next = await store.claim({ kind: "next", worker, lease_ms: lease.leaseMs, agents: this.#agents, ...only });
    const claim = next && (await this.#kept(next));
    if (claim === undefined) return false;
    const drive = this.#drives.get(claim.session_id);
    const urgent = claim.turn.urgent === true;
    if (drive === undefined) this.#begin(claim.session_id, { urgent, claim }).catch(() => {});
    else {
      // The drive of the session is between two turns, waits for a place, or has found this one taken.
      drive.handed = claim;
      if (urgent) this.#hurry(drive);
    }
    return true;
  }

  async #enter(drive: Drive): Promise<void> {
    while (!drive.urgent && this.#active >= this.#options.concurrency) {
      this.#waiting.add(drive);
      await new Promise<void>((resolve) => (drive.wake = resolve));
      this.#waiting.delete(drive);
    }
    this.#active += 1;
  }

  #leave(): void {
    this.#active -= 1;
    const [first] = this.#waiting;
    if (first === undefined || this.#active >= this.#options.concurrency) return;
    this.#waiting.delete(first);
    first.wake?.();
  }

  /** Lets a drive in that waits for a place. */
  #hurry(drive: Drive): void {
    drive.urgent = true;
    drive.wake?.();
  }
}
