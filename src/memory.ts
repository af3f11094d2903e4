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
