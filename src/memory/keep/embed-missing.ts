/** Vectors in the background: of what is new, of what changed, and of everything when the model is another one. */
import type { ExtensionContext } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import { embedEntries, planVectors, vectorWrites } from "../recall/embed-entries.ts";
import { memoryOf, type MemorySettings } from "../settings.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { cacheOf } from "./memory-cache.ts";
import { type Whose } from "./keeper-of.ts";
import { inTime } from "../../extension/forgotten.ts";

/** Batches for one owner before the next owner's turn: a long memory that gets another model takes several rounds. */
const batchesAtOnce = 4;
/** A model that has not answered by then does not hold up other people's vectors, nor the end of the process. */
const mostMs = 120_000;

/**
 * Makes vectors that an owner's memory lacks; whether more are missing. What fails is logged, and tried again when the owner is next touched. `except`: entries that
 * the model has refused, which is added to.
 */
export async function embedMissing(
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
    // The session, or the customer, is gone by now: then nobody misses its vectors.
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
  /** Entries that the model does not take. */
  readonly except: Set<string>;
}

/** One batch; whether there may be more. */
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
    // What was forgotten while the model was at work gets no vector: the commit holds for this version of the owner alone.
    const owner = await whose();
    const view = await cache.whole(owner.owner_id, settings, owner.version);
    const entries = [...planVectors(view.entries(), embedding).obsolete, ...vectorWrites(vectors, (id) => view.get(id))];
    if (entries.length === 0) return missing.length > batch.length;
    const result = await commitOnce(runtime, { owner: { owner_id: owner.owner_id, depends: { version: owner.version }, entries } });
    if (result.outcome === "committed") return missing.length > batch.length;
    if (!["stale_version", "owner_missing"].includes(result.reason) || tries === changes) throw refused(result, undefined);
  }
}
