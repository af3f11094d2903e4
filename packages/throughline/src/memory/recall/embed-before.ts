/** The vector of what was said, in time or not at all: a turn is never held up by an embedding model, and never fails with one. */
import { abortable } from "../../kernel/deadline.ts";
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../embed.ts";
import type { RetrievalPath } from "../recalled.ts";
import { checkedVector } from "./dense.ts";

/** Vectors of what was asked before, so that a turn that is done again asks nobody. It belongs to one owner, like their index. */
export interface QueryVectors {
  /** Undefined if it is not known. */
  get(provider: string, text: string): Float32Array | undefined;
  set(provider: string, text: string, vector: Float32Array): void;
  /** Forgets all. */
  clear(): void;
  readonly size: number;
}

/** An empty cache of at most `limit` vectors, 32 by default; the one that was not used for the longest time makes room. */
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

/** How long {@link embedBefore} waits, and by which clock. */
export interface EmbedBeforeOptions {
  /** Milliseconds; 300 by default. */
  readonly deadlineMs?: number;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Ends the turn: its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Of this owner; none by default. */
  readonly known?: QueryVectors;
}

/** The vector, or which way recall goes on without it. */
export type EmbeddedQuery =
  | { readonly vector: Float32Array; readonly embed_ms: number }
  | {
      readonly vector?: undefined;
      /** `token_recall` where there is nothing to embed. */
      readonly path: Extract<RetrievalPath, "token_recall" | "token_recall_after_embed_error" | "token_recall_after_embed_timeout">;
      readonly embed_ms: number;
      /** For the log: it has neither the text nor a key in it. */
      readonly error?: ThroughlineError;
    };

/** The vector of a question by the deadline. Rejects only with the signal's reason; a model that fails, is late or gives something else is said in the answer. */
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
    // In a function of its own, so that a provider that throws at once is one that rejects.
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

/** What a provider answered to one text, held to its own word: a provider that somebody wrote is not taken at it. */
function queryVector(answer: unknown, { id, dimensions }: EmbeddingProvider): Float32Array {
  const vectors: readonly unknown[] = Array.isArray(answer) ? answer : [];
  const [vector] = vectors;
  if (!(vector instanceof Float32Array) || vectors.length !== 1)
    throw new ThroughlineError("embedding.invalid", `${id} did not answer one text with one vector.`);
  return checkedVector(vector, dimensions, `The vector of ${id}`);
}
