/** Rule packs: their content and compilation. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { LanguageWeights } from "./language-weights.ts";
import type { LearnedWeights } from "./learned.ts";
import { anchored, type Anchored, compilePattern, createIndex, type Entry, patternSource, type Span, wordsOf } from "./pack-patterns.ts";
import { type Vocabulary, vocabularyOf } from "./spelling.ts";
import { foldWord } from "./screen-tokens.ts";

/** Statements of a person in danger. The list is closed; `compose` applies the rules that combine them. */
export const conceptIds = [
  // Wishes, thoughts, plans and acts.
  ...["wish_to_die", "passive_death", "ideation", "kill_self", "injure_self", "plan", "preparation", "farewell", "act_done", "past_attempt"],
  // Signs that the danger is near. `do_it` is an unnamed act ("do it tonight"); `means` names a means, `means_in_hand` has one.
  ...["do_it", "means", "means_in_hand", "time_near", "lethal_place", "alone_now", "secrecy"],
  // Distress. Ordinary `distress` counts only for minors.
  ...["hopeless", "burden", "disappear", "fear_of_self", "intrusive", "command_voices", "distress"],
  // Other risks.
  ...["violence_to_others", "abuse", "eating_disorder", "psychosis", "medical_emergency"],
  // Emergencies that are not suicide, as said outright: a body that fails, an attack that goes on, abuse, an intent to hurt others.
  ...["body_danger", "under_attack", "abused", "threat"],
  // Another person says or does one of the above, and cannot be reached.
  ...["other_at_risk", "unreachable"],
] as const;
/** A concept of the list. */
export type ConceptId = (typeof conceptIds)[number];

/**
 * Frames, which change the meaning of concepts. `deliberate`: the act was no accident, despite any idiom. `denial`: of a wish or an intent.
 * `retraction`: of an earlier statement ("just kidding"), which remains a risk.
 */
export const frameIds = [
  ...["subject_other", "negation", "idiom", "joke", "fiction", "game", "quote", "academic", "professional", "past_recovered", "bereavement"],
  // `safety_question` asks about thoughts of suicide; `plan_question` asks how, when or with which means.
  ...["harmless_plan", "denial", "retraction", "yes", "no", "evasion", "safety_question", "plan_question"],
  // `past`: long ago. `everyday`: an everyday matter that a joke is about. `parting`: words of an ordinary goodbye. `reunion`: what comes after one.
  // `doing`: an act that is not named, as in any plan. `hyperbole`: turns that say how much, not what: "one more meeting and I…".
  // `worry`: an ordinary worry, said outright: not to be a good father, to be doubted, how to help somebody who is tired, to tell the parents.
  ...["deliberate", "past", "everyday", "parting", "reunion", "doing", "hyperbole", "worry"],
  // Parts of answers, which mean nothing elsewhere. `avowal`: says it without naming it ("I tried"). `after_all` and `lied` take back a no, `unsure` weakens it.
  // `at_hand`: what was spoken of before is near ("in my bag"). `method`: how or with what, where that was asked.
  // `elsewhere`: an everyday matter that a yes is about ("yes, I'd like some tea"). `often`: a time, which tells nothing of people.
  ...["avowal", "after_all", "lied", "unsure", "at_hand", "method", "elsewhere", "often"],
] as const;
/** A frame of the list. */
export type FrameId = (typeof frameIds)[number];

/** A pattern with a strength. `hard`, the default, is explicit and in the first person; `soft` is idiom-prone. */
export type PackPattern = string | { readonly pattern: string; readonly strength: "soft" | "hard" };

/** The statements of people in danger in one language. */
export interface RulePack {
  /** BCP 47, such as `en` or `hi-Latn`. */
  readonly language: string;
  /** Date and count, such as `2026-11-21.1`. Raised with every change, and recorded on every assessment. */
  readonly version: string;
  /** The expected coverage of the pack in one or two sentences, with its test data. Published with the protocol. */
  readonly coverage: string;
  readonly support: "full" | "partial";
  /** Detects the language by words that are frequent in it and not elsewhere. A distinct script, such as `Arabic`, also suffices. */
  readonly detect: { readonly words?: readonly string[]; readonly script?: "Latin" | "Arabic" | "Devanagari" | "Han" };
  /** Lists for `{name}`. */
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Position of a negation: before the negated words (default), or also directly after them. */
  readonly negation?: "before" | "around";
  /** Abbreviations and their expansions: `kms` → `kill myself`. Whole words only. */
  readonly abbreviations: Readonly<Record<string, string>>;
  /** Words that can be masked with asterisks (`k*ll`). From five letters on, they also match with a typo of one letter. */
  readonly lexicon: readonly string[];
  readonly concepts: Partial<Readonly<Record<ConceptId, readonly PackPattern[]>>>;
  readonly frames: Partial<Readonly<Record<FrameId, readonly string[]>>>;
  /** Learned weights, the same for all packs. Without them, the rules decide alone. */
  readonly weights?: LearnedWeights;
  /** Language weights, the same for all packs whose language they know as covered. Without them, frequent words decide what is covered. */
  readonly languages?: LanguageWeights;
}

/** The concept or frame that a pattern finds, and the index of its pack. */
export type Label = { readonly pack: number } & (
  | { readonly type: "concept"; readonly concept: ConceptId; readonly strength: "soft" | "hard" }
  | { readonly type: "frame"; readonly frame: FrameId }
);

/** A compiled pack. */
export interface CompiledPack {
  readonly language: string;
  readonly script: string | undefined;
  readonly detect: ReadonlySet<string>;
  /** Abbreviations with the words of their expansions, each as its only form. */
  readonly abbreviations: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Words that end the reach of a frame. */
  readonly contrast: ReadonlySet<string>;
  /** Words that join alternatives: or, nor. */
  readonly or: ReadonlySet<string>;
  /** Words for the writer. */
  readonly self: ReadonlySet<string>;
  /** Words for the writer to whom somebody else does something. */
  readonly toMe: ReadonlySet<string>;
  /** Words that negate, and in some languages also answer with no. */
  readonly no: ReadonlySet<string>;
  /** Words that deny what follows in their clause, and words after which they no longer do. */
  readonly deny: ReadonlySet<string>;
  readonly because: ReadonlySet<string>;
  /** Verbs of acquaintance: whom "I" know is somebody else. */
  readonly knows: ReadonlySet<string>;
  readonly negatesBehind: boolean;
  readonly weights: LearnedWeights | undefined;
  readonly languages: LanguageWeights | undefined;
  /** The elements of its patterns. */
  readonly span: Span;
}

export interface CompiledPacks {
  readonly packs: readonly CompiledPack[];
  readonly vocabulary: Vocabulary;
  /** Negations are matched first, because the gaps of other patterns do not skip them. */
  readonly negations: Anchored<Label>;
  readonly patterns: Anchored<Label>;
}

const setOf = (words: readonly string[] = []): ReadonlySet<string> => new Set(words.map((word) => foldWord(word).replaceAll("'", "")));

function compiledPack(pack: RulePack, span: Span): CompiledPack {
  const { language, detect, words, abbreviations, negation = "before" } = pack;
  return {
    language,
    script: detect.script,
    detect: setOf(detect.words),
    abbreviations: new Map(Object.entries(abbreviations).map(([short, full]) => [foldWord(short), wordsOf(full).map((word) => [word])])),
    contrast: setOf(words["contrast"]),
    or: setOf(words["or"]),
    self: setOf(words["self"]),
    toMe: setOf(words["to_me"]),
    no: setOf(words["no"] ?? words["not"]),
    deny: setOf(words["deny"]),
    because: setOf(words["because"]),
    knows: setOf(words["knows"]),
    negatesBehind: negation === "around",
    weights: pack.weights,
    languages: pack.languages,
    span,
  };
}

/** Yields the patterns of a pack with their labels. Throws `safety.invalid` for an unknown concept or frame. */
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

/** Compiles packs. Throws `safety.invalid` for an invalid pattern. */
export function compilePacks(packs: readonly RulePack[]): CompiledPacks {
  const index = createIndex();
  const negations: Entry<Label>[] = [];
  const others: Entry<Label>[] = [];
  const compiled: CompiledPack[] = [];
  for (const [place, pack] of packs.entries()) {
    const from = index.elements.length + 1;
    const source = patternSource(pack, setOf(pack.detect.words));
    for (const { text, label, where } of entriesOf(pack, place)) {
      const pattern = compilePattern({ text, where }, source, index);
      (label.type === "frame" && label.frame === "negation" ? negations : others).push({ pattern, label });
    }
    compiled.push(compiledPack(pack, { from, before: index.elements.length + 1 }));
  }
  const shorts = compiled.flatMap(({ abbreviations }) => [...abbreviations.keys()].map((short) => short.replaceAll("'", "")));
  const ordinary = new Set([...compiled.flatMap(({ detect }) => [...detect]), ...shorts]);
  const lexicon = packs.flatMap((pack) => pack.lexicon);
  const vocabulary = vocabularyOf(index, lexicon, ordinary);
  return { packs: compiled, vocabulary, negations: anchored(negations, index), patterns: anchored(others, index) };
}
