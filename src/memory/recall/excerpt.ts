/** The part of a long text that speaks of what was asked: a pasted letter has no room in a prompt, and its one sentence has. */
import { normalised } from "./sentences.ts";

/** Letters of a word that are looked for: its endings differ. */
const stemLetters = 5;
/** Places of one piece that are looked at. */
const mostPlaces = 50;
/** How much of the excerpt may stand before what was found, as what leads to it. */
const lead = 0.25;

/** What is looked for of a question: the beginnings of its words, and pairs of characters in scripts without spaces. */
function piecesOf(asked: string): readonly string[] {
  const pieces = normalised(asked)
    .split(" ")
    .flatMap((word) => {
      const letters = Array.from(word);
      if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/u.test(word))
        return letters.slice(1).map((letter, at) => `${letters[at] ?? ""}${letter}`);
      return letters.length < 3 ? [] : [letters.slice(0, stemLetters).join("")];
    });
  return [...new Set(pieces)];
}

interface Place {
  readonly at: number;
  readonly piece: string;
  /** What is in the text often tells little of where to look. */
  readonly worth: number;
}

function placesOf(text: string, asked: string): readonly Place[] {
  const low = text.toLowerCase();
  return piecesOf(asked)
    .flatMap((piece) => {
      const found: number[] = [];
      for (let at = low.indexOf(piece); at >= 0 && found.length < mostPlaces; at = low.indexOf(piece, at + piece.length)) found.push(at);
      return found.map((at) => ({ at, piece, worth: 1 / found.length }));
    })
    .toSorted((one, other) => one.at - other.at);
}

/** Where the window begins that has the most of what was asked; the beginning of the text if nothing of it is there. */
function bestStart(places: readonly Place[], width: number): number {
  let [best, start] = [0, 0];
  for (const [index, { at }] of places.entries()) {
    const seen = new Set<string>();
    let worth = 0;
    for (let next = index; next < places.length; next++) {
      const place = places[next];
      if (place === undefined || place.at >= at + width) break;
      if (!seen.has(place.piece)) worth += place.worth;
      seen.add(place.piece);
    }
    if (worth > best) [best, start] = [worth, at];
  }
  return start;
}

/** The last end of a sentence, else of a word, between two places; the later one if there is none. */
function edge(text: string, from: number, upto: number): number {
  const between = text.slice(from, upto);
  const sentence = Math.max(...[...between.matchAll(/[.!?…]\s+|[。！？\n]/gu)].map(({ index, 0: mark }) => index + mark.length), 0);
  const word = Math.max(...[...between.matchAll(/\s+/gu)].map(({ index, 0: mark }) => index + mark.length), 0);
  return from + (sentence || word || between.length);
}

/** At most about `most` characters of a text, verbatim, where it says most of what was asked; `…` stands for what is left out. */
export function excerptOf(text: string, asked: string, most: number): string {
  if (text.length <= most) return text;
  const found = bestStart(placesOf(text, asked), Math.ceil(most * (1 - lead)));
  const before = Math.max(0, found - Math.floor(most * lead));
  const begin = before === 0 ? 0 : edge(text, before, found);
  const end = begin + most >= text.length ? text.length : edge(text, begin + Math.floor(most * (1 - lead)), begin + most);
  const part = text
    .slice(begin, end)
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/u, "")
    .trim();
  return `${begin === 0 ? "" : "… "}${part}${end === text.length ? "" : " …"}`;
}
