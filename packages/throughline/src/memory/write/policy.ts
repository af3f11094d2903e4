/** What is never remembered, and what takes more than one time of saying. Words decide, in the languages of policy.yaml; no model is asked. */
import { folded } from "../control/tokens.ts";
import words from "./policy.data.json" with { type: "json" };

/** Version of these rules and of those of promotion: written into whatever they let in. */
export const policyVersion = "throughline.memory.1";

/** At most so much of a message is looked at for phrases: patterns are cheap, and a message may be a book. */
const longest = 20_000;

/** Of a longer message its beginning and its end: what somebody asks of a text stands before it or after it. */
const ends = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}`);

/** Any of the phrases, as one pattern. */
const anyOf = (phrases: readonly string[]): RegExp =>
  new RegExp(phrases.map((phrase) => `(?:${phrase.replaceAll("{start}", words.clauseStart)})`).join("|"), "u");

const privacy = anyOf(words.privacyPhrases);
const whole = new RegExp(words.wholeSession, "u");
const control = anyOf(words.controlPhrases);
const selfBelief = anyOf(words.selfBeliefPhrases);
const turnScoped = anyOf(words.turnScopedPhrases);
const durable = anyOf(words.durablePhrases);
const unsafe = anyOf(words.unsafePhrases);
const goOn = new RegExp(words.goOnPhrase, "gu");
const factShaped = anyOf(words.factShapedPhrases);
const assistant = anyOf(words.assistantPhrases);

/** What somebody else said, in quotation marks: it is told, not asked for. A message that is nothing else stays as it is. */
function withoutQuotations(text: string): string {
  const rest = text.replaceAll(/"[^"\n]{1,300}"|[“„«「『][^”“»」』\n]{1,300}[”“»」』]/gu, " … ");
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

const plain = (text: string): string => folded(withoutQuotations(ends(text)));

/** How far a wish not to be remembered reaches: what stands beside it, or the whole conversation. */
export type PrivacyScope = "turn" | "session";

/** Whether a message asks that it, or what stands beside it, is not remembered; undefined if it asks nothing of the kind. */
export function privacyOf(text: string): PrivacyScope | undefined {
  const said = plain(text);
  const found = privacy.exec(said);
  if (found === null) return undefined;
  // The sentence that asks says how far it goes; what else the message tells is no part of it.
  const sentence = said
    .slice(found.index)
    .split(/[.!?。!?\n]/u, 2)
    .join(" ");
  return whole.test(sentence) ? "session" : "turn";
}

/** Whether a message is about the memory itself: nothing of it is remembered. */
export const isMemoryControl = (text: string): boolean => control.test(plain(text));

/** Whether words are a belief against oneself, which must be said again before it is remembered. */
export const isSelfBelief = (text: string): boolean => selfBelief.test(plain(text));

/** Whether words are for this turn only, and not for good. */
export function isTurnScoped(text: string): boolean {
  const said = plain(text);
  return turnScoped.test(said) && !durable.test(said);
}

/** Whether a wish would weaken what keeps the person safe. */
export const weakensSafety = (text: string): boolean => unsafe.test(folded(ends(text)).replaceAll(goOn, " "));

/** Whether words say how things are ("remember that my sister is Ana") and not how to talk with the person. */
export function isFactShaped(text: string): boolean {
  const said = plain(text);
  return factShaped.test(said) && !assistant.test(said);
}

/** What may be read for what is worth remembering: without what was asked to be left out, and what is about the memory itself. */
export interface Rememberable<Turn> {
  readonly turns: readonly Turn[];
  /** The farthest wish not to be remembered. */
  readonly privacy: PrivacyScope | undefined;
}

/**
 * The turns that an extraction may read. "Don't remember this" takes the message that it stands in, and the one before, which it may mean; of the whole
 * conversation it takes everything.
 */
export function rememberable<Turn extends { readonly text: string }>(turns: readonly Turn[]): Rememberable<Turn> {
  const scopes = turns.map(({ text }) => privacyOf(text));
  if (scopes.includes("session")) return { turns: [], privacy: "session" };
  const kept = turns.filter(({ text }, index) => scopes[index] === undefined && scopes[index + 1] === undefined && !isMemoryControl(text));
  return { turns: kept, privacy: scopes.includes("turn") ? "turn" : undefined };
}
