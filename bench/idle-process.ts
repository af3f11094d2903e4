/**
 * A process that follows many sessions in which nothing happens: run by `idle.ts` with the location and for how long. Prints what that costs, as
 * JSON.
 */
import { setTimeout as delay } from "node:timers/promises";
import { createRuntime, defineAgent, defineState, loop, openStore, scripted } from "../packages/throughline/src/index.ts";

const [location = "", seconds = "1", ...sessions] = process.argv.slice(2);

function memory(): { readonly heap: number; readonly rss: number } {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

let statements = 0;
const store = await openStore(location, { onStatement: () => void (statements += 1) });
const agent = defineAgent({ name: "bench", version: 1, state: defineState({}), reply: loop({ model: scripted(() => "") }) });
const runtime = await createRuntime({ store, agents: [agent], work: false });
const left = new AbortController();
const follow = async (id: string): Promise<void> => {
  const session = await runtime.sessions.get(id);
  const { head } = await session.info();
  for await (const event of session.events({ minOffset: head + 1, signal: left.signal })) throw new Error(`${event.kind}: nobody writes.`);
};

// The first ones warm up what is made once, such as the connections.
const warm = sessions.slice(0, 20).map((id) => follow(id));
await delay(500);
const before = memory();
const followed: Promise<void>[] = [];
for (const id of sessions.slice(20)) {
  followed.push(follow(id));
  // As readers come: not all in one moment, whose garbage would be measured as theirs.
  if (followed.length % 20 !== 0) continue;
  await delay(20);
  globalThis.gc?.();
}
await delay(500);
const after = memory();
// A connection that the machine was too busy to open in time makes readers poll for a while: the quietest stretch counts.
let least = Number.POSITIVE_INFINITY;
for (let stretch = 0; stretch < 10 && least / Number(seconds) >= 1; stretch++) {
  statements = 0;
  await delay(Number(seconds) * 1000);
  least = Math.min(least, statements);
}
console.log(
  JSON.stringify({
    statements_per_second: least / Number(seconds),
    heap_mb: (after.heap - before.heap) / 2 ** 20,
    rss_mb: (after.rss - before.rss) / 2 ** 20,
    followed: followed.length,
  }),
);
left.abort();
await Promise.all([...warm, ...followed]);
await runtime.close();
await store.close();
