/** Seeded random choices for repeatable checks. */
export interface Chooser {
  /** Returns an integer from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. There must be at least one. */
  one<Item>(items: readonly Item[]): Item;
  /** Returns a part to spread with the given probability, else an empty object. */
  maybe<Part extends object>(probability: number, part: () => Part): Part | Record<never, never>;
  list<Item>(most: number, item: (index: number) => Item): readonly Item[];
}

/** Returns a generator of numbers from 0 to 2³² − 1 that repeats for the same seed (mulberry32). For tests, never for secrets. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Creates a chooser from a seed. */
export function createChooser(seed: number): Chooser {
  const numbers = numbersFrom(seed);
  const next = (): number => numbers() / 2 ** 32;
  const integer = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const chance = (probability: number): boolean => next() < probability;
  return {
    integer,
    chance,
    // The index is in range, but the item itself may be undefined.
    one: <Item>(items: readonly Item[]) => items[integer(0, items.length - 1)] as Item,
    maybe: (probability, part) => (chance(probability) ? part() : {}),
    list: (most, item) => Array.from({ length: integer(0, most) }, (_, index) => item(index)),
  };
}
