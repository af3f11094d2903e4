/** The embedding port: vectors for the dense arm of recall. Optional: without one recall is lexical. */

/** What a text is embedded for: models that tell queries from documents get a prefix of their own, which is the adapter's business. */
export type EmbeddingKind = "query" | "document";

/** A model that turns texts into vectors. */
export interface EmbeddingProvider {
  /**
   * Names the model, its dimensions and whatever else changes the vectors, such as `openai:text-embedding-3-small@512`. It is stored with every vector;
   * vectors of different ids are never compared.
   */
  readonly id: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Texts that one request takes. More in one call of {@link embed} are sent in several requests; whoever wants to keep what came so far asks for no more. */
  readonly maxBatch: number;
  /**
   * A vector for each text, in order, of length 1 (normalised). Throws `input.invalid` for a text that is blank, `embedding.failed` when the model cannot be reached or refuses, and
   * `embedding.invalid` when its answer has another number of vectors, other dimensions, or numbers that are none; stops at once when the signal aborts.
   */
  embed(texts: readonly string[], options: { readonly kind: EmbeddingKind; readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
}
