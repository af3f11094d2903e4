/** A list that only grows, as a frozen value: appending costs the same at any length, and what was there before stays as it was. */
export interface Sequence<Item> {
  readonly length: number;
  /** Full pieces of {@link piece} items each. */
  readonly pieces: readonly (readonly Item[])[];
  /** What does not fill a piece yet. */
  readonly rest: readonly Item[];
}

/** Copying a piece of this size is cheaper than any clever structure; the list of pieces is copied once for each. */
const piece = 64;

const none: Sequence<never> = Object.freeze({ length: 0, pieces: Object.freeze([]), rest: Object.freeze([]) });

/** A sequence of these items. Equal items make equal sequences, however they were appended. */
export const sequenceOf = <Item>(items: readonly Item[]): Sequence<Item> => append<Item>(none, items);

/** The sequence with more items at its end; the same one if there are none. */
export function append<Item>(sequence: Sequence<Item>, items: readonly Item[]): Sequence<Item> {
  if (items.length === 0) return sequence;
  const rest = [...sequence.rest, ...items];
  const full: (readonly Item[])[] = [];
  while (rest.length >= piece) full.push(Object.freeze(rest.splice(0, piece)));
  const pieces = full.length === 0 ? sequence.pieces : Object.freeze([...sequence.pieces, ...full]);
  return Object.freeze({ length: sequence.length + items.length, pieces, rest: Object.freeze(rest) });
}

/** The item at an index, counted from the end if it is negative. */
export function itemAt<Item>(sequence: Sequence<Item>, index: number): Item | undefined {
  const at = index < 0 ? sequence.length + index : index;
  if (at < 0 || at >= sequence.length) return undefined;
  return (sequence.pieces[Math.floor(at / piece)] ?? sequence.rest)[at % piece];
}

/** The items from one index up to, not including, another; all if left out. */
export function itemsOf<Item>(sequence: Sequence<Item>, from = 0, to = sequence.length): readonly Item[] {
  const items: Item[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, sequence.length); at++) items.push(itemAt(sequence, at) as Item);
  return items;
}
