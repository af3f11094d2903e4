/**
 * A process that appends to a session: run by `idle.ts` with the location, the session and how often. Prints when each commit began, in ns of the
 * machine's clock.
 */
import { setTimeout as delay } from "node:timers/promises";
import { openStore, type SessionId } from "../packages/throughline/src/index.ts";
import { newEvent } from "../packages/throughline/src/session/new-event.ts";
import { benchTrace } from "./session.ts";

const [location = "", session = "", count = "1"] = process.argv.slice(2);
const store = await openStore(location);
const began: string[] = [];
for (let round = 0; round < Number(count); round++) {
  // Pauses of 5 to 45 milliseconds: readers have gone to sleep again, and timers of theirs do not fall into step.
  await delay(5 + ((round * 17) % 41));
  began.push(String(process.hrtime.bigint()));
  const event = newEvent("custom", "system", { value: round }, { trace_id: benchTrace });
  await store.commit({ commit_id: `append-${round}`, at: round, session: { session_id: session as SessionId, events: [event] } });
}
console.log(JSON.stringify(began));
await store.close();
