import { ThroughlineError, seen } from "../kernel/error.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { modelName } from "../model/openai-compatible/options.ts";
import { createLocalModel } from "./local-model.ts";
import { embeddingSettings, type EmbeddingOptions } from "./options.ts";
import { embeddingProvider } from "./provider.ts";

/** How the vectors of a text's tokens become one; what a model was trained with stands in its description. */
export type Pooling = "mean" | "cls" | "last_token";

/** Options of {@link transformersEmbedding}. */
export interface TransformersEmbeddingOptions extends EmbeddingOptions {
  /** The model's name, such as `Xenova/all-MiniLM-L6-v2`: a folder in `localPath` with its files. */
  readonly model: string;
  /** Where models lie; the package's own folder by default. */
  readonly localPath?: string;
  /** Whether files that are not there may be fetched from the model hub; false by default, and nothing is. */
  readonly remote?: boolean;
  /** Precision of the weights, such as `"q8"` or `"fp32"`: it changes the vectors, and is in the id. The package's default if left out. */
  readonly dtype?: string;
  /** What it runs on, such as `"cpu"`; the package's default if left out. */
  readonly device?: string;
  /** `mean` by default. */
  readonly pooling?: Pooling;
  /** Keeps the first `dimensions` numbers of longer vectors, for models that were trained for it (Matryoshka); false by default. */
  readonly shorten?: boolean;
  /** The package: its name, or a file's URL where it does not lie beside this one; `@huggingface/transformers` by default. */
  readonly library?: string | URL;
}

/** A model that runs on this machine, in a thread of its own. */
export interface TransformersEmbedding extends EmbeddingProvider {
  /** Ends the thread and frees the model; what is under way fails, and so does everything later. */
  close(): Promise<void>;
}

const adapter = "transformersEmbedding";
const poolings: readonly string[] = ["mean", "cls", "last_token"] satisfies readonly Pooling[];

/**
 * An embedding model on this machine, by the optional package `@huggingface/transformers`. It is loaded with the first text, in a worker thread, so that
 * nothing else waits while it works; questions go before what is embedded in the background; a thread without work does not keep the process
 * alive, and one that ends by itself is started again with the next text. 16 texts at once and 120,000 ms by default, loading included. Throws `input.invalid` for a
 * wrong option; `embed` throws `embedding.unavailable` if the package or the model's files are missing, `embedding.failed` if the thread ends or is late,
 * and `embedding.invalid` if the vectors are not what was promised.
 * @example transformersEmbedding({ model: "Xenova/all-MiniLM-L6-v2", dimensions: 384, localPath: "/srv/models", dtype: "q8" })
 */
export function transformersEmbedding(options: TransformersEmbeddingOptions): TransformersEmbedding {
  const model = modelName(adapter, options.model);
  const { localPath, remote = false, dtype, device, pooling = "mean", shorten = false, library = "@huggingface/transformers" } = options;
  if (!poolings.includes(pooling))
    throw new ThroughlineError("input.invalid", `${adapter}: pooling is ${seen(pooling)}.`, { hint: `Give one of ${poolings.join(", ")}.` });
  // The weights' precision and the pooling are part of which model it is: vectors of two precisions differ.
  const named = `${model}(${[dtype ?? "default", pooling].join(",")})`;
  const settings = embeddingSettings({ adapter, family: "transformers", model: named, maxBatch: 16, timeoutMs: 120_000 }, options);
  const local = createLocalModel(
    { library: String(library), model, localPath, remote, dtype, device, pooling },
    { name: model, clock: settings.call.clock, timeoutMs: settings.call.timeoutMs },
  );
  const provider = embeddingProvider({
    settings: { ...settings, name: model },
    async embedBatch(texts, { kind, signal }) {
      const vectors = await local.embed(texts, { urgent: kind === "query", signal });
      return shorten ? vectors.map((vector) => vector.subarray(0, settings.dimensions)) : vectors;
    },
  });
  return Object.freeze({ ...provider, close: () => local.close() });
}
