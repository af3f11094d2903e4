/** Finds and removes words in texts: forgotten ones, and those that were replaced, withdrawn or excluded from recall. */
import { type Arc, sourceKey } from "../entry.ts";
import { createTokenizer } from "../text/tokenize.ts";
import type { ListedEntry } from "./owner-memory.ts";

/** Splits a text into sentences, for all scripts with end marks. A line break also ends a sentence. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?…]["'”’)\]]*)\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** Returns the folded words of a text. Texts that read the same become equal. */
export const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’ʼ]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Words that must not be shown. */
export interface HiddenWords {
  /** Verbatim quotes. */
  readonly quotes: readonly string[];
  /** Objects of the hidden facts. A label of an arc, such as a theme, that equals one of them is removed. */
  readonly labels: readonly string[];
  /** Names excluded from recall. Each sentence with one of them is removed. */
  readonly names: readonly string[];
  /** Quotes that the user excluded from recall. A label that consists only of their words is removed. */
  readonly kept: readonly string[];
}

/** Returns a text without the sentences that contain a quote, or undefined if nothing useful is left. Returns the text unchanged if it contains no quote. */
export function withoutQuotes(text: string, quotes: readonly string[]): string | undefined {
  const hidden = quotes.map(normalised).filter((quote) => quote !== "");
  if (hidden.length === 0) return text;
  const whole = normalised(text);
  if (!hidden.some((quote) => whole.includes(quote))) return text;
  const sentences = sentencesOf(text);
  // A quote may span several sentences. All of them are removed.
  const kept = sentences.filter((sentence) => {
    const said = normalised(sentence);
    return !hidden.some((quote) => said.includes(quote) || (said !== "" && quote.includes(said)));
  });
  const left = kept.join(" ").trim();
  const still = normalised(left);
  const isLeft = left !== "" && kept.length < sentences.length && !hidden.some((quote) => still.includes(quote) || sharesStart(still, quote));
  return isLeft ? left : undefined;
}

/** Tells whether a text still contains half of a quote that was cut within a sentence. */
function sharesStart(text: string, quote: string): boolean {
  const words = quote.split(" ");
  if (words.length < 6) return false;
  const half = words.slice(0, Math.ceil(words.length / 2)).join(" ");
  const rest = words.slice(Math.floor(words.length / 2)).join(" ");
  return text.includes(half) || text.includes(rest);
}

/** Tells whether a text contains a name as separate words. In scripts without spaces, the name may occur anywhere. */
function hasName(said: string, name: string): boolean {
  return name !== "" && (/\p{Script=Han}/u.test(name) ? said.includes(name) : ` ${said} `.includes(` ${name} `));
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(normalised(text).split(" "));

/** Returns an arc without hidden words. Its summary may become empty. Returns the same arc if it contains none. */
export function arcWithout(arc: Arc, { quotes, labels, names, kept }: HiddenWords): Arc {
  if (quotes.length + labels.length + names.length === 0) return arc;
  const [whole, parts, wordsKept] = [new Set(labels.map(normalised)), names.map(normalised), kept.map(wordsOf)];
  const keeps = (text: string): boolean => {
    const said = normalised(text);
    if (whole.has(said) || parts.some((name) => hasName(said, name)) || withoutQuotes(text, quotes) !== text) return false;
    return !wordsKept.some((words) => said.split(" ").every((word) => words.has(word)));
  };
  const unnamed = sentencesOf(arc.summary).filter((sentence) => !parts.some((name) => hasName(normalised(sentence), name)));
  const summary = parts.length === 0 ? arc.summary : unnamed.join(" ");
  return arcKeeping(arc, withoutQuotes(summary, quotes) ?? "", keeps);
}

/** Returns an arc with another summary, and with the labels that may stay. */
export function arcKeeping(arc: Arc, summary: string, keeps: (text: string) => boolean): Arc {
  const { mood, goal, approach_context: context, ...rest } = arc;
  return {
    ...rest,
    summary,
    themes: arc.themes.filter(keeps),
    open_loops: arc.open_loops.filter(keeps),
    resolved: arc.resolved.filter(keeps),
    ...(mood !== undefined && keeps(mood.opened) && keeps(mood.closed) ? { mood } : {}),
    ...(goal !== undefined && keeps(goal) ? { goal } : {}),
    ...(context === undefined ? {} : { approach_context: Object.fromEntries(Object.entries(context).filter(([, text]) => keeps(text))) }),
  };
}

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
 * Returns the active entries that contain all meaningful words of a query, or the query itself. Returns nothing for a query without such words. A turn is left out if a
 * matching fact quotes it.
 */
export function matching(
  listing: readonly ListedEntry[],
  query: string,
  { terms = defaultTerms }: { readonly terms?: Terms } = {},
): readonly ListedEntry[] {
  const wanted = new Set(terms(query));
  if (wanted.size === 0) return [];
  // A query of few words may count as another language than the text, with other stems and words of no meaning.
  const literal = normalised(query);
  const found = listing.filter((one) => {
    if (!one.in_force) return false;
    const text = textOf(one);
    const has = new Set(terms(text));
    return [...wanted].every((term) => has.has(term)) || hasName(normalised(text), literal);
  });
  const quoted = new Set(found.flatMap(({ entry }) => ("type" in entry && entry.type === "fact" ? entry.sources.map(sourceKey) : [])));
  return found.filter(({ entry }) => !("type" in entry && entry.type === "turn" && quoted.has(sourceKey(entry.source))));
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
