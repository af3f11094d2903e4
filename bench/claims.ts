/** What a claim costs with many open turns beside one with few, and whether a queue is drained in time proportional to its length. */
import { openStore } from "../packages/throughline/src/index.ts";
import type { Store } from "../packages/throughline/src/store/port.ts";
import { type Backlog, backlogOwner, backlogStatements } from "../test/setup/open-turns.ts";
import type { Database, Engine } from "./engine.ts";
import { type Figure, median, round, timed } from "./figures.ts";

const few = 100;
/** Claims of each kind; together they stay below the few turns that there are. */
const rounds = 60;
const warmUp = 20;

interface Queue {
  readonly store: Store;
  readonly database: Database;
}

async function queueOf(engine: Engine, backlogs: readonly Backlog[]): Promise<Queue> {
  const database = await engine.create();
  await (await openStore(database.location)).close();
  await database.run(backlogOwner[engine.name]);
  let from = 1;
  for (const backlog of backlogs) {
    await database.run(backlogStatements(engine.name, from, backlog));
    from += backlog.count;
  }
  await database.tidy();
  return { store: await openStore(database.location, { durability: "relaxed" }), database };
}

async function remove({ store, database }: Queue): Promise<void> {
  await store.close();
  await database.remove();
}

async function claim({ store }: Queue): Promise<void> {
  const claimed = await store.claim({ kind: "next", worker: "bench", lease_ms: 3_600_000, agents: { diary: 1 } });
  if (claimed === undefined) throw new Error("A turn of the benchmark could not be claimed.");
}

/** Claims with a few open turns and with many, in turn. */
async function compared(engine: Engine, many: readonly Backlog[]): Promise<{ readonly few: number; readonly many: number }> {
  const queues = { few: await queueOf(engine, [{ count: few }]), many: await queueOf(engine, many) };
  try {
    const times = await timed({ few: () => claim(queues.few), many: () => claim(queues.many) }, { rounds, warmUp });
    return { few: median(times.few), many: median(times.many) };
  } finally {
    await remove(queues.few);
    await remove(queues.many);
  }
}

/** Milliseconds of a claim in the first and in the last quarter of a queue that is drained. */
async function drained(engine: Engine, count: number): Promise<{ readonly first: number; readonly last: number }> {
  const queue = await queueOf(engine, [{ count }]);
  const times: number[] = [];
  try {
    for (let left = count; left > 0; left--) {
      const began = performance.now();
      await claim(queue);
      times.push(performance.now() - began);
    }
  } finally {
    await remove(queue);
  }
  const quarter = Math.floor(count / 4);
  return { first: median(times.slice(0, quarter)), last: median(times.slice(-quarter)) };
}

export async function claims(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const open = quick ? 2_000 : 100_000;
  const backlog = await compared(engine, [{ count: open }]);
  const parked = await compared(engine, [
    { count: open / 2, lease_until: Number.MAX_SAFE_INTEGER },
    { count: open / 2, lease_until: Number.MAX_SAFE_INTEGER - 1, worker: "elsewhere/1/x" },
    { count: few },
  ]);
  const queue = await drained(engine, quick ? 400 : 8000);
  const ratio = (id: string, what: string, [first, last]: readonly [number, number]): Figure => ({
    ...{ id: `${engine.name}.${id}`, what, value: round(last / first), unit: "x", limit: 2, timing: true },
    details: { first_ms: round(first), last_ms: round(last) },
  });
  return [
    ratio("claim_backlog", `a claim with ${open} open turns against one with ${few}`, [backlog.few, backlog.many]),
    ratio("claim_parked", `a claim beside ${open} parked and leased turns against one without`, [parked.few, parked.many]),
    ratio("claim_drain", "a claim in the last quarter of a queue against one in the first", [queue.first, queue.last]),
  ];
}
