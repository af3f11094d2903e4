/** What a phrase of a language says of the person who says it: the data that the extractor without a model works by. */
import { sensitivities, type Sensitivity } from "../../entry.ts";
import type { Locale } from "../../text/locale.ts";

/** What the object of a phrase may look like. */
export type ObjectForm =
  /** A name: words that are written large, at most three. */
  | "name"
  /** A place or an organisation: words that are written large, with small ones between. */
  | "place"
  /** A few words, up to the next clause. */
  | "words"
  /** An age. */
  | "age"
  /** As the phrase has it: it lists what is meant. */
  | "listed";

/**
 * A phrase. `say` is the source of a regular expression, read without regard to case, that begins where a clause begins; its group `o` is the object.
 * `{adverb}` stands for the adverbs of the language, `{people}`, `{partner}` and `{animal}` for its words for them.
 */
export interface FactPhrase {
  readonly say: string;
  readonly form: ObjectForm;
  readonly category: string;
  readonly predicate: string;
  readonly object: string;
  /** The object's id, with `{o}` for what was said: "death of {o}". What was said, if left out. */
  readonly id?: string;
  readonly sensitivity?: Sensitivity;
  /** The phrase is plain enough for a name that is written small by somebody who writes everything small. */
  readonly small?: true;
}

/** A wish about how to talk. */
export interface RulePhrase {
  readonly say: string;
  /** The rule, in the second person. */
  readonly text: string;
}

/** A language's phrases and guards. Sources of regular expressions, without regard to case. */
export interface RuleLanguage {
  readonly code: string;
  /** Where a clause begins: what stands before it. The beginning of a sentence always does. */
  readonly before: string;
  readonly adverb: string;
  readonly people: string;
  readonly partner: string;
  readonly animal: string;
  readonly facts: readonly FactPhrase[];
  readonly rules: readonly RulePhrase[];
  /** A sentence with one of these tells nothing for certain: questions without a mark, what might be, what others say. */
  readonly uncertain: string;
  /** Where the object of a phrase ends, before the next mark: conjunctions, and words of time. */
  readonly ends: string;
  /** An object that begins so is none: pronouns, negatives, what cannot be a wish. */
  readonly noObject: string;
  /** Who says so is in danger, or speaks of death: that is for whoever talks with them, and no wish to remember. */
  readonly crisis: string;
  /** Words for feelings, each the word by which an arc calls the mood. */
  readonly feelings: string;
  /** What takes a feeling's word back when it stands before it. */
  readonly not: string;
  /** How it speaks of time: since when something holds is read by it. */
  readonly locale?: Locale;
  /** Written without spaces: lengths count characters, and names are not written large. */
  readonly unspaced?: true;
}

/** A phrase, as a file has it. */
interface FactFile extends Omit<FactPhrase, "form" | "sensitivity" | "small"> {
  readonly form: string;
  readonly sensitivity?: string;
  readonly small?: boolean;
}

/** A language's phrases, as `rules.schema.json` describes them. */
interface RulesFile extends Omit<RuleLanguage, "facts" | "locale" | "unspaced"> {
  readonly facts: readonly FactFile[];
  readonly unspaced?: boolean;
}

const forms: readonly ObjectForm[] = ["name", "place", "words", "age", "listed"];

function factFrom({ form: named, sensitivity: level, small, ...rest }: FactFile): FactPhrase {
  const form = forms.find((one) => one === named) ?? "listed";
  const sensitivity = sensitivities.find((one) => one === level);
  return { ...rest, form, ...(sensitivity !== undefined && { sensitivity }), ...(small === true && { small }) };
}

/** The phrases of a file, of a language that speaks of time as `locale` says. */
export const rulesFrom = ({ facts, unspaced, ...rest }: RulesFile, locale: Locale): RuleLanguage => ({
  ...rest,
  facts: facts.map(factFrom),
  locale,
  ...(unspaced === true && { unspaced }),
});
