/** The adapter's own description of the AI SDK's embedding models, against the real one. */
import type {
  EmbeddingModelV2,
  EmbeddingModelV3,
  EmbeddingModelV3CallOptions,
  EmbeddingModelV4,
  EmbeddingModelV4CallOptions,
} from "@ai-sdk/provider";
import { aiSdkEmbedding, type AiSdkEmbeddingCall } from "throughline/memory";

declare const v2: EmbeddingModelV2<string>;
declare const v3: EmbeddingModelV3;
declare const v4: EmbeddingModelV4;
declare const call: AiSdkEmbeddingCall;

// Models of all three versions are taken.
aiSdkEmbedding(v2, { dimensions: 8 });
aiSdkEmbedding(v3, { dimensions: 8 });
aiSdkEmbedding(v4, { dimensions: 8 });

// What the adapter sends is what each version accepts.
call satisfies EmbeddingModelV3CallOptions;
call satisfies EmbeddingModelV4CallOptions;
call satisfies Parameters<EmbeddingModelV2<string>["doEmbed"]>[0];

// @ts-expect-error a name alone is no model
aiSdkEmbedding("openai/text-embedding-3-small", { dimensions: 8 });
// @ts-expect-error how long the vectors are is for the caller to say
aiSdkEmbedding(v4, {});
