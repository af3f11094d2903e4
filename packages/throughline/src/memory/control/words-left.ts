/** Finds forgotten words in quotes, summaries and messages. */
import { createTokenizer } from "../text/tokenize.ts";
import type { ListedEntry } from "./owner-memory.ts";
import { withoutQuotes, normalised, sentencesOf } from "../recall/hidden.ts";

/** Splits a text into its meaningful words, in a comparable form. */
export type Terms = (text: string) => readonly string[];

let tokenizer: ReturnType<typeof createTokenizer> | undefined;

/** Terms of the default languages. */
export const defaultTerms: Terms = (text) => (tokenizer ??= createTokenizer()).terms(text);

function textOf({ entry, text }: ListedEntry): string {
  if (!("type" in entry)) return [entry.text, ...entry.evidence].join("\n");
  if (entry.type === "turn") return entry.text;
  if (entry.type === "fact") return [entry.subject.id, entry.object.id, entry.quote].join("\n").replaceAll("_", " ");
  return [text, ...entry.themes, ...entry.open_loops, ...entry.resolved, entry.goal ?? ""].join("\n");
}

/**
 * Returns the active entries that contain all meaningful words of a query. Returns nothing for a query without such words. A turn is left out if a
 * matching fact quotes it.
 */
export function matching(
  listing: readonly ListedEntry[],
  query: string,
  { terms = defaultTerms }: { readonly terms?: Terms } = {},
): readonly ListedEntry[] {
  const wanted = new Set(terms(query));
  if (wanted.size === 0) return [];
  const found = listing.filter((one) => {
    if (!one.in_force) return false;
    const has = new Set(terms(textOf(one)));
    return [...wanted].every((term) => has.has(term));
  });
  const told = new Set(
    found.flatMap(({ entry }) =>
      "type" in entry && entry.type === "fact" ? entry.sources.map(({ session_id, offset }) => `${session_id}:${offset}`) : [],
    ),
  );
  return found.filter(({ entry }) => !("type" in entry && entry.type === "turn" && told.has(`${entry.source.session_id}:${entry.source.offset}`)));
}

/** Forgotten words. */
export interface Forgotten {
  /** Verbatim quotes. */
  readonly quotes: readonly string[];
  /** Names of things. A sentence with one of them refers to it. */
  readonly names: readonly string[];
}

/** Minimum length of a quote to compare. Shorter ones occur in too many texts. */
const shortestPiece = { letters: 8, han: 4 };
/** Minimum length of a single sentence. Common sentences such as "thank you so much" would match by chance. */
const shortestSentence = { letters: 24, han: 8 };

const unspaced = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/gu;

const isLong = (piece: string, { letters, han } = shortestPiece): boolean => piece.length >= letters || (piece.match(unspaced)?.length ?? 0) >= han;

/** Returns a function that tells whether a text contains any of the pieces, ignoring case, marks and spaces. Build it once for many texts. */
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

/** Tells whether two quotes have the same words: they are equal, or one contains the other. Short quotes must be equal. */
export function overlaps(left: string, right: string): boolean {
  const [a, b] = [normalised(left), normalised(right)];
  if (a === "" || b === "") return false;
  return a === b || (isLong(a) && b.includes(a)) || (isLong(b) && a.includes(b));
}

/** Returns a text without the sentences that contain forgotten words, or undefined if nothing is left. */
export const withoutForgotten = (text: string, { quotes }: Forgotten): string | undefined => withoutQuotes(text, quotes);

/** Share of a quote's words that makes a sentence of a summary equivalent to it. */
const sameShare = 0.6;

/**
 * Returns a function that tells whether a sentence refers to forgotten content. It does if it has the name or most words of a quote, or only words of
 * a quote.
 */
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

/** Returns a summary without the sentences that refer to forgotten content, or undefined if nothing is left. */
export function retold(text: string, tells: (sentence: string) => boolean): string | undefined {
  const sentences = sentencesOf(text);
  const kept = sentences.filter((sentence) => !tells(sentence));
  if (kept.length === sentences.length) return text;
  return kept.length === 0 ? undefined : kept.join(" ");
}
