/** Tells languages with the same letters apart by sequences of three letters, for texts too short to have frequent words. */
import file from "./trigrams.json" with { type: "json" };

/** A fitted file: the trigrams joined by `|`, and a step for each trigram and language, as bytes in base64. */
export interface Trigrams {
  readonly languages: readonly string[];
  /** Steps for each unit of the natural logarithm. */
  readonly per_unit: number;
  readonly trigrams: string;
  readonly steps: string;
}

/** Longest text that is read. */
const mostLetters = 600;

/** Returns the trigrams of a text's words, with the blanks around them. */
export const trigramsOf = (text: string): readonly string[] =>
  text
    .slice(0, mostLetters)
    .toLowerCase()
    .replaceAll(/[’‘`´ʼ]/gu, "'")
    .split(/[^\p{Script=Latin}\p{M}']+/u)
    .filter((word) => word !== "")
    .flatMap((word) => Array.from({ length: word.length }, (_, at) => ` ${word} `.slice(at, at + 3)));

const { languages, per_unit, trigrams, steps }: Trigrams = file;
let places: ReadonlyMap<string, number> | undefined;
let worths: Int8Array | undefined;

/** Returns what the letters of a text say for each language, in units of the natural logarithm; nothing for a text without a known trigram. */
export function lettersOf(text: string): ReadonlyMap<string, number> {
  places ??= new Map(trigrams.split("|").map((trigram, place) => [trigram, place * languages.length]));
  worths ??= Int8Array.from(Buffer.from(steps, "base64"), (byte) => (byte > 127 ? byte - 256 : byte));
  const found = trigramsOf(text).flatMap((trigram) => places?.get(trigram) ?? []);
  if (found.length === 0) return new Map();
  return new Map(languages.map((language, column) => [language, found.reduce((sum, place) => sum + (worths?.[place + column] ?? 0), 0) / per_unit]));
}
