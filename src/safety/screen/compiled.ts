import { ThroughlineError, seen } from "../../kernel/error.ts";
import { anchored, type Anchored, type Entry } from "./anchored.ts";
import { foldWord } from "./characters.ts";
import { conceptIds, frameIds, type ConceptId, type FrameId, type RulePack } from "./pack.ts";
import { compilePattern, patternSource } from "./pattern.ts";
import { vocabularyOf, type Vocabulary } from "./spelling.ts";
import type { WordWeights } from "./weigh.ts";
import { createIndex, wordsOf } from "./word-index.ts";

/** What a pattern finds, and of which pack it is. */
export type Label = { readonly pack: number } & (
  | { readonly type: "concept"; readonly concept: ConceptId; readonly strength: "soft" | "hard" }
  | { readonly type: "frame"; readonly frame: FrameId }
);

/** A pack as the screen needs it while it reads. */
export interface CompiledPack {
  readonly language: string;
  readonly script: string | undefined;
  readonly detect: ReadonlySet<string>;
  /** What is written short, with the words that it stands for, each as its only form. */
  readonly abbreviations: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Words behind which a frame reaches no further. */
  readonly contrast: ReadonlySet<string>;
  /** Words that join two of a kind: or, nor. */
  readonly or: ReadonlySet<string>;
  /** Words of the writer. */
  readonly self: ReadonlySet<string>;
  readonly negatesBehind: boolean;
  readonly weights: WordWeights | undefined;
}

export interface CompiledPacks {
  readonly packs: readonly CompiledPack[];
  readonly vocabulary: Vocabulary;
  /** Patterns that negate are looked for first: gaps of the others do not pass over what they find. */
  readonly negations: Anchored<Label>;
  readonly patterns: Anchored<Label>;
}

const setOf = (words: readonly string[] = []): ReadonlySet<string> => new Set(words.map((word) => foldWord(word).replaceAll("'", "")));

function compiledPack(pack: RulePack): CompiledPack {
  const { language, detect, words, abbreviations, negation = "before" } = pack;
  return {
    language,
    script: detect.script,
    detect: setOf(detect.words),
    abbreviations: new Map(Object.entries(abbreviations).map(([short, full]) => [foldWord(short), wordsOf(full).map((word) => [word])])),
    contrast: setOf(words["contrast"]),
    or: setOf(words["or"]),
    self: setOf(words["self"]),
    negatesBehind: negation === "around",
    weights: pack.weights,
  };
}

/** What a pack's patterns find, one after the other; `safety.invalid` for a concept or a frame that there is not. */
function* entriesOf(pack: RulePack, place: number): Generator<{ readonly text: string; readonly label: Label; readonly where: string }> {
  for (const [name, patterns] of Object.entries(pack.concepts)) {
    const concept = conceptIds.find((id) => id === name);
    if (concept === undefined)
      throw new ThroughlineError("safety.invalid", `Pack "${pack.language}" has a concept ${seen(name)}, which there is not.`);
    for (const entry of patterns) {
      const { pattern, strength } = typeof entry === "string" ? { pattern: entry, strength: "hard" as const } : entry;
      yield { text: pattern, label: { pack: place, type: "concept", concept, strength }, where: `concepts.${name}` };
    }
  }
  for (const [name, patterns] of Object.entries(pack.frames)) {
    const frame = frameIds.find((id) => id === name);
    if (frame === undefined) throw new ThroughlineError("safety.invalid", `Pack "${pack.language}" has a frame ${seen(name)}, which there is not.`);
    for (const text of patterns) yield { text, label: { pack: place, type: "frame", frame }, where: `frames.${name}` };
  }
}

/** Compiles packs; `safety.invalid` names a pattern that is wrong. */
export function compilePacks(packs: readonly RulePack[]): CompiledPacks {
  const index = createIndex();
  const negations: Entry<Label>[] = [];
  const others: Entry<Label>[] = [];
  for (const [place, pack] of packs.entries()) {
    const source = patternSource(pack, setOf(pack.detect.words));
    for (const { text, label, where } of entriesOf(pack, place)) {
      const pattern = compilePattern({ text, where }, source, index);
      (label.type === "frame" && label.frame === "negation" ? negations : others).push({ pattern, label });
    }
  }
  const compiled = packs.map(compiledPack);
  const shorts = compiled.flatMap(({ abbreviations }) => [...abbreviations.keys()].map((short) => short.replaceAll("'", "")));
  const ordinary = new Set([...compiled.flatMap(({ detect }) => [...detect]), ...shorts]);
  const lexicon = packs.flatMap((pack) => pack.lexicon);
  const vocabulary = vocabularyOf(index, lexicon, ordinary);
  return { packs: compiled, vocabulary, negations: anchored(negations, index), patterns: anchored(others, index) };
}
