/** The sentences of the rules, per language, from `<language>.yaml`. */
import type { TherapeuticApproach } from "../../contract.ts";
import type { Feeling } from "../understand/feelings.ts";
import type { OfflineLanguage } from "../words/folded-words.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/**
 * Sentences of a language. Lists hold variants. The comments name the placeholders `{topic}`, `{name}` and `{quote}`. No sentence has a digit or an
 * exclamation mark.
 */
export interface Sentences {
  /** Acknowledges a feeling. */
  readonly feelings: Readonly<Partial<Record<Feeling, readonly string[]>>>;
  /** Acknowledges a message without a named feeling. */
  readonly heard: readonly string[];
  /** Acknowledges a message without a named feeling whose approach shows its subject: a loss, a shock, ambivalence, a hard thought, other people. */
  readonly of_approach: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Acknowledges a later message after a loss was named. */
  readonly grieving: readonly string[];
  /** Acknowledges something good. */
  readonly glad: readonly string[];
  /** Follows the acknowledgment; with `{topic}`. */
  readonly about: readonly string[];
  /** One open question. */
  readonly questions: readonly string[];
  /** Questions after a light message. */
  readonly light_questions: readonly string[];
  readonly approach_questions: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** Answers a yes, a no or an ok to no question. */
  readonly onward: readonly string[];
  /** Answers questions for the companion's likes and stories: it has none. */
  readonly no_self: readonly string[];
  readonly glad_questions: readonly string[];
  /** For a person who wants to be heard, not advised. No question. */
  readonly listening: readonly string[];
  readonly greetings: readonly string[];
  readonly welcome: readonly string[];
  readonly patterns: readonly string[];
  /** With `{topic}`. */
  readonly patterns_about: readonly string[];
  readonly pattern_questions: readonly string[];
  /** Each with exactly one question. */
  readonly clarify: readonly string[];
  /** Explanations by subject; `any` if the subject is unknown. */
  readonly explain: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly explain_questions: readonly string[];
  /** One small thing to do. */
  readonly ways: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly way_questions: readonly string[];
  readonly closings: readonly string[];
  /** With `{topic}`. */
  readonly closings_about: readonly string[];
  /** Greets a person who introduces themselves; with `{name}`. */
  readonly met: readonly string[];
  /** Question after a message that only states a name. */
  readonly met_question: string;
  /** Answers a question for the person's own name; with `{name}`. */
  readonly your_name: string;
  /** The companion's abilities. */
  readonly what_i_can: readonly string[];
  /** Answers a question that the rules cannot answer. */
  readonly cannot_tell: readonly string[];
  /** States that the companion is an AI based on rules, not a person. */
  readonly what_i_am: readonly string[];
  /** States that the companion cannot diagnose. */
  readonly no_name: readonly string[];
  /** With `{quote}`. */
  readonly remembered: readonly string[];
  readonly nothing_remembered: readonly string[];
  /** The person moved on from a pending deletion. */
  readonly let_go: string;
  /** An exercise is paused. */
  readonly paused: string;
  /** The lookup has no answer. */
  readonly nothing_found: string;
  /** With `{quote}`: the summary of an earlier session. */
  readonly last_time: string;
  /** After a misunderstanding. */
  readonly repair: readonly string[];
  /** After a grave message without acute danger: one direct question. */
  readonly check_in: readonly string[];
  /** In the time after a crisis, for messages without a feeling. No question. */
  readonly after_crisis: readonly string[];
  /** Replaces a question for a person who wants none. */
  readonly room: readonly string[];
}

/** Subjects of explanations and techniques: a feeling or an area of life. */
export type Subject =
  | "panic"
  | "worry"
  | "sleep"
  | "anger"
  | "sadness"
  | "grief"
  | "shame"
  | "overwhelm"
  | "procrastination"
  | "conflict"
  | "loneliness"
  | "numbness"
  | "ambivalence"
  | "thoughts"
  | "values"
  | "shock"
  | "tiredness";

export const banks: Readonly<Record<OfflineLanguage, Sentences>> = { en, es, de, fr, pt, zh };
