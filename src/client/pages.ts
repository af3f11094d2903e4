/** A page of a list. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** The items of all pages, each page asked for when the one before is read. */
export async function* pagesOf<Item>(next: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>): AsyncGenerator<Item, void, undefined> {
  for (let cursor: { readonly cursor?: string } | undefined = {}; cursor !== undefined;) {
    const page: Page<Item> = await next(cursor);
    yield* page.items;
    cursor = page.next_cursor === null ? undefined : { cursor: page.next_cursor };
  }
}
