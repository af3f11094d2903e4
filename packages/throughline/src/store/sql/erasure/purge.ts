import { ThroughlineError } from "../../../kernel/error.ts";
import { systemClock } from "../../../kernel/clock.ts";
import type { Store } from "../../port.ts";

/** The result of a purge. */
export interface PurgeReport {
  /** Bytes of the database before and after. */
  readonly before: number;
  readonly after: number;
  /** Operations that could not be performed, and who can perform them. */
  readonly remarks: readonly string[];
}

/** Waits at most five minutes until no erasure is running. An open store finishes unfinished ones. */
export async function erasuresFinished(store: Store): Promise<void> {
  for (let waited = 0; ; waited++) {
    const page = await store.list({ of: "erasures", order: "desc", limit: 100 });
    if (page.items.every(({ finished_at }) => finished_at !== undefined)) return;
    if (waited === 3_000) throw new ThroughlineError("timeout", "An erasure is still under way after five minutes.");
    await systemClock.sleep(100);
  }
}
