/** An item of one of several sources, or the error that one has ended with. */
type Come<Item> = { readonly item: Item } | { readonly error: unknown };

/**
 * Several sources as one, in the order in which they have something. Each is asked for its next item when the one before is taken, so that what waits
 * is one item of each, however slowly they are taken.
 */
export class Merge<Item> {
  readonly #sources: readonly AsyncGenerator<Item, void, undefined>[];
  readonly #wake: () => void;
  readonly #ready: { readonly come: Come<Item>; readonly source: AsyncGenerator<Item, void, undefined> }[] = [];
  #open: number;
  #closed = false;

  /** `wake` is called when there may be something to take. */
  constructor(sources: readonly AsyncGenerator<Item, void, undefined>[], wake: () => void) {
    this.#sources = sources;
    this.#wake = wake;
    this.#open = sources.length;
    for (const source of sources) void this.#ask(source);
  }

  /** Whether all sources have ended, and everything was taken. */
  get over(): boolean {
    return this.#open === 0 && this.#ready.length === 0;
  }

  /** The next item; undefined if there is none yet. Throws what a source has ended with. */
  take(): Item | undefined {
    const next = this.#ready.shift();
    if (next === undefined) return undefined;
    if ("error" in next.come) throw next.come.error;
    void this.#ask(next.source);
    return next.come.item;
  }

  /** Asks the sources for nothing more, and lets them end. */
  close(): void {
    this.#closed = true;
    this.#ready.length = 0;
    for (const source of this.#sources) source.return().catch(() => {});
  }

  async #ask(source: AsyncGenerator<Item, void, undefined>): Promise<void> {
    try {
      const result = await source.next();
      if (this.#closed) return;
      if (result.done === true) this.#open -= 1;
      else this.#ready.push({ come: { item: result.value }, source });
    } catch (error) {
      if (this.#closed) return;
      this.#ready.push({ come: { error }, source });
    }
    this.#wake();
  }
}
