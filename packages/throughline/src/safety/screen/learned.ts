/**
 * Learned weights: one linear model for all languages over the n-grams of a text, 2 to 5 characters and 1 to 3 words, fitted on labelled messages without
 * knowledge of the rules. It raises a level where the rules find nothing, and settles what they only suspect. Its result is explained by the words that
 * weighed most.
 */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SafetyLevel } from "../assessment.ts";
import { readCharacter, standsAlone } from "./screen-tokens.ts";

/** Scores from which a message is raised to 1, to 2, and to 2 where the rules suspect a danger too. */
export type LearnedRaises = readonly [unclear: number, grave: number, suspected: number];

/** A fitted model: a logistic regression for "unclear or more" and one for "grave", over the same n-grams. */
export interface LearnedWeights {
  /** Date and count, raised with every fit. */
  readonly version: string;
  /** Number of labelled messages in the fit. */
  readonly messages: number;
  readonly bias: readonly [unclear: number, grave: number];
  /** What one step of a weight is worth. */
  readonly scale: readonly [unclear: number, grave: number];
  /** By language, as packs name it. The weights do not apply to others. */
  readonly raises: Readonly<Record<string, LearnedRaises>>;
  /** By bucket of n-grams, two steps: unclear and grave. */
  readonly steps: Int8Array;
}

/** Learned weights as in a file. Their steps are bytes in base64. */
export interface LearnedWeightsFile {
  readonly version: string;
  readonly messages: number;
  readonly bias: readonly number[];
  readonly scale: readonly number[];
  readonly raises: Readonly<Record<string, readonly number[]>>;
  readonly steps: string;
}

function numbersOf(version: string, name: string, given: readonly number[], many: number): readonly number[] {
  if (given.length === many && given.every((one) => Number.isFinite(one))) return given;
  throw new ThroughlineError("safety.invalid", `Weights ${version} have the ${name} ${seen(given)}: it is ${many} numbers.`);
}

function pairOf(version: string, name: string, given: readonly number[]): readonly [number, number] {
  const [unclear = 0, grave = 0] = numbersOf(version, name, given, 2);
  return [unclear, grave];
}

/** Validates and decodes weights from a file. Throws `safety.invalid` with the problem. */
export function learnedWeights({ version, messages, bias, scale, raises, steps }: LearnedWeightsFile): LearnedWeights {
  const bytes = Buffer.from(steps, "base64");
  if (bytes.length < 4 || !Number.isInteger(Math.log2(bytes.length)))
    throw new ThroughlineError(
      "safety.invalid",
      `Weights ${version} have ${bytes.length} bytes of steps: they are 4, 8, 16, …, two for each bucket.`,
    );
  return Object.freeze({
    version,
    messages,
    bias: pairOf(version, "bias", bias),
    scale: pairOf(version, "scale", scale),
    raises: Object.fromEntries(
      Object.entries(raises).map(([language, given]) => {
        const [unclear = 0, grave = 0, suspected = 0] = numbersOf(version, `raises of ${language}`, given, 3);
        return [language, [unclear, grave, suspected] as const];
      }),
    ),
    steps: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length),
  });
}

/** A text as its n-grams see it: without case, accents, apostrophes and repeated marks, between two spaces. */
export interface Folded {
  readonly codes: Uint16Array;
  /** By code: where its character is in the original text. */
  readonly places: Int32Array;
  readonly length: number;
}

const space = 0x20;
const period = 0x2e;
const isMark = (code: number): boolean => code === period || code === 0x21 || code === 0x3f || code === 0x2c;
const apostrophes = "'’ʼ`´";

function formOf(character: string): string {
  if (/\s/u.test(character)) return " ";
  return apostrophes.includes(character) ? "" : readCharacter(character).folded;
}
const plain: readonly string[] = Array.from({ length: 0x80 }, (_, code) => formOf(String.fromCharCode(code)));

/** Folds a text. Blanks become one space, runs of one mark become one, and blanks and periods at either end go. `offset`: position within the original. */
export function foldText(text: string, offset = 0): Folded {
  // A character folds to one code or two, a picture with a name to a few more; what does not fit is left out.
  const room = 2 * text.length + 64;
  const [codes, places] = [new Uint16Array(room), new Int32Array(room)];
  codes[0] = space;
  let length = 1;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? space;
    const character = point < 0x80 ? "" : String.fromCodePoint(point);
    const form = point < 0x80 ? (plain[point] ?? "") : formOf(character);
    for (let place = 0; place < form.length && length < room - 1; place += 1) {
      const code = form.charCodeAt(place);
      const isFirst = length === 1 && (code === space || code === period);
      if (isFirst || (codes[length - 1] === code && (code === space || isMark(code)))) continue;
      codes[length] = code;
      places[length] = offset + at;
      length += 1;
    }
    at += point > 0xffff ? 2 : 1;
  }
  while (length > 1 && (codes[length - 1] === space || codes[length - 1] === period)) length -= 1;
  codes[length] = space;
  places[length] = offset + text.length;
  return { codes, places, length: length + 1 };
}

/** What a code is in a word: a letter, a word by itself, the first half of a pair, or a mark. Kept once known. */
const kinds = new Uint8Array(0x10000);
const [letter, alone, half, mark] = [1, 2, 3, 4];

function kindOf(code: number): number {
  const known = kinds[code] ?? 0;
  if (known !== 0) return known;
  const character = String.fromCharCode(code);
  const isLetter = /[\p{L}\p{M}\p{N}]/u.test(character);
  const kind = code >= 0xd800 && code < 0xdc00 ? half : standsAlone(character) ? alone : isLetter ? letter : mark;
  kinds[code] = kind;
  return kind;
}

/** Returns where the word that starts at a place ends. */
function afterWord({ codes }: Folded, place: number, end: number): number {
  const kind = kindOf(codes[place] ?? space);
  let after = place + 1;
  if (kind === half) return Math.min(end, after + 1);
  if (kind === letter) while (after < end && kindOf(codes[after] ?? space) === letter) after += 1;
  return after;
}

const shortest = 2;
const longest = 5;
const mostWords = 3;

/** The distinct n-grams of a part of a text: their buckets, those of characters first, and where each starts and ends. */
export interface Grams {
  readonly buckets: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** How many are of characters. */
  readonly characters: number;
}

const mix = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
function spread(hash: number): number {
  const one = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  const two = Math.imul(one ^ (one >>> 12), 0x297a2d39);
  return two ^ (two >>> 15);
}
const ofCharacters = 0x811c9dc5 | 0;
const ofWords = 0x9747b28c | 0;
const ofWord = 0x85ebca6b | 0;

/** By number of buckets: the part of a text that named a bucket last. */
const marks = new Map<number, { readonly parts: Int32Array; part: number }>();

function marksOf(size: number): { readonly parts: Int32Array; part: number } {
  const known = marks.get(size);
  const found = known === undefined || known.part === 0x7fff_ffff ? { parts: new Int32Array(size), part: 0 } : known;
  if (found !== known) marks.set(size, found);
  found.part += 1;
  return found;
}

/** Returns the distinct n-grams of a part of a text. Fitting and scoring both use it. */
export function gramsOf(text: Folded, start: number, end: number, size: number): Grams {
  const { codes } = text;
  const { parts, part } = marksOf(size);
  const room = (longest - shortest + 1 + mostWords) * (end - start);
  const [buckets, from, to] = [new Int32Array(room), new Int32Array(room), new Int32Array(room)];
  let length = 0;
  const add = (hash: number, first: number, after: number): void => {
    const bucket = spread(hash) & (size - 1);
    if (parts[bucket] === part) return;
    parts[bucket] = part;
    buckets[length] = bucket;
    from[length] = first;
    to[length] = after;
    length += 1;
  };
  for (let first = start; first < end; first += 1) {
    let hash = ofCharacters;
    const last = Math.min(end, first + longest);
    for (let place = first; place < last; place += 1) {
      hash = mix(hash, codes[place] ?? 0);
      if (place > first) add(hash, first, place + 1);
    }
  }
  const characters = length;
  // The words before, the last one first: their hashes, and where they start.
  let before: readonly { readonly hash: number; readonly first: number }[] = [];
  for (let first = start; first < end;) {
    if (codes[first] === space) {
      first += 1;
      continue;
    }
    const after = afterWord(text, first, end);
    let hash = ofWord;
    for (let place = first; place < after; place += 1) hash = mix(hash, codes[place] ?? 0);
    before = [{ hash, first }, ...before].slice(0, mostWords);
    let words = ofWords;
    for (const one of before) {
      words = mix(Math.imul(words, 31), one.hash);
      add(words, one.first, after);
    }
    first = after;
  }
  return { buckets: buckets.subarray(0, length), from, to, characters };
}

/** Scores of a text: the log-odds that it is unclear or more, and that it is grave. */
export interface Score {
  readonly unclear: number;
  readonly grave: number;
}

/** The sums of a part, by kind of n-gram: the steps, and how many n-grams the weights know. */
interface Sums {
  readonly characters: Sum;
  readonly words: Sum;
}
interface Sum {
  readonly unclear: number;
  readonly grave: number;
  readonly known: number;
}

function sumOf(buckets: Int32Array, steps: Int8Array): Sum {
  let [unclear, grave, known] = [0, 0, 0];
  for (const bucket of buckets) {
    const [one, other] = [steps[2 * bucket] ?? 0, steps[2 * bucket + 1] ?? 0];
    unclear += one;
    grave += other;
    if (one !== 0 || other !== 0) known += 1;
  }
  return { unclear, grave, known };
}

/** The divisor of a sum over so many n-grams. */
export const rootOf = (known: number): number => Math.sqrt(Math.max(1, known));

/** Returns the score of neighboring parts together. */
function scoreOfParts(parts: readonly Sums[], { bias, scale }: LearnedWeights): Score {
  let [unclear, grave] = [0, 0];
  for (const kind of ["characters", "words"] as const) {
    const root = rootOf(parts.reduce((sum, part) => sum + part[kind].known, 0));
    for (const part of parts) {
      unclear += part[kind].unclear / root;
      grave += part[kind].grave / root;
    }
  }
  return { unclear: unclear * scale[0] + bias[0], grave: grave * scale[1] + bias[1] };
}

/** A longer text is scored in windows of two such blocks, each overlapping the next by one, so that the rest does not outweigh a grave part. */
const block = 256;

/** A window of a text and its score. */
interface Window extends Score {
  readonly start: number;
  readonly end: number;
}

/** Returns the windows of a text with their scores. */
function windowsOf(text: Folded, weights: LearnedWeights): readonly Window[] {
  const sums = (start: number, end: number): Sums => {
    const { buckets, characters } = gramsOf(text, start, end, weights.steps.length / 2);
    return { characters: sumOf(buckets.subarray(0, characters), weights.steps), words: sumOf(buckets.subarray(characters), weights.steps) };
  };
  if (text.length <= 2 * block) return [{ start: 0, end: text.length, ...scoreOfParts([sums(0, text.length)], weights) }];
  const windows: Window[] = [];
  let before = sums(0, block);
  for (let start = block; start < text.length; start += block) {
    const end = Math.min(text.length, start + block);
    const part = sums(start, end);
    windows.push({ start: start - block, end, ...scoreOfParts([before, part], weights) });
    before = part;
  }
  return windows;
}

/** A read text: its scores, and the places in the original that weighed most for one of them. */
export interface Learned extends Score {
  readonly heaviest: (kind: keyof Score) => readonly (readonly [from: number, to: number])[];
}

/** Most places that explain a score. */
const mostPlaces = 3;

/** Returns the words of a window that weighed most, neighbors as one place. Each n-gram's weight is shared by the characters that it covers. */
function heaviestIn(
  text: Folded,
  { start, end }: Window,
  kind: keyof Score,
  { steps, scale }: LearnedWeights,
): readonly (readonly [number, number])[] {
  const { buckets, from, to, characters } = gramsOf(text, start, end, steps.length / 2);
  const side = kind === "unclear" ? 0 : 1;
  const shares = new Float64Array(end - start);
  const roots = [rootOf(characters), rootOf(buckets.length - characters)] as const;
  for (const [at, bucket] of buckets.entries()) {
    const [first, after] = [from[at] ?? start, to[at] ?? start];
    const share = ((steps[2 * bucket + side] ?? 0) * scale[side]) / roots[at < characters ? 0 : 1] / (after - first);
    for (let place = first; place < after; place += 1) shares[place - start] = (shares[place - start] ?? 0) + share;
  }
  const words: { readonly first: number; readonly after: number; readonly weight: number }[] = [];
  for (let first = start; first < end;) {
    const after = afterWord(text, first, end);
    if (kindOf(text.codes[first] ?? space) !== mark)
      words.push({ first, after, weight: shares.subarray(first - start, after - start).reduce((sum, one) => sum + one, 0) });
    first = after;
  }
  const most = words.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  const places: (readonly [number, number])[] = [];
  for (const { first, after } of most.slice(0, mostPlaces).toSorted((one, other) => one.first - other.first)) {
    const [begin, stop] = [text.places[first] ?? 0, text.places[after] ?? 0];
    const last = places.at(-1);
    if (last !== undefined && begin - last[1] <= 1) places[places.length - 1] = [last[0], stop];
    else places.push([begin, stop]);
  }
  return places;
}

/** Reads parts of a text. The gravest window counts. */
export function readLearned(parts: readonly { readonly text: string; readonly offset: number }[], weights: LearnedWeights): Learned {
  const windows = parts.flatMap(({ text, offset }) => {
    const folded = foldText(text, offset);
    return windowsOf(folded, weights).map((window) => ({ folded, window }));
  });
  const most = (kind: keyof Score) => windows.reduce((one, other) => (other.window[kind] > one.window[kind] ? other : one));
  return {
    unclear: most("unclear").window.unclear,
    grave: most("grave").window.grave,
    heaviest: (kind) => {
      const { folded, window } = most(kind);
      return heaviestIn(folded, window, kind, weights);
    },
  };
}

/** What the rules found. */
export interface Ruled {
  readonly level: SafetyLevel;
  /** It was stated explicitly. */
  readonly sure: boolean;
  /** It concerns another person. */
  readonly other: boolean;
  /** A frame says that what sounds grave is denied, an idiom, a joke, or over. */
  readonly light: boolean;
  /** A frame tells what a message is about in which the rules find nothing: an ordinary worry, or a denial. Only a grave score raises it. */
  readonly told: boolean;
  readonly words: number;
}

/** Shorter messages ("yes", "I did it") are judged by rules alone: in them, words carry another meaning. */
const leastRaised = 5;
/** Below this many words, the weights do not lower a finding of the rules, or raise one about another person: too little is known. */
const leastSettled = 9;
/**
 * Scores below which a finding of the rules is lowered by one level: from 1 to 0, from 2 to 1, and from 2 to 1 where it was stated
 * explicitly. Set by cross-validation. */
const settles = { unclear: -0.8, grave: -1.5, explicit: -2 };
/** How much more it takes to raise what a frame makes light of. Set by cross-validation. */
const lighter = 0.8;
/** How much more it takes to raise a message that a frame explains. No labelled message that is 1 or more is lost by it. */
const explained = 1.2;

/**
 * Returns the level by rules and learned weights together. A level 3 stays, and so does what is about another
 * person. What was stated explicitly stays at least 1. */
export function learnedLevel({ unclear, grave }: Score, raises: LearnedRaises, ruled: Ruled): SafetyLevel {
  const { level, words, told } = ruled;
  if (level === 3 || words < (ruled.other && level > 0 ? leastSettled : leastRaised)) return level;
  const bar = told && level === 0 ? explained : ruled.light ? lighter : 0;
  if (grave >= raises[level === 0 ? 1 : 2] + bar) return 2;
  if (level === 0) return !told && unclear >= raises[0] + bar ? 1 : 0;
  if (ruled.other || words < leastSettled) return level;
  if (level === 2) return grave < (ruled.sure ? settles.explicit : settles.grave) ? 1 : 2;
  return !ruled.sure && unclear < settles.unclear ? 0 : 1;
}
