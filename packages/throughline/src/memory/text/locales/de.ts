import { type Locale, localeFrom } from "../locale.ts";
import data from "./de.data.json" with { type: "json" };

const letters = /^[a-z]+$/u;

/** One ending of person, number or case; an s only of longer words, as in "Haus" it is none. */
const ending = /(?<=...)st$|[ten]$|(?<=....)s$/u;

/**
 * What German words have in common once the prefix of participles and the endings of number, case and person are taken away, one letter at a time and down to three. The idea is
 * that of L. Weissweiler and A. Fraser, "Developing a Stemmer for German" (2017); unlike theirs, little more is taken away behind -er and -em, and -in is.
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

/** German, with a light stemmer; umlauts are read as the vowels that they come from. */
export const german: Locale = localeFrom(data, stem);
