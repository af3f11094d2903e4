import { tokenize } from "./tokens.ts";

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
export interface KnownElement {
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
export function readAlternative(index: WordIndex, alternative: string): readonly Literal[] {
  const words = wordsOf(alternative);
  const isTooShort = words.some((word) => word.includes("*") && word.replaceAll("*", "").length < leastPart);
  return isTooShort ? [] : words.map((word) => literalOf(index, word));
}

/** Lets the words of an alternative stand for an element, which is the last one that was numbered. */
export function standFor(words: readonly Literal[], element: ElementId): void {
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
