/** What a verbatim text must not say any more: the words of facts that were replaced, withdrawn, or kept from recall. */
import { normalised, sentencesOf } from "./sentences.ts";

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
