import { ThroughlineError, seen } from "../../kernel/error.ts";
import { handoverStatuses, type Handover, type HandoverStatus, type Page, type Store } from "../../store/port.ts";
import { checkId } from "../commands/customers.ts";
import { findCustomer } from "../../extension/lists.ts";
import { toInfo, type SessionInfo } from "./session-info.ts";

/** A session that is, or was, with people. */
export interface HandedOver extends SessionInfo {
  readonly handover: Handover;
}

/** Which sessions to list. */
export interface HandoverFilter {
  /** `waiting` by default. */
  readonly queue?: HandoverStatus;
  /** Only those that this person has taken up. */
  readonly operator?: string;
  /** Only those of this customer. */
  readonly customer?: string;
  /** 1 to 100; 100 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** The queues of sessions that are with people. */
export interface Handovers {
  /**
   * The sessions of a queue. What waits or is assigned comes alerts first, the highest before all others, and then whoever was handed over first; what is
   * resolved, the newest first. Who stays where they are in the queue is on exactly one page.
   */
  list(filter?: HandoverFilter): Promise<Page<HandedOver>>;
}

/** The queues over a store. */
export const createHandovers = (store: Store): Handovers => ({
  list: async ({ queue = "waiting", operator, customer, limit, cursor } = {}) => {
    if (!handoverStatuses.includes(queue))
      throw new ThroughlineError("handover.invalid", `A queue is one of ${handoverStatuses.join(", ")}, got ${seen(queue)}.`, {
        details: { path: "queue" },
      });
    const owner = customer === undefined ? undefined : await findCustomer(store, checkId(customer));
    if (customer !== undefined && owner === undefined) return { items: [], next_cursor: null, total: 0 };
    const page = await store.list({
      ...{ of: "sessions", by: "handover", handover: queue, order: queue === "resolved" ? "desc" : "asc" },
      ...(owner === undefined ? {} : { owner_id: owner.owner_id }),
      ...(operator === undefined ? {} : { operator }),
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { ...page, items: page.items.flatMap((row) => (row.handover === undefined ? [] : [{ ...toInfo(row), handover: row.handover }])) };
  },
});
