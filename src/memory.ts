/** Memory of people: what is remembered, how it is found, and the models that vectors come from. @module */

// What is remembered
export type {
  Arc,
  Authority,
  Confidence,
  Entity,
  EntryKind,
  EntryWrite,
  Fact,
  Kept,
  Profile,
  Recallable,
  RememberedTurn,
  Rule,
  Sensitivity,
  Source,
  Standing,
  Vector,
  WriteTiming,
} from "./memory/entry.ts";

// Vectors
export type { EmbeddingKind, EmbeddingProvider } from "./memory/embed.ts";
export { aiSdkEmbedding } from "./embedding/ai-sdk.ts";
export type { AiSdkEmbeddingCall, AiSdkEmbeddingModel, AiSdkEmbeddingOptions } from "./embedding/ai-sdk.ts";
export { ollamaEmbedding } from "./embedding/ollama.ts";
export type { OllamaEmbeddingOptions } from "./embedding/ollama.ts";
export { openaiCompatibleEmbedding } from "./embedding/openai-compatible.ts";
export type { OpenaiCompatibleEmbeddingOptions } from "./embedding/openai-compatible.ts";
export type { EmbeddingOptions, EmbeddingServiceOptions } from "./embedding/options.ts";
export type { ModelServerOptions } from "./model/openai-compatible/options.ts";
export { transformersEmbedding } from "./embedding/transformers.ts";
export type { Pooling, TransformersEmbedding, TransformersEmbeddingOptions } from "./embedding/transformers.ts";

// In the prompt
export { proceduralRules, recalledMemory, recallToggle, sessionMemory } from "./context/remembered.ts";
export type { RememberedOptions } from "./context/remembered.ts";
