/** Embeds memory entries and queries. An embedding model never blocks a turn and never makes it fail. */
import { present } from "../../kernel/json.ts";
import { createHash } from "node:crypto";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { abortable, createDeadline } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import { type Entry, type EntryWrite, type Kept, type Recallable, type Vector, vectorEntryId, isRecallable } from "../entry.ts";
import type { RetrievalPath } from "../recalled.ts";
import { checkedVector, vectorData } from "./dense.ts";
import { unitOf } from "./unit.ts";

/** An entry that needs a vector. */
interface ToEmbed {
  readonly entry_id: string;
  readonly text: string;
  readonly digest: string;
}

/** Changes to an owner's vectors. */
export interface VectorPlan {
  /** Entries without a vector of this provider for their current text, newest first, since recent entries are recalled most. */
  readonly missing: readonly ToEmbed[];
  /** Writes that remove vectors of entries that are removed, replaced, withdrawn or excluded from recall. */
  readonly obsolete: readonly EntryWrite[];
}

/** Maximum number of embedded characters, about 500 tokens. Models of this kind read or were trained with at most that many. */
const longestText = 2_000;

/** Returns an entry's text and digest. Returns undefined for an entry that is excluded from recall, which is never sent to a model. */
function toEmbed(kept: Kept<Recallable>): ToEmbed | undefined {
  const unit = unitOf(kept);
  if (unit === undefined) return undefined;
  const text = [unit.text, ...(unit.quote === undefined ? [] : [unit.quote])].join(". ").slice(0, longestText).toWellFormed();
  if (text.trim() === "") return undefined;
  return { entry_id: kept.entry_id, text, digest: createHash("sha256").update(text).digest("base64url").slice(0, 22) };
}

/**
 * Returns the missing and obsolete vectors of an owner. `entries` are all of the owner's entries, and `except` lists entries that the model rejected
 * before. A vector of another provider counts as missing and is replaced.
 */
export function planVectors(
  entries: Iterable<Kept<Entry>>,
  provider: Pick<EmbeddingProvider, "id" | "dimensions">,
  { except = new Set<string>() }: { readonly except?: ReadonlySet<string> } = {},
): VectorPlan {
  const wanted = new Map<string, ToEmbed & { readonly version: number }>();
  const vectors: Kept<Vector>[] = [];
  for (const kept of entries) {
    if (kept.entry.type === "vector") vectors.push(kept as Kept<Vector>);
    if (!isRecallable(kept)) continue;
    const item = toEmbed(kept);
    if (item !== undefined) wanted.set(item.entry_id, { ...item, version: kept.version });
  }
  const present = new Set(
    vectors
      .filter(
        ({ entry }) => entry.provider === provider.id && entry.dimensions === provider.dimensions && wanted.get(entry.of)?.digest === entry.digest,
      )
      .map(({ entry }) => entry.of),
  );
  return {
    missing: [...wanted.values()]
      .filter(({ entry_id }) => !present.has(entry_id) && !except.has(entry_id))
      .toSorted((one, other) => other.version - one.version || (one.entry_id < other.entry_id ? -1 : 1))
      .map(({ entry_id, text, digest }) => ({ entry_id, text, digest })),
    obsolete: vectors.filter(({ entry }) => !wanted.has(entry.of)).map(({ entry_id }) => ({ entry_id, kind: "vector", data: null })),
  };
}

/** Vectors of a batch. */
interface EmbeddedEntries {
  readonly vectors: readonly Vector[];
  /** Ids of entries whose text the model rejects, such as by a filter. A retry would not help. */
  readonly refused: readonly string[];
}

/** Number of rejections in a row, before any success, that count as a failure of the service. */
const refusalsInARow = 3;

/**
 * Embeds a batch of at most `provider.maxBatch` entries. If the model rejects the batch, its texts are sent one by one, so that one text does not
 * block the others. Throws `embedding.failed` or `embedding.invalid` if the model is unavailable, or the signal's reason.
 */
export async function embedEntries(
  provider: EmbeddingProvider,
  batch: readonly ToEmbed[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<EmbeddedEntries> {
  const embed = async (items: readonly ToEmbed[]): Promise<readonly Vector[]> => {
    const texts = items.map(({ text }) => text);
    const vectors = await provider.embed(texts, { kind: "document", ...present({ signal }) });
    if (vectors.length !== items.length)
      throw new ThroughlineError("embedding.invalid", `${provider.id} answered ${items.length} texts with ${vectors.length} vectors.`);
    return items.map((item, at) => vectorOf(item, vectors[at], provider));
  };
  try {
    return { vectors: await embed(batch), refused: [] };
  } catch (error) {
    if (batch.length === 0 || !isRefusal(error)) throw error;
    if (batch.length === 1) return { vectors: [], refused: batch.map(({ entry_id }) => entry_id) };
  }
  const vectors: Vector[] = [];
  const refused: string[] = [];
  for (const item of batch) {
    try {
      vectors.push(...(await embed([item])));
    } catch (error) {
      refused.push(item.entry_id);
      if (!isRefusal(error) || (vectors.length === 0 && refused.length === refusalsInARow)) throw error;
    }
  }
  return { vectors, refused };
}

/** Tells whether a service understood the request but rejects its content. */
function isRefusal(error: unknown): boolean {
  if (!ThroughlineError.is(error, "embedding.failed")) return false;
  const { status } = error.details;
  return status === 400 || status === 413 || status === 422;
}

/** Validates a vector before it is stored, since providers may be user code. */
function vectorOf({ entry_id, digest }: ToEmbed, vector: Float32Array | undefined, { id, dimensions }: EmbeddingProvider): Vector {
  const unit = checkedVector(vector ?? [], dimensions, `A vector of ${id}`);
  return { type: "vector", of: entry_id, provider: id, dimensions, data: vectorData(unit), digest };
}

/**
 * Returns the writes of vectors whose entries still have the same text. Text that the user forgot while the model ran must not be stored as a vector.
 * `lookup` reads the memory at the commit's version.
 */
export function vectorWrites(vectors: readonly Vector[], lookup: (entry_id: string) => Kept<Entry> | undefined): readonly EntryWrite[] {
  return vectors.flatMap((vector): readonly EntryWrite[] => {
    const kept = lookup(vector.of);
    const now = kept !== undefined && isRecallable(kept) ? toEmbed(kept) : undefined;
    return now?.digest === vector.digest ? [{ entry_id: vectorEntryId(vector.of), kind: "vector", data: { ...vector } }] : [];
  });
}

/** Cache of query vectors, so that a retried turn needs no new request. It belongs to one owner, like the owner's index. */
export interface QueryVectors {
  /** Returns undefined if the vector is not cached. */
  get(provider: string, text: string): Float32Array | undefined;
  set(provider: string, text: string, vector: Float32Array): void;
  /** Removes all vectors. */
  clear(): void;
  readonly size: number;
}

/** Creates an empty LRU cache of at most `limit` vectors, default 32. */
export function createQueryVectors({ limit = 32 }: { readonly limit?: number } = {}): QueryVectors {
  const known = new Map<string, Float32Array>();
  const keyOf = (provider: string, text: string): string => JSON.stringify([provider, text]);
  const keep = (key: string, vector: Float32Array): void => {
    known.delete(key);
    known.set(key, vector);
    for (const oldest of known.keys()) if (known.size > limit) known.delete(oldest);
  };
  return Object.freeze({
    get(provider: string, text: string) {
      const key = keyOf(provider, text);
      const vector = known.get(key);
      if (vector !== undefined) keep(key, vector);
      return vector;
    },
    set: (provider: string, text: string, vector: Float32Array) => keep(keyOf(provider, text), vector),
    clear: () => known.clear(),
    get size() {
      return known.size;
    },
  });
}

/** Options of {@link embedBefore}. */
interface EmbedBeforeOptions {
  /** Deadline in milliseconds. Default 300. */
  readonly deadlineMs?: number;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock;
  /** Signal that ends the turn. Its reason is thrown. */
  readonly signal?: AbortSignal;
  /** The owner's cache. Default: none. */
  readonly known?: QueryVectors;
}

/** The vector, or the path of recall without it. */
type EmbeddedQuery =
  | { readonly vector: Float32Array; readonly embed_ms: number }
  | {
      readonly vector?: undefined;
      /** `token_recall` if the text is blank. */
      readonly path: Extract<RetrievalPath, "token_recall" | "token_recall_after_embed_error" | "token_recall_after_embed_timeout">;
      readonly embed_ms: number;
      /** For the log. It contains neither the text nor a key. */
      readonly error?: ThroughlineError;
    };

/** Embeds a query within the deadline. Rejects only with the signal's reason. A failed, late or invalid response is returned as a path with its error. */
export async function embedBefore(provider: EmbeddingProvider, text: string, options: EmbedBeforeOptions = {}): Promise<EmbeddedQuery> {
  const { deadlineMs = 300, clock = systemClock, signal, known } = options;
  signal?.throwIfAborted();
  if (text.trim() === "") return { path: "token_recall", embed_ms: 0 };
  const before = known?.get(provider.id, text);
  if (before !== undefined) return { vector: before, embed_ms: 0 };
  const began = clock.monotonic();
  const late = createDeadline(clock);
  late.within(deadlineMs, () => new ThroughlineError("embedding.failed", `No vector came within ${deadlineMs} ms.`));
  const stop = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  try {
    // An async function turns a synchronous exception of the provider into a rejection.
    const asked = (async () => provider.embed([text], { kind: "query", signal: stop }))();
    const vectors = await abortable(asked, stop);
    const vector = queryVector(vectors, provider);
    known?.set(provider.id, text, vector);
    return { vector, embed_ms: clock.monotonic() - began };
  } catch (error) {
    signal?.throwIfAborted();
    const path = late.signal.aborted ? "token_recall_after_embed_timeout" : "token_recall_after_embed_error";
    return { path, embed_ms: clock.monotonic() - began, error: ThroughlineError.from(error, "embedding.failed") };
  } finally {
    late.end();
  }
}

/** Validates a provider's response, since providers may be user code. */
function queryVector(answer: unknown, { id, dimensions }: EmbeddingProvider): Float32Array {
  const vectors: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const [vector] = vectors;
  if (!(vector instanceof Float32Array) || vectors.length !== 1)
    throw new ThroughlineError("embedding.invalid", `${id} did not answer one text with one vector.`);
  return checkedVector(vector, dimensions, `The vector of ${id}`);
}
