/** A list that only grows: adding to it costs the same at any length, and what was there before stays as it was. */

/** An immutable list. One item more is a new list, which shares its items with the one before. */
export class AppendList<Item> implements Iterable<Item> {
  readonly #items: Item[];
  readonly length: number;

  private constructor(items: Item[], length: number) {
    this.#items = items;
    this.length = length;
    Object.freeze(this);
  }

  /** A list of these items. */
  static of<Item>(items: Iterable<Item> = []): AppendList<Item> {
    const own = [...items];
    return new AppendList(own, own.length);
  }

  /** The list with one item more. */
  with(item: Item): AppendList<Item> {
    return this.concat([item]);
  }

  /** The list with more items; itself if there are none. The first addition to a list shares its memory; a second one gets a copy. */
  concat(more: readonly Item[]): AppendList<Item> {
    if (more.length === 0) return this;
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const item of more) items.push(item);
    return new AppendList(items, items.length);
  }

  /** The item at an index; negative ones count from the end. */
  at(index: number): Item | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.#items[place] : undefined;
  }

  /** The last item that passes. */
  findLast(test: (item: Item) => boolean): Item | undefined {
    for (let index = this.length - 1; index >= 0; index -= 1) {
      const item = this.#items[index] as Item;
      if (test(item)) return item;
    }
    return undefined;
  }

  /** The items from one index up to, not including, another, as a new array. */
  slice(from = 0, to = this.length): Item[] {
    return this.#items.slice(Math.max(0, from), Math.min(to, this.length));
  }

  /** The items as a new array. */
  toArray(): Item[] {
    return this.slice();
  }

  /** The same, for JSON. */
  toJSON(): Item[] {
    return this.toArray();
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (let index = 0; index < this.length; index += 1) yield this.#items[index] as Item;
  }
}
