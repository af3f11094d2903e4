/** Column storage of an index: a unit is a slot, and a word is a list of slots. This module knows nothing about weights. */
import type { TimeRange } from "../text/dates.ts";
import type { ReadText, TextReader } from "./language.ts";
import type { MemoryUnit } from "./unit.ts";

/** No slot. */
export const none = -1;
/** Flags of a slot. Bits allow a walk to test several at once. */
export const trait = Object.freeze({ turn: 1, fact: 2, arc: 4, asks: 8, timed: 16, assistant: 32 });

/** Bits of the count in a posting. A posting is one number: the slot, and in its low bits the number of occurrences, at most 63. */
export const countBits = 6;
/** Maximum count of a posting; also the bit mask of the count. */
export const mostCount = 2 ** countBits - 1;

/** A word of the index. */
export interface Term {
  readonly text: string;
  /** Packed postings in no particular order. See {@link countBits}. */
  readonly postings: number[];
}

/** Units of one episode. */
export interface Group {
  readonly id: string;
  readonly place: number;
  /** Its turns in order. Adjacent turns are neighbors. */
  readonly turns: number[];
  /** Its facts and arcs, in no particular order. */
  readonly others: number[];
  /** Number of terms in its turns. */
  length: number;
}

/** Columns by slot. Their length is the capacity, which exceeds the number of units. */
export interface Columns {
  readonly traits: Uint8Array;
  /** Number of terms in the unit. */
  readonly length: Float64Array;
  readonly at: Float64Array;
  readonly seq: Float64Array;
  /** Index of its group. */
  readonly group: Int32Array;
  /** Index of its subject. */
  readonly subject: Int32Array;
  /** Slots of the previous and next turn in its group. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/** A subject of units. */
export interface Subject {
  readonly name: string;
  readonly place: number;
  /** Number of units about the subject, and of turns that the subject spoke. */
  units: number;
  turns: number;
}

/** Contents of a unit in addition to its columns. */
export interface Content {
  readonly id: string;
  /** Its distinct terms and their counts. */
  readonly terms: readonly Term[];
  readonly counts: readonly number[];
  readonly sources: readonly string[];
  readonly subject?: Subject;
  readonly group: Group;
}

/** Totals of units of one sort. */
export interface Sums {
  units: number;
  terms: number;
}

/** Contents of an index. */
export interface Shelf {
  columns: Columns;
  readonly contents: (Content | undefined)[];
  readonly slots: Map<string, number>;
  readonly free: number[];
  readonly terms: Map<string, Term>;
  readonly groups: Map<string, Group>;
  readonly groupAt: (Group | undefined)[];
  readonly freeGroups: number[];
  readonly subjects: Map<string, Subject>;
  subjectsEver: number;
  /** Times in a unit's text, if any. */
  readonly times: Map<number, readonly TimeRange[]>;
  /** Facts by the id of their source turn, whether or not the turn is indexed. */
  readonly drawn: Map<string, Set<number>>;
  readonly turns: Sums;
  /** Facts and arcs. */
  readonly others: Sums;
  postings: number;
}

const noSources: readonly string[] = Object.freeze([]);

const columnsOf = (room: number): Columns => ({
  traits: new Uint8Array(room),
  length: new Float64Array(room),
  at: new Float64Array(room),
  seq: new Float64Array(room),
  group: new Int32Array(room),
  subject: new Int32Array(room),
  previous: new Int32Array(room),
  next: new Int32Array(room),
});

/** Creates an empty shelf. */
export const emptyShelf = (): Shelf => ({
  columns: columnsOf(64),
  contents: [],
  slots: new Map(),
  free: [],
  terms: new Map(),
  groups: new Map(),
  groupAt: [],
  freeGroups: [],
  subjects: new Map(),
  subjectsEver: 0,
  times: new Map(),
  drawn: new Map(),
  turns: { units: 0, terms: 0 },
  others: { units: 0, terms: 0 },
  postings: 0,
});

const widen = (columns: Columns, room: number): Columns => {
  const wider = columnsOf(room);
  for (const name of Object.keys(columns) as (keyof Columns)[]) wider[name].set(columns[name]);
  return wider;
};

const freeSlot = (shelf: Shelf): number => {
  const slot = shelf.free.pop() ?? shelf.contents.push(undefined) - 1;
  if (slot >= shelf.columns.at.length) shelf.columns = widen(shelf.columns, shelf.columns.at.length * 2);
  return slot;
};

const groupOf = (shelf: Shelf, id: string): Group => {
  const known = shelf.groups.get(id);
  if (known) return known;
  const place = shelf.freeGroups.pop() ?? shelf.groupAt.push(undefined) - 1;
  const group: Group = { id, place, turns: [], others: [], length: 0 };
  shelf.groups.set(id, group);
  shelf.groupAt[place] = group;
  return group;
};

const subjectOf = (shelf: Shelf, name: string): Subject => {
  const known = shelf.subjects.get(name);
  if (known) return known;
  const subject: Subject = { name, place: shelf.subjectsEver++, units: 0, turns: 0 };
  shelf.subjects.set(name, subject);
  return subject;
};

/** Returns the index of a turn in its group, ordered by log offset, then by id. */
const placeAmong = (shelf: Shelf, turns: readonly number[], seq: number, id: string): number => {
  let [low, high] = [0, turns.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const slot = turns[middle] ?? none;
    const other = shelf.columns.seq[slot] ?? 0;
    if (other < seq || (other === seq && (shelf.contents[slot]?.id ?? "") < id)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const link = (columns: Columns, before: number, after: number): void => {
  if (before !== none) columns.next[before] = after;
  if (after !== none) columns.previous[after] = before;
};

const join = (shelf: Shelf, { turns }: Group, slot: number, { seq, id }: MemoryUnit): void => {
  const place = placeAmong(shelf, turns, seq, id);
  turns.splice(place, 0, slot);
  link(shelf.columns, turns[place - 1] ?? none, slot);
  link(shelf.columns, slot, turns[place + 1] ?? none);
};

const leave = (shelf: Shelf, { turns }: Group, slot: number, id: string): void => {
  turns.splice(placeAmong(shelf, turns, shelf.columns.seq[slot] ?? 0, id), 1);
  link(shelf.columns, shelf.columns.previous[slot] ?? none, shelf.columns.next[slot] ?? none);
};

/** Removes a value from an unordered list. */
const pluck = (list: number[], value: number): void => {
  const place = list.indexOf(value);
  const last = list.pop();
  if (last !== undefined && place < list.length) list[place] = last;
};

/** Adds a slot to the posting lists of its words. For a repeated word, the slot's posting is the last of the list. */
const post = (shelf: Shelf, words: readonly string[], slot: number): Pick<Content, "terms" | "counts"> => {
  const terms: Term[] = [];
  const first = slot * 2 ** countBits;
  for (const text of words) {
    let term = shelf.terms.get(text);
    if (!term) shelf.terms.set(text, (term = { text, postings: [] }));
    const { postings } = term;
    const last = postings.length - 1;
    const posting = postings[last] ?? none;
    if (posting < first || posting > first + mostCount) {
      postings.push(first + 1);
      terms.push(term);
    } else if (posting < first + mostCount) postings[last] = posting + 1;
  }
  return { terms, counts: terms.map(({ postings }) => (postings.at(-1) ?? first) - first) };
};

const traitsOf = ({ kind, role }: MemoryUnit, { asks, speaksOfTime }: ReadText): number =>
  trait[kind] | (role === "assistant" ? trait.assistant : 0) | (asks ? trait.asks : 0) | (speaksOfTime ? trait.timed : 0);

/** Adds a unit. Its id must not exist. */
export const shelve = (shelf: Shelf, unit: MemoryUnit, reader: TextReader): void => {
  const slot = freeSlot(shelf);
  const read = reader.read(unit.text, unit.at);
  const words = unit.quote === undefined ? read.terms : reader.terms(`${unit.text}\n${unit.quote}`);
  const group = groupOf(shelf, unit.group);
  const subject = unit.subject === undefined ? undefined : subjectOf(shelf, unit.subject);
  const { columns } = shelf;
  columns.traits[slot] = traitsOf(unit, read);
  columns.length[slot] = words.length;
  columns.at[slot] = unit.at;
  columns.seq[slot] = unit.seq;
  columns.group[slot] = group.place;
  columns.subject[slot] = subject?.place ?? none;
  columns.previous[slot] = columns.next[slot] = none;
  const content: Content = {
    id: unit.id,
    ...post(shelf, words, slot),
    sources: unit.sources ?? noSources,
    ...(subject && { subject }),
    group,
  };
  shelf.contents[slot] = content;
  shelf.slots.set(unit.id, slot);
  if ((columns.traits[slot] & trait.timed) !== 0) shelf.times.set(slot, read.times);
  if (unit.kind === "turn") join(shelf, group, slot, unit);
  else group.others.push(slot);
  for (const source of content.sources) shelf.drawn.set(source, (shelf.drawn.get(source) ?? new Set()).add(slot));
  tally(shelf, content, slot, 1);
};

const tally = (shelf: Shelf, content: Content, slot: number, sign: 1 | -1): void => {
  const spoken = ((shelf.columns.traits[slot] ?? 0) & trait.turn) !== 0;
  const length = shelf.columns.length[slot] ?? 0;
  const sums = spoken ? shelf.turns : shelf.others;
  sums.units += sign;
  sums.terms += sign * length;
  if (spoken) content.group.length += sign * length;
  shelf.postings += sign * content.terms.length;
  if (!content.subject) return;
  content.subject.units += sign;
  if (spoken) content.subject.turns += sign;
};

/** Removes a unit with the words, group and subject that only it used. Returns false if it does not exist. */
export const unshelve = (shelf: Shelf, id: string): boolean => {
  const slot = shelf.slots.get(id);
  const content = slot === undefined ? undefined : shelf.contents[slot];
  if (slot === undefined || !content) return false;
  tally(shelf, content, slot, -1);
  for (const [place, term] of content.terms.entries()) {
    pluck(term.postings, slot * 2 ** countBits + (content.counts[place] ?? 0));
    if (term.postings.length === 0) shelf.terms.delete(term.text);
  }
  for (const source of content.sources) {
    const facts = shelf.drawn.get(source);
    facts?.delete(slot);
    if (facts?.size === 0) shelf.drawn.delete(source);
  }
  const { group, subject } = content;
  if (((shelf.columns.traits[slot] ?? 0) & trait.turn) !== 0) leave(shelf, group, slot, id);
  else pluck(group.others, slot);
  if (group.turns.length + group.others.length === 0) {
    shelf.groups.delete(group.id);
    shelf.groupAt[group.place] = undefined;
    shelf.freeGroups.push(group.place);
  }
  if (subject?.units === 0) shelf.subjects.delete(subject.name);
  shelf.times.delete(slot);
  shelf.slots.delete(id);
  shelf.contents[slot] = undefined;
  shelf.free.push(slot);
  return true;
};

/** Measured size in V8, in bytes. Columns and the sheet are counted per slot, lists and objects with their strings per item. */
const cost = Object.freeze({ posting: 16, unit: 300, term: 200, group: 240, slot: 80 });

/** Returns the estimated size of a shelf in bytes. */
export const bytesOf = (shelf: Shelf): number =>
  shelf.postings * cost.posting +
  shelf.slots.size * cost.unit +
  shelf.terms.size * cost.term +
  shelf.groups.size * cost.group +
  shelf.columns.at.length * cost.slot;
