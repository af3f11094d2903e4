/** Embedding models for tests. None of them ranks anything well: they are there to be joined, waited for and failed. */
import { systemClock, type Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { EmbeddingProvider } from "../../memory/embed.ts";
import { checkedVector } from "../../memory/recall/vector.ts";

/** Options of the doubles. */
export interface EmbeddingDoubleOptions {
  /** 512 by default. */
  readonly dimensions?: number;
  /** 32 by default. */
  readonly maxBatch?: number;
  /** Names the double and its dimensions by default. */
  readonly id?: string;
}

/** FNV-1a, 32 bits: small, and the same everywhere. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The words of a text, and all pieces of 3 to 5 letters of them. */
function featuresOf(text: string): readonly string[] {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [text];
  return words.flatMap((word) => {
    const letters = Array.from(`^${word}$`);
    const pieces = [3, 4, 5].flatMap((size) => letters.slice(size - 1).map((_, at) => letters.slice(at, at + size).join("")));
    return [`word ${word}`, ...pieces];
  });
}

function hashVector(text: string, dimensions: number): Float32Array {
  const sums = new Float32Array(dimensions);
  for (const feature of featuresOf(text)) {
    const hash = hashOf(feature);
    // Another bit than those that choose the place gives the sign, so that what meets in one place does not only add up.
    const place = (hash >>> 1) % dimensions;
    sums[place] = (sums[place] ?? 0) + (hash & 1 ? 1 : -1);
  }
  // Features that cancel each other out would leave nothing: a text always has a vector.
  if (sums.every((value) => value === 0)) sums[hashOf(text) % dimensions] = 1;
  return checkedVector(sums, dimensions, "The hash");
}

/**
 * Vectors made of hashed words and letters: the same for the same text in every run, near each other for texts that share words. It knows nothing of
 * what they mean, and makes ranking by words worse; it is for tests of what is built around a model.
 */
export function hashEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  const { dimensions = 512, maxBatch = 32, id = `test-hash@${dimensions}` } = options;
  return Object.freeze({
    id,
    dimensions,
    maxBatch,
    embed: async (texts, { signal }) => {
      signal?.throwIfAborted();
      return texts.map((text) => hashVector(text, dimensions));
    },
  } satisfies EmbeddingProvider);
}

/** A model that always fails, with `error` or `embedding.failed`. */
export function failingEmbedding(options: EmbeddingDoubleOptions & { readonly error?: unknown } = {}): EmbeddingProvider {
  const { error = new ThroughlineError("embedding.failed"), ...rest } = options;
  return double("failing", rest, () => Promise.reject(error));
}

/** A model that takes its time, `ms` milliseconds for each call, and stops at once when the signal aborts. */
export function slowEmbedding(options: EmbeddingDoubleOptions & { readonly ms: number; readonly clock?: Clock }): EmbeddingProvider {
  const { ms, clock = systemClock, ...rest } = options;
  return double("slow", rest, async (right, signal) => {
    await clock.sleep(ms, signal);
    return right();
  });
}

/** A model whose vectors have one number too many. */
export function wrongDimensionEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  return double("wrong-dimension", options, async (right) => (await right()).map((vector) => Float32Array.of(...vector, 1)));
}

/** A model whose vectors hold something that is no number. */
export function nanEmbedding(options: EmbeddingDoubleOptions = {}): EmbeddingProvider {
  return double("nan", options, async (right) => (await right()).map((vector) => vector.with(0, Number.NaN)));
}

type Vectors = Promise<readonly Float32Array[]>;

/** A double over the one that works. */
function double(
  name: string,
  { dimensions = 512, maxBatch = 32, id = `test-${name}@${dimensions}` }: EmbeddingDoubleOptions,
  embed: (right: () => Vectors, signal: AbortSignal | undefined) => Vectors,
): EmbeddingProvider {
  const sound = hashEmbedding({ dimensions, maxBatch, id });
  return Object.freeze({ ...sound, embed: (texts, options) => embed(() => sound.embed(texts, options), options.signal) } satisfies EmbeddingProvider);
}
