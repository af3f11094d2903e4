import { tokenize } from "./tokens.ts";

/** Elements are numbered over all packs, so that a word is looked up once for all of them. */
export type ElementId = number;

/** Several words in a row that stand for one element. */
interface Phrase {
  readonly words: readonly ElementId[];
  readonly element: ElementId;
}

/** Which elements a word stands for. Filled while packs are compiled, read afterwards. */
export interface WordIndex {
  readonly exact: Map<string, ElementId[]>;
  /** Beginnings of words and ends of words, by their first (last) two characters. */
  readonly beginnings: Map<string, { readonly text: string; readonly element: ElementId }[]>;
  readonly ends: Map<string, { readonly text: string; readonly element: ElementId }[]>;
  /** By their first element. */
  readonly phrases: Map<ElementId, Phrase[]>;
  /** Any number. */
  readonly numbers: ElementId;
  readonly ids: Map<string, ElementId>;
  next: ElementId;
}

export const createIndex = (): WordIndex => ({
  exact: new Map(),
  beginnings: new Map(),
  ends: new Map(),
  phrases: new Map(),
  numbers: 0,
  ids: new Map(),
  next: 1,
});

function push<Key, Item>(map: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}

/** An element of its own for one word, the same for the same word. */
function wordElement(index: WordIndex, literal: string): ElementId {
  if (literal === "#") return index.numbers;
  const known = index.ids.get(literal);
  if (known !== undefined) return known;
  const element = index.next;
  index.next += 1;
  index.ids.set(literal, element);
  addWord(index, literal, element);
  return element;
}

function addWord(index: WordIndex, literal: string, element: ElementId): void {
  const plain = literal.replaceAll("'", "");
  if (plain.endsWith("*")) push(index.beginnings, plain.slice(0, -1).slice(0, 2), { text: plain.slice(0, -1), element });
  else if (plain.startsWith("*")) push(index.ends, plain.slice(1).slice(-2), { text: plain.slice(1), element });
  else push(index.exact, plain, element);
}

/** Takes an alternative of a pattern apart: words of one alternative are parted by spaces, underscores, apostrophes of elision, or by nothing in Chinese. */
export function wordsOf(alternative: string): readonly string[] {
  const words: string[] = [];
  for (const piece of alternative.split(/[\s_-]+/)) {
    if (/^:[a-z]+:$/.test(piece) || piece === "#") words.push(piece);
    else {
      const stars = [piece.startsWith("*") ? "*" : "", piece.endsWith("*") ? "*" : ""] as const;
      const bare = piece.replace(/^\*/, "").replace(/\*$/, "");
      const tokens = tokenize(bare).map(({ word }) => word);
      for (const [at, word] of tokens.entries()) words.push(`${at === 0 ? stars[0] : ""}${word}${at === tokens.length - 1 ? stars[1] : ""}`);
    }
  }
  return words;
}

/** Lets an alternative stand for an element. False if there is no word in it, or a beginning or an end of fewer than two characters. */
export function addAlternative(index: WordIndex, alternative: string, element: ElementId): boolean {
  const words = wordsOf(alternative);
  const [only, ...more] = words;
  if (only === undefined || words.some((word) => word.includes("*") && word.replaceAll("*", "").length < 2)) return false;
  if (more.length === 0 && only !== "#") addWord(index, only, element);
  else {
    const elements = words.map((word) => wordElement(index, word));
    push(index.phrases, elements[0] ?? 0, { words: elements, element });
  }
  return true;
}

/** The elements that a word stands for by itself. */
export function elementsOf(index: WordIndex, word: string): readonly ElementId[] {
  const found = [...(index.exact.get(word) ?? [])];
  for (const { text, element } of index.beginnings.get(word.slice(0, 2)) ?? []) if (word.startsWith(text)) found.push(element);
  for (const { text, element } of index.ends.get(word.slice(-2)) ?? []) if (word.endsWith(text)) found.push(element);
  if (word >= "0" && word < ":") found.push(index.numbers);
  return found;
}
