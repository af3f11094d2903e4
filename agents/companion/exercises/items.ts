/** What a person names in an answer, counted. */
import type { ReadClause } from "./cues.ts";

const joined = /\s(?:and|or|plus|also|then|y|e|o|u|und|oder|sowie|et|ou|mas)\s|\s?[&+/]\s?|(?:^|\s)\d{1,2}[.):]\s|[和与與跟及]|还有|還有/u;

/** A thing takes few words; what is longer is told rather than named. */
const mostWords = 7;
const telling =
  /\b(?:i (?:feel|think|can'?t|cannot|don'?t|keep|am so|was|had|want|need|hate|wish)|i'm (?:so|not|just|really)|me siento|no puedo|ich (?:fühle|kann|habe|will)|je (?:me sens|ne)|eu (?:me sinto|não))\b|我(?:觉得|感到|不能|不想)/u;
const opening =
  /^(?:(?:i )?(?:can )?(?:also )?(?:see|hear|feel|smell|taste|notice)\b:?|there(?:'s| is| are)|it'?s|the|a|an|my|some|veo|oigo|siento|hay|ich (?:sehe|höre|spüre|rieche)|da ist|je (?:vois|entends|sens)|il y a|(?:eu )?(?:vejo|ouço|sinto)|有|我(?:看到|看见|听到|闻到|感觉到|尝到))\s*/u;

/** Words of a text; each Han character counts as one, two of them being a word rather less often than not. */
export const wordsIn = (text: string): number => [...text.matchAll(/\p{Script=Han}|[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].length;

/** The things that are named in the clauses that are no cues; undefined where they are told rather than named. */
export function itemsIn(clauses: readonly ReadClause[]): readonly string[] | undefined {
  const items = clauses
    .filter(({ kind }) => kind === "content")
    .flatMap(({ text }) => text.split(joined))
    .map((item) => item.trim().replace(opening, "").trim())
    .filter((item) => /[\p{L}\p{N}]/u.test(item));
  const isTold =
    clauses.some(({ kind, text }) => kind === "content" && telling.test(text)) ||
    items.some((item) => wordsIn(item) > mostWords * (/\p{Script=Han}/u.test(item) ? 2 : 1));
  return isTold ? undefined : [...new Set(items)];
}

const numberWords: readonly (readonly [number, RegExp])[] = [
  [1, /^(?:one|uno|una|eins|eine|un|une|um|uma|一)$/u],
  [2, /^(?:two|dos|zwei|deux|dois|duas|二|两)$/u],
  [3, /^(?:three|tres|drei|trois|três|三)$/u],
  [4, /^(?:four|cuatro|vier|quatre|quatro|四)$/u],
  [5, /^(?:five|cinco|fünf|cinq|五)$/u],
  [6, /^(?:six|seis|sechs|六)$/u],
  [7, /^(?:seven|siete|sieben|sept|sete|七)$/u],
  [8, /^(?:eight|ocho|acht|huit|oito|八)$/u],
  [9, /^(?:nine|nueve|neun|neuf|nove|九)$/u],
  [10, /^(?:ten|diez|zehn|dix|dez|十)$/u],
];
const middle = /\b(?:(?:in the |somewhere in the )?middle|half ?way|mitad|mitte|milieu|meio)\b|中间/u;
const lower = /\b(?:nearer to|close to|around|about) (?:1|one)\b|\b(?:very |quite )?low\b/u;
const higher = /\b(?:nearer to|close to|around|about) (?:10|ten)\b|\b(?:very |quite )?high\b/u;

/** The number that an answer gives on a scale, or the rough place on it; undefined if it gives none. */
export function ratingIn(clauses: readonly ReadClause[], { from, to }: { readonly from: number; readonly to: number }): number | undefined {
  const text = clauses.map((clause) => clause.text).join(" ");
  const digits = [...text.matchAll(/(?<![\p{L}\d])\d{1,3}(?:[.,]\d)?(?![\p{L}\d])/gu)].map(([number]) => Number(number.replace(",", ".")));
  const inRange = digits.find((number) => number >= from && number <= to);
  if (inRange !== undefined) return inRange;
  if (digits.length > 0) return undefined;
  const pieces = text.split(/[^\p{L}]+/u);
  const word = numberWords.find(([number, pattern]) => number >= from && number <= to && pieces.some((piece) => pattern.test(piece)));
  if (word !== undefined) return word[0];
  if (middle.test(text)) return (from + to) / 2;
  return lower.test(text) ? from : higher.test(text) ? to : undefined;
}
