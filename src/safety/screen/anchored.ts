/** Patterns in rows of numbers: of a text's thousands that might be in it, most are only asked what they need, and asking must cost next to nothing. */
import type { Pattern } from "./pattern.ts";
import type { ElementId, WordIndex } from "./word-index.ts";

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
