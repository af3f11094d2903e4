/** A list of the service, page by page. What was read is read again on demand, or every few seconds. */
import { type Signal, signal } from "@preact/signals";
import type { RequestError } from "@throughline/client";
import { useEffect, useMemo } from "preact/hooks";
import { key } from "./page-access.ts";
import { failureOf } from "./page-actions.ts";
import { lost, reconnections } from "./page-service.ts";

/** Empty pages in a row that are read without being asked. */
const mostEmpty = 10;

/** Reads a page. */
export type ReadPage<Item> = (
  cursor: { readonly cursor?: string },
  signal: AbortSignal,
) => Promise<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>;

export class PagedItems<Item> {
  readonly items: Signal<readonly Item[]> = signal([]);
  readonly error = signal<RequestError | undefined>(undefined);
  /** Whether the first page has come. */
  readonly ready = signal(false);
  /** Where the next page begins; null at the end. */
  readonly next = signal<string | null>(null);
  /** Whether reading stopped at empty pages, though there are others. */
  readonly paused = signal(false);
  readonly #read: ReadPage<Item>;
  #reading = false;
  /** Whether a read was asked for while another one, which may not know what has changed, was under way. */
  #again = false;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  /** Reads as many items as there were, at least one page. Pages without items are passed over, up to ten in a row. */
  async refresh(left: AbortSignal): Promise<void> {
    this.#again = this.#reading;
    await this.#reads(left, undefined, [], Math.max(1, this.items.peek().length));
  }

  /** Reads the next page, if there is one. */
  async more(left: AbortSignal): Promise<void> {
    const items = this.items.peek();
    const next = this.next.peek();
    if (next !== null) await this.#reads(left, next, items, items.length + 1);
  }

  async #reads(left: AbortSignal, first: string | undefined, before: readonly Item[], wanted: number): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const items = [...before];
      let cursor: string | null | undefined = first;
      let empty = 0;
      do {
        const page: Awaited<ReturnType<ReadPage<Item>>> = await this.#read(cursor === undefined ? {} : { cursor }, left);
        items.push(...page.items);
        cursor = page.next_cursor;
        empty = page.items.length === 0 ? empty + 1 : 0;
      } while (cursor !== null && items.length < wanted && empty < mostEmpty);
      if (left.aborted) return;
      this.items.value = items;
      this.next.value = cursor;
      this.paused.value = cursor !== null && empty >= mostEmpty;
      this.error.value = undefined;
      this.ready.value = true;
    } catch (error) {
      if (!left.aborted) this.error.value = failureOf(error);
    } finally {
      this.#reading = false;
    }
    if (this.#again && !left.aborted) await this.refresh(left);
  }
}

interface PagedOptions {
  /** Names the list; another one is read from its beginning. */
  readonly of: string;
  /** Raised to read the list again. */
  readonly reads: number;
  /** Milliseconds between two reads; read once by default. */
  readonly everyMs?: number;
}

/** A list for a component, with a function that reads its next page. */
export function usePaged<Item>(
  { of, reads, everyMs }: PagedOptions,
  read: ReadPage<Item>,
): { readonly list: PagedItems<Item>; readonly more: () => void } {
  const { list, left } = useMemo(() => ({ list: new PagedItems(read), left: new AbortController() }), [of, reconnections.value, key.value]);
  useEffect(() => void list.refresh(left.signal), [list, reads]);
  useEffect(() => {
    const timer =
      everyMs === undefined
        ? undefined
        : setInterval(() => {
            if (!document.hidden && lost.peek() === undefined) void list.refresh(left.signal);
          }, everyMs);
    return () => {
      clearInterval(timer);
      left.abort();
    };
  }, [list]);
  return { list, more: () => void list.more(left.signal) };
}
