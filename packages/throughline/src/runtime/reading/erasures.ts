import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze } from "../../kernel/json.ts";
import type { Erased, Page, Store } from "../../store/port.ts";

/** The receipt of an erasure: when it was requested and finished, and how much it removed. It names nobody. */
export interface Erasure {
  readonly id: string;
  readonly requested_at: number;
  /** Absent while it is under way: whoever opens the database finishes it. */
  readonly finished_at?: number;
  /** Sessions that were erased. */
  readonly sessions: number;
  /** Events that were removed. What living forks share of a deleted session goes with the last of them. */
  readonly events: number;
}

/** Receipts of erasures. */
export interface Erasures {
  /** Oldest first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Erasure>>;
}

/** The receipt of what a store erased. */
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
