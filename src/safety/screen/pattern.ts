import { ThroughlineError, seen } from "../../kernel/error.ts";
import { readAlternative, standFor, type ElementId, type KnownElement, type Literal, type WordIndex } from "./word-index.ts";

/** What a pattern is made of, ready to be matched. */
export type Element =
  | { readonly type: "word"; readonly id: ElementId; readonly optional: boolean }
  | { readonly type: "gap"; readonly most: number }
  | { readonly type: "start" }
  | { readonly type: "end" };

export interface Pattern {
  /** The element that is looked for first: the rarest one that must be there. */
  readonly anchor: ElementId;
  /** The other elements that must be there: where a text has not all of them, nothing is looked for. */
  readonly needs: readonly ElementId[];
  /** What stands before it, from it backwards, and what stands after it. */
  readonly before: readonly Element[];
  readonly after: readonly Element[];
}

/** A word, or a row of words, that an element may be, and how common it is. */
interface Choice {
  readonly words: readonly Literal[];
  readonly cost: number;
}

/** The pack that patterns are of: what they may name, and what was read of them so far. */
export interface PatternSource {
  readonly language: string;
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Words that every other text has: no pattern is looked for by them. */
  readonly common: ReadonlySet<string>;
  /** Chunks that were read, and what stands between their bars: a pack says the same ones again and again. */
  readonly elements: Map<string, KnownElement>;
  readonly choices: Map<string, readonly Choice[]>;
}

/** A pattern as it is written, and where. */
interface Written {
  readonly text: string;
  readonly where: string;
}

/** Begins to read the patterns of a pack, whose `common` words every other text has. */
export const patternSource = ({ language, words }: Pick<PatternSource, "language" | "words">, common: ReadonlySet<string>): PatternSource => ({
  language,
  words,
  common,
  elements: new Map(),
  choices: new Map(),
});

const mostGap = 8;

function wrong({ text, where }: Written, { language }: PatternSource, problem: string): ThroughlineError {
  return new ThroughlineError("safety.invalid", `Pack "${language}", ${where}: the pattern ${seen(text)} ${problem}.`);
}

/** Chunks of a pattern: parted by spaces, and in writing without spaces before and after `~2` and `{name}`. */
function chunksOf(text: string): readonly string[] {
  const isWhole = (chunk: string): boolean => chunk.includes("|") || !(chunk.includes("~") || chunk.includes("{"));
  return text
    .split(/\s+/)
    .flatMap((chunk) => (isWhole(chunk) ? [chunk] : chunk.split(/(~\d+|\{[^}]*\}\??)/)))
    .filter((chunk) => chunk !== "");
}

/** How common a word is, roughly: one that is in every other text costs as much as hundreds of rare ones. */
function commonness(word: string, common: ReadonlySet<string>): number {
  if (common.has(word)) return word.length <= 3 ? 400 : 100;
  return word.length < 3 ? 50 : word.length === 3 ? 5 : 1;
}

/** What an alternative of a chunk may be: itself, or each word of the list that it names. */
function choicesOf(alternative: string, pattern: Written, source: PatternSource, index: WordIndex): readonly Choice[] {
  const known = source.choices.get(alternative);
  if (known !== undefined) return known;
  const name = /^\{(.*)\}$/.exec(alternative)?.[1];
  if (name !== undefined && !Object.hasOwn(source.words, name)) throw wrong(pattern, source, `names a list "${name}" that the pack does not have`);
  const choices = (name === undefined ? [alternative] : (source.words[name] ?? [])).map((written) => {
    const words = readAlternative(index, written);
    if (words.length === 0) throw wrong(pattern, source, `has ${seen(written)}, which is no word, or too short to begin or end one`);
    return { words, cost: Math.min(...words.map(({ word }) => commonness(word, source.common))) };
  });
  source.choices.set(alternative, choices);
  return choices;
}

/** A gap that nothing follows says nothing. */
const bounded = (elements: readonly Element[]): readonly Element[] => elements.slice(0, elements.findLastIndex(({ type }) => type !== "gap") + 1);

/** The element of a chunk, the same for the same chunk of a pack, and how common it is. */
function elementOf(chunk: string, pattern: Written, source: PatternSource, index: WordIndex): KnownElement {
  const known = source.elements.get(chunk);
  if (known !== undefined) return known;
  const id = index.elements.length + 1;
  let cost = 0;
  for (const alternative of chunk.split("|"))
    for (const choice of choicesOf(alternative, pattern, source, index)) {
      standFor(choice.words, id);
      cost += choice.cost;
    }
  const element = { id, cost };
  index.elements.push(element);
  source.elements.set(chunk, element);
  return element;
}

/** The gap that a chunk is, if it is one. */
function gapOf(chunk: string, pattern: Written, source: PatternSource): Element | undefined {
  const most = chunk.startsWith("~") ? /^~(\d+)$/.exec(chunk)?.[1] : undefined;
  if (most === undefined) return undefined;
  if (Number(most) < 1 || Number(most) > mostGap) throw wrong(pattern, source, `has a gap of ${most} words; it may be 1 to ${mostGap}`);
  return { type: "gap", most: Number(most) };
}

/** Reads a pattern; `safety.invalid` says what is wrong with it. */
export function compilePattern(pattern: Written, source: PatternSource, index: WordIndex): Pattern {
  const elements: Element[] = [];
  let rarest: { readonly id: ElementId; readonly place: number; readonly cost: number } | undefined;
  for (const chunk of chunksOf(pattern.text)) {
    const gap = gapOf(chunk, pattern, source);
    if (gap !== undefined) elements.push(gap);
    else if (chunk === "^" || chunk === "$") elements.push({ type: chunk === "^" ? "start" : "end" });
    else {
      const optional = chunk.endsWith("?");
      const { id, cost } = elementOf(optional ? chunk.slice(0, -1) : chunk, pattern, source, index);
      if (!optional && (rarest === undefined || cost < rarest.cost)) rarest = { id, place: elements.length, cost };
      elements.push({ type: "word", id, optional });
    }
  }
  if (rarest === undefined) throw wrong(pattern, source, "has no word that must be there");
  const { id, place } = rarest;
  const needs = elements.flatMap((element) => (element.type === "word" && !element.optional && element.id !== id ? [element.id] : []));
  return { anchor: id, needs, before: bounded(elements.slice(0, place).toReversed()), after: bounded(elements.slice(place + 1)) };
}
