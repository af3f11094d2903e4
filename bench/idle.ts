/** What it costs to wait for something, and how soon those who wait hear of it in another process. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStore } from "../packages/throughline/src/index.ts";
import type { SessionId } from "../packages/throughline/src/kernel/id.ts";
import type { Engine } from "./engine.ts";
import { type Figure, quantile, round } from "./figures.ts";
import { createBareSession } from "./session.ts";

/** Runs a file beside this one in a process of its own, and reads the JSON that it prints. */
async function run<Result>(file: string, values: readonly string[]): Promise<Result> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", path, ...values], { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Result;
}

interface Idle {
  readonly statements_per_second: number;
  readonly heap_mb: number;
  readonly rss_mb: number;
  readonly followed: number;
}

async function idleWaiters(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const sessions: SessionId[] = [];
  for (let count = 0; count < (quick ? 420 : 1020); count++) sessions.push(await createBareSession(store));
  await store.close();
  const seconds = quick ? 1 : 20;
  const idle = await run<Idle>("./idle-process.ts", [database.location, String(seconds), ...sessions]);
  await database.remove();
  return [
    {
      id: `${engine.name}.idle_queries`,
      what: `statements of a process in which ${idle.followed} readers wait and nothing happens, over ${seconds} s`,
      value: round(idle.statements_per_second),
      unit: "per second",
      limit: 0.99,
      timing: false,
    },
    {
      id: `${engine.name}.idle_memory`,
      what: "memory of 1,000 sessions that are followed, the larger of heap and resident memory",
      value: round((Math.max(idle.heap_mb, idle.rss_mb) / idle.followed) * 1000),
      unit: "MB",
      limit: 20,
      // How much of what was garbage the process has given back differs from run to run.
      timing: true,
      details: { heap_mb: round(idle.heap_mb), rss_mb: round(idle.rss_mb) },
    },
  ];
}

async function wakeUps(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const database = await engine.create();
  const store = await openStore(database.location);
  const session_id = await createBareSession(store);
  const head = (await store.open({ session_id }))?.head ?? 0;
  const count = quick ? 40 : 400;
  const heard: bigint[] = [];
  const listening = (async () => {
    while (heard.length < count) {
      const now = await store.watch(session_id, head + heard.length, AbortSignal.timeout(30_000));
      const at = process.hrtime.bigint();
      while (heard.length < now - head) heard.push(at);
    }
  })();
  const [began] = await Promise.all([run<readonly string[]>("./append-process.ts", [database.location, session_id, String(count)]), listening]);
  await store.close();
  await database.remove();
  const ms = began.map((at, index) => Number((heard[index] ?? 0n) - BigInt(at)) / 1e6);
  const figure = (id: string, part: number, limit: number): Figure => ({
    id: `${engine.name}.${id}`,
    what: `from the beginning of a commit until a reader in another process hears of it, ${part === 0.5 ? "median" : "99 of 100"}`,
    value: round(quantile(ms, part)),
    unit: "ms",
    limit,
    timing: true,
  });
  return [figure("wake_up", 0.5, 20), figure("wake_up_p99", 0.99, 150)];
}

export async function idle(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  return [...(await idleWaiters(engine, quick)), ...(await wakeUps(engine, quick))];
}
