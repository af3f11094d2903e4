import type { Locale } from "../locale.ts";
import { concepts } from "./de-concepts.ts";
import { time } from "./de-time.ts";
import { irregular, stopWords, telltale } from "./de-words.ts";

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

const determined = "(?:welche[mnrs]?|was für eine[mnrs]?)";

/** German, with a light stemmer; umlauts are read as the vowels that they come from. */
export const german: Locale = Object.freeze<Locale>({
  code: "de",
  stopWords,
  telltale,
  irregular,
  stem,
  questions: {
    opens:
      "wer|wen|wem|wessen|was|wann|wo|wohin|woher|wie|wieso|warum|weshalb|welche[mnrs]?|seit wann|(?:ist|sind|war|waren|bin|bist|hat|habe|hast|haben|kann|kannst|können|will|willst|wird|werden|soll|darf|mag|magst) (?:ich|du|er|sie|es|wir|ihr|der|die|das|mein|meine|dein|deine)",
    when: `wann|(?:an|in|zu|um|seit) ${determined} (?:tag|datum|monat|jahr|woche|zeit|uhrzeit)|seit wann|wie lange ist es her`,
    howMany: "wie ?viele?|anzahl",
    howOften: "wie oft|wie häufig",
    howLong: "wie lange|wie alt|wie viele (?:tage|wochen|monate|jahre|stunden)",
    who: "wer|wen|wem|wessen|mit wem",
    where: `wo|wohin|woher|(?:an|in) ${determined} (?:ort|stadt|land|straße)|${determined} (?:ort|stadt|land)`,
  },
  time,
  concepts,
});
