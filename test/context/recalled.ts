import type { Recalled, RecalledItem } from "../../packages/throughline/src/memory/recalled.ts";

/** A recalled piece, in the prompt unless it says otherwise. */
export const piece = (entry_id: string, text: string, more: Partial<RecalledItem> = {}): RecalledItem => ({
  ...{ entry_id, version: 1, kind: "turn", placement: "in prompt", text, tokens: Math.ceil(text.length / 4), at: 0, score: 1, parts: { words: 1 } },
  ...more,
});

/** What a turn was given, of these pieces. */
export const recalledOf = (items: readonly RecalledItem[], more: Partial<Recalled> = {}): Recalled => ({
  items,
  working_memory: [],
  lines: items.filter(({ placement }) => placement === "in prompt").map(({ text }) => text),
  session_memory: { summary: "", active_concerns: [], open_loops: [], current_goal: null },
  rules: [],
  recall_enabled: false,
  diagnostics: {
    ...{
      load_memory_ms: 0,
      semantic_hits: items.length,
      semantic_store_size: items.length,
      episodic_hits: 0,
      episodic_store_size: 0,
      procedural_count: 0,
    },
    ...{
      proactive_recall: false,
      retrieval_path: "token_recall",
      retrieval_note: "",
      candidates: items.length,
      floor: 0.25,
      top_score: 1,
      dropped_by_budget: 0,
    },
    ...{ memory_tokens: 0, index: "whole", weights: "test" },
  },
  ...more,
});
