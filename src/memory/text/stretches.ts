/** A text as the stretches that it is cut into. */
import { scan, wordKind } from "./scan.ts";
import type { Met, Vocabulary } from "./vocabulary.ts";

/** A word, or a run of characters of scripts without spaces. */
export type Stretch = Met | string;

/** Longer words are cut here: they are addresses, keys, noise. */
const longestWord = 64;

/** A word as it is written, cut between characters if it is too long. */
export const writtenWord = (text: string, start: number, end: number): string => {
  if (end - start <= longestWord) return text.slice(start, end);
  const cut = start + longestWord;
  return text.slice(start, (text.codePointAt(cut - 1) ?? 0) > 0xffff ? cut - 1 : cut);
};

/** The stretches of a text in order. */
export const stretchesOf = (text: string, vocabulary: Vocabulary): readonly Stretch[] => {
  const places = scan(text);
  const found: Stretch[] = [];
  for (let index = 0; index < places.length; index += 3) {
    const start = places[index] ?? 0;
    let end = places[index + 1] ?? 0;
    if (places[index + 2] === wordKind) {
      found.push(vocabulary.meet(writtenWord(text, start, end)));
      continue;
    }
    while (places[index + 3] === end && places[index + 5] !== wordKind) {
      index += 3;
      end = places[index + 1] ?? end;
    }
    found.push(text.slice(start, end));
  }
  return found;
};
