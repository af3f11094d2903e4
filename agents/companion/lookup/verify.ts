/** Whether an answer stands in what was fetched. A model's word for it counts nothing. */
import type { FoundSource } from "./provider.ts";
import { numbersOf, sentencesOf, termsOf } from "./words-of-facts.ts";

/** A sentence of an answer, and the source that it is said to be from. */
export interface Claim {
  readonly text: string;
  /** `url` of the source. */
  readonly source: string;
}

/** Why a claim is refused. */
export type ClaimFault = "blank" | "not_fetched" | "number" | "link" | "not_contained" | "negation" | "phone";

/** A claim's words that its source must hold, near each other: of three words two. */
const leastShare = 0.66;
/** Sentences of a source that a claim may be put together from. */
const windowSentences = 3;

const link = /\b(?:https?:\/\/|www\.)[^\s)\]]+/giu;
const phone = /(?:\+|\b)\d[\d\s().-]{5,}\d\b|\b(?:hotline|helpline|crisis line)\b/iu;
const negated = /\b(?:not|no|never|cannot|without|nor|neither|none|hardly|rarely)\b|n['’]t\b/giu;

/** Stretches of a source that a claim may rest on: its title with a few sentences that follow each other. */
function stretches({ title, text }: FoundSource): readonly string[] {
  const sentences = sentencesOf(text);
  return sentences.map((_, index) => [title, ...sentences.slice(index, index + windowSentences)].join(" "));
}

const share = (of: ReadonlySet<string>, among: ReadonlySet<string>): number =>
  of.size === 0 ? 0 : [...of].filter((term) => among.has(term)).length / of.size;

const isDenied = (text: string): boolean => (text.match(negated) ?? []).length % 2 === 1;

/** The sentence of a source that says most of what a claim says. */
function nearest(claim: ReadonlySet<string>, { text }: FoundSource): string {
  const ranked = sentencesOf(text).map((sentence) => ({ sentence, share: share(claim, termsOf(sentence)) }));
  return ranked.toSorted((a, b) => b.share - a.share)[0]?.sentence ?? "";
}

/**
 * Why a claim does not stand in the source that it names; undefined if it does: the source was fetched, most words of the claim stand near each other in it, all of
 * its numbers and links do, and it denies nothing that the source says, or the reverse. Phone numbers and helplines are no facts to be looked up.
 */
export function faultOf({ text, source }: Claim, fetched: readonly FoundSource[]): ClaimFault | undefined {
  const terms = termsOf(text);
  if (terms.size === 0) return "blank";
  const found = fetched.find(({ url }) => url === source);
  if (found === undefined) return "not_fetched";
  if (phone.test(text)) return "phone";
  if ((text.match(link) ?? []).some((one) => !found.text.includes(one) && found.url !== one)) return "link";
  const holding = stretches(found).filter((stretch) => share(terms, termsOf(stretch)) >= leastShare);
  if (holding.length === 0) return "not_contained";
  const numbers = [...numbersOf(text)];
  if (!holding.some((stretch) => numbers.every((number) => numbersOf(stretch).has(number)))) return "number";
  return isDenied(text) === isDenied(nearest(terms, found)) ? undefined : "negation";
}

/** Whether every claim stands in its source, and there is one. */
export const isGrounded = (claims: readonly Claim[], fetched: readonly FoundSource[]): boolean =>
  claims.length > 0 && claims.every((claim) => faultOf(claim, fetched) === undefined);
