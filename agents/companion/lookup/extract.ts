/** An answer without a model: the sentences of the best source that speak of what was asked, word for word. */
import { askingWords } from "./asking-words.ts";
import type { FoundSource } from "./provider.ts";
import type { Claim } from "./verify.ts";
import { numbersOf, sentencesOf, termsOf } from "./words-of-facts.ts";

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
