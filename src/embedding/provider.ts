import { ThroughlineError, seen } from "../kernel/error.ts";
import type { EmbeddingKind, EmbeddingProvider } from "../memory/embed.ts";
import { checkedVector } from "../memory/recall/vector.ts";
import type { EmbeddingSettings } from "./options.ts";

/** Numbers of one vector, as a service returned them, unchecked. */
export type Numbers = ArrayLike<unknown>;

/** One request: the vectors of a few texts, in order. Throws `embedding.failed` or `embedding.invalid`, or the signal's reason as soon as it aborts. */
export type EmbedBatch = (
  texts: readonly string[],
  options: { readonly kind: EmbeddingKind; readonly signal: AbortSignal },
) => Promise<readonly Numbers[]>;

/** What adapters differ in. */
export interface Embedding {
  readonly settings: EmbeddingSettings;
  readonly embedBatch: EmbedBatch;
  /** What the service itself takes at most, where only it knows. */
  readonly mostAtOnce?: () => PromiseLike<number | undefined> | number | undefined;
}

/** What all adapters do alike: prefixes, requests of no more than `maxBatch` texts, and vectors that are looked at and brought to length 1. */
export function embeddingProvider({ settings, embedBatch, mostAtOnce }: Embedding): EmbeddingProvider {
  const { id, dimensions, maxBatch, prefixes, name } = settings;
  return Object.freeze({
    id,
    dimensions,
    maxBatch,
    async embed(texts, { kind, signal = new AbortController().signal }) {
      signal.throwIfAborted();
      const sent = texts.map((text, at) => prefixes[kind] + checkedText(text, at));
      const size = Math.max(1, Math.min(maxBatch, (await mostAtOnce?.()) ?? maxBatch));
      const vectors: Float32Array[] = [];
      for (let from = 0; from < sent.length; from += size) {
        const batch = sent.slice(from, from + size);
        const answer = await embedBatch(batch, { kind, signal });
        if (answer.length !== batch.length)
          throw new ThroughlineError("embedding.invalid", `${name} answered ${batch.length} texts with ${answer.length} vectors.`, {
            details: { texts: batch.length, vectors: answer.length },
          });
        vectors.push(...answer.map((numbers, at) => checkedVector(numbers, dimensions, `Vector ${from + at} of ${name}`)));
      }
      signal.throwIfAborted();
      return vectors;
    },
  } satisfies EmbeddingProvider);
}

/** Half a surrogate pair, which many servers refuse as no text, is replaced. What is blank has no meaning to embed, and is refused by most. */
function checkedText(text: unknown, at: number): string {
  if (typeof text === "string" && text.trim() !== "") return text.toWellFormed();
  throw new ThroughlineError(
    "input.invalid",
    `embed takes texts that say something; text ${at} is ${typeof text === "string" ? "blank" : seen(text)}.`,
  );
}
