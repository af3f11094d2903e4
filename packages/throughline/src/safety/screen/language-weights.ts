/** Weights that tell the languages of the packs from all others, by the letters, letter sequences and words of a text. */
import { ThroughlineError } from "../../kernel/error.ts";

/** A fitted model: a logistic regression over n-grams of one to four letters, and words. */
export interface LanguageWeights {
  /** Date and count, raised with every fit. */
  readonly version: string;
  readonly bias: number;
  /** What one step of a weight is worth. */
  readonly scale: number;
  /** By bucket of n-grams. Positive steps speak for a language that no pack covers. */
  readonly steps: Int8Array;
  /** What an unknown word is worth, by the root of the number of words. */
  readonly unknown: number;
  /** Bits of the words that covered languages are known to use. */
  readonly known: Uint8Array;
}

/** Language weights as in a file. Steps and known words are bytes in base64. */
export interface LanguageWeightsFile extends Omit<LanguageWeights, "steps" | "known"> {
  readonly steps: string;
  readonly known: string;
}

function bytesOf(version: string, name: string, given: string): Buffer {
  const bytes = Buffer.from(given, "base64");
  if (bytes.length >= 2 && Number.isInteger(Math.log2(bytes.length))) return bytes;
  throw new ThroughlineError("safety.invalid", `Language weights ${version} have ${bytes.length} bytes of ${name}: they are 2, 4, 8, …`);
}

/** Validates and decodes weights from a file. Throws `safety.invalid` with the problem. */
export function languageWeights({ version, bias, scale, steps, unknown, known }: LanguageWeightsFile): LanguageWeights {
  const bytes = bytesOf(version, "steps", steps);
  return Object.freeze({
    version,
    bias,
    scale,
    steps: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
    unknown,
    known: new Uint8Array(bytesOf(version, "known words", known)),
  });
}

/** Characters that are read. */
const mostLetters = 600;

/** What is not written in a language: addresses of pages and people, marks and numbers. */
const unspoken = /\b(?:https?:\/\/|www\.)\S+|\S+@\S+|[@#]\S+/gu;

/** The words of a text in lower case, with their accents, without apostrophes. */
export const spokenWords = (text: string): readonly string[] =>
  text
    .slice(0, mostLetters)
    .normalize("NFC")
    .replaceAll(unspoken, " ")
    .toLowerCase()
    .replaceAll(/['’ʼ`´\p{Cf}]/gu, "")
    .replaceAll(/(.)\1{2,}/gu, "$1$1")
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== "");

const longest = 4;
const blank = 0x20;
const seed = 0x811c9dc5 | 0;
const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
function spread(hash: number): number {
  const one = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return one ^ (one >>> 13);
}

/** Returns the buckets of the n-grams of words. Fitting and scoring both use it. */
export function bucketsOf(words: readonly string[], size: number): readonly number[] {
  const found: number[] = [];
  for (const word of words) {
    const text = ` ${word} `;
    for (let first = 0; first < text.length - 1; first += 1) {
      // A blank alone says nothing, but where a word starts does.
      const skipped = first === 0 ? 1 : 0;
      let hash = skipped === 1 ? mix(seed, blank) : seed;
      for (let place = first + skipped; place < Math.min(text.length, first + longest); place += 1) {
        hash = mix(hash, text.charCodeAt(place));
        found.push(spread(hash) & (size - 1));
      }
    }
    let whole = 0x9747b28c | 0;
    for (let place = 0; place < word.length; place += 1) whole = mix(whole, word.charCodeAt(place));
    found.push(spread(whole) & (size - 1));
  }
  return found;
}

/** Returns two bits of a word. Both are set in `known` if the word is known. */
export function bitsOf(word: string, size: number): readonly [number, number] {
  let [one, other] = [0x9747b28c | 0, 0x85ebca6b | 0];
  for (let place = 0; place < word.length; place += 1) {
    one = mix(one, word.charCodeAt(place));
    other = Math.imul(other ^ word.charCodeAt(place), 0x5bd1e995);
    other ^= other >>> 13;
  }
  return [spread(one) & (8 * size - 1), spread(other) & (8 * size - 1)];
}

const isKnown = (word: string, known: Uint8Array): boolean =>
  bitsOf(word, known.length).every((bit) => (((known[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1);

/** Returns the log-odds that words are in a language that no pack covers. */
export function strangeness(words: readonly string[], { bias, scale, steps, unknown, known }: LanguageWeights): number {
  if (words.length === 0) return -Infinity;
  const buckets = bucketsOf(words, steps.length);
  let sum = 0;
  for (const bucket of buckets) sum += steps[bucket] ?? 0;
  const strange = words.filter((word) => !isKnown(word, known)).length;
  return bias + (scale * sum) / Math.sqrt(buckets.length) + (unknown * strange) / Math.sqrt(words.length);
}
