/** Words that were forgotten, and what still says them: quotes, sentences of a summary, messages. */
import { withoutQuotes } from "../recall/hidden.ts";
import { normalised, sentencesOf } from "../recall/sentences.ts";
import type { Terms } from "./find.ts";

/** What is forgotten, in words. */
export interface Forgotten {
  /** Verbatim pieces of what was said. */
  readonly quotes: readonly string[];
  /** Names of things: a sentence that tells of one tells of it. */
  readonly names: readonly string[];
}

/** A piece that is shorter stands in too much to say that it is the same. */
const shortestPiece = { letters: 8, han: 4 };
/** A sentence of a longer text is said by chance sooner: "thank you so much". */
const shortestSentence = { letters: 24, han: 8 };

const unspaced = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/gu;

const isLong = (piece: string, { letters, han } = shortestPiece): boolean => piece.length >= letters || (piece.match(unspaced)?.length ?? 0) >= han;

/** Looks whether a text says any of the pieces: as they stand, but for case, marks and spaces. Made once for many texts. */
export function saysAny(pieces: readonly string[]): (text: string) => boolean {
  const whole = pieces.map(normalised).filter((piece) => isLong(piece));
  const sentences = pieces.flatMap(sentencesOf).map(normalised);
  const wanted = [...new Set([...whole, ...sentences.filter((sentence) => isLong(sentence, shortestSentence))])];
  if (wanted.length === 0) return () => false;
  return (text) => {
    const said = normalised(text);
    return wanted.some((piece) => said.includes(piece));
  };
}

/** Whether two quotes are of the same words: the same, or one a part of the other. Short ones are the same only if nothing else stands there. */
export function overlaps(left: string, right: string): boolean {
  const [a, b] = [normalised(left), normalised(right)];
  if (a === "" || b === "") return false;
  return a === b || (isLong(a) && b.includes(a)) || (isLong(b) && a.includes(b));
}

/** A text without what was forgotten, sentence by sentence; undefined if nothing is left. */
export const withoutForgotten = (text: string, { quotes }: Forgotten): string | undefined => withoutQuotes(text, quotes);

/** Share of a quote's words that a sentence of a summary has if it tells the same. */
const sameShare = 0.6;

/** Whether a sentence that somebody wrote about a conversation tells what was forgotten: it has the name of the thing, most words of a quote, or no others. */
export function tellsOf({ quotes, names }: Forgotten, terms: Terms): (sentence: string) => boolean {
  const namesInTerms = names
    .map((name) => terms(name.replaceAll("_", " ")))
    .filter((name) => name.join("").length > 2 || /\p{Script=Han}/u.test(name.join("")));
  const quotesInTerms = quotes.map((quote) => new Set(terms(quote))).filter((quote) => quote.size >= 2);
  return (sentence) => {
    const has = new Set(terms(sentence));
    if (namesInTerms.some((name) => name.every((term) => has.has(term)))) return true;
    return quotesInTerms.some((quote) => {
      const shared = [...quote].filter((term) => has.has(term)).length;
      return shared >= Math.max(2, quote.size * sameShare) || (shared > 0 && shared === has.size);
    });
  };
}

/** A summary without the sentences that tell of it; undefined if nothing is left. */
export function retold(text: string, tells: (sentence: string) => boolean): string | undefined {
  const sentences = sentencesOf(text);
  const kept = sentences.filter((sentence) => !tells(sentence));
  if (kept.length === sentences.length) return text;
  return kept.length === 0 ? undefined : kept.join(" ");
}
