import type { Recalled, RetrievalPath } from "../recalled.ts";

/** What a turn is given that recalls nothing: one of an incognito session, or one that was asked to leave memory alone. */
export const nothingRecalled: Recalled = Object.freeze({
  items: Object.freeze([]),
  working_memory: Object.freeze([]),
  lines: Object.freeze([]),
  session_memory: Object.freeze({ summary: "", active_concerns: Object.freeze([]), open_loops: Object.freeze([]), current_goal: null }),
  rules: Object.freeze([]),
  recall_enabled: false,
  diagnostics: Object.freeze({
    ...{ load_memory_ms: 0, semantic_hits: 0, semantic_store_size: 0, episodic_hits: 0, episodic_store_size: 0, procedural_count: 0 },
    ...{ proactive_recall: false, retrieval_path: "skipped_empty_store", retrieval_note: "Nothing is recalled in this turn.", candidates: 0 },
    ...{ floor: 0, top_score: 0, dropped_by_budget: 0, memory_tokens: 0, index: "whole", weights: "none" },
  } as const),
});

/** Why nothing was read. */
export type NotReadPath = Extract<RetrievalPath, `skipped_after_${string}`>;

/** What a turn is given whose memory could not be read. */
export const notRead = (retrieval_path: NotReadPath): Recalled => ({
  ...nothingRecalled,
  diagnostics: { ...nothingRecalled.diagnostics, retrieval_path, retrieval_note: "The memory could not be read: nothing is recalled in this turn." },
});
