/** Parts as a text, in the manner that somebody wished for. */
import { lengthOf } from "../words/fold.ts";
import { hashOf } from "../words/pick.ts";
import type { Parts, Wording } from "./parts.ts";

const sentencesOf = (text: string): readonly string[] =>
  (text.match(/[^.!?。！？]+(?:[.!?](?=\S)[^.!?。！？]*)*[.!?。！？]+["”»“）]?\s*/gu) ?? [text])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");

const isQuestion = (sentence: string): boolean => /[?？]["”»]?$/u.test(sentence);

/** Words that a sentence has at most for a name to be put at its end. */
const nameable = 12;

/** A name at the end of the first sentence, where every language can have one; of three replies one has it, as people do. */
function addressed(text: string, name: string, seed: string): string {
  const first = /^[^.。?？:："“„«]+(?=[.。])/u.exec(text)?.[0];
  if (first === undefined || lengthOf(first) > nameable || hashOf(`name|${seed}`) % 3 !== 0) return text;
  return `${first}${text.charAt(first.length) === "。" ? "，" : ", "}${name}${text.slice(first.length)}`;
}

/** Two sentences: the first, and the question if there is one. */
const shortened = (sentences: readonly string[]): readonly string[] =>
  sentences.length > 2
    ? [...sentences.slice(0, 1), ...(isQuestion(sentences.at(-1) ?? "") ? sentences.slice(-1) : sentences.slice(1, 2))]
    : sentences;

/** Parts as a text: at most one question, the last; none, and short, for whoever wants it so. */
export function told({ lead, core, more, ask }: Parts, { asked, bank, choose }: Wording): string {
  const { wishes, language, text } = asked;
  const parts = wishes.short ? [core, ask] : [lead, core, more, ask];
  const sentences = parts.flatMap((part) => (part === undefined ? [] : sentencesOf(part)));
  const question = sentences.findLast(isQuestion);
  const wanted = sentences.filter((sentence) => !isQuestion(sentence) || (sentence === question && !wishes.no_questions));
  // Where a question was most of what there was to say, there is room in its place.
  const full = wishes.no_questions && question !== undefined && wanted.length < 2 ? [...wanted, choose(bank.room, "room")] : wanted;
  const kept = wishes.short ? shortened(full) : full;
  const joined = kept.join(language === "zh" ? "" : " ");
  return wishes.name === undefined ? joined : addressed(joined, wishes.name, text);
}
