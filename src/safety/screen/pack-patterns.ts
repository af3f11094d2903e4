/** Patterns of packs: written as text, compiled, and kept so that a text is compared only with those that it might contain. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { tokenize } from "./screen-tokens.ts";

/** Elements are numbered over all packs, so that a word is looked up once for all of them. */
export type ElementId = number;

/** Number of a word of a row, or of what it begins or ends with. */
type LiteralId = number;

/** A literal that stands for elements by itself, and that rows of words are made of. */
export interface Literal {
  readonly id: LiteralId;
  /** As it stands in a pattern without apostrophes, and without its star too. */
  readonly word: string;
  readonly text: string;
  /** In the order of their numbers, each once. */
  readonly elements: ElementId[];
  /** Rows that begin with it, by the number of their second word, if there are any. */
  rows?: Map<LiteralId, Phrase[]>;
}

/** Several words in a row that stand for one element. */
export interface Phrase {
  readonly words: readonly Literal[];
  readonly element: ElementId;
}

/** An element, and how common it is. */
interface KnownElement {
  readonly id: ElementId;
  readonly cost: number;
}

/** Which elements a word stands for. Filled while packs are compiled, read afterwards. */
export interface WordIndex {
  readonly exact: Map<string, Literal>;
  /** Beginnings of words and ends of words, by their first (last) two characters. */
  readonly beginnings: Map<string, Literal[]>;
  readonly ends: Map<string, Literal[]>;
  /** Any number. */
  readonly numbers: Literal;
  readonly literals: Map<string, Literal>;
  /** Elements of all packs, each at the place before its number. */
  readonly elements: KnownElement[];
}

export const createIndex = (): WordIndex => ({
  exact: new Map(),
  beginnings: new Map(),
  ends: new Map(),
  numbers: { id: 0, word: "#", text: "#", elements: [] },
  literals: new Map(),
  elements: [],
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

/** Takes an alternative of a pattern apart: words of one alternative are parted by spaces, underscores, apostrophes of elision, or by nothing in Chinese. */
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

/** A beginning or an end of a word has this many characters at the least. */
const leastPart = 2;

/** The words of an alternative; none if it has none, or a beginning or an end that is too short. */
function readAlternative(index: WordIndex, alternative: string): readonly Literal[] {
  const words = wordsOf(alternative);
  const isTooShort = words.some((word) => word.includes("*") && word.replaceAll("*", "").length < leastPart);
  return isTooShort ? [] : words.map((word) => literalOf(index, word));
}

/** Lets the words of an alternative stand for an element, which is the last one that was numbered. */
function standFor(words: readonly Literal[], element: ElementId): void {
  const [first, second] = words;
  if (first === undefined) return;
  if (second !== undefined) push((first.rows ??= new Map()), second.id, { words, element });
  else if (first.elements.at(-1) !== element) first.elements.push(element);
}

/** Whether a literal stands for an element by itself. */
export function standsFor({ elements }: Literal, element: ElementId): boolean {
  let from = 0;
  let to = elements.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((elements[middle] ?? Infinity) < element) from = middle + 1;
    else to = middle;
  }
  return elements[from] === element;
}

/** The literals that a word is, begins with or ends with. */
export function literalsOf(index: WordIndex, word: string): readonly Literal[] {
  const found: Literal[] = [];
  const exact = index.exact.get(word);
  if (exact !== undefined) found.push(exact);
  for (const literal of index.beginnings.get(word.slice(0, 2)) ?? []) if (word.startsWith(literal.text)) found.push(literal);
  for (const literal of index.ends.get(word.slice(-2)) ?? []) if (word.endsWith(literal.text)) found.push(literal);
  if (word >= "0" && word < ":") found.push(index.numbers);
  return found;
}

/** Whether a word is, begins with or ends with anything that packs know. */
export function isLiteral(index: WordIndex, word: string): boolean {
  if (index.exact.has(word) || (word >= "0" && word < ":")) return true;
  for (const { text } of index.beginnings.get(word.slice(0, 2)) ?? []) if (word.startsWith(text)) return true;
  for (const { text } of index.ends.get(word.slice(-2)) ?? []) if (word.endsWith(text)) return true;
  return false;
}

/** What a pattern is made of, ready to be matched. */
export type Element =
  | { readonly type: "word"; readonly id: ElementId; readonly optional: boolean }
  | { readonly type: "gap"; readonly most: number }
  | { readonly type: "start" }
  | { readonly type: "end" };

interface Pattern {
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
interface PatternSource {
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

/** A pattern, and what it finds. */
export interface Entry<Label> {
  readonly pattern: Pattern;
  readonly label: Label;
}

/** Patterns by the element that they are looked for by. */
export interface Anchored<Label> {
  readonly entries: readonly Entry<Label>[];
  /** By element: which entry is its first; the one before the next element's first is its last. */
  readonly starts: Uint32Array;
  /** By literal: the elements it stands for that entries are looked for by, if there are any. */
  readonly anchors: readonly (readonly ElementId[] | undefined)[];
  /** By entry: its pack. */
  readonly packs: Uint16Array;
  /** By entry: where what it needs begins in `needs`; it ends where the next one's begins. */
  readonly needsFrom: Uint32Array;
  readonly needs: Uint32Array;
}

/** Puts patterns in order, those of one element as they were given. */
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

/** Whether of what an entry needs all is there: `marks` has the mark at the number of each element that is. */
export function hasAll<Label>({ needs, needsFrom }: Anchored<Label>, entry: number, marks: Uint8Array | Uint32Array, mark: number): boolean {
  const end = needsFrom[entry + 1] ?? 0;
  for (let at = needsFrom[entry] ?? 0; at < end; at += 1) if (marks[needs[at] ?? 0] !== mark) return false;
  return true;
}

/** What is looked for: patterns of the packs that are `active`, all of whose elements the text has, by their numbers in `present`. */
export interface Wanted {
  readonly present: Uint8Array;
  readonly active: readonly boolean[];
}

/** Adds the entries of an element that are wanted to others. */
export function addPossible<Label>(others: number[], element: ElementId, table: Anchored<Label>, { present, active }: Wanted): readonly number[] {
  const end = table.starts[element + 1] ?? 0;
  for (let entry = table.starts[element] ?? 0; entry < end; entry += 1)
    if (active[table.packs[entry] ?? 0] === true && hasAll(table, entry, present, 1)) others.push(entry);
  return others;
}
