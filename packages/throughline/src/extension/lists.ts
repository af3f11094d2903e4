/** Reads lists and logs of a store completely, and finds single customers and records. */
import { present } from "../kernel/json.ts";
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { CustomerRow, EntriesRequest, EntryRow, ListItem, ListQuery, Page, ReadRequest, RecordRow, Store, StoredEvent } from "../store/port.ts";

/**
 * Yields all items of a list, page by page. Damaged rows are skipped, and `onDamaged` is called with the place of each. Without `onDamaged`, the list
 * throws `store.corrupt` after all readable items. Callers that need complete data, such as an export, then fail.
 */
export async function* itemsOf<Query extends ListQuery>(
  store: Store,
  query: Query,
  onDamaged?: (place: string) => void,
): AsyncGenerator<ListItem<Query>, void, undefined> {
  const damaged: string[] = [];
  for (let cursor = query.cursor; ;) {
    const page: Page<ListItem<Query>> = await store.list<Query>(cursor === undefined ? query : { ...query, cursor });
    yield* page.items;
    damaged.push(...(page.damaged ?? []));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  if (onDamaged !== undefined) damaged.forEach(onDamaged);
  else if (damaged.length > 0) throw damagedRow(damaged);
}

/** Returns `store.corrupt` for the damaged rows of a list. */
function damagedRow([place = "", ...others]: readonly string[]): ThroughlineError {
  const more = others.length === 0 ? "" : `, and so are ${others.length} more rows of the list`;
  return new ThroughlineError("store.corrupt", `${place} is damaged${more}.`, { details: { place } });
}

/** Returns a page of a list in memory. The cursor is an index. Throws `cursor.invalid` for any other value. */
export function pageAt<Item>(
  items: readonly Item[],
  { limit = 100, cursor = "0" }: { readonly limit?: number; readonly cursor?: string },
): { readonly items: readonly Item[]; readonly next_cursor: string | null; readonly total: number } {
  if (typeof cursor !== "string" || !/^\d{1,9}$/.test(cursor))
    throw new ThroughlineError("cursor.invalid", `This list did not issue the cursor ${seen(cursor)}.`);
  const next = Number(cursor) + limit;
  return { items: items.slice(Number(cursor), next), next_cursor: next < items.length ? String(next) : null, total: items.length };
}

/**
 * Yields the events of a log page by page, from `min_offset` to `max_offset`. Default: the whole log. Yields nothing if the session does not exist.
 * `limit` is the page size, default 1,000.
 */
export async function* eventsOf(store: Pick<Store, "read">, request: ReadRequest): AsyncGenerator<StoredEvent, void, undefined> {
  for (let { min_offset } = request; ;) {
    const page = await store.read({ limit: 1000, ...request, ...present({ min_offset }) });
    yield* page?.events ?? [];
    if (page === undefined || page.next_offset > Math.min(page.head, request.max_offset ?? page.head)) return;
    min_offset = page.next_offset;
  }
}

/** Yields the memory entries of an owner page by page, up to `max_version`. `limit` is the page size, default 1,000. */
export async function* entriesOf(store: Pick<Store, "entries">, request: Omit<EntriesRequest, "newest">): AsyncGenerator<EntryRow, void, undefined> {
  const { limit = 1000 } = request;
  for (let min_version = request.min_version ?? 1; ;) {
    const rows = await store.entries({ ...request, min_version, limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    min_version = last.version + 1;
  }
}

/** Returns the customer with that id, or undefined. */
export const findCustomer = async (store: Store, customer_id: string): Promise<CustomerRow | undefined> =>
  (await store.list({ of: "customers", customer_id, limit: 1 })).items[0];

/** Returns the customer with that id. Throws `customer.not_found` if it does not exist. */
export async function getCustomer(store: Store, customer_id: string): Promise<CustomerRow> {
  const found = await findCustomer(store, customer_id);
  if (found !== undefined) return found;
  throw new ThroughlineError("customer.not_found", `There is no customer ${seen(customer_id)}.`, { details: { customer_id } });
}

/** Returns a record, or undefined. */
export async function findRecord(store: Store, kind: string, key: string): Promise<RecordRow | undefined> {
  const { items } = await store.list({ of: "records", kind, key, limit: 1 });
  return items[0];
}
