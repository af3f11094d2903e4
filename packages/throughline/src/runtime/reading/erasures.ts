import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze } from "../../kernel/json.ts";
import type { Erased, Page, Store } from "../../store/port.ts";

/** The receipt of an erasure: when it was requested and finished, and how much it deleted. It contains no ids of customers or sessions. */
export interface Erasure {
  readonly id: string;
  readonly requested_at: number;
  /** Absent while the erasure is running. The next process that opens the database finishes it. */
  readonly finished_at?: number;
  /** Number of erased sessions. */
  readonly sessions: number;
  /** Number of deleted events. Events that living forks share are deleted with the last of these forks. */
  readonly events: number;
}

/** Receipts of erasures. */
export interface Erasures {
  /** Oldest first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Erasure>>;
}

/** Converts the store's record of an erasure to a receipt. */
export function toErasure({ erasure_id, requested_at, finished_at, sessions, events }: Erased): Erasure {
  if (erasure_id === undefined || requested_at === undefined) throw new ThroughlineError("internal", "The store gave no receipt.");
  return deepFreeze({ id: erasure_id, requested_at, ...(finished_at === undefined ? {} : { finished_at }), sessions, events });
}

export const createErasures = (store: Store): Erasures => ({
  list: async (page = {}) => {
    const found = await store.list({ of: "erasures", ...page });
    return { ...found, items: found.items.map(toErasure) };
  },
});
