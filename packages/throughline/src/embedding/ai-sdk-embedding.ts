import { abortable } from "../kernel/deadline.ts";
import { seen, ThroughlineError } from "../kernel/error.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { EmbeddingProvider } from "../memory/embed.ts";
import { failureOf } from "../model/ai-sdk/ai-sdk-answer.ts";
import type { CallSettings } from "../model/call/call-options.ts";
import { embeddingProvider, type EmbeddingServiceOptions, embeddingSettings, type Numbers, repeated, type TryOutcome } from "./embedding-provider.ts";

/** The used part of the AI SDK's embedding models, versions 2, 3 and 4 of the specification. A type test compares it with the real ones. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: AiSdkEmbeddingCall): PromiseLike<{ readonly embeddings: readonly (readonly number[])[] }>;
}

/** Arguments of such a model. */
export interface AiSdkEmbeddingCall {
  values: string[];
  dimensions?: number;
  abortSignal?: AbortSignal;
  providerOptions?: Record<string, JsonObject>;
  headers?: Record<string, string>;
}

/** Options of {@link aiSdkEmbedding}. */
export interface AiSdkEmbeddingOptions extends EmbeddingServiceOptions {
  /** Sent with every call, by provider name. Without support for `shorten` (before version 4), set the dimensions here. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
}

const adapter = "aiSdkEmbedding";

/**
 * Creates an embedding model from one of the AI SDK: any provider's, of version 2, 3 or 4 of the specification (AI SDK 5, 6 and 7). Calls hold at
 * most 128 texts, or the model's maximum if that is lower. The timeout is 30,000 ms by default. Throws `input.invalid` for any other value. `embed`
 * throws `embedding.failed` or `embedding.invalid`, which contain only the name of the provider's error.
 * @example aiSdkEmbedding(openai.embeddingModel("text-embedding-3-small"), { dimensions: 1536 })
 */
export function aiSdkEmbedding(model: AiSdkEmbeddingModel, options: AiSdkEmbeddingOptions): EmbeddingProvider {
  checkModel(model);
  const { shorten = false, providerOptions, headers } = options;
  const { modelId, provider } = model;
  const settings = embeddingSettings({ adapter, family: provider, model: modelId, maxBatch: 128, timeoutMs: 30_000 }, options);
  const name = `${modelId} at ${provider}`;
  const fixed = {
    ...(shorten ? { dimensions: settings.dimensions } : {}),
    ...(providerOptions === undefined ? {} : { providerOptions: { ...providerOptions } }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
  return embeddingProvider({
    settings: { ...settings, name },
    mostAtOnce: () => model.maxEmbeddingsPerCall,
    async embedBatch(texts, { signal }) {
      const send = (each: AbortSignal) => sendOnce({ model, name, settings: settings.call }, { ...fixed, values: [...texts] }, each);
      const answer = await repeated({ name, settings: settings.call, send }, signal);
      if (Array.isArray(answer) && answer.every((vector): vector is unknown[] => Array.isArray(vector))) return answer;
      throw new ThroughlineError("embedding.invalid", `${name} gave no list of vectors.`);
    },
  });
}

interface Caller {
  readonly model: AiSdkEmbeddingModel;
  readonly name: string;
  readonly settings: CallSettings;
}

async function sendOnce({ model, name, settings }: Caller, call: AiSdkEmbeddingCall, signal: AbortSignal): Promise<TryOutcome<readonly Numbers[]>> {
  try {
    // An async function, so that a provider that throws synchronously also rejects.
    const asked = (async () => model.doEmbed({ ...call, abortSignal: signal }))();
    const { embeddings } = await abortable(asked, signal);
    return { type: "answer", answer: embeddings };
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error, { name, clock: settings.clock });
  }
}

function checkModel(model: AiSdkEmbeddingModel): void {
  const given: unknown = model;
  const hint = 'Give what a provider\'s function returns, such as openai.embeddingModel("text-embedding-3-small"), of AI SDK 5 or later.';
  if (typeof given !== "object" || given === null || !("doEmbed" in given) || typeof given.doEmbed !== "function")
    throw new ThroughlineError(
      "input.invalid",
      `${adapter}: this is no embedding model of the AI SDK: ${typeof given === "string" ? seen(given) : typeof given}.`,
      {
        hint,
      },
    );
  if (!["v2", "v3", "v4"].includes(model.specificationVersion))
    throw new ThroughlineError(
      "input.invalid",
      `${adapter}: the model has version ${seen(model.specificationVersion)} of the specification, not v2, v3 or v4.`,
      {
        hint,
      },
    );
}
