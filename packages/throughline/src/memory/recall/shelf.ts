/** What an index holds, in columns: a unit is a slot, a word is a list of slots. Nothing here knows how anything is weighed. */
import type { TimeRange } from "../text/dates.ts";
import type { ReadText, TextReader } from "./language.ts";
import type { MemoryUnit } from "./unit.ts";

/** No slot. */
export const none = -1;
/** What a slot holds. Bits, so that a walk tests several at once. */
export const trait = Object.freeze({ turn: 1, fact: 2, arc: 4, asks: 8, timed: 16, assistant: 32 });

/** A posting is one number: the slot, and below it how often the word stands there, at most 63 times. */
export const countBits = 6;
/** The most that a posting counts; also the bits of the count. */
export const mostCount = 2 ** countBits - 1;

/** A word of the index. */
export interface Term {
  readonly text: string;
  /** Packed: see {@link countBits}. In no order. */
  readonly postings: number[];
}

/** What was said in one episode. */
export interface Group {
  readonly id: string;
  readonly place: number;
  /** Its turns in order: they are each other's neighbours. */
  readonly turns: number[];
  /** Its facts and arcs, in no order. */
  readonly others: number[];
  /** Terms in its turns. */
  length: number;
}

/** Columns over slots: as long as there is room, and longer than there are units. */
export interface Columns {
  readonly traits: Uint8Array;
  /** Terms of the unit. */
  readonly length: Float64Array;
  readonly at: Float64Array;
  readonly seq: Float64Array;
  /** Place of its group. */
  readonly group: Int32Array;
  /** Place of its subject. */
  readonly subject: Int32Array;
  /** The turns before and after it in its group. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
}

/** Somebody whom units are about. */
export interface Subject {
  readonly name: string;
  readonly place: number;
  /** Units about them, and of those the turns that they spoke. */
  units: number;
  turns: number;
}

/** What a unit is made of, besides its columns. */
export interface Content {
  readonly id: string;
  /** Its terms, each once, with how often it stands there. */
  readonly terms: readonly Term[];
  readonly counts: readonly number[];
  readonly sources: readonly string[];
  readonly subject?: Subject;
  readonly group: Group;
}

/** Sums over units of one sort. */
export interface Sums {
  units: number;
  terms: number;
}

/** All that an index holds. */
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
  /** Times that a unit's text names, where it names any. */
  readonly times: Map<number, readonly TimeRange[]>;
  /** The facts that were drawn from a turn, by the turn's id, whether that is here or not. */
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

/** An empty shelf. */
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

/** Where a turn stands, or would stand, among the turns of its group: by its place in the log, then by id. */
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

/** Takes a value out of a list whose order says nothing. */
const pluck = (list: number[], value: number): void => {
  const place = list.indexOf(value);
  const last = list.pop();
  if (last !== undefined && place < list.length) list[place] = last;
};

/** Adds a slot's words to the lists of their terms. A term that it has met before has it at the end of its list. */
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

/** Puts a unit on the shelf; its id must not be there. */
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

/** Takes a unit off the shelf, and with it what only it needed: words, its group, its subject. False if there is none. */
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

/** About what V8 takes, as measured: the index's own columns and the sheet of a walk are counted by slot, lists and objects with their strings by piece. */
const cost = Object.freeze({ posting: 16, unit: 300, term: 200, group: 240, slot: 80 });

/** About how many bytes a shelf takes. */
export const bytesOf = (shelf: Shelf): number =>
  shelf.postings * cost.posting +
  shelf.slots.size * cost.unit +
  shelf.terms.size * cost.term +
  shelf.groups.size * cost.group +
  shelf.columns.at.length * cost.slot;
