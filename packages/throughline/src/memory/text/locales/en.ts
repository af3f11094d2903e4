import { type Locale, localeFrom } from "../locale.ts";
import { porter } from "../porter.ts";
import data from "./en.data.json" with { type: "json" };

const ordinal = /^(\d+)(?:st|nd|rd|th)$/u;
const letters = /^[a-z]+$/u;

/** English: Porter's stemmer for words of the letters a to z. Ordinals become numbers. */
export const english: Locale = localeFrom(data, (word) => (letters.test(word) ? porter(word) : word.replace(ordinal, "$1")));
