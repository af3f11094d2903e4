/** Removes hidden words from texts: words that were replaced, withdrawn or excluded from recall. */
import type { Arc } from "../entry.ts";

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
  const { mood, goal, approach_context: context, ...rest } = arc;
  return {
    ...rest,
    summary: withoutQuotes(summary, quotes) ?? "",
    themes: arc.themes.filter(keeps),
    open_loops: arc.open_loops.filter(keeps),
    resolved: arc.resolved.filter(keeps),
    ...(mood !== undefined && keeps(mood.opened) && keeps(mood.closed) ? { mood } : {}),
    ...(goal !== undefined && keeps(goal) ? { goal } : {}),
    ...(context === undefined ? {} : { approach_context: Object.fromEntries(Object.entries(context).filter(([, text]) => keeps(text))) }),
  };
}
