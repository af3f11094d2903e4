/** Reading the lists of a store: to their end, and for one customer. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { CustomerRow, ListItem, ListQuery, Page, Store } from "../store/port.ts";

/** The items of a list to its end, read page by page. */
export async function* itemsOf<Query extends ListQuery>(store: Store, query: Query): AsyncGenerator<ListItem<Query>, void, undefined> {
  for (let cursor = query.cursor; ;) {
    const page: Page<ListItem<Query>> = await store.list<Query>(cursor === undefined ? query : { ...query, cursor });
    yield* page.items;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

/** The customer with that id; undefined if there is none. */
export const findCustomer = async (store: Store, customer_id: string): Promise<CustomerRow | undefined> =>
  (await store.list({ of: "customers", customer_id, limit: 1 })).items[0];

/** The customer with that id; `customer.not_found` if there is none. */
export async function getCustomer(store: Store, customer_id: string): Promise<CustomerRow> {
  const found = await findCustomer(store, customer_id);
  if (found !== undefined) return found;
  throw new ThroughlineError("customer.not_found", `There is no customer ${seen(customer_id)}.`, { details: { customer_id } });
}
