/** Words that were forgotten, and what still says them: quotes, sentences of a summary, messages. */
import { createTokenizer } from "../text/tokenize.ts";
import type { ListedEntry } from "./owner-memory.ts";
import { withoutQuotes, normalised, sentencesOf } from "../recall/hidden.ts";

/** Cuts a text into the words that carry meaning, made comparable. */
export type Terms = (text: string) => readonly string[];

let tokenizer: ReturnType<typeof createTokenizer> | undefined;

/** The words of the default languages. */
export const defaultTerms: Terms = (text) => (tokenizer ??= createTokenizer()).terms(text);

function textOf({ entry, text }: ListedEntry): string {
  if (!("type" in entry)) return [entry.text, ...entry.evidence].join("\n");
  if (entry.type === "turn") return entry.text;
  if (entry.type === "fact") return [entry.subject.id, entry.object.id, entry.quote].join("\n").replaceAll("_", " ");
  return [text, ...entry.themes, ...entry.open_loops, ...entry.resolved, entry.goal ?? ""].join("\n");
}

/**
 * The things in force that have all meaningful words of a query; none for a query without any. A turn whose words a fact among them quotes is the same thing said
 * twice, and left out.
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
