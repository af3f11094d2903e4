import { type Locale, localeFrom } from "../locale.ts";
import data from "./es.data.json" with { type: "json" };

/** Pronouns after an infinitive or a gerund: "llamarse", "diciéndolo". */
const pronouns = /(?<=[aei]r|ando|[iy]endo)(?:me|te|se|nos|os|l[aeo]s?)+$/u;
/** Endings of number, gender, person and tense, longest first. At least three letters remain. */
const endings =
  /(?<=...)(?:(?:ar|er|ir)iamos|(?:a|ie)ramos|(?:a|ie)semos|(?:ar|er|ir)(?:emos|ian|ias|ia|as|an|a|e)|abamos|iamos|ieron|aron|iendo|ando|[ai]d[ao]s?|aba[sn]?|aste|iste|[ae]is|[aei]mos|ieras?|ieran|iese|mente|ia[sn]?|io|[aei]r|[ae]n|[aeo]s|[aeo])$/u;
const infinitive = /(?<=...)[aei]r$/u;

/** Different spellings of one sound: "toco, toque", "pago, pague", "luz, luces". */
const sameSound = (stem: string): string => stem.replace(/qu$/u, "c").replace(/gu$/u, "g").replace(/z$/u, "c");

const letters = /^[a-z]+$/u;

const stem = (word: string): string => {
  if (!letters.test(word)) return word;
  const bare = word.replace(pronouns, "").replace(endings, "").replace(infinitive, "");
  return sameSound(bare.length > 3 ? bare.replace(/i$/u, "") : bare);
};

/** Spanish, with a light stemmer. */
export const spanish: Locale = localeFrom(data, stem);
