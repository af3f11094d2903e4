import type { Locale } from "../locale.ts";
import { concepts } from "./es-concepts.ts";
import { time } from "./es-time.ts";
import { irregular, stopWords, telltale } from "./es-words.ts";

/** Pronouns behind an infinitive or a gerund: "llamarse", "diciéndolo". */
const pronouns = /(?<=[aei]r|ando|[iy]endo)(?:me|te|se|nos|os|l[aeo]s?)+$/u;
/** Endings of number, gender, person and tense, the longest first; three letters stay. */
const endings =
  /(?<=...)(?:(?:ar|er|ir)iamos|(?:a|ie)ramos|(?:a|ie)semos|(?:ar|er|ir)(?:emos|ian|ias|ia|as|an|a|e)|abamos|iamos|ieron|aron|iendo|ando|[ai]d[ao]s?|aba[sn]?|aste|iste|[ae]is|[aei]mos|ieras?|ieran|iese|mente|ia[sn]?|io|[aei]r|[ae]n|[aeo]s|[aeo])$/u;
const infinitive = /(?<=...)[aei]r$/u;

/** "toco, toque", "pago, pague", "luz, luces": one sound, several letters. */
const sameSound = (stem: string): string => stem.replace(/qu$/u, "c").replace(/gu$/u, "g").replace(/z$/u, "c");

const letters = /^[a-z]+$/u;

const stem = (word: string): string => {
  if (!letters.test(word)) return word;
  const bare = word.replace(pronouns, "").replace(endings, "").replace(infinitive, "");
  return sameSound(bare.length > 3 ? bare.replace(/i$/u, "") : bare);
};

const determined = "(?:cuál|cual|qué|que)";

/** Spanish, with a light stemmer of its own. */
export const spanish: Locale = Object.freeze<Locale>({
  code: "es",
  stopWords,
  telltale,
  irregular,
  stem,
  questions: {
    opens: "quién|quiénes|qué|cuándo|dónde|cómo|cuánto|cuánta|cuántos|cuántas|cuál|cuáles|por qué|a quién|con quién|de quién|desde cuándo|adónde",
    anywhere: "¿.*",
    when: `cuándo|cuando|(?:en )?${determined} (?:fecha|día|dia|mes|año|semana|época)|hace cuánto|desde cuándo`,
    howMany: "cuánt[oa]s?|cuant[oa]s?|número de",
    howOften: "con qué frecuencia|cada cuánto|cuántas veces",
    howLong: "cuánto tiempo|hace cuánto|cuántos (?:días|meses|años)|cuántas (?:semanas|horas)",
    who: "quién|quiénes|quien|quienes",
    where: `dónde|donde|adónde|adonde|(?:en )?${determined} (?:lugar|ciudad|país|sitio|pueblo|calle)`,
  },
  time,
  concepts,
});
