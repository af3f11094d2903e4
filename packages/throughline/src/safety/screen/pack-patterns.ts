/** Compiles the textual patterns of packs, and indexes them so that a text is compared only with patterns that it can contain. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { tokenize } from "./screen-tokens.ts";

/** Elements are numbered across all packs, so that one lookup of a word serves all of them. */
export type ElementId = number;

/** Number of a literal: a whole word, a prefix or a suffix. */
type LiteralId = number;

/** A literal that matches elements by itself and is a part of rows. */
export interface Literal {
  readonly id: LiteralId;
  /** `word`: as in the pattern, without apostrophes. `text`: also without its asterisk. */
  readonly word: string;
  readonly text: string;
  /** In ascending order, each once. */
  readonly elements: ElementId[];
  /** Rows that start with this literal, by the number of their second word. */
  rows?: Map<LiteralId, Phrase[]>;
}

/** Consecutive words that match one element. */
export interface Phrase {
  readonly words: readonly Literal[];
  readonly element: ElementId;
}

/** An element, and how common it is. */
interface KnownElement {
  readonly id: ElementId;
  readonly cost: number;
}

/** Maps words to the elements that they match. Filled while packs are compiled; afterwards only `meanings` grows. */
export interface WordIndex {
  readonly exact: Map<string, Literal>;
  /** Prefixes by their first two characters, suffixes by their last two. */
  readonly beginnings: Map<string, Literal[]>;
  readonly ends: Map<string, Literal[]>;
  /** Matches any number. */
  readonly numbers: Literal;
  readonly literals: Map<string, Literal>;
  /** Elements of all packs; number n is at index n - 1. */
  readonly elements: KnownElement[];
  /** The literals that words with these readings match, once looked up. */
  readonly meanings: WeakMap<readonly string[], readonly Literal[]>;
}

export const createIndex = (): WordIndex => ({
  exact: new Map(),
  beginnings: new Map(),
  ends: new Map(),
  numbers: { id: 0, word: "#", text: "#", elements: [] },
  literals: new Map(),
  elements: [],
  meanings: new WeakMap(),
});

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

function literalOf(index: WordIndex, written: string): Literal {
  if (written === "#") return index.numbers;
  const word = written.replaceAll("'", "");
  const known = index.literals.get(word);
  if (known !== undefined) return known;
  const text = word.replaceAll("*", "");
  const literal: Literal = { id: index.literals.size + 1, word, text, elements: [] };
  index.literals.set(word, literal);
  if (word.endsWith("*")) push(index.beginnings, text.slice(0, 2), literal);
  else if (word.startsWith("*")) push(index.ends, text.slice(-2), literal);
  else index.exact.set(text, literal);
  return literal;
}

/** Splits an alternative of a pattern into words. Words are separated by spaces, underscores or elision apostrophes; Chinese words by nothing. */
export function wordsOf(alternative: string): readonly string[] {
  const words: string[] = [];
  for (const piece of alternative.split(/[\s_-]+/)) {
    if (/^(?:[a-z]{1,100}|:[a-z]+:|#)$/.test(piece)) words.push(piece);
    else {
      const stars = [piece.startsWith("*") ? "*" : "", piece.endsWith("*") ? "*" : ""] as const;
      const bare = piece.replace(/^\*/, "").replace(/\*$/, "");
      const tokens = tokenize(bare).map(({ word }) => word);
      for (const [at, word] of tokens.entries()) words.push(`${at === 0 ? stars[0] : ""}${word}${at === tokens.length - 1 ? stars[1] : ""}`);
    }
  }
  return words;
}

/** Fewest characters of a prefix or suffix. */
const leastPart = 2;

/** Returns the words of an alternative; none if it is empty or has a prefix or suffix that is too short. */
function readAlternative(index: WordIndex, alternative: string): readonly Literal[] {
  const words = wordsOf(alternative);
  const isTooShort = words.some((word) => word.includes("*") && word.replaceAll("*", "").length < leastPart);
  return isTooShort ? [] : words.map((word) => literalOf(index, word));
}

/** Adds the words of an alternative to the most recent element. */
function standFor(words: readonly Literal[], element: ElementId): void {
  const [first, second] = words;
  if (first === undefined) return;
  if (second !== undefined) push((first.rows ??= new Map()), second.id, { words, element });
  else if (first.elements.at(-1) !== element) first.elements.push(element);
}

/** The elements of one pack: those numbered from the first on and before the second. */
export interface Span {
  readonly from: ElementId;
  readonly before: ElementId;
}

/** Returns the place of the first of ascending elements that is at least this one. */
function placeOf(elements: readonly ElementId[], element: ElementId): number {
  let from = 0;
  let to = elements.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((elements[middle] ?? Infinity) < element) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Tells whether a literal matches an element by itself. */
export const standsFor = ({ elements }: Literal, element: ElementId): boolean => elements[placeOf(elements, element)] === element;

/** Returns those of ascending elements that are in a span, or all of them without one. */
export function inSpan(elements: readonly ElementId[], span: Span | undefined): readonly ElementId[] {
  if (span === undefined) return elements;
  const start = placeOf(elements, span.from);
  return (elements[start] ?? Infinity) < span.before ? elements.slice(start, placeOf(elements, span.before)) : [];
}

/** Returns the literals that a word equals, starts with or ends with. */
export function literalsOf(index: WordIndex, word: string): readonly Literal[] {
  const found: Literal[] = [];
  const exact = index.exact.get(word);
  if (exact !== undefined) found.push(exact);
  for (const literal of index.beginnings.get(word.slice(0, 2)) ?? []) if (word.startsWith(literal.text)) found.push(literal);
  for (const literal of index.ends.get(word.slice(-2)) ?? []) if (word.endsWith(literal.text)) found.push(literal);
  if (word >= "0" && word < ":") found.push(index.numbers);
  return found;
}

/** Tells whether a word equals, starts with or ends with any literal of the packs. */
export function isLiteral(index: WordIndex, word: string): boolean {
  if (index.exact.has(word) || (word >= "0" && word < ":")) return true;
  for (const { text } of index.beginnings.get(word.slice(0, 2)) ?? []) if (word.startsWith(text)) return true;
  for (const { text } of index.ends.get(word.slice(-2)) ?? []) if (word.endsWith(text)) return true;
  return false;
}

/** A part of a compiled pattern. */
export type Element =
  | { readonly type: "word"; readonly id: ElementId; readonly optional: boolean }
  | { readonly type: "gap"; readonly most: number }
  | { readonly type: "start" }
  | { readonly type: "end" };

interface Pattern {
  /** The element to search for first: the rarest required one. */
  readonly anchor: ElementId;
  /** The other required elements. A text without all of them is not searched. */
  readonly needs: readonly ElementId[];
  /** The elements before the anchor in reverse order, and those after it. */
  readonly before: readonly Element[];
  readonly after: readonly Element[];
}

/** A word or a row that matches an element, and how common it is. */
interface Choice {
  readonly words: readonly Literal[];
  readonly cost: number;
}

/** The pack of the patterns: the lists they can name, and a cache of parsed parts. */
interface PatternSource {
  readonly language: string;
  readonly words: Readonly<Record<string, readonly string[]>>;
  /** Very frequent words, which are never chosen to anchor a search if another word can be. */
  readonly common: ReadonlySet<string>;
  /** Parsed chunks and alternatives, because a pack repeats them often. */
  readonly elements: Map<string, KnownElement>;
  readonly choices: Map<string, readonly Choice[]>;
}

/** A pattern as text, and its location. */
interface Written {
  readonly text: string;
  readonly where: string;
}

/** Creates the source for a pack's patterns. `common`: its very frequent words. */
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

/** Splits a pattern into chunks, at spaces, and in languages without spaces before and after `~2` and `{name}`. */
function chunksOf(text: string): readonly string[] {
  const isWhole = (chunk: string): boolean => chunk.includes("|") || !(chunk.includes("~") || chunk.includes("{"));
  return text
    .split(/\s+/)
    .flatMap((chunk) => (isWhole(chunk) ? [chunk] : chunk.split(/(~\d+|\{[^}]*\}\??)/)))
    .filter((chunk) => chunk !== "");
}

/** Estimates how common a word is. A very frequent word costs as much as hundreds of rare ones. */
function commonness(word: string, common: ReadonlySet<string>): number {
  if (common.has(word)) return word.length <= 3 ? 400 : 100;
  return word.length < 3 ? 50 : word.length === 3 ? 5 : 1;
}

/** Returns the choices of an alternative: itself, or each word of the list that it names. */
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

/** Drops trailing gaps, which have no effect. */
const bounded = (elements: readonly Element[]): readonly Element[] => elements.slice(0, elements.findLastIndex(({ type }) => type !== "gap") + 1);

/** Returns the element of a chunk and how common it is. Equal chunks of a pack share one element. */
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

/** Parses a chunk as a gap; undefined if it is not one. */
function gapOf(chunk: string, pattern: Written, source: PatternSource): Element | undefined {
  const most = chunk.startsWith("~") ? /^~(\d+)$/.exec(chunk)?.[1] : undefined;
  if (most === undefined) return undefined;
  if (Number(most) < 1 || Number(most) > mostGap) throw wrong(pattern, source, `has a gap of ${most} words; it may be 1 to ${mostGap}`);
  return { type: "gap", most: Number(most) };
}

/** Compiles a pattern. Throws `safety.invalid` with the problem. */
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

/** A compiled pattern and its label. */
export interface Entry<Label> {
  readonly pattern: Pattern;
  readonly label: Label;
}

/** Patterns by their anchor element. */
export interface Anchored<Label> {
  readonly entries: readonly Entry<Label>[];
  /** By element: index of its first entry. Its last entry precedes the first of the next element. */
  readonly starts: Uint32Array;
  /** By literal: the anchor elements that it matches, if any. */
  readonly anchors: readonly (readonly ElementId[] | undefined)[];
  /** By entry: its pack. */
  readonly packs: Uint16Array;
  /** By entry: start of its needs in `needs`. They end at the start of the next entry's. */
  readonly needsFrom: Uint32Array;
  readonly needs: Uint32Array;
}

/** Sorts patterns by anchor. Patterns with the same anchor keep their order. */
export function anchored<Label extends { readonly pack: number }>(given: readonly Entry<Label>[], index: WordIndex): Anchored<Label> {
  const entries = given.toSorted((one, other) => one.pattern.anchor - other.pattern.anchor);
  const starts = new Uint32Array(index.elements.length + 2);
  for (const { pattern } of entries) starts[pattern.anchor + 1] = (starts[pattern.anchor + 1] ?? 0) + 1;
  for (let element = 1; element < starts.length; element += 1) starts[element] = (starts[element] ?? 0) + (starts[element - 1] ?? 0);
  const isAnchor = (element: ElementId): boolean => starts[element] !== starts[element + 1];
  const anchors = [index.numbers, ...index.literals.values()].map(({ elements }) => {
    const some = elements.filter(isAnchor);
    return some.length === 0 ? undefined : some;
  });
  const needsFrom = new Uint32Array(entries.length + 1);
  for (const [entry, { pattern }] of entries.entries()) needsFrom[entry + 1] = (needsFrom[entry] ?? 0) + pattern.needs.length;
  const packs = Uint16Array.from(entries, ({ label }) => label.pack);
  return { entries, starts, anchors, packs, needsFrom, needs: Uint32Array.from(entries.flatMap(({ pattern }) => pattern.needs)) };
}

/** Tells whether all elements that an entry needs have the mark. */
export function hasAll<Label>({ needs, needsFrom }: Anchored<Label>, entry: number, marks: Uint8Array | Uint32Array, mark: number): boolean {
  const end = needsFrom[entry + 1] ?? 0;
  for (let at = needsFrom[entry] ?? 0; at < end; at += 1) if (marks[needs[at] ?? 0] !== mark) return false;
  return true;
}

/** Appends the possible entries of an element to a list: those whose other elements the text contains, too. */
export function addPossible<Label>(others: number[], element: ElementId, table: Anchored<Label>, present: Uint8Array): readonly number[] {
  const end = table.starts[element + 1] ?? 0;
  for (let entry = table.starts[element] ?? 0; entry < end; entry += 1) if (hasAll(table, entry, present, 1)) others.push(entry);
  return others;
}
