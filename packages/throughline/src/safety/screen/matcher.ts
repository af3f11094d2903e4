import {
  addPossible,
  type Anchored,
  type Element,
  type ElementId,
  hasAll,
  inSpan,
  type Literal,
  literalsOf,
  type Phrase,
  type Span,
  standsFor,
  type WordIndex,
} from "./pack-patterns.ts";

/** A word with all of its readings. */
export interface Word {
  readonly forms: readonly string[];
  /** The form with apostrophes, if it has any. */
  readonly written?: string;
  readonly from: number;
  readonly to: number;
  readonly sentence: number;
  readonly clause: number;
}

/** The known literals that a word equals, starts with or ends with. */
type Meaning = readonly Literal[];

const noMeaning: Meaning = [];

/** A sequence of words that matches an element, with the position of its other end. */
interface Row {
  readonly element: ElementId;
  readonly other: number;
}

const noRows: readonly Row[] = [];

/** Words in order, with their meanings. */
export interface Sequence {
  readonly words: readonly Word[];
  readonly meanings: readonly Meaning[];
  /** The pack whose elements are searched for, or undefined for those of all packs. */
  readonly span: Span | undefined;
  /** By word: the elements that it matches. */
  readonly elements: readonly (readonly ElementId[])[];
  /** By element: 1 if any word or row matches it. */
  readonly present: Uint8Array;
  /** Rows by the position of their first word, and by the position after their last one. */
  readonly begin: ReadonlyMap<number, readonly Row[]>;
  readonly end: ReadonlyMap<number, readonly Row[]>;
}

/** Returns the meanings of all forms of a word. */
function meaningOf(forms: readonly string[], index: WordIndex): Meaning {
  const before = index.meanings.get(forms);
  if (before !== undefined) return before;
  const [form = ""] = forms;
  const found = forms.length === 1 ? literalsOf(index, form) : [...new Set(forms.flatMap((one) => literalsOf(index, one)))];
  index.meanings.set(forms, found);
  return found;
}

function addRow(rows: Map<number, Row[]>, place: number, row: Row): void {
  const list = rows.get(place);
  if (list === undefined) rows.set(place, [row]);
  else list.push(row);
}

/** Finds the meanings of each word, and each row of words that matches one element. With a span, only the elements of that pack count. */
export function sequenceOf(words: readonly Word[], index: WordIndex, span?: Span): Sequence {
  const present = new Uint8Array(index.elements.length + 1);
  const known = new Map<Meaning, readonly ElementId[]>();
  const meanings = words.map(({ forms }) => meaningOf(forms, index));
  const elements = meanings.map((meaning) => {
    const before = known.get(meaning);
    if (before !== undefined) return before;
    const [only] = meaning;
    const own = meaning.length === 1 && only !== undefined ? inSpan(only.elements, span) : meaning.flatMap((one) => inSpan(one.elements, span));
    known.set(meaning, own);
    for (const element of own) present[element] = 1;
    return own;
  });
  const begin = new Map<number, Row[]>();
  const end = new Map<number, Row[]>();
  const isAt = (place: number, literal: Literal | undefined): boolean => literal !== undefined && meanings[place]?.includes(literal) === true;
  const rowsAt = (at: number, rows: readonly Phrase[]): void => {
    for (const { words: row, element } of rows) {
      if (span !== undefined && (element < span.from || element >= span.before)) continue;
      let step = 2;
      while (step < row.length && isAt(at + step, row[step])) step += 1;
      if (step < row.length || words[at + step - 1]?.sentence !== words[at]?.sentence) continue;
      present[element] = 1;
      addRow(begin, at, { element, other: at + step });
      addRow(end, at + step, { element, other: at });
    }
  };
  for (const [at, meaning] of meanings.entries())
    for (const { rows } of meaning)
      for (const { id } of rows === undefined ? noMeaning : (meanings[at + 1] ?? noMeaning)) rowsAt(at, rows?.get(id) ?? []);
  return { words, meanings, span, elements, present, begin, end };
}

/** The constraints of a walk: its direction, the words that a gap cannot skip, and its sentence. */
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

/** Tells whether a clause starts or ends at a position. */
const isBorder = ({ words }: Sequence, place: number): boolean =>
  place === 0 || place === words.length || words[place - 1]?.clause !== words[place]?.clause;

function over(sequence: Sequence, place: number, element: Element, way: Way): readonly number[] {
  if (element.type === "word") return overWord(sequence, place, element, way);
  if (element.type === "gap") return overGap(sequence, place, element.most, way);
  return isBorder(sequence, place) ? [place] : none;
}

const isFirst = (place: number, at: number, places: readonly number[]): boolean => places.indexOf(place) === at;

/** Matches elements in order from a position. Returns all positions that can be reached. */
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
  /** Word positions: the first, and the one after the last. */
  readonly first: number;
  readonly after: number;
}

/** Sentences that a pack does not search, because it reads them in other words. */
type Skipped = ReadonlySet<number>;

/**
 * Returns a function that tells whether an entry's pack searches the sentence at a position and that contains all elements that the entry needs. Call it with
 * ascending positions. Each sentence is indexed on its first call.
 */
function sentencesOf<Label>(
  { words, elements, begin, present }: Sequence,
  table: Anchored<Label>,
  skipped: readonly Skipped[],
): (place: number, entry: number) => boolean {
  const last = new Uint32Array(present.length);
  const isOff = new Uint8Array(skipped.length);
  let end = 0;
  const enter = (place: number): void => {
    const sentence = words[place]?.sentence ?? 0;
    for (const [pack, sentences] of skipped.entries()) isOff[pack] = sentences.has(sentence) ? 1 : 0;
    let at = place;
    while (at > 0 && words[at - 1]?.sentence === sentence) at -= 1;
    end = place + 1;
    while (end < words.length && words[end]?.sentence === sentence) end += 1;
    for (; at < end; at += 1) {
      for (const element of elements[at] ?? none) last[element] = end;
      for (const { element } of begin.get(at) ?? noRows) last[element] = end;
    }
  };
  return (place, entry) => {
    if (place >= end) enter(place);
    return isOff[table.packs[entry] ?? 0] !== 1 && hasAll(table, entry, last, end);
  };
}

/** Returns the entries to try at a word with this meaning: those whose other elements occur in the text, each once. */
function possibleAt<Label>(meaning: Meaning, table: Anchored<Label>, { span, present }: Sequence): readonly number[] {
  const entries: number[] = [];
  const anchors = ({ id }: Literal): readonly ElementId[] => inSpan(table.anchors[id] ?? none, span);
  const [only] = meaning;
  const elements = meaning.length === 1 && only !== undefined ? anchors(only) : new Set(meaning.flatMap(anchors));
  for (const element of elements) addPossible(entries, element, table, present);
  return entries;
}

/** Finds every match. Gaps of a pack do not skip its blocked words. */
export function find<Label extends { readonly pack: number }>(
  sequence: Sequence,
  table: Anchored<Label>,
  packs: { readonly blocked: readonly Uint8Array[]; readonly skipped: readonly Skipped[] },
): readonly Found<Label>[] {
  const found: Found<Label>[] = [];
  const isInSentence = sentencesOf(sequence, table, packs.skipped);
  const match = (entry: number, first: number, after: number): void => {
    const { pattern, label } = table.entries[entry] ?? {};
    const blocked = label === undefined ? undefined : packs.blocked[label.pack];
    const sentence = sequence.words[first]?.sentence;
    if (pattern === undefined || label === undefined || blocked === undefined || sentence === undefined) return;
    const ends = walk(sequence, after, pattern.after, { back: false, blocked, sentence });
    if (ends.length === 0) return;
    const starts = walk(sequence, first, pattern.before, { back: true, blocked, sentence });
    if (starts.length > 0) found.push({ label, first: Math.min(...starts), after: Math.max(...ends) });
  };
  const matchAll = (entries: readonly number[], first: number, after: number): void => {
    for (const entry of entries) if (isInSentence(first, entry)) match(entry, first, after);
  };
  const possible = new Map<Meaning, readonly number[]>();
  for (let place = 0; place < sequence.meanings.length; place += 1) {
    const meaning = sequence.meanings[place] ?? noMeaning;
    let entries = possible.get(meaning);
    if (entries === undefined) possible.set(meaning, (entries = possibleAt(meaning, table, sequence)));
    matchAll(entries, place, place + 1);
    for (const { element, other } of sequence.begin.get(place) ?? noRows) matchAll(addPossible([], element, table, sequence.present), place, other);
  }
  return found;
}
