/** What is said in a crisis, word by word, per language: no model, no store and no network are needed for any of it. */
import { ThroughlineError } from "../../kernel/error.ts";

/**
 * The sentences of static replies in one language. Each is plain, short, calm, in the second person, promises nothing, blames nobody and names no number:
 * numbers come from the table of resources alone. Lists hold variants, so that two turns in a row do not say the same. `…_other` are for somebody who
 * writes about another person. Placeholders in braces stand where they are named.
 */
export interface SafetyPhrases {
  readonly language: string;
  /** One direct, neutral question about thoughts of suicide, never phrased toward no; with a sentence before it that says why. */
  readonly ask_directly: readonly string[];
  readonly ask_directly_other: readonly string[];
  /** First sentence at level 2: what was said is taken seriously. */
  readonly opening: readonly string[];
  /** First sentence at level 3. */
  readonly opening_imminent: readonly string[];
  readonly opening_other: readonly string[];
  /** First sentence of a later reply in a crisis, to whatever was said, also to silence, anger or another subject: heard, not judged. */
  readonly heard: readonly string[];
  /** In its place: they have just said where they are; that somebody is there; that they will reach out; no to any question. */
  readonly heard_place: string;
  readonly heard_someone: string;
  readonly heard_willing: string;
  readonly heard_no: string;
  /** Call the emergency number or a crisis line now. `{emergency}`: the number, or the phrase below. */
  readonly call_now: string;
  /** The same once it was said before, with another word for it. */
  readonly call_still: readonly string[];
  /** In place of a number that is not known: "your local emergency number". */
  readonly emergency_unknown: string;
  /** Get somebody to be physically there. */
  readonly be_with_someone: string;
  /** Put distance between yourself and what you could use, without naming any. */
  readonly distance: string;
  readonly stay_with_them: string;
  /** Above the list of services; `{place}`: the country. */
  readonly resources_intro: string;
  /** Two countries share the name. */
  readonly resources_both: string;
  /** A row whose sources were not read lately: `{date}`, the day on which they were. */
  readonly resource_stale: string;
  /** There is none that sources confirm; the directories follow. */
  readonly no_resources: string;
  /** The country is not known: the directories follow. Says nothing of a country being asked for. */
  readonly directories: string;
  /** Asks for the country, once. */
  readonly ask_location: string;
  /** Services were given before: points back to them without naming them again. */
  readonly resources_again: readonly string[];
  /** Questions of the plan, one per turn: each a single question. */
  readonly ask_plan: string;
  readonly ask_means: string;
  readonly ask_time: string;
  readonly ask_someone: string;
  readonly ask_willing: string;
  readonly ask_barriers: string;
  /** Names people to turn to: somebody trusted and a professional. */
  readonly human_care: string;
  /** Something to do until then. */
  readonly coping: readonly string[];
  /** The writer is talking to a program, which cannot call anybody. */
  readonly ai_limits: string;
  /** No person reads along: said when nobody is told. */
  readonly nobody_watching: string;
  /** Told to somebody by the operator: said only once that has been confirmed. */
  readonly somebody_told: string;
  /** The conversation goes on: last sentence, after anything, so it points to nothing before it. */
  readonly stay: readonly string[];
  /** What was said could not be kept: send it again, or call. Said when the store is down. */
  readonly not_saved: string;
  /** Safety checks are limited at the moment; `{directory}` is a link. */
  readonly limited: string;
  /** This is an AI, not a person: said when a conversation starts and at intervals. */
  readonly disclosure: string;
  /** An ordinary reply could not be given; nothing acute was said. */
  readonly apology: string;
}

/** The sentences for a language as the screen names it: of the language itself, of the one that it is a form of (`hi` for `hi-Latn`), or the first ones. */
export function phrasesFor(list: readonly SafetyPhrases[], language?: string): SafetyPhrases {
  const [first] = list;
  if (first === undefined) throw new ThroughlineError("safety.invalid", "The gate has no phrases: it needs those of one language at least.");
  const wanted = language?.toLowerCase() ?? "";
  const [base = ""] = wanted.split("-");
  const named = (name: string): SafetyPhrases | undefined => list.find(({ language: known }) => known.toLowerCase() === name);
  return (
    named(wanted) ??
    named(base) ??
    (base === "" ? undefined : list.find(({ language: known }) => known.toLowerCase().startsWith(`${base}-`))) ??
    first
  );
}
