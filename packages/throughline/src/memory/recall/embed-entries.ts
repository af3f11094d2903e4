/** Vectors for what is remembered: which entries need one, getting them, and writing those that are still wanted. In three steps, since the second takes time. */
import { createHash } from "node:crypto";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import { vectorEntryId, type EntryWrite, type Kept, type Recallable, type Vector, type Entry } from "../entry.ts";
import { unitOf } from "./unit.ts";
import { checkedVector, vectorData } from "./dense.ts";

/** An entry that needs a vector. */
export interface ToEmbed {
  readonly entry_id: string;
  readonly text: string;
  readonly digest: string;
}

/** What is to be done about an owner's vectors. */
export interface VectorPlan {
  /** Entries without a vector of this provider and their present text, the newest first: they are the ones that are asked for. */
  readonly missing: readonly ToEmbed[];
  /** Takes away vectors of entries that are gone, replaced, withdrawn or never recalled. */
  readonly obsolete: readonly EntryWrite[];
}

/** Characters of a text that are embedded: some 500 tokens, which is what models of this kind read at most, or were trained with. */
const longestText = 2_000;

/** What stands for an entry, with its digest; undefined if it is never recalled, and so never sent to a model either. */
function toEmbed(kept: Kept<Recallable>): ToEmbed | undefined {
  const unit = unitOf(kept);
  if (unit === undefined) return undefined;
  const text = [unit.text, ...(unit.quote === undefined ? [] : [unit.quote])].join(". ").slice(0, longestText).toWellFormed();
  if (text.trim() === "") return undefined;
  return { entry_id: kept.entry_id, text, digest: createHash("sha256").update(text).digest("base64url").slice(0, 22) };
}

const isRecallable = (kept: Kept<Entry>): kept is Kept<Recallable> =>
  kept.entry.type === "fact" || kept.entry.type === "turn" || kept.entry.type === "arc";

/**
 * What the vectors of an owner lack. `entries` are all that is remembered of them, `except` the ids of entries that the model has refused before. A vector of
 * another provider is one that is missing, and the new one takes its place.
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

/** What a model made of a batch. */
export interface EmbeddedEntries {
  readonly vectors: readonly Vector[];
  /** Ids of entries whose text it does not take, such as one that a filter refuses: asking again would not help. */
  readonly refused: readonly string[];
}

/** So many texts that are refused one after the other, before any is taken, are not about the texts. */
const refusalsInARow = 3;

/**
 * The vectors of a batch of at most `provider.maxBatch` entries. One text that a model refuses does not keep the others from having a vector: they
 * are asked for one by one then. Throws `embedding.failed` or `embedding.invalid` if the model cannot be had at all, or the signal's reason.
 */
export async function embedEntries(
  provider: EmbeddingProvider,
  batch: readonly ToEmbed[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<EmbeddedEntries> {
  const embed = async (items: readonly ToEmbed[]): Promise<readonly Vector[]> => {
    const texts = items.map(({ text }) => text);
    const vectors = await provider.embed(texts, { kind: "document", ...(signal === undefined ? {} : { signal }) });
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

/** Whether a service understood a request and does not take what is in it. */
function isRefusal(error: unknown): boolean {
  if (!ThroughlineError.is(error, "embedding.failed")) return false;
  const { status } = error.details;
  return status === 400 || status === 413 || status === 422;
}

/** Looked at before it is kept: a provider that somebody wrote is not taken at its word. */
function vectorOf({ entry_id, digest }: ToEmbed, vector: Float32Array | undefined, { id, dimensions }: EmbeddingProvider): Vector {
  const unit = checkedVector(vector ?? [], dimensions, `A vector of ${id}`);
  return { type: "vector", of: entry_id, provider: id, dimensions, data: vectorData(unit), digest };
}

/**
 * The vectors as writes, but for those whose entry is gone or says something else by now: what a person had forgotten while a model was at work must not come
 * back as numbers. `lookup` reads the memory as the commit finds it.
 */
export function vectorWrites(vectors: readonly Vector[], lookup: (entry_id: string) => Kept<Entry> | undefined): readonly EntryWrite[] {
  return vectors.flatMap((vector): readonly EntryWrite[] => {
    const kept = lookup(vector.of);
    const now = kept !== undefined && isRecallable(kept) ? toEmbed(kept) : undefined;
    return now?.digest === vector.digest ? [{ entry_id: vectorEntryId(vector.of), kind: "vector", data: { ...vector } }] : [];
  });
}
