/** Embeds the query within a deadline. An embedding model never blocks a turn and never makes it fail. */
import { abortable } from "../../kernel/deadline.ts";
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import type { RetrievalPath } from "../recalled.ts";
import { checkedVector } from "./dense.ts";

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
export interface EmbedBeforeOptions {
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
export type EmbeddedQuery =
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
  const late = new AbortController();
  const settled = new AbortController();
  const stop = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  clock.sleep(deadlineMs, settled.signal).then(
    () => late.abort(new ThroughlineError("embedding.failed", `No vector came within ${deadlineMs} ms.`)),
    () => {},
  );
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
    settled.abort();
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
