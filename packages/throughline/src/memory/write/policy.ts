/** Rules for what is never remembered, and for what needs repetition. They use the phrases of policy.yaml in its languages, not a model. */
import { folded } from "../text/pieces.ts";
import words from "./policy.data.json" with { type: "json" };

/** Version of these rules and of the promotion rules. It is stored with every entry that they admit. */
export const policyVersion = "throughline.memory.1";

/** Maximum number of characters of a message that are searched for phrases. */
const longest = 20_000;

/** Returns the beginning and the end of a longer message, since requests about a text come before or after it. */
const ends = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}`);

/** Combines phrases into one pattern. */
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

/** Removes quotations, since quoted requests are not the user's. A message that consists of a quotation stays unchanged. */
function withoutQuotations(text: string): string {
  const rest = text.replaceAll(/"[^"\n]{1,300}"|[“„«「『][^”“»」』\n]{1,300}[”“»」』]/gu, " … ");
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text;
}

const plain = (text: string): string => folded(withoutQuotations(ends(text)));

/** Scope of a wish not to remember: the surrounding message, or the whole conversation. */
export type PrivacyScope = "turn" | "session";

/** Returns the scope of a message's wish not to remember, or undefined if it has none. */
export function privacyOf(text: string): PrivacyScope | undefined {
  const said = plain(text);
  const found = privacy.exec(said);
  if (found === null) return undefined;
  // Only the sentence with the wish decides its scope.
  const sentence = said
    .slice(found.index)
    .split(/[.!?。!?\n]/u, 2)
    .join(" ");
  return whole.test(sentence) ? "session" : "turn";
}

/** Tells whether a message is about the memory itself. Such messages are not remembered. */
export const isMemoryControl = (text: string): boolean => control.test(plain(text));

/** Tells whether a text is a negative belief about oneself, which must be repeated before it is remembered. */
export const isSelfBelief = (text: string): boolean => selfBelief.test(plain(text));

/** Tells whether a text applies to this turn only. */
export function isTurnScoped(text: string): boolean {
  const said = plain(text);
  return turnScoped.test(said) && !durable.test(said);
}

/** Tells whether a wish would weaken the user's safety. */
export const weakensSafety = (text: string): boolean => unsafe.test(folded(ends(text)).replaceAll(goOn, " "));

/** Tells whether a text states a fact ("remember that my sister is Ana") rather than how to talk with the user. */
export function isFactShaped(text: string): boolean {
  const said = plain(text);
  return factShaped.test(said) && !assistant.test(said);
}

/** Turns that may be remembered, without private ones and those about the memory itself. */
export interface Rememberable<Turn> {
  readonly turns: readonly Turn[];
  /** The widest wish not to remember. */
  readonly privacy: PrivacyScope | undefined;
}

/**
 * Returns the turns that an extraction may read. "Don't remember this" excludes its message and the previous one, which it may refer to. For the
 * whole conversation it excludes everything.
 */
export function rememberable<Turn extends { readonly text: string }>(turns: readonly Turn[]): Rememberable<Turn> {
  const scopes = turns.map(({ text }) => privacyOf(text));
  if (scopes.includes("session")) return { turns: [], privacy: "session" };
  const kept = turns.filter(({ text }, index) => scopes[index] === undefined && scopes[index + 1] === undefined && !isMemoryControl(text));
  return { turns: kept, privacy: scopes.includes("turn") ? "turn" : undefined };
}
