/** Extraction port: finds what to remember from an episode. Extractors read only the user's messages and must quote them. */
import type { Candidate, Fact } from "../entry.ts";

/** A message of the user. Recalled memory, tool output and turns excluded from memory are never included. */
export interface SaidTurn {
  readonly offset: number;
  readonly at: number;
  readonly text: string;
}

/** Summary of an episode. An extraction has null if the episode deserves no arc. */
export interface ArcDraft {
  readonly summary: string;
  readonly themes: readonly string[];
  readonly mood?: { readonly opened: string; readonly closed: string };
  readonly open_loops: readonly string[];
  readonly resolved: readonly string[];
  readonly goal?: string;
}

/** Input of an extractor. */
export interface ExtractionInput {
  readonly turns: readonly SaidTurn[];
  /** Replies between the turns, as context only. They must not be quoted. */
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
  /** Active facts, so that an extractor can distinguish corrections from new facts. */
  readonly known: readonly Pick<Fact, "category" | "subject" | "predicate" | "object">[];
}

/** Result of an extraction. It is usually empty, and then has a reason too. */
export interface Extraction {
  readonly candidates: readonly Candidate[];
  readonly arc: ArcDraft | null;
  readonly reason: string;
}

/** Finds what to remember, with a model or with rules. */
export interface Extractor {
  /** Shown to users and stored with the results: `rules@1`, `model:gpt-…@1`. */
  readonly name: string;
  extract(input: ExtractionInput, options: { readonly signal: AbortSignal }): Promise<Extraction>;
}
