import { ThroughlineError } from "../../../kernel/error.ts";
import { systemClock } from "../../../kernel/clock.ts";
import type { Store } from "../../port.ts";

/** What a purge did. */
export interface PurgeReport {
  /** Bytes of the database before and after. */
  readonly before: number;
  readonly after: number;
  /** What could not be done, and who can do it. */
  readonly remarks: readonly string[];
}

/** Waits, for five minutes at most, until no erasure is under way: an open store finishes what was begun. */
export async function erasuresFinished(store: Store): Promise<void> {
  for (let waited = 0; ; waited++) {
    const page = await store.list({ of: "erasures", order: "desc", limit: 100 });
    if (page.items.every(({ finished_at }) => finished_at !== undefined)) return;
    if (waited === 3_000) throw new ThroughlineError("timeout", "An erasure is still under way after five minutes.");
    await systemClock.sleep(100);
  }
}
