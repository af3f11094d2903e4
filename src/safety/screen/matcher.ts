import { literalsOf, standsFor, type ElementId, type Literal, type Phrase, type WordIndex } from "./word-index.ts";
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

interface Entry<Label> {
  readonly pattern: Pattern;
  readonly label: Label;
}

/** Patterns at the number of the element that they are looked for by. */
export type Anchored<Label> = readonly (readonly Entry<Label>[] | undefined)[];

/** What a word is, begins with or ends with, of what packs know. */
type Meaning = readonly Literal[];

/** Meanings of the words of one text; a word is looked up once, however often it is said. */
export type Seen = Map<readonly string[], Meaning>;

/** A row of words that stands for an element: where the row ends, or begins. */
interface Row {
  readonly element: ElementId;
  readonly other: number;
}

/** Words in their order, with what each of them means. */
export interface Sequence {
  readonly words: readonly Word[];
  readonly meanings: readonly Meaning[];
  /** By element, whether any word or row of these words stands for it. */
  readonly present: Uint8Array;
  /** Rows by the place of their first word, and by the place behind their last one. */
  readonly begin: ReadonlyMap<number, readonly Row[]>;
  readonly end: ReadonlyMap<number, readonly Row[]>;
}

/** What all forms of a word mean. */
function meaningOf(forms: readonly string[], index: WordIndex): Meaning {
  const [form = ""] = forms;
  return forms.length === 1 ? literalsOf(index, form) : [...new Set(forms.flatMap((one) => literalsOf(index, one)))];
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
  for (const { elements } of new Set(meanings.flat())) for (const element of elements) present[element] = 1;
  const begin = new Map<number, Row[]>();
  const end = new Map<number, Row[]>();
  const isAt = (place: number, literal: Literal | undefined): boolean => literal !== undefined && meanings[place]?.includes(literal) === true;
  const rowsAt = (at: number, rows: readonly Phrase[]): void => {
    for (const { words: row, element } of rows) {
      let step = 2;
      while (step < row.length && isAt(at + step, row[step])) step += 1;
      if (step < row.length || words[at + step - 1]?.sentence !== words[at]?.sentence) continue;
      present[element] = 1;
      addRow(begin, at, { element, other: at + step });
      addRow(end, at + step, { element, other: at });
    }
  };
  for (const [at, meaning] of meanings.entries())
    for (const { rows } of meaning) for (const { id } of rows === undefined ? [] : (meanings[at + 1] ?? [])) rowsAt(at, rows?.get(id) ?? []);
  return { words, meanings, present, begin, end };
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
  const single = sequence.meanings[at]?.some((literal) => standsFor(literal, element.id)) === true;
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

const isFirst = (place: number, at: number, places: readonly number[]): boolean => places.indexOf(place) === at;

/** Steps over elements from a place, to all places that can be reached. */
function walk(sequence: Sequence, from: number, elements: readonly Element[], way: Way): readonly number[] {
  let places: readonly number[] = [from];
  for (const element of elements) {
    const [only] = places;
    if (places.length === 1 && only !== undefined) places = over(sequence, only, element, way);
    else places = places.flatMap((place) => over(sequence, place, element, way)).filter(isFirst);
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

/** The patterns that are looked for at a word, or at an element: those whose other elements the text has too. */
interface Possible<Label> {
  readonly ofMeaning: (meaning: Meaning) => readonly Entry<Label>[];
  readonly ofElement: (element: ElementId) => readonly Entry<Label>[];
}

function possibleIn<Label extends { readonly pack: number }>(
  { present }: Sequence,
  anchored: Anchored<Label>,
  active: readonly boolean[],
): Possible<Label> {
  const byElement = new Map<ElementId, readonly Entry<Label>[]>();
  const byMeaning = new Map<Meaning, readonly Entry<Label>[]>();
  const isPossible = ({ pattern, label }: Entry<Label>): boolean =>
    active[label.pack] === true && pattern.needs.every((element) => present[element] === 1);
  const ofElement = (element: ElementId): readonly Entry<Label>[] => {
    const entries = anchored[element];
    if (entries === undefined) return [];
    const known = byElement.get(element) ?? entries.filter(isPossible);
    byElement.set(element, known);
    return known;
  };
  const ofMeaning = (meaning: Meaning): readonly Entry<Label>[] => {
    const known = byMeaning.get(meaning);
    if (known !== undefined) return known;
    const entries = meaning.flatMap(({ elements }) => elements.flatMap(ofElement));
    const once = meaning.length > 1 ? [...new Set(entries)] : entries;
    byMeaning.set(meaning, once);
    return once;
  };
  return { ofMeaning, ofElement };
}

/** Tells whether the sentence of a place has an element. Places are asked for in their order. */
function sentencesOf({ words, meanings, begin, present }: Sequence): (place: number) => (element: ElementId) => boolean {
  const last = new Uint32Array(present.length);
  let end = 0;
  const isHere = (element: ElementId): boolean => last[element] === end;
  return (place) => {
    if (place < end) return isHere;
    const sentence = words[place]?.sentence;
    let from = place;
    while (from > 0 && words[from - 1]?.sentence === sentence) from -= 1;
    end = place + 1;
    while (end < words.length && words[end]?.sentence === sentence) end += 1;
    for (let at = from; at < end; at += 1) {
      for (const { elements } of meanings[at] ?? []) for (const element of elements) last[element] = end;
      for (const { element } of begin.get(at) ?? []) last[element] = end;
    }
    return isHere;
  };
}

/** Finds every pattern of the packs that are `active`. Words that are `blocked` for a pack are not passed over by its gaps. */
export function find<Label extends { readonly pack: number }>(
  sequence: Sequence,
  anchored: Anchored<Label>,
  packs: { readonly active: readonly boolean[]; readonly blocked: readonly Uint8Array[] },
): readonly Found<Label>[] {
  const found: Found<Label>[] = [];
  const possible = possibleIn(sequence, anchored, packs.active);
  const sentenceAt = sentencesOf(sequence);
  const match = ({ pattern, label }: Entry<Label>, first: number, after: number): void => {
    const blocked = packs.blocked[label.pack];
    const sentence = sequence.words[first]?.sentence;
    if (blocked === undefined || sentence === undefined || !pattern.needs.every(sentenceAt(first))) return;
    const ends = walk(sequence, after, pattern.after, { back: false, blocked, sentence });
    if (ends.length === 0) return;
    const starts = walk(sequence, first, pattern.before, { back: true, blocked, sentence });
    if (starts.length > 0) found.push({ label, first: Math.min(...starts), after: Math.max(...ends) });
  };
  for (const [place, meaning] of sequence.meanings.entries()) {
    if (meaning.length > 0) for (const entry of possible.ofMeaning(meaning)) match(entry, place, place + 1);
    for (const { element, other } of sequence.begin.get(place) ?? []) for (const entry of possible.ofElement(element)) match(entry, place, other);
  }
  return found;
}
