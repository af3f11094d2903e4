/** Embedding port: vectors for the dense arm of recall. Without a provider, recall is lexical. */

/** Purpose of the embedding. Adapters add a prefix for models that distinguish queries from documents. */
export type EmbeddingKind = "query" | "document";

/** An embedding model: turns texts into vectors. */
export interface EmbeddingProvider {
  /**
   * Names the model, its dimensions and every other setting that changes the vectors, such as `openai:text-embedding-3-small@512`. It is stored with
   * every vector. Vectors with different ids are never compared.
   */
  readonly id: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /**
   * Maximum number of texts per request. {@link embed} splits longer calls into several requests. A caller that must keep partial results passes at
   * most this many texts.
   */
  readonly maxBatch: number;
  /**
   * Returns a normalized vector (length 1) for each text, in order. Stops immediately when the signal aborts. Throws `input.invalid` for a blank text
   * and `embedding.failed` when the model is unreachable or rejects the request. Throws `embedding.invalid` when the response has a wrong number of
   * vectors, wrong dimensions, or values that are not numbers.
   */
  embed(texts: readonly string[], options: { readonly kind: EmbeddingKind; readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
}
