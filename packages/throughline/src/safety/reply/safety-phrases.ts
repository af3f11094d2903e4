/** The sentences of crisis replies, per language. They need no model, store or network. */
import { ThroughlineError } from "../../kernel/error.ts";
import { type BarrierKind, barrierKinds, type Says } from "../crisis-plan.ts";

/**
 * The sentences of static replies in one language. Each is plain, short and calm, in the second person. It promises nothing, blames no one and names
 * no number: numbers come only from the resource table. Lists hold variants, so that two consecutive replies differ. `…_other` sentences are for a
 * writer who describes another person. Placeholders in braces are described where they occur.
 */
export interface SafetyPhrases {
  readonly language: string;
  /** One direct, neutral question about thoughts of suicide, never phrased toward no, preceded by a sentence with the reason for it. */
  readonly ask_directly: readonly string[];
  readonly ask_directly_other: readonly string[];
  /** Says that the message may not have been understood, and asks how they are and whether they are safe. Never mentions suicide. One question. */
  readonly ask_safe: readonly string[];
  /** First sentence at level 2: the message is taken seriously. */
  readonly opening: readonly string[];
  /** First sentence at level 3. */
  readonly opening_imminent: readonly string[];
  readonly opening_other: readonly string[];
  /** First sentence of a later crisis reply. It acknowledges any message without judgment, including silence, anger or another subject. */
  readonly heard: readonly string[];
  /** Replaces `heard` if the person named their place, has company, agrees to contact someone, or answered no to any question. */
  readonly heard_place: string;
  readonly heard_someone: string;
  readonly heard_willing: readonly string[];
  readonly heard_no: readonly string[];
  /** Replaces `heard` if the thoughts of the last session are gone, or it is better. */
  readonly heard_better: string;
  /** Call the emergency number or a crisis line now. `{emergency}`: the number, or `emergency_unknown`. */
  readonly call_now: string;
  /** Repeats `call_now` in other words. */
  readonly call_still: readonly string[];
  /** Replaces an unknown number: "your local emergency number". */
  readonly emergency_unknown: string;
  /** Have another person physically present. */
  readonly be_with_someone: string;
  /** Put distance between yourself and means, without naming any. */
  readonly distance: string;
  readonly stay_with_them: string;
  /** Introduces the list of services. `{place}`: the country. */
  readonly resources_intro: string;
  /** Two countries share the name. */
  readonly resources_both: string;
  /** A row whose sources were not checked recently. `{date}`: the day of the last check. */
  readonly resource_stale: string;
  /** No service is confirmed by sources. The directories follow. */
  readonly no_resources: string;
  /** The country is unknown. The directories follow. Does not mention that the country was asked for. */
  readonly directories: string;
  /** Asks for the country, once. */
  readonly ask_location: string;
  /** Refers to services that were listed before, without naming them again. */
  readonly resources_again: readonly string[];
  /** Questions of the plan, one per turn. Each is a single question. A question that was evaded is asked again in other words. */
  readonly ask_plan: readonly string[];
  readonly ask_means: readonly string[];
  readonly ask_time: readonly string[];
  readonly ask_someone: readonly string[];
  readonly ask_willing: readonly string[];
  readonly ask_barriers: readonly string[];
  /** Opens the session after a crisis: asks gently whether the thoughts are still there. A yes or no answers it. */
  readonly last_time: readonly string[];
  /** For a writer who described another person: asks whether they are still worried. */
  readonly last_time_other: readonly string[];
  /** Names the emergency number once the country is known. `{emergency}`: as in `call_now`. */
  readonly emergency_if: string;
  /** Answers what makes it hard to reach out: being a burden, shame, fear of what follows, doubt that it helps, having nobody, talking. */
  readonly barriers: Readonly<Record<BarrierKind, string>>;
  /** Parts of sentences that say so, and those that say that it is better than last time, that there is company, that there is none, or that they will reach out. */
  readonly hears: Readonly<Record<Exclude<BarrierKind, "other"> | "better" | "company" | "alone" | "will_reach", readonly string[]>>;
  /** Parts of words, one of which a model's reply contains if it responds to what was said. */
  readonly acknowledges: readonly string[];
  /** Names people to turn to: a trusted person and a professional. */
  readonly human_care: string;
  /** A small activity to bridge the time. */
  readonly coping: readonly string[];
  /** The writer is talking to a program, which cannot call anyone. */
  readonly ai_limits: string;
  /** No human reads the conversation. Used if no one is alerted. */
  readonly nobody_watching: string;
  /** The operator alerted a human. Used only after confirmation. */
  readonly somebody_told: string;
  /** The conversation continues. Last sentence, after any text, so it refers to nothing before it. */
  readonly stay: readonly string[];
  /** The message could not be stored: send it again, or call. Used if the store is down. */
  readonly not_saved: string;
  /** Safety checks are limited at the moment. `{directory}` is a link. */
  readonly limited: string;
  /** This is an AI, not a person. Shown at the start of a conversation and at intervals. */
  readonly disclosure: string;
  /** An ordinary reply failed; nothing acute was found. */
  readonly apology: string;
  /** Replaces the agent's default text if a turn failed, reached a limit of its budget, or was stopped. An agent's own text has precedence. */
  readonly failed?: string;
  readonly limit?: string;
  readonly stopped?: string;
}

/**
 * Returns the phrases for a language as the screen names it. Falls back to the base language (`hi` for `hi-Latn`), then to another variant of it,
 * then to the first phrases. Throws `safety.invalid` if the list is empty.
 */
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

/** Folds spelling variants: case, width, apostrophes and spaces. */
const folded = (text: string): string =>
  ` ${text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’‘`´]/gu, "")
    .replaceAll(/\s+/gu, " ")} `;

/** Words from which on an answer says something about a barrier. Languages without spaces count characters. */
const leastWords = 4;
const leastCharacters = 8;
const mostHeard = 4_000;

function isLong(text: string): boolean {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return text.trim().length >= leastCharacters;
  return text.trim().split(/\s+/u).length >= leastWords;
}

const hasPart = (list: readonly SafetyPhrases[], said: string, name: keyof SafetyPhrases["hears"]): boolean =>
  list.some(({ hears }) => hears[name].some((part) => said.includes(folded(part).trim())));

/** Tells whether a text says that it is better than last time, in any language of the phrases. */
export const saysBetter = (list: readonly SafetyPhrases[], text: string): boolean => hasPart(list, folded(text.slice(0, mostHeard)), "better");

/** Returns what a text says about company and barriers, in any language of the phrases. */
export function saysOf(list: readonly SafetyPhrases[], text: string): Says {
  const said = folded(text.slice(0, mostHeard));
  const has = (name: keyof SafetyPhrases["hears"]): boolean => hasPart(list, said, name);
  const barrier = barrierKinds.find((kind) => (kind === "other" ? isLong(text) : has(kind)));
  return {
    ...(has("better") ? { better: true as const } : {}),
    ...(has("alone") ? { company: false } : has("company") ? { company: true } : {}),
    ...(has("will_reach") ? { will_reach: true as const } : {}),
    ...(barrier === undefined ? {} : { barrier }),
  };
}
