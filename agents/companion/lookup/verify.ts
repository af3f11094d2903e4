/** Whether an answer stands in what was fetched. A model's word for it counts nothing. */
import type { FoundSource } from "./provider.ts";
import { numbersOf, sentencesOf, termsOf } from "./words-of-facts.ts";

/** A sentence of an answer, and the source that it is said to be from. */
export interface Claim {
  readonly text: string;
  /** `url` of the source. */
  readonly source: string;
}

/** Why a claim is refused; `unsayable`: it stands in a source, and no reply may say it. */
export type ClaimFault = "blank" | "not_fetched" | "number" | "link" | "not_contained" | "negation" | "phone" | "unsayable";

/** A claim's words that its source must hold, near each other: of three words two. */
const leastShare = 0.66;
/** Sentences of a source that a claim may be put together from. */
const windowSentences = 3;

const link = /\b(?:https?:\/\/|www\.)[^\s)\]]+/giu;
const helpline = /\b(?:hot-?line|help-?line|crisis line|lifeline)s?\b/iu;
const dialled = /\+?\d[\d\s().-]{5,40}\d/gu;
const years = /\b(?:19|20)\d\d\s?[-–]\s?(?:19|20)\d\d\b/gu;
const negated = /\b(?:not|no|never|cannot|without|nor|neither|none|hardly|rarely)\b|n['’]t\b/giu;

interface ReadSentence {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

interface ReadSource {
  readonly title: ReadSentence;
  readonly sentences: readonly ReadSentence[];
}

const readSentence = (text: string): ReadSentence => ({ text, terms: termsOf(text), numbers: numbersOf(text) });

/** Each claim is held against the same few sources, which are read once. */
const known = new WeakMap<FoundSource, ReadSource>();
function readSource(source: FoundSource): ReadSource {
  const read = known.get(source) ?? { title: readSentence(source.title), sentences: sentencesOf(source.text).map(readSentence) };
  known.set(source, read);
  return read;
}

const share = (of: ReadonlySet<string>, among: readonly ReadSentence[]): number =>
  [...of].filter((term) => among.some(({ terms }) => terms.has(term))).length / of.size;

const isDenied = (text: string): boolean => (text.match(negated) ?? []).length % 2 === 1;

/** Whether a text has what could be dialled: seven digits or more in a row that are no years. */
const hasPhone = (text: string): boolean =>
  helpline.test(text) || (text.replaceAll(years, " ").match(dialled) ?? []).some((one) => one.replaceAll(/\D/gu, "").length >= 7);

/**
 * Why a claim does not stand in the source that it names; undefined if it does: the source was fetched, most words of the claim stand near each other in it, all of
 * its numbers and links do, and it denies nothing that the source says, or the reverse. Phone numbers and helplines are no facts to be looked up.
 */
export function faultOf({ text, source }: Claim, fetched: readonly FoundSource[]): ClaimFault | undefined {
  const claim = readSentence(text);
  if (claim.terms.size === 0) return "blank";
  const found = fetched.find(({ url }) => url === source);
  if (found === undefined) return "not_fetched";
  if (hasPhone(text)) return "phone";
  if ((text.match(link) ?? []).some((one) => !found.text.includes(one) && found.url !== one)) return "link";
  const { title, sentences } = readSource(found);
  // Its title with a few sentences that follow each other: what a claim may rest on.
  const stretches = sentences.map((_, index) => [title, ...sentences.slice(index, index + windowSentences)]);
  const holding = stretches.filter((stretch) => share(claim.terms, stretch) >= leastShare);
  if (holding.length === 0) return "not_contained";
  const hasNumbers = (stretch: readonly ReadSentence[]): boolean =>
    [...claim.numbers].every((number) => stretch.some(({ numbers }) => numbers.has(number)));
  if (!holding.some(hasNumbers)) return "number";
  const nearest = sentences.toSorted((a, b) => share(claim.terms, [b]) - share(claim.terms, [a]))[0];
  return isDenied(text) === isDenied(nearest?.text ?? "") ? undefined : "negation";
}

/** Whether every claim stands in its source, and there is one. */
export const isGrounded = (claims: readonly Claim[], fetched: readonly FoundSource[]): boolean =>
  claims.length > 0 && claims.every((claim) => faultOf(claim, fetched) === undefined);
