/** The extraction port: what of an episode is worth remembering. Only what the person said goes in; whoever extracts must quote it. */
import type { Candidate, Fact } from "../entry.ts";

/** A message of the person, as an extraction reads it: never recalled memory, tool output, or a turn that was left out of memory. */
export interface SaidTurn {
  readonly offset: number;
  readonly at: number;
  readonly text: string;
}

/** The episode in short, or null if it is not worth an arc. */
export interface ArcDraft {
  readonly summary: string;
  readonly themes: readonly string[];
  readonly mood?: { readonly opened: string; readonly closed: string };
  readonly open_loops: readonly string[];
  readonly resolved: readonly string[];
  readonly goal?: string;
}

/** What an extractor reads. */
export interface ExtractionInput {
  readonly turns: readonly SaidTurn[];
  /** What was answered between them, for whoever needs the context; nothing may be quoted from it. */
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
  /** Facts in force, so that a correction of one can be told from something new. */
  readonly known: readonly Pick<Fact, "category" | "subject" | "predicate" | "object">[];
}

/** What it found. Nothing is the normal outcome, and has its reason too. */
export interface Extraction {
  readonly candidates: readonly Candidate[];
  readonly arc: ArcDraft | null;
  readonly reason: string;
}

/** Finds what is worth remembering: a model, or rules. */
export interface Extractor {
  /** Shown to people, and stored with what it found: `rules@1`, `model:gpt-…@1`. */
  readonly name: string;
  extract(input: ExtractionInput, options: { readonly signal: AbortSignal }): Promise<Extraction>;
}
