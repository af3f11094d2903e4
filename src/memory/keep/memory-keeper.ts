import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import { closeEpisode, dueClosings, logClosing, type EpisodeReport } from "./close-episode.ts";
import type { Whose } from "./door.ts";
import { embedMissing } from "./embed-missing.ts";

/** Owners whose vectors wait to be made: the rest is made when they next talk. */
const mostWaiting = 1_000;

/** Looks after memories in the background: closes episodes that are over, and makes the vectors that are missing. One in a process. */
export class MemoryKeeper {
  readonly #runtime: RuntimeContext;
  readonly #pollMs: number;
  readonly #closing = new AbortController();
  readonly #touched = new Map<OwnerId, Whose>();
  /** Entries that the embedding model does not take, by owner. */
  readonly #refused = new Map<OwnerId, Set<string>>();
  #nudge = new AbortController();
  #polling: Promise<void> | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(runtime: RuntimeContext, options: { readonly pollMs: number }) {
    this.#runtime = runtime;
    this.#pollMs = options.pollMs;
    runtime.memory.keptBy({ touched: (owner, whose) => this.#note(owner, whose), look: (session) => this.look(session) });
  }

  start(): void {
    this.#polling ??= this.#prepare()
      .catch((error: unknown) => this.#warn("a memory's words were not made ready", error))
      .then(() => this.#poll());
  }

  /** Closes what is due now; of one session only what is over, whenever it was due. What cannot be closed is tried again later, and logged. */
  look(session?: SessionRow): Promise<readonly EpisodeReport[]> {
    const looked = this.#looking.then(() => this.#look(session));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  /** Something may be due already, such as an episode that was ended. */
  nudge(): void {
    this.#nudge.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await this.#polling;
    await this.#looking;
  }

  #note(owner: OwnerId, whose: Whose): void {
    if (this.#touched.size < mostWaiting) this.#touched.set(owner, whose);
  }

  async #look(session: SessionRow | undefined): Promise<readonly EpisodeReport[]> {
    const { signal } = this.#closing;
    const reports: EpisodeReport[] = [];
    for (const row of await dueClosings(this.#runtime, { session })) {
      if (signal.aborted) break;
      try {
        const report = await closeEpisode(this.#runtime, row, { signal });
        if (report !== undefined) reports.push(report);
      } catch (error) {
        if (!signal.aborted) logClosing(this.#runtime, row, error);
      }
    }
    return reports;
  }

  /** Loads what a turn with memory needs, and makes its tables, while nobody waits for them yet. */
  async #prepare(): Promise<void> {
    const { memory, agents } = this.#runtime;
    const { signal } = this.#closing;
    await Promise.all([import("../turn/masked.ts"), import("../turn/recall-turn.ts"), import("../turn/end-turn.ts")]);
    const cache = await memory.cache();
    for (const { memory: settings } of agents.values()) if (settings !== undefined) await cache.prepare(settings, { signal });
  }

  async #poll(): Promise<void> {
    const { clock } = this.#runtime;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#nudge = new AbortController();
      try {
        await this.look();
        await this.#embed(signal);
      } catch (error) {
        this.#warn("looking after memories failed", error);
      }
      await clock.sleep(this.#pollMs, AbortSignal.any([signal, this.#nudge.signal])).catch(() => {});
    }
  }

  #warn(message: string, error: unknown): void {
    if (!this.#closing.signal.aborted) this.#runtime.logger.warn(message, { code: ThroughlineError.from(error).code });
  }

  async #embed(signal: AbortSignal): Promise<void> {
    for (const [owner, whose] of this.#touched) {
      if (signal.aborted) return;
      this.#touched.delete(owner);
      const except = this.#refused.get(owner) ?? new Set();
      if (await embedMissing(this.#runtime, whose, { signal, except })) this.#note(owner, whose);
      if (except.size > 0 && this.#refused.size < mostWaiting) this.#refused.set(owner, except);
    }
  }
}
