import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId } from "../../kernel/id.ts";
import type { SessionRow } from "../../store/port.ts";
import { closeEpisode, dueClosings, logClosing } from "./close-episode.ts";
import type { EpisodeReport } from "./closing-record.ts";
import { cacheOf } from "./memory-cache.ts";
import { keptBy, type Whose } from "./keeper-of.ts";
import { memoryOf, type MemorySettings } from "../settings.ts";
import type { BackgroundWorker, ExtensionContext } from "../../extension/port.ts";
import type { EmbeddingProvider } from "../embed.ts";
import { embedEntries, planVectors, vectorWrites } from "../recall/embed-entries.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { inTime } from "../../extension/forgotten.ts";

/** Maximum number of owners queued for embedding. Others are embedded after their next turn. */
const mostWaiting = 1_000;

/** Background worker for memories: closes episodes that are over and creates missing vectors. One per process. */
export class MemoryKeeper implements BackgroundWorker {
  readonly #runtime: ExtensionContext;
  readonly #pollMs: number;
  readonly #work: boolean;
  readonly #closing = new AbortController();
  readonly #touched = new Map<OwnerId, Whose>();
  /** Entries that the embedding model rejects, by owner. */
  readonly #refused = new Map<OwnerId, Set<string>>();
  #polling: Promise<void> | undefined;
  #looking: Promise<unknown> = Promise.resolve();

  constructor(runtime: ExtensionContext, options: { readonly pollMs: number; readonly work: boolean }) {
    this.#runtime = runtime;
    this.#pollMs = options.pollMs;
    this.#work = options.work;
    keptBy(runtime, this);
  }

  /** Starts the worker in a process that runs turns. */
  start(): void {
    if (!this.#work) return;
    this.#polling ??= this.#prepare()
      .catch((error: unknown) => this.#warn("a memory's words were not made ready", error))
      .then(() => this.#poll());
  }

  /** Closes the episodes that are due. With a session, closes all of its ended episodes. Failures are logged and retried later. */
  closeEpisodes(session?: SessionRow): Promise<readonly EpisodeReport[]> {
    const looked = this.#looking.then(() => this.#look(session));
    this.#looking = looked.catch(() => {});
    return looked;
  }

  async look(): Promise<void> {
    await this.closeEpisodes();
  }

  async close(): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await this.#polling;
    await this.#looking;
  }

  /** Queues an owner whose memory was written. */
  touched(owner: OwnerId, whose: Whose): void {
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

  /** Prepares the tables that turns with memory need, before the first turn. */
  async #prepare(): Promise<void> {
    const { signal } = this.#closing;
    const cache = cacheOf(this.#runtime);
    for (const agent of this.#runtime.agents.values()) {
      const settings = memoryOf(agent);
      if (settings !== undefined) await cache.prepare(settings, { signal });
    }
  }

  async #poll(): Promise<void> {
    const { clock } = this.#runtime;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.closeEpisodes();
        await this.#embed(signal);
      } catch (error) {
        this.#warn("looking after memories failed", error);
      }
      await clock.sleep(this.#pollMs, signal).catch(() => {});
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
      if (await embedMissing(this.#runtime, whose, { signal, except })) this.touched(owner, whose);
      if (except.size > 0 && this.#refused.size < mostWaiting) this.#refused.set(owner, except);
    }
  }
}

/** Batches per owner before the next owner. A long memory with a new model takes several rounds. */
const batchesAtOnce = 4;
/** Timeout of an embedding request in milliseconds. A hanging model blocks neither other owners' vectors nor shutdown. */
const mostMs = 120_000;

/**
 * Creates the missing vectors of an owner's memory. Returns whether more are missing. Failures are logged and retried on the next write to the
 * memory. Entries that the model rejects are added to `except`.
 */
async function embedMissing(
  runtime: ExtensionContext,
  whose: Whose,
  { signal, except }: { readonly signal: AbortSignal; readonly except: Set<string> },
): Promise<boolean> {
  const settings = [...runtime.agents.values()].map(memoryOf).find((one) => one?.embedding !== undefined);
  if (settings?.embedding === undefined) return false;
  try {
    for (let batch = 1; batch <= batchesAtOnce; batch++) {
      if (!(await embedBatch({ runtime, settings, embedding: settings.embedding, whose, signal, except }))) return false;
    }
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // The session or the customer was erased, so no vectors are needed.
    if (!ThroughlineError.is(error, "session.not_found", "customer.not_found"))
      runtime.logger.warn("vectors not made", { code: ThroughlineError.from(error).code });
    return false;
  }
}

interface Embedding {
  readonly runtime: ExtensionContext;
  readonly settings: MemorySettings;
  readonly embedding: EmbeddingProvider;
  readonly whose: Whose;
  readonly signal: AbortSignal;
  /** Entries that the model rejects. */
  readonly except: Set<string>;
}

/** Embeds one batch. Returns whether there may be more. */
async function embedBatch({ runtime, settings, embedding, whose, signal, except }: Embedding): Promise<boolean> {
  const cache = cacheOf(runtime);
  const first = await whose();
  const { missing, obsolete } = planVectors((await cache.whole(first.owner_id, settings, first.version)).entries(), embedding, { except });
  const batch = missing.slice(0, embedding.maxBatch);
  if (batch.length === 0 && obsolete.length === 0) return false;
  const { vectors, refused: unwanted } =
    batch.length === 0
      ? { vectors: [], refused: [] }
      : await inTime(runtime, { ms: mostMs, signal }, () => embedEntries(embedding, batch, { signal }));
  for (const id of unwanted) except.add(id);
  for (let tries = 1; ; tries++) {
    // Entries forgotten while the model ran get no vector. The commit depends on this version of the owner.
    const owner = await whose();
    const view = await cache.whole(owner.owner_id, settings, owner.version);
    const entries = [...planVectors(view.entries(), embedding).obsolete, ...vectorWrites(vectors, (id) => view.get(id))];
    if (entries.length === 0) return missing.length > batch.length;
    const result = await commitOnce(runtime, { owner: { owner_id: owner.owner_id, depends: { version: owner.version }, entries } });
    if (result.outcome === "committed") return missing.length > batch.length;
    if (!["stale_version", "owner_missing"].includes(result.reason) || tries === changes) throw refused(result, undefined);
  }
}
