/** Whether an answer stands in what was fetched: sources, texts cut for comparing, and answers made of a source's own sentences. */
import { createTokenizer, type Tokenizer } from "throughline/memory";
import file from "./asking-words.data.json" with { type: "json" };

/** How far a source can be trusted, as its provider says. */
export const sourceQualities = ["official", "reputable", "weak", "none"] as const;
export type SourceQuality = (typeof sourceQualities)[number];

/** A text that was fetched: an answer may say what stands in it, and nothing else. */
export interface FoundSource {
  readonly title: string;
  /** Names it for citing; unique among the sources of a search. */
  readonly url: string;
  readonly text: string;
  readonly quality: SourceQuality;
}

/** Looks facts up. What it returns has been fetched: `text` is what stands there, not a summary that a model wrote. */
export interface SearchProvider {
  /** Shown to people and in `agent_config.search`: where answers come from. */
  readonly name: string;
  /** The best sources for a query, best first, at most `limit`; none where there are none. Throws if it cannot search. */
  search(query: string, options: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly FoundSource[]>;
}

let tokenizer: Tokenizer | undefined;

/** The words of a text that mean something, stemmed, each once. The tokenizer is made with the first text. */
export const termsOf = (text: string): ReadonlySet<string> => new Set((tokenizer ??= createTokenizer()).terms(text));

/** The sentences of a text. A point in a number, or in an abbreviation such as "e.g.", ends none. */
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

/** The numbers of a text, in one spelling: `1,000` and `1000` are one, and so are "eight" and 8. "One" is a number only where it counts. */
export function numbersOf(text: string): ReadonlySet<string> {
  const digits = [...text.normalize("NFKC").matchAll(/\d+(?:[.,]\d+)*/gu)].map(([number]) =>
    number.replaceAll(/,(?=\d{3}\b)/gu, "").replaceAll(",", "."),
  );
  const words = [...text.toLowerCase().matchAll(/[a-z]+/gu)].flatMap(([word]) => (word === "one" ? [] : (numberNames[word] ?? [])));
  return new Set([...digits, ...words]);
}

let terms: ReadonlySet<string> | undefined;

/** Their terms; made with the first question. */
export const askingWords = (): ReadonlySet<string> => (terms ??= termsOf(file.words.join(" ")));

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

const mostSentences = 3;
/** A sentence is quoted beside the best one if it says at least this share of what that one does. */
const leastOfBest = 0.5;
/** What a sentence gains by being of the kind that was asked for: a figure, or the definition that a page begins with. */
const kindBonus = 1.5;

const wantsFigure =
  /\b(?:how (?:long|many|much|often|far|old)|what (?:percentage|share|number)|when)\b|\bcuánt\w+|\bwie (?:lange|viele?|oft)\b|\bcombien\b|\bquant\w+|多(?:久|少|长)/iu;
const wantsDefinition =
  /\b(?:what(?:'s| is| are| does .{1,40} mean| happens)|define|meaning of|definition)\b|\bqué (?:es|son)\b|\bwas (?:ist|sind|bedeutet)\b|\bqu'est-ce\b|\bo que (?:é|são)\b|是什么/iu;

/** Up to three sentences of the first source, in its order, that say most of what was asked; none if it does not speak of it. A word that few sentences have tells more. */
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
    const said = weights.reduce((sum, [term, weight]) => (terms.has(term) ? sum + weight : sum), 0);
    const isFigure = wantsFigure.test(query) && numbersOf(text).size > 0;
    const isDefinition = wantsDefinition.test(query) && index === 0 && isOfSubject;
    return { text, index, score: said > 0 || isOfSubject ? said + (isFigure || isDefinition ? kindBonus : 0) : 0 };
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
