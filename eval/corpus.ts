/** What an evaluation is made on: conversations with questions, whose answers lie in known messages. */
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";

/** A question, or whatever else is said, with the messages that hold what it needs. */
export interface Question {
  readonly id: string;
  readonly text: string;
  /** What kind of question it is: `1` to `5` of LoCoMo, a class of the fixtures. */
  readonly category: string;
  /** The time at which it is asked. */
  readonly now: number;
  /** Ids of the turns that hold the evidence; never empty. */
  readonly gold: readonly string[];
}

/** One person's memory, and what is asked of it. */
export interface Corpus {
  readonly name: string;
  /** What was said, word for word. */
  readonly turns: readonly MemoryUnit[];
  /** What was taken from it; each names the turns that it rests on. May be empty. */
  readonly facts: readonly MemoryUnit[];
  readonly questions: readonly Question[];
  /** Questions that have no usable evidence, and are left out. */
  readonly skipped: number;
}

/** The turns that a unit is evidence of. */
export type EvidenceOf = (unitId: string) => readonly string[];

/** A turn stands for itself, a fact for the turns that it rests on; anything else for nothing. */
export function evidenceOf({ turns, facts }: Pick<Corpus, "turns" | "facts">): EvidenceOf {
  const evidence = new Map<string, readonly string[]>(turns.map(({ id }) => [id, [id]]));
  for (const { id, sources = [] } of facts) evidence.set(id, sources);
  return (id) => evidence.get(id) ?? [];
}
