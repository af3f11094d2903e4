import { literalsOf, pairOf, type ElementId, type WordIndex } from "./word-index.ts";
import type { Element, Pattern } from "./pattern.ts";

/** A word as it is matched: all ways to read it. */
export interface Word {
  readonly forms: readonly string[];
  /** With its apostrophes, where it has some. */
  readonly written?: string;
  readonly from: number;
  readonly to: number;
  readonly sentence: number;
  readonly clause: number;
}

/** Patterns by the element that they are looked for by. */
export type Anchored<Label> = ReadonlyMap<ElementId, readonly { readonly pattern: Pattern; readonly label: Label }[]>;

type Elements = ReadonlySet<ElementId>;

/** What a word stands for by itself, and the literals that rows of words are made of. */
interface Meaning {
  readonly elements: Elements;
  readonly literals: readonly number[];
}

/** Meanings of the words of one text; a word is looked up once, however often it is said. */
export type Seen = Map<readonly string[], Meaning>;

/** A row of words that stands for an element: where the row ends, or begins. */
interface Row {
  readonly element: ElementId;
  readonly other: number;
}

/** Words in their order, with the elements that each of them stands for. */
export interface Sequence {
  readonly words: readonly Word[];
  readonly elements: readonly Elements[];
  /** By element, whether any word or row of these words stands for it. */
  readonly present: Uint8Array;
  /** Rows by the place of their first word, and by the place behind their last one. */
  readonly begin: ReadonlyMap<number, readonly Row[]>;
  readonly end: ReadonlyMap<number, readonly Row[]>;
}

const nothing: Meaning = { elements: new Set(), literals: [] };

/** What all forms of a word stand for. */
function meaningOf(forms: readonly string[], index: WordIndex): Meaning {
  const literals = forms.flatMap((form) => literalsOf(index, form));
  if (literals.length === 0) return nothing;
  return { elements: new Set(literals.flatMap(({ elements }) => elements)), literals: [...new Set(literals.map(({ id }) => id))] };
}

function addRow(rows: Map<number, Row[]>, place: number, row: Row): void {
  const list = rows.get(place);
  if (list === undefined) rows.set(place, [row]);
  else list.push(row);
}

/** Finds what each word stands for, and each row of words that stands for one element. */
export function sequenceOf(words: readonly Word[], index: WordIndex, seen: Seen): Sequence {
  const meanings = words.map(({ forms }) => {
    const known = seen.get(forms);
    if (known !== undefined) return known;
    const found = meaningOf(forms, index);
    seen.set(forms, found);
    return found;
  });
  const present = new Uint8Array(index.elements.length + 1);
  for (const { elements } of new Set(meanings)) for (const element of elements) present[element] = 1;
  const begin = new Map<number, Row[]>();
  const end = new Map<number, Row[]>();
  const rowsAt = (at: number, pair: number): void => {
    for (const { words: row, element } of index.phrases.get(pair) ?? []) {
      let step = 2;
      while (step < row.length && meanings[at + step]?.literals.includes(row[step] ?? -1) === true) step += 1;
      if (step < row.length || words[at + step - 1]?.sentence !== words[at]?.sentence) continue;
      present[element] = 1;
      addRow(begin, at, { element, other: at + step });
      addRow(end, at + step, { element, other: at });
    }
  };
  for (const [at, { literals }] of meanings.entries())
    for (const first of literals) for (const second of meanings[at + 1]?.literals ?? []) rowsAt(at, pairOf(first, second));
  return { words, elements: meanings.map(({ elements }) => elements), present, begin, end };
}

/** How a walk goes: forwards, or backwards; which words a gap may not pass over; and within which sentence. */
interface Way {
  readonly back: boolean;
  readonly blocked: Uint8Array;
  readonly sentence: number;
}

const none: readonly number[] = [];

function overWord(sequence: Sequence, place: number, element: Element & { readonly type: "word" }, way: Way): readonly number[] {
  const at = way.back ? place - 1 : place;
  if (sequence.words[at]?.sentence !== way.sentence) return element.optional ? [place] : none;
  const step = way.back ? -1 : 1;
  const single = sequence.elements[at]?.has(element.id) === true;
  const rows = (way.back ? sequence.end : sequence.begin).get(place);
  if (rows === undefined && !element.optional) return single ? [place + step] : none;
  const reached = single ? [place + step] : [];
  for (const row of rows ?? []) if (row.element === element.id) reached.push(row.other);
  if (element.optional) reached.push(place);
  return reached;
}

function overGap(sequence: Sequence, place: number, most: number, way: Way): readonly number[] {
  const reached = [place];
  for (let step = 0, at = place; step < most; step += 1) {
    const passed = way.back ? at - 1 : at;
    if (sequence.words[passed]?.sentence !== way.sentence || way.blocked[passed] === 1) break;
    at += way.back ? -1 : 1;
    reached.push(at);
  }
  return reached;
}

/** Whether a clause begins, or ends, between the words around a place. */
const isBorder = ({ words }: Sequence, place: number): boolean =>
  place === 0 || place === words.length || words[place - 1]?.clause !== words[place]?.clause;

function over(sequence: Sequence, place: number, element: Element, way: Way): readonly number[] {
  if (element.type === "word") return overWord(sequence, place, element, way);
  if (element.type === "gap") return overGap(sequence, place, element.most, way);
  return isBorder(sequence, place) ? [place] : none;
}

/** Steps over elements from a place, to all places that can be reached. */
function walk(sequence: Sequence, from: number, elements: readonly Element[], way: Way): readonly number[] {
  let places: readonly number[] = [from];
  for (const element of elements) {
    const [only] = places;
    if (places.length === 1 && only !== undefined) places = over(sequence, only, element, way);
    else places = [...new Set(places.flatMap((place) => over(sequence, place, element, way)))];
    if (places.length === 0) return none;
  }
  return places;
}

export interface Found<Label> {
  readonly label: Label;
  /** Places of words: the first, and the one after the last. */
  readonly first: number;
  readonly after: number;
}

type Entry<Label> = NonNullable<ReturnType<Anchored<Label>["get"]>>[number];

/** Finds every pattern of the packs that are `active`. Words that are `blocked` for a pack are not passed over by its gaps. */
export function find<Label extends { readonly pack: number }>(
  sequence: Sequence,
  anchored: Anchored<Label>,
  packs: { readonly active: readonly boolean[]; readonly blocked: readonly Uint8Array[] },
): readonly Found<Label>[] {
  const found: Found<Label>[] = [];
  const match = ({ pattern, label }: Entry<Label>, first: number, after: number): void => {
    const blocked = packs.blocked[label.pack];
    const sentence = sequence.words[first]?.sentence;
    if (blocked === undefined || sentence === undefined) return;
    const ends = walk(sequence, after, pattern.after, { back: false, blocked, sentence });
    if (ends.length === 0) return;
    const starts = walk(sequence, first, pattern.before, { back: true, blocked, sentence });
    if (starts.length > 0) found.push({ label, first: Math.min(...starts), after: Math.max(...ends) });
  };
  const byElement = new Map<ElementId, readonly Entry<Label>[]>();
  const possibleAt = (element: ElementId): readonly Entry<Label>[] => {
    const known = byElement.get(element);
    if (known !== undefined) return known;
    const isPossible = ({ pattern, label }: Entry<Label>): boolean =>
      packs.active[label.pack] === true && pattern.needs.every((needed) => sequence.present[needed] === 1);
    const entries = (anchored.get(element) ?? []).filter(isPossible);
    byElement.set(element, entries);
    return entries;
  };
  const byElements = new Map<Elements, readonly Entry<Label>[]>();
  const entriesOf = (elements: Elements): readonly Entry<Label>[] => {
    const known = byElements.get(elements);
    if (known !== undefined) return known;
    const entries: Entry<Label>[] = [];
    for (const element of elements) entries.push(...possibleAt(element));
    byElements.set(elements, entries);
    return entries;
  };
  for (const [place, elements] of sequence.elements.entries()) {
    if (elements.size > 0) for (const entry of entriesOf(elements)) match(entry, place, place + 1);
    for (const row of sequence.begin.get(place) ?? []) for (const entry of possibleAt(row.element)) match(entry, place, row.other);
  }
  return found;
}
