/**
 * A rule pack: what a language says in danger, as data. The screen knows concepts and frames and how they come together; a pack says how its language
 * puts them.
 *
 * A pattern is a row of elements with spaces between, matched against words in their order. An element is
 * - `word`: that word; `word*`: words that begin so; `*word`: words that end so; `a|b*|c`: any of these;
 * - `word?`: may be missing;
 * - `~3`: up to three words of any kind, 0 included;
 * - `{name}`: any of the words of the pack's list `name`; a list may hold rows of words, such as `my own life`, and may be one of several: `me|{kin}`;
 * - `end_it|kill`: within an alternative, `_` parts the words of a row; `#`: any number; `:knife:`: a picture, by its name in characters.ts;
 * - `^` and `$`: where a clause begins, and where one ends.
 * Nothing is matched across the end of a sentence, and a gap never passes over a word that a pattern of the frame `negation` has found. Apostrophes may be
 * left out; `j'ai` is two words in every text and pattern. Three lists mean something to the screen: `contrast` (but, however), behind which a
 * frame reaches no further, `self` (I, me), which ends the reach of `subject_other` and of a negation, and `or`, over which a negation reaches on.
 * Words are compared without case, accents, marks and repeated letters (see normalise). Of a text without spaces between words (Chinese) each character
 * is a word, and a pattern may be written without spaces: `想死`, `不想~2活`; alternatives stand between spaces: `我 想|要 死`.
 */
import type { WordWeights } from "./weigh.ts";

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
