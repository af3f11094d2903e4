/** Rule packs: what one holds, and how they are compiled. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { anchored, type Anchored, compilePattern, createIndex, type Entry, patternSource, wordsOf } from "./pack-patterns.ts";
import { type Vocabulary, vocabularyOf } from "./spelling.ts";
import { foldWord } from "./screen-tokens.ts";
import type { WordWeights } from "./weigh-words.ts";

/** What somebody in danger may say. Closed: the rules that join them are in compose. */
export const conceptIds = [
  // What is wished, thought, planned, done.
  ...["wish_to_die", "passive_death", "ideation", "kill_self", "injure_self", "plan", "preparation", "farewell", "act_done", "past_attempt"],
  // What makes it near. `do_it` is an act without its name ("do it tonight"); `means` names one, `means_in_hand` has it.
  ...["do_it", "means", "means_in_hand", "time_near", "lethal_place", "alone_now", "secrecy"],
  // What weighs on somebody. `distress` is ordinary: it counts only when no classifier answers.
  ...["hopeless", "burden", "disappear", "fear_of_self", "intrusive", "command_voices", "distress"],
  // Other risks.
  ...["violence_to_others", "abuse", "eating_disorder", "psychosis", "medical_emergency"],
  // Somebody else: a person who is not the writer says or does one of the above.
  "other_at_risk",
] as const;
/** One of them. */
export type ConceptId = (typeof conceptIds)[number];

/** What changes how the rest is meant. `deliberate`: what was done was no accident, whatever idioms there are for it; `denial`: of any wish or intent; `retraction`: of what was said before ("just kidding"), which is still risk. */
export const frameIds = [
  ...["subject_other", "negation", "idiom", "joke", "fiction", "game", "quote", "academic", "professional", "past_recovered", "bereavement"],
  // `safety_question` asks about thoughts of suicide, `plan_question` about how, when or with what.
  ...["harmless_plan", "denial", "retraction", "yes", "no", "evasion", "safety_question", "plan_question"],
  // `past`: of long ago; `everyday`: a small thing of every day, which a joke is about.
  ...["deliberate", "past", "everyday"],
] as const;
/** One of them. */
export type FrameId = (typeof frameIds)[number];

/** A pattern that says how sure it is: `hard`, the default, is explicit and in the first person; `soft` is idiom-prone. */
export type PackPattern = string | { readonly pattern: string; readonly strength: "soft" | "hard" };

/** What a language says in danger. */
export interface RulePack {
  /** BCP 47, such as `en` or `hi-Latn`. */
  readonly language: string;
  /** Date and count, such as `2026-11-21.1`: raised with every change, and on every assessment. */
  readonly version: string;
  /** What the pack can be expected to find, in a sentence or two, with what it was measured on. Published with the protocol. */
  readonly coverage: string;
  readonly support: "full" | "partial";
  /** Tells the language from others: words that are frequent in it and not elsewhere; a script alone, such as `Arab`, is enough too. */
  readonly detect: { readonly words?: readonly string[]; readonly script?: "Latin" | "Arabic" | "Devanagari" | "Han" };
  /** Lists for `{name}`. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Where a negation stands: before what it negates (by default), or also right behind it. */
  readonly negation?: "before" | "around";
  /** What is written short, spelled out: `kms` → `kill myself`. Whole words. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Words that may be starred out (`k*ll`); of five letters or more, a slip of one letter is forgiven in them too. */
  readonly lexicon: readonly string[];
  readonly concepts: Partial<Readonly<Record<ConceptId, readonly PackPattern[]>>>;
  readonly frames: Partial<Readonly<Record<FrameId, readonly string[]>>>;
  /** Weights of words, for what no rule names; without them rules decide alone. */
  readonly weights?: WordWeights;
}

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
