/** Checks that an answer is contained in the fetched sources, and builds answers from a source's own sentences. */
import { createTokenizer, type Tokenizer } from "throughline/memory";
import file from "./asking-words.data.json" with { type: "json" };

/** How trustworthy a source is, as its provider reports. */
export const sourceQualities = ["official", "reputable", "weak", "none"] as const;
export type SourceQuality = (typeof sourceQualities)[number];

/** A fetched text. An answer may only contain its statements. */
export interface FoundSource {
  readonly title: string;
  /** Identifies the source in citations; unique among the sources of a search. */
  readonly url: string;
  readonly text: string;
  readonly quality: SourceQuality;
}

/** Looks up facts. `text` must be the fetched text, not a model's summary. */
export interface SearchProvider {
  /** Display name, also in `agent_config.search`. */
  readonly name: string;
  /** Returns the best sources for a query, best first, at most `limit`; empty if there are none. Throws if it cannot search. */
  search(query: string, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly FoundSource[]>;
}

let tokenizer: Tokenizer | undefined;

/** Returns the meaningful words of a text, stemmed, each once. Creates the tokenizer for the first text. */
export const termsOf = (text: string): ReadonlySet<string> => new Set((tokenizer ??= createTokenizer()).terms(text));

/** Splits a text into sentences. A period in a number or in an abbreviation such as "e.g." ends no sentence. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\s+/gu, " ")
    .split(/(?<=[.!?]["”’)]?)(?<!\b(?:e\.g|i\.e|etc|vs|approx|Dr|Mr|Ms|St)\.)\s+(?=[\p{Lu}\p{N}"“(¿¡])|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

const numberNames: Readonly<Record<string, string>> = {
  ...{ one: "1", two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7", eight: "8", nine: "9", ten: "10", eleven: "11", twelve: "12" },
  ...{ fifteen: "15", twenty: "20", thirty: "30", forty: "40", fifty: "50", sixty: "60", ninety: "90", hundred: "100", thousand: "1000" },
};

/** Returns the numbers of a text in one form: `1,000` equals `1000`, and "eight" equals 8. The word "one" does not count. */
export function numbersOf(text: string): ReadonlySet<string> {
  const digits = [...text.normalize("NFKC").matchAll(/\d+(?:[.,]\d+)*/gu)].map(([number]) =>
    number.replaceAll(/,(?=\d{3}\b)/gu, "").replaceAll(",", "."),
  );
  const words = [...text.toLowerCase().matchAll(/[a-z]+/gu)].flatMap(([word]) => (word === "one" ? [] : (numberNames[word] ?? [])));
  return new Set([...digits, ...words]);
}

let terms: ReadonlySet<string> | undefined;

/** Returns the terms of question words. Computes them for the first question. */
export const askingWords = (): ReadonlySet<string> => (terms ??= new Set(file.words.flatMap((word) => [...termsOf(word)])));

/** A sentence of an answer with its cited source. */
export interface Claim {
  readonly text: string;
  /** `url` of the source. */
  readonly source: string;
}

/** Why a claim is rejected. `unsayable`: a source contains it, but no reply may say it. */
export type ClaimFault = "blank" | "not_fetched" | "number" | "link" | "not_contained" | "negation" | "phone" | "unsayable";

/** Share of a claim's terms that adjacent sentences of its source must contain: about two of three. */
const leastShare = 0.66;
/** Adjacent sentences of a source that a claim can combine. */
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

/** Caches the parsed sources, because every claim is compared with the same few. */
const known = new WeakMap<FoundSource, ReadSource>();
function readSource(source: FoundSource): ReadSource {
  const read = known.get(source) ?? { title: readSentence(source.title), sentences: sentencesOf(source.text).map(readSentence) };
  known.set(source, read);
  return read;
}

const share = (of: ReadonlySet<string>, among: readonly ReadSentence[]): number =>
  [...of].filter((term) => among.some(({ terms }) => terms.has(term))).length / of.size;

const isDenied = (text: string): boolean => (text.match(negated) ?? []).length % 2 === 1;

/** Tells whether a text contains a dialable number: seven or more digits in a row that are not years. */
const hasPhone = (text: string): boolean =>
  helpline.test(text) || (text.replaceAll(years, " ").match(dialled) ?? []).some((one) => one.replaceAll(/\D/gu, "").length >= 7);

/**
 * Returns why a claim is not contained in its source, or undefined if it is. The source must be fetched. Adjacent sentences must contain most terms
 * of the claim, and all of its numbers. The source must contain its links. Claim and source must agree in negation. Phone numbers and help lines are
 * always rejected.
 */
export function faultOf({ text, source }: Claim, fetched: readonly FoundSource[]): ClaimFault | undefined {
  const claim = readSentence(text);
  if (claim.terms.size === 0) return "blank";
  const found = fetched.find(({ url }) => url === source);
  if (found === undefined) return "not_fetched";
  if (hasPhone(text)) return "phone";
  if ((text.match(link) ?? []).some((one) => !found.text.includes(one) && found.url !== one)) return "link";
  const { title, sentences } = readSource(found);
  // The title with adjacent sentences, as the basis of a claim.
  const stretches = sentences.map((_, index) => [title, ...sentences.slice(index, index + windowSentences)]);
  const holding = stretches.filter((stretch) => share(claim.terms, stretch) >= leastShare);
  if (holding.length === 0) return "not_contained";
  const hasNumbers = (stretch: readonly ReadSentence[]): boolean =>
    [...claim.numbers].every((number) => stretch.some(({ numbers }) => numbers.has(number)));
  if (!holding.some(hasNumbers)) return "number";
  const nearest = sentences.toSorted((a, b) => share(claim.terms, [b]) - share(claim.terms, [a]))[0];
  return isDenied(text) === isDenied(nearest?.text ?? "") ? undefined : "negation";
}

/** Tells whether there are claims and each is contained in its source. */
export const isGrounded = (claims: readonly Claim[], fetched: readonly FoundSource[]): boolean =>
  claims.length > 0 && claims.every((claim) => faultOf(claim, fetched) === undefined);

const mostSentences = 3;
/** Fewest score of an additional sentence, as a share of the best one's. */
const leastOfBest = 0.5;
/** Bonus for a sentence of the requested kind: a figure, or the definition at the start of a page. */
const kindBonus = 1.5;

const wantsFigure =
  /\b(?:how (?:long|many|much|often|far|old)|what (?:percentage|share|number)|when)\b|\bcuánt\w+|\bwie (?:lange|viele?|oft)\b|\bcombien\b|\bquant\w+|多(?:久|少|长)/iu;
const wantsDefinition =
  /\b(?:what(?:'s| is| are| does .{1,40} mean| happens)|define|meaning of|definition)\b|\bqué (?:es|son)\b|\bwas (?:ist|sind|bedeutet)\b|\bqu'est-ce\b|\bo que (?:é|são)\b|是什么/iu;

/**
 * Returns up to three sentences of the first source that best match the query, in their order. Returns none if the source does not match. Rare words
 * weigh more.
 */
export function extractAnswer(query: string, fetched: readonly FoundSource[]): readonly Claim[] {
  const [source] = fetched;
  if (source === undefined) return [];
  const ofTitle = termsOf(source.title);
  const sentences = [...new Set(sentencesOf(source.text))].map((text, index) => ({ text, index, terms: termsOf(text) }));
  const weightOf = (term: string): number => {
    const holding = sentences.filter(({ terms }) => terms.has(term)).length;
    const weight = Math.log(1 + sentences.length / (1 + holding));
    return askingWords().has(term) || ofTitle.has(term) ? weight / 4 : weight;
  };
  const weights = [...termsOf(query)].map((term) => [term, weightOf(term)] as const);
  const isOfSubject = weights.some(([term]) => ofTitle.has(term));
  const scored = sentences.map(({ text, index, terms }) => {
    const matched = weights.reduce((sum, [term, weight]) => (terms.has(term) ? sum + weight : sum), 0);
    const isFigure = wantsFigure.test(query) && numbersOf(text).size > 0;
    const isDefinition = wantsDefinition.test(query) && index === 0 && isOfSubject;
    return { text, index, score: matched > 0 || isOfSubject ? matched + (isFigure || isDefinition ? kindBonus : 0) : 0 };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  if (best <= 0) return [];
  return scored
    .filter(({ score }) => score >= best * leastOfBest)
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, mostSentences)
    .toSorted((a, b) => a.index - b.index)
    .map(({ text }) => ({ text, source: source.url }));
}
