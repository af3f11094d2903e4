import { type Locale, localeFrom } from "../locale.ts";
import data from "./de.data.json" with { type: "json" };

const letters = /^[a-z]+$/u;

/** One ending of person, number or case. A final s is removed only from longer words, since "Haus" is a stem. */
const ending = /(?<=...)st$|[ten]$|(?<=....)s$/u;

/**
 * Stems a German word. Removes the participle prefix and the endings of number, case and person, letter by letter, down to three letters. Based on L.
 * Weissweiler and A. Fraser, "Developing a Stemmer for German" (2017). Unlike theirs, it removes little after -er and -em, and it removes -in.
 */
const stem = (word: string): string => {
  if (!letters.test(word)) return word;
  let left = word.length > 7 ? word.replace(/in(?:nen)?$/u, "") : word;
  if (left.length > 6) left = left.replace(/^ge/u, "");
  while (left.length > 3) {
    const nominal = left.length > 5 ? left.replace(/(?:ern|er|em)$/u, "") : left;
    if (nominal !== left) return nominal.replace(/(?<=...)t$/u, "");
    const shorter = left.replace(ending, "");
    if (shorter === left) break;
    left = shorter;
  }
  return left;
};

/** German, with a light stemmer. Umlauts are read as their base vowels. */
export const german: Locale = localeFrom(data, stem);
