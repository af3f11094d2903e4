/** What of a ranking reaches a prompt: "the fact where one exists, else the verbatim turn", up to a budget of tokens. */
import { pack } from "../packages/throughline/src/memory/recall/recall.ts";
import type { MemoryUnit } from "../packages/throughline/src/memory/recall/unit.ts";
import { type Corpus, type EvidenceOf, evidenceOf } from "./corpus.ts";
import { distinct } from "./metrics.ts";

/** Four characters a token: the measure of the published figures, which needs no tokenizer. */
const tokensOf = (line: string): number => Math.ceil(line.length / 4);

const lineOf = ({ kind, subject, text }: MemoryUnit): string => (kind === "fact" || subject === undefined ? text : `${subject}: ${text}`);

interface Lookup {
  readonly unitOf: ReadonlyMap<string, MemoryUnit>;
  /** The fact that is told in place of a turn: the newest. */
  readonly factOf: ReadonlyMap<string, MemoryUnit>;
  readonly evidence: EvidenceOf;
}

const lookups = new WeakMap<Corpus, Lookup>();

function lookupOf(corpus: Corpus): Lookup {
  const known = lookups.get(corpus);
  if (known !== undefined) return known;
  const factOf = new Map<string, MemoryUnit>();
  for (const fact of corpus.facts) for (const turn of fact.sources ?? []) factOf.set(turn, fact);
  const lookup = { unitOf: new Map([...corpus.turns, ...corpus.facts].map((unit) => [unit.id, unit])), factOf, evidence: evidenceOf(corpus) };
  lookups.set(corpus, lookup);
  return lookup;
}

/** The evidence that is in the prompt: packed as recall packs it, each fact and each turn once. */
export function packedEvidence(corpus: Corpus, ranked: readonly string[], budget: number): readonly string[] {
  const { unitOf, factOf, evidence } = lookupOf(corpus);
  const withFacts = ranked.some((id) => unitOf.get(id)?.kind === "fact");
  const told = new Set(ranked.flatMap((id) => (withFacts ? factOf.get(id) : undefined) ?? unitOf.get(id) ?? []));
  const units = [...told];
  const fits = pack(
    units.map((unit) => ({ tokens: tokensOf(lineOf(unit)) })),
    { tokens: budget, items: Number.POSITIVE_INFINITY },
  );
  return distinct(units.filter((_, place) => fits[place]).flatMap(({ id }) => [...evidence(id)]));
}
