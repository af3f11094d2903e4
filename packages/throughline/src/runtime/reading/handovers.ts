import { invalidAt } from "../../extension/failure.ts";
import { present } from "../../kernel/json.ts";
import { seen } from "../../kernel/error.ts";
import { handoverStatuses, type Handover, type HandoverStatus, type Page, type Store } from "../../store/port.ts";
import { checkId } from "../commands/customers.ts";
import { findCustomer } from "../../extension/lists.ts";
import { toInfo, type SessionInfo } from "./session-info.ts";

/** A session that is, or was, handed over to operators. */
export interface HandedOver extends SessionInfo {
  readonly handover: Handover;
}

/** Which sessions to list. */
export interface HandoverFilter {
  /** Defaults to `waiting`. */
  readonly queue?: HandoverStatus;
  /** Only sessions assigned to this operator. */
  readonly operator?: string;
  /** Only sessions of this customer. */
  readonly customer?: string;
  /** 1 to 100; 100 by default. */
  readonly limit?: number;
  readonly cursor?: string;
}

/** The queues of handed-over sessions. */
export interface Handovers {
  /**
   * Lists the sessions of a queue. In the waiting and assigned queues, alerts come first, the highest before all others, then the order of the
   * handovers. In the resolved queue, the newest come first. A session that keeps its place in the queue is on exactly one page.
   */
  list(filter?: HandoverFilter): Promise<Page<HandedOver>>;
}

/** Creates the queues of a store. */
export const createHandovers = (store: Store): Handovers => ({
  list: async ({ queue = "waiting", operator, customer, limit, cursor } = {}) => {
    if (!handoverStatuses.includes(queue))
      throw invalidAt("handover.invalid", "queue", `A queue is one of ${handoverStatuses.join(", ")}, got ${seen(queue)}.`);
    const owner = customer === undefined ? undefined : await findCustomer(store, checkId(customer));
    if (customer !== undefined && owner === undefined) return { items: [], next_cursor: null, total: 0 };
    const page = await store.list({
      ...{ of: "sessions", by: "handover", handover: queue, order: queue === "resolved" ? "desc" : "asc" },
      ...(owner === undefined ? {} : { owner_id: owner.owner_id }),
      ...present({ operator, limit, cursor }),
    });
    return { ...page, items: page.items.flatMap((row) => (row.handover === undefined ? [] : [{ ...toInfo(row), handover: row.handover }])) };
  },
});
