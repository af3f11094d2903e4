/** A list that only grows. Appending takes the same time at any length, and earlier versions stay valid. */

/** An immutable list. Appending returns a new list that shares its items with the old one. */
export class AppendList<Item> implements Iterable<Item> {
  readonly #items: Item[];
  readonly length: number;

  private constructor(items: Item[], length: number) {
    this.#items = items;
    this.length = length;
    Object.freeze(this);
  }

  /** Creates a list of items. */
  static of<Item>(items: Iterable<Item> = []): AppendList<Item> {
    const own = [...items];
    return new AppendList(own, own.length);
  }

  /** Returns the list with one more item. */
  with(item: Item): AppendList<Item> {
    return this.concat([item]);
  }

  /** Returns the list with more items, or itself without any. The first append to a list shares its memory; a second one copies it. */
  concat(more: readonly Item[]): AppendList<Item> {
    if (more.length === 0) return this;
    const items = this.#items.length === this.length ? this.#items : this.#items.slice(0, this.length);
    for (const item of more) items.push(item);
    return new AppendList(items, items.length);
  }

  /** Returns the item at an index. Negative indexes count from the end. */
  at(index: number): Item | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.#items[place] : undefined;
  }

  /** Returns the last item that passes the test. */
  findLast(test: (item: Item) => boolean): Item | undefined {
    for (let index = this.length - 1; index >= 0; index -= 1) {
      const item = this.#items[index] as Item;
      if (test(item)) return item;
    }
    return undefined;
  }

  /** Returns the items from one index up to, but excluding, another as a new array. */
  slice(from = 0, to = this.length): Item[] {
    return this.#items.slice(Math.max(0, from), Math.min(to, this.length));
  }

  /** Returns the items as a new array. */
  toArray(): Item[] {
    return this.slice();
  }

  /** Returns the items for JSON. */
  toJSON(): Item[] {
    return this.toArray();
  }

  *[Symbol.iterator](): IterableIterator<Item> {
    for (let index = 0; index < this.length; index += 1) yield this.#items[index] as Item;
  }
}
