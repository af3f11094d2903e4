/** Data format of a language's phrases for the extractor without a model, and the supplied languages. */
import { present } from "../../../kernel/json.ts";
import { sensitivities, type Sensitivity } from "../../entry.ts";
import { chinese, english, german, spanish } from "../../text/languages.ts";
import type { Locale } from "../../text/locale.ts";
import ar from "./ar.data.json" with { type: "json" };
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import hiLatin from "./hi-latn.data.json" with { type: "json" };
import hi from "./hi.data.json" with { type: "json" };
import id from "./id.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/** Allowed form of a phrase's object. */
export type ObjectForm =
  /** A name: at most three capitalized words. */
  | "name"
  /** A place or an organization: capitalized words with small words between them. */
  | "place"
  /** A few words, up to the next clause. */
  | "words"
  /** An age. */
  | "age"
  /** The phrase itself lists the allowed objects. */
  | "listed";

/**
 * A phrase. `say` is a case-insensitive regular expression that starts at the start of a clause. Its group `o` is the object. The placeholders
 * `{adverb}`, `{people}`, `{partner}` and `{animal}` stand for words of the language.
 */
export interface FactPhrase {
  readonly say: string;
  readonly form: ObjectForm;
  readonly category: string;
  readonly predicate: string;
  readonly object: string;
  /** Id of the object, with `{o}` for the matched text, such as "death of {o}". Default: the matched text. */
  readonly id?: string;
  readonly sensitivity?: Sensitivity;
  /** Accepts a lowercase name from users who write everything in lowercase. */
  readonly small?: true;
}

/** A wish about how to talk. */
export interface RulePhrase {
  readonly say: string;
  /** The rule, in the second person. */
  readonly text: string;
}

/** A correction within a sentence, such as "not X, it is Y". */
export interface Contrast {
  /** A case-insensitive regular expression with the groups `old` and `value`. */
  readonly say: string;
  /** What the sentence says in its place, with groups in braces. */
  readonly as: string;
}

/** A language's phrases and guards, as case-insensitive regular expressions. */
export interface RuleLanguage {
  readonly code: string;
  /** Text before the start of a clause. The start of a sentence always counts. */
  readonly before: string;
  readonly adverb: string;
  readonly people: string;
  readonly partner: string;
  readonly animal: string;
  readonly facts: readonly FactPhrase[];
  readonly rules: readonly RulePhrase[];
  /** Corrections within a sentence. What a sentence corrects is read as corrected. Default none. */
  readonly contrasts?: readonly Contrast[];
  /** Marks of uncertain sentences: questions without a mark, possibilities, statements of others. */
  readonly uncertain: string;
  /** Words that end an object before the next mark: conjunctions and time words. */
  readonly ends: string;
  /** Beginnings of text that is not an object: pronouns, negations, impossible wishes. */
  readonly noObject: string;
  /** Phrases about danger or death. They are handled by the safety gate and are not remembered. */
  readonly crisis: string;
  /** Words for feelings. An arc uses the matched word as the mood. */
  readonly feelings: string;
  /** Negation before a word for a feeling. */
  readonly not: string;
  /** Locale for time expressions, from which the start of a fact's validity is read. */
  readonly locale?: Locale;
  /** Script without spaces: lengths count characters, and names are not capitalized. */
  readonly unspaced?: true;
  /** Words of which a sentence has at least one, or it is not read in the language. Default: every sentence in the script is read. */
  readonly tells?: string;
  /** The script, if it is not Latin, as Unicode names it. Only sentences with it are read. */
  readonly script?: "Han" | "Devanagari" | "Arabic";
}

/** A phrase of a data file. */
interface FactFile extends Omit<FactPhrase, "form" | "sensitivity" | "small"> {
  readonly form: string;
  readonly sensitivity?: string;
  readonly small?: boolean;
}

/** Data file of a language's phrases, as described in `rules.schema.json`. */
interface RulesFile extends Omit<RuleLanguage, "facts" | "locale" | "unspaced" | "script"> {
  readonly facts: readonly FactFile[];
  readonly unspaced?: boolean;
  readonly script?: string;
}

const forms: readonly ObjectForm[] = ["name", "place", "words", "age", "listed"];

function factFrom({ form: named, sensitivity: level, small, ...rest }: FactFile): FactPhrase {
  const form = forms.find((one) => one === named) ?? "listed";
  const sensitivity = sensitivities.find((one) => one === level);
  return { ...rest, form, ...present({ sensitivity }), ...(small === true && { small }) };
}

/** Builds the phrases of a language from its data file. */
function rulesFrom({ facts, unspaced, script: named, ...rest }: RulesFile, locale?: Locale): RuleLanguage {
  const script = (["Han", "Devanagari", "Arabic"] as const).find((one) => one === named);
  return { ...rest, facts: facts.map(factFrom), ...present({ locale, script }), ...(unspaced === true && { unspaced }) };
}

/** Phrases of English. */
export const englishRules: RuleLanguage = rulesFrom(en, english);

/** Phrases of Spanish. */
export const spanishRules: RuleLanguage = rulesFrom(es, spanish);

/** Phrases of German. */
export const germanRules: RuleLanguage = rulesFrom(de, german);

/** Phrases of Chinese. */
export const chineseRules: RuleLanguage = rulesFrom(zh, chinese);

/** The phrases of all supplied languages. Those without a {@link RuleLanguage.locale} read no time expressions. */
export const ruleLanguages: readonly RuleLanguage[] = Object.freeze([
  ...[englishRules, spanishRules, germanRules, chineseRules],
  ...[fr, pt, id, hi, hiLatin, ar].map((file) => rulesFrom(file)),
]);
