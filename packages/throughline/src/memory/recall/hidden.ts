/** What a text must not say any more: the words of what was replaced, withdrawn, or kept from recall. */
import type { Arc } from "../entry.ts";

/** The sentences of a text, in any of the scripts that end them with a mark; a line is one too. */
export const sentencesOf = (text: string): readonly string[] =>
  text
    .split(/(?<=[.!?…]["'”’)\]]*)\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

/** A text as its words alone, folded: two texts that read the same are the same. */
export const normalised = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/['’ʼ]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Words that are not to be told. */
export interface HiddenWords {
  /** Verbatim pieces of what was said. */
  readonly quotes: readonly string[];
  /** What they were said of: a label that is nothing else goes. */
  readonly labels: readonly string[];
  /** Names of what the person wants kept from recall: each sentence that has one goes. */
  readonly names: readonly string[];
  /** Those of the quotes that the person wants kept from recall: a label of nothing but their words goes. */
  readonly kept: readonly string[];
}

/** A text without the sentences that hold one of the quotes; undefined if nothing worth telling is left. The text itself if it holds none. */
export function withoutQuotes(text: string, quotes: readonly string[]): string | undefined {
  const hidden = quotes.map(normalised).filter((quote) => quote !== "");
  if (hidden.length === 0) return text;
  const whole = normalised(text);
  if (!hidden.some((quote) => whole.includes(quote))) return text;
  const sentences = sentencesOf(text);
  // A quote may reach over the end of a sentence: then every sentence that it touches goes.
  const kept = sentences.filter((sentence) => {
    const said = normalised(sentence);
    return !hidden.some((quote) => said.includes(quote) || (said !== "" && quote.includes(said)));
  });
  const left = kept.join(" ").trim();
  const still = normalised(left);
  const isLeft = left !== "" && kept.length < sentences.length && !hidden.some((quote) => still.includes(quote) || sharesStart(still, quote));
  return isLeft ? left : undefined;
}

/** Whether a text still holds a good part of a quote that was cut in the middle of a sentence. */
function sharesStart(text: string, quote: string): boolean {
  const words = quote.split(" ");
  if (words.length < 6) return false;
  const half = words.slice(0, Math.ceil(words.length / 2)).join(" ");
  const rest = words.slice(Math.floor(words.length / 2)).join(" ");
  return text.includes(half) || text.includes(rest);
}

/** Whether a text has a name as words of its own; names of scripts without spaces stand anywhere. */
function hasName(said: string, name: string): boolean {
  return name !== "" && (/\p{Script=Han}/u.test(name) ? said.includes(name) : ` ${said} `.includes(` ${name} `));
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(normalised(text).split(" "));

/** An episode as it may be told: its summary may be empty then. The same one if it tells nothing of what is hidden. */
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
