/** Whether the database answers. */
import type { Clock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import type { Store } from "../store/port.ts";
import type { Readiness } from "./service.ts";

/** The database has so long to answer. */
const patienceMs = 1_000;
/** However often somebody asks, it is asked this often. */
const freshMs = 500;
/** A session that there is not: its look-up is the smallest read. */
const nobody = `ses_${"0".repeat(26)}` as SessionId;

/** Asks a store whether it answers. */
export function createReadiness({ store, clock }: { readonly store: Pick<Store, "open">; readonly clock: Clock }): Readiness {
  let asked: { readonly answer: Promise<void>; readonly at: number } | undefined;
  const ask = async (): Promise<void> => {
    const answered = new AbortController();
    const late = clock.sleep(patienceMs, answered.signal).then(() => {
      throw new ThroughlineError("store.unreachable", `The database has not answered within ${patienceMs} ms.`);
    });
    try {
      await Promise.race([store.open({ session_id: nobody }), late]);
    } finally {
      answered.abort();
      late.catch(() => {});
    }
  };
  return {
    check() {
      const now = clock.monotonic();
      if (asked === undefined || now - asked.at >= freshMs) asked = { answer: ask(), at: now };
      return asked.answer;
    },
  };
}
