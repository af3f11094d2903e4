/** What came of each question: the numbers that all figures are made of. */
import { type Corpus, type EvidenceOf, evidenceOf, type Question } from "./corpus.ts";
import type { Engine, Opened } from "./engine.ts";
import { distinct, recallAt, reciprocalRank } from "./metrics.ts";
import { packedEvidence } from "./packing.ts";

/** How many results recall is measured in. */
export const depths = [5, 10, 20] as const;
/** Tokens that a prompt has for memory. */
export const budgets = [150, 300, 600, 1200, 2400] as const;

/** Recall by depth and the reciprocal rank of one ranking. */
export interface Found {
  readonly recall: Readonly<Record<number, number>>;
  readonly reciprocalRank: number;
}

/** What came of a question. */
export interface Outcome {
  readonly id: string;
  readonly category: string;
  /** Over the verbatim turns. */
  readonly turns: Found;
  /** Over turns and facts, where a fact stands for the turns that it rests on. */
  readonly evidence: Found;
  readonly sessions: Found;
  /** Share of the evidence within a budget of tokens: the fact where one exists, else the turn. */
  readonly packed: Readonly<Record<number, number>>;
  /** The same with turns alone. */
  readonly verbatim: Readonly<Record<number, number>>;
}

/** How a corpus was searched. */
export interface Searched {
  readonly outcomes: readonly Outcome[];
  /** Milliseconds of each recall, over turns and facts. */
  readonly recallMs: readonly number[];
  readonly buildMs: number;
  readonly units: number;
  readonly sessions: number;
}

/** Enough for the largest budget and the deepest recall. */
const searchLimit = 200;

const found = (ranked: readonly string[], gold: readonly string[]): Found => ({
  recall: Object.fromEntries(depths.map((k) => [k, recallAt(ranked, gold, k)])),
  reciprocalRank: reciprocalRank(ranked, gold),
});

/** The evidence of the units that were found, best first. */
export const rankedEvidence = (ids: readonly string[], evidence: EvidenceOf): readonly string[] => distinct(ids.flatMap((id) => [...evidence(id)]));

interface Memory {
  readonly corpus: Corpus;
  readonly evidence: EvidenceOf;
  readonly groupOf: ReadonlyMap<string, string>;
  readonly turns: Opened;
  readonly both: Opened;
}

function outcomeOf({ corpus, evidence, groupOf, turns, both }: Memory, { id, category, text, now, gold }: Question): Outcome {
  const query = { text, now, limit: searchLimit };
  const verbatim = turns.search(query);
  const everything = both.search(query);
  const sessionsOfGold = distinct(gold.flatMap((turn) => groupOf.get(turn) ?? []));
  const covered = (ids: readonly string[]): Readonly<Record<number, number>> =>
    Object.fromEntries(budgets.map((budget) => [budget, recallAt(packedEvidence(corpus, ids, budget), gold, Number.POSITIVE_INFINITY)]));
  return {
    id,
    category,
    turns: found(verbatim, gold),
    evidence: found(rankedEvidence(everything, evidence), gold),
    sessions: found(both.searchGroups?.({ ...query, limit: 20 }) ?? [], sessionsOfGold),
    packed: covered(everything),
    verbatim: covered(verbatim),
  };
}

/** Asks an engine all questions of a corpus. */
export function search(engine: Engine, corpus: Corpus): Searched {
  const units = [...corpus.turns, ...corpus.facts];
  const began = performance.now();
  const both = engine.open(units);
  const buildMs = performance.now() - began;
  const turns = corpus.facts.length === 0 ? both : engine.open(corpus.turns);
  const memory: Memory = { corpus, evidence: evidenceOf(corpus), groupOf: new Map(corpus.turns.map(({ id, group }) => [id, group])), turns, both };
  const outcomes = corpus.questions.map((question) => outcomeOf(memory, question));
  // By now everything is warm, as in a service that has run for a minute.
  const recallMs = corpus.questions.map(({ text, now }) => {
    const asked = performance.now();
    both.search({ text, now, limit: 50 });
    return performance.now() - asked;
  });
  return { outcomes, recallMs, buildMs, units: units.length, sessions: new Set(corpus.turns.map(({ group }) => group)).size };
}
