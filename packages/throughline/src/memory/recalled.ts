/** Result of a turn's recall: working memory, the profile, and the placement of each item. */
import type { Recallable, Rule } from "./entry.ts";

/**
 * How the memory was searched. `hybrid_rrf` uses words and vectors, and `token_recall…` uses words only. `skipped_…` means an empty memory, or one
 * that could not be read.
 */
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

/** Placement of an item: shown to the model, or the reason why not. */
export const placements = ["in prompt", "dropped: budget", "dropped: policy", "below floor"] as const;
/** Placement of an item. */
export type Placement = (typeof placements)[number];

/** An item that a recall found. */
export interface RecalledItem {
  readonly entry_id: string;
  /** Version of the entry at the time of the recall. */
  readonly version: number;
  readonly kind: Recallable["type"];
  readonly placement: Placement;
  /** The item's line in the prompt. */
  readonly text: string;
  readonly tokens: number;
  readonly at: number;
  readonly score: number;
  /** Components of the score. */
  readonly parts: Readonly<Record<string, number>>;
  /** The item is a catch-up: it was added because an episode starts, regardless of the message. */
  readonly catch_up?: true;
}

/** An entry of working memory, as agents and state see it. */
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

/** Status of the relationship with this user, from the last arc and the active facts. It does not depend on the turn's message. */
export interface SessionMemory {
  readonly summary: string;
  readonly active_concerns: readonly string[];
  readonly open_loops: readonly string[];
  readonly current_goal: string | null;
}

/** Metrics of a recall, stored with the turn. */
export interface RecallDiagnostics {
  readonly load_memory_ms: number;
  readonly semantic_hits: number;
  readonly semantic_store_size: number;
  readonly episodic_hits: number;
  readonly episodic_store_size: number;
  readonly procedural_count: number;
  readonly proactive_recall: boolean;
  readonly retrieval_path: RetrievalPath;
  /** One readable line: how many items were found, of how many, and how. */
  readonly retrieval_note: string;
  readonly candidates: number;
  readonly floor: number;
  readonly top_score: number;
  readonly dropped_by_budget: number;
  readonly memory_tokens: number;
  /** `partial`: only the newest entries were searched, because the rest is still loading. */
  readonly index: "whole" | "partial";
  readonly index_build_ms?: number;
  readonly embed_ms?: number;
  readonly subject_share?: number;
  /** Id of the weights that ranked the items. */
  readonly weights: string;
}

/** Result of a turn's recall. */
export interface Recalled {
  readonly items: readonly RecalledItem[];
  /** Items in the prompt, arcs before facts and turns. */
  readonly working_memory: readonly WorkingMemoryEntry[];
  /** Lines in the prompt in chronological order, each with its date. Empty if the prompt has none. */
  readonly lines: readonly string[];
  readonly session_memory: SessionMemory;
  readonly rules: readonly Rule[];
  readonly recall_enabled: boolean;
  readonly diagnostics: RecallDiagnostics;
}

/** Record from which a resumed turn restores the same recall. It contains no text. */
export interface RecallRecord {
  readonly entries: readonly (Pick<RecalledItem, "entry_id" | "version" | "placement" | "score" | "parts" | "tokens"> & {
    readonly catch_up?: true;
  })[];
  readonly profile_version?: number;
  readonly diagnostics: RecallDiagnostics;
}
