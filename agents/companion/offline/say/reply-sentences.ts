/** What the rules say, per language, from `<language>.yaml`. */
import type { TherapeuticApproach } from "../../contract.ts";
import type { Feeling } from "../understand/feelings.ts";
import type { OfflineLanguage } from "../words/folded-words.ts";
import de from "./de.data.json" with { type: "json" };
import en from "./en.data.json" with { type: "json" };
import es from "./es.data.json" with { type: "json" };
import fr from "./fr.data.json" with { type: "json" };
import pt from "./pt.data.json" with { type: "json" };
import zh from "./zh.data.json" with { type: "json" };

/** Sentences of a language. Lists hold variants; `{topic}`, `{name}` and `{quote}` stand where they are named. None has a digit, and none an exclamation mark. */
export interface Sentences {
  /** What is heard of a feeling. */
  readonly feelings: Readonly<Partial<Record<Feeling, readonly string[]>>>;
  /** What is heard where no feeling is named. */
  readonly heard: readonly string[];
  /** What is heard where no feeling is named, and an approach shows what it is about: a loss, a shock, two wishes, a hard thought, other people. */
  readonly of_approach: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** To what is told of somebody who was lost, after the loss was named. */
  readonly grieving: readonly string[];
  /** Something good. */
  readonly glad: readonly string[];
  /** After what was heard; with `{topic}`. */
  readonly about: readonly string[];
  /** One open question. */
  readonly questions: readonly string[];
  /** Of a message that says nothing heavy. */
  readonly light_questions: readonly string[];
  readonly approach_questions: Readonly<Partial<Record<TherapeuticApproach, readonly string[]>>>;
  /** After a yes, a no or an ok that answers nothing that was asked. */
  readonly onward: readonly string[];
  /** Asked for likes and tales of its own, of which it has none. */
  readonly no_self: readonly string[];
  readonly glad_questions: readonly string[];
  /** To somebody who wants to be heard and not advised. No question. */
  readonly listening: readonly string[];
  readonly greetings: readonly string[];
  readonly welcome: readonly string[];
  readonly patterns: readonly string[];
  /** With `{topic}`. */
  readonly patterns_about: readonly string[];
  readonly pattern_questions: readonly string[];
  /** Each with exactly one question. */
  readonly clarify: readonly string[];
  /** Why something is as it is, by what it is about; `any` where that is not known. */
  readonly explain: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly explain_questions: readonly string[];
  /** One small thing to do. */
  readonly ways: Readonly<Record<"any", readonly string[]>> & Readonly<Partial<Record<Subject, readonly string[]>>>;
  readonly way_questions: readonly string[];
  readonly closings: readonly string[];
  /** With `{topic}`. */
  readonly closings_about: readonly string[];
  /** To somebody who says their name; with `{name}`. */
  readonly met: readonly string[];
  /** Where the name was all. */
  readonly met_question: string;
  /** To somebody who asks for their name; with `{name}`. */
  readonly your_name: string;
  /** What there is to do here. */
  readonly what_i_can: readonly string[];
  /** To a question that the rules have no answer to. */
  readonly cannot_tell: readonly string[];
  /** What it is: an AI, run by rules, no person. */
  readonly what_i_am: readonly string[];
  /** It cannot say what somebody has. */
  readonly no_name: readonly string[];
  /** With `{quote}`. */
  readonly remembered: readonly string[];
  readonly nothing_remembered: readonly string[];
  /** A deletion that waited was let go of. */
  readonly let_go: string;
  /** An exercise waits. */
  readonly paused: string;
  /** The lookup has no answer. */
  readonly nothing_found: string;
  /** With `{quote}`: the summary of an earlier session. */
  readonly last_time: string;
  /** After having missed what somebody meant. */
  readonly repair: readonly string[];
  /** After something grave, while nothing acute is said: one direct question. */
  readonly check_in: readonly string[];
  /** In the time after a crisis, to what names no feeling. No question. */
  readonly after_crisis: readonly string[];
  /** In place of a question, for somebody who wants none. */
  readonly room: readonly string[];
}

/** What explanations and ways are about: a feeling, or something of the person's life. */
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
