/** What of a ranking reaches a prompt: "the fact where one exists, else the verbatim turn", up to a budget of tokens. */
import type { MemoryUnit } from "../src/memory/recall/unit.ts";
import { type Corpus, type EvidenceOf, evidenceOf } from "./corpus.ts";

/** Four characters a token: the measure of the published figures, which needs no tokenizer. */
const tokensOf = (line: string): number => Math.ceil(line.length / 4);

const lineOf = ({ kind, subject, text }: MemoryUnit): string => (kind === "fact" || subject === undefined ? text : `${subject}: ${text}`);

interface Lookup {
  readonly unitOf: ReadonlyMap<string, MemoryUnit>;
  /** The first fact that rests on a turn. */
  readonly factOf: ReadonlyMap<string, MemoryUnit>;
  readonly evidence: EvidenceOf;
}

const lookups = new WeakMap<Corpus, Lookup>();

function lookupOf(corpus: Corpus): Lookup {
  const known = lookups.get(corpus);
  if (known !== undefined) return known;
  const factOf = new Map<string, MemoryUnit>();
  for (const fact of corpus.facts) for (const turn of fact.sources ?? []) if (!factOf.has(turn)) factOf.set(turn, fact);
  const lookup = { unitOf: new Map([...corpus.turns, ...corpus.facts].map((unit) => [unit.id, unit])), factOf, evidence: evidenceOf(corpus) };
  lookups.set(corpus, lookup);
  return lookup;
}

/** The evidence that is in the prompt. What does not fit any more is passed over, and shorter lines after it still may. */
export function packedEvidence(corpus: Corpus, ranked: readonly string[], budget: number): readonly string[] {
  const { unitOf, factOf, evidence } = lookupOf(corpus);
  const withFacts = ranked.some((id) => unitOf.get(id)?.kind === "fact");
  const shown = new Set<string>();
  const covered = new Set<string>();
  let left = budget;
  for (const id of ranked) {
    const unit = (withFacts ? factOf.get(id) : undefined) ?? unitOf.get(id);
    if (unit === undefined || shown.has(unit.id) || evidence(unit.id).every((turn) => covered.has(turn))) continue;
    const tokens = tokensOf(lineOf(unit));
    if (tokens > left) continue;
    left -= tokens;
    shown.add(unit.id);
    for (const turn of evidence(unit.id)) covered.add(turn);
  }
  return [...covered];
}
