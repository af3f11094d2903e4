/** The supplied languages. English has Porter's stemmer, Spanish and German have light stemmers, and Chinese needs none. */
import { type Locale, localeFrom } from "./locale.ts";
import de from "./locales/de.data.json" with { type: "json" };
import en from "./locales/en.data.json" with { type: "json" };
import es from "./locales/es.data.json" with { type: "json" };
import zh from "./locales/zh.data.json" with { type: "json" };
import { porter } from "./porter.ts";

const ordinal = /^(\d+)(?:st|nd|rd|th)$/u;
const letters = /^[a-z]+$/u;

/** English: Porter's stemmer for words of the letters a to z. Ordinals become numbers. */
export const english: Locale = localeFrom(en, (word) => (letters.test(word) ? porter(word) : word.replace(ordinal, "$1")));

/** Pronouns after an infinitive or a gerund: "llamarse", "diciéndolo". */
const spanishPronouns = /(?<=[aei]r|ando|[iy]endo)(?:me|te|se|nos|os|l[aeo]s?)+$/u;
/** Endings of number, gender, person and tense, longest first. At least three letters remain. */
const spanishEndings =
  /(?<=...)(?:(?:ar|er|ir)iamos|(?:a|ie)ramos|(?:a|ie)semos|(?:ar|er|ir)(?:emos|ian|ias|ia|as|an|a|e)|abamos|iamos|ieron|aron|iendo|ando|[ai]d[ao]s?|aba[sn]?|aste|iste|[ae]is|[aei]mos|ieras?|ieran|iese|mente|ia[sn]?|io|[aei]r|[ae]n|[aeo]s|[aeo])$/u;
const infinitive = /(?<=...)[aei]r$/u;

/** Different spellings of one sound: "toco, toque", "pago, pague", "luz, luces". */
const sameSound = (spanishStem: string): string => spanishStem.replace(/qu$/u, "c").replace(/gu$/u, "g").replace(/z$/u, "c");

const spanishStem = (word: string): string => {
  if (!letters.test(word)) return word;
  const bare = word.replace(spanishPronouns, "").replace(spanishEndings, "").replace(infinitive, "");
  return sameSound(bare.length > 3 ? bare.replace(/i$/u, "") : bare);
};

/** Spanish, with a light stemmer. */
export const spanish: Locale = localeFrom(es, spanishStem);

/** One ending of person, number or case. A final s is removed only from longer words, since "Haus" is a stem. */
const germanEnding = /(?<=...)st$|[ten]$|(?<=....)s$/u;

/**
 * Stems a German word. Removes the participle prefix and the endings of number, case and person, letter by letter, down to three letters. Based on L.
 * Weissweiler and A. Fraser, "Developing a Stemmer for German" (2017). Unlike theirs, it removes little after -er and -em, and it removes -in.
 */
const germanStem = (word: string): string => {
  if (!letters.test(word)) return word;
  let left = word.length > 7 ? word.replace(/in(?:nen)?$/u, "") : word;
  if (left.length > 6) left = left.replace(/^ge/u, "");
  while (left.length > 3) {
    const nominal = left.length > 5 ? left.replace(/(?:ern|er|em)$/u, "") : left;
    if (nominal !== left) return nominal.replace(/(?<=...)t$/u, "");
    const shorter = left.replace(germanEnding, "");
    if (shorter === left) break;
    left = shorter;
  }
  return left;
};

/** German, with a light stemmer. Umlauts are read as their base vowels. */
export const german: Locale = localeFrom(de, germanStem);

/** Chinese. Pairs of characters need no stemmer, and words in other scripts stay unchanged. */
export const chinese: Locale = localeFrom(zh, (word) => word);
