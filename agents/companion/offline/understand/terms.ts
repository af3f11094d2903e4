/** The companion's own pages are in English: what they are about, as it is called in the other languages that the rules read. */
import { folded } from "../words/fold.ts";
import { languageOf } from "../words/language.ts";
import file from "./terms.data.json" with { type: "json" };

const terms = file.terms.map(({ term, cues }) => [term, new RegExp(cues, "u")] as const);

/** What a question asks about, in English; the question itself where it is English, or none of its words is known. */
export function inEnglish(question: string): string {
  const text = folded(question);
  const found = terms.flatMap(([english, cues]) => (cues.test(text) ? [english] : []));
  return found.length === 0 || languageOf(text) === "en" ? question : found.join(" ");
}
