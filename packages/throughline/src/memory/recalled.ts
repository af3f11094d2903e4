/** What a turn was given of the memory, and why: working memory, the profile, and what became of each item. */
import type { Recallable, Rule } from "./entry.ts";

/** How the memory was searched. `hybrid_rrf`: by words and by vectors; the others by words alone, or not at all: there is nothing, or it could not be read. */
export const retrievalPaths = [
  "hybrid_rrf",
  "token_recall",
  "token_recall_after_embed_error",
  "token_recall_after_embed_timeout",
  "skipped_empty_store",
  "skipped_after_read_error",
  "skipped_after_read_timeout",
] as const;
/** How the memory was searched. */
export type RetrievalPath = (typeof retrievalPaths)[number];

/** What became of an item: given to the model, or why not. */
export const placements = ["in prompt", "dropped: budget", "dropped: policy", "below floor"] as const;
/** What became of an item. */
export type Placement = (typeof placements)[number];

/** Something that was found for a turn. */
export interface RecalledItem {
  readonly entry_id: string;
  /** Version of the entry that was read. */
  readonly version: number;
  readonly kind: Recallable["type"];
  readonly placement: Placement;
  /** The line that a prompt has of it. */
  readonly text: string;
  readonly tokens: number;
  readonly at: number;
  readonly score: number;
  /** What the score is made of. */
  readonly parts: Readonly<Record<string, number>>;
  /** It is there because an episode begins, whatever was said. */
  readonly catch_up?: true;
}

/** An entry of working memory, as agents and state know it. */
export type WorkingMemoryEntry =
  | {
      readonly type: "semantic";
      readonly entry_id: string;
      readonly evidence_quote: string;
      readonly category?: string;
      readonly subject?: string;
      readonly predicate?: string;
      readonly object?: string;
    }
  | {
      readonly type: "episodic";
      readonly entry_id: string;
      readonly summary: string;
      readonly primary_themes: readonly string[];
      readonly is_catch_up: boolean;
      readonly approach_used?: string;
      readonly approach_context?: Readonly<Record<string, string>>;
    };

/** Where the relationship with this person stands: from the last arc and the facts in force. It is not what this turn's words have found. */
export interface SessionMemory {
  readonly summary: string;
  readonly active_concerns: readonly string[];
  readonly open_loops: readonly string[];
  readonly current_goal: string | null;
}

/** Numbers about a recall, stamped on the turn. */
export interface RecallDiagnostics {
  readonly load_memory_ms: number;
  readonly semantic_hits: number;
  readonly semantic_store_size: number;
  readonly episodic_hits: number;
  readonly episodic_store_size: number;
  readonly procedural_count: number;
  readonly proactive_recall: boolean;
  readonly retrieval_path: RetrievalPath;
  /** One line for people: what was found, of how much, and how. */
  readonly retrieval_note: string;
  readonly candidates: number;
  readonly floor: number;
  readonly top_score: number;
  readonly dropped_by_budget: number;
  readonly memory_tokens: number;
  /** `partial`: the newest entries were searched, the rest is still being read. */
  readonly index: "whole" | "partial";
  readonly index_build_ms?: number;
  readonly embed_ms?: number;
  readonly subject_share?: number;
  /** Version of the weights that ranked. */
  readonly weights: string;
}

/** What a turn was given of the memory. */
export interface Recalled {
  readonly items: readonly RecalledItem[];
  /** Those in the prompt, arcs before facts and turns. */
  readonly working_memory: readonly WorkingMemoryEntry[];
  /** The text of what is in the prompt, in the order of time, each line with its date; empty when nothing is. */
  readonly lines: readonly string[];
  readonly session_memory: SessionMemory;
  readonly rules: readonly Rule[];
  readonly recall_enabled: boolean;
  readonly diagnostics: RecallDiagnostics;
}

/** What a resumed turn needs to be given the same again: no text. */
export interface RecallRecord {
  readonly entries: readonly (Pick<RecalledItem, "entry_id" | "version" | "placement" | "score" | "parts" | "tokens"> & {
    readonly catch_up?: true;
  })[];
  readonly profile_version?: number;
  readonly diagnostics: RecallDiagnostics;
}
