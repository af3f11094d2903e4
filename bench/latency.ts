/** How long a commit and a load take, against what the engine itself takes and against a short session. */
import { openStore } from "../packages/throughline/src/index.ts";
import { foldState } from "../packages/throughline/src/session/fold.ts";
import type { SessionId } from "../packages/throughline/src/kernel/id.ts";
import type { Store } from "../packages/throughline/src/store/port.ts";
import { commitsOfTurn, writeTurns } from "./conversation.ts";
import type { Durability, Engine } from "./engine.ts";
import { type Figure, median, quantile, round, timed } from "./figures.ts";
import { createBareSession } from "./session.ts";

/** The last commit of a turn against the same rows and bytes in a transaction written by hand. */
async function commitLatency(engine: Engine, durability: Durability, quick: boolean): Promise<Figure> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability });
  const session_id = await createBareSession(store, { turn: true });
  const floor = await database.floor(durability);
  const events = ((await commitsOfTurn()).at(-1)?.events ?? []).map((event) => ({ ...event, turn: 1 }));
  const samples = await timed(
    {
      throughline: (run) => store.commit({ commit_id: `commit-${run}`, at: run, session: { session_id, events } }),
      floor: (run) => floor.write(events, run),
    },
    { rounds: quick ? 200 : 1000, warmUp: 50 },
  );
  await floor.close();
  await store.close();
  await database.remove();
  const [mine, best] = [median(samples.throughline), median(samples.floor)];
  const limit = engine.limits.commitRatio[durability];
  return {
    id: `${engine.name}.commit_${durability}`,
    what: `median commit (${durability}) against one hand-written transaction of the same rows`,
    value: round(mine / best),
    unit: "x",
    ...(limit === undefined ? {} : { limit }),
    timing: true,
    details: {
      ms: round(mine),
      p99_ms: round(quantile(samples.throughline, 0.99)),
      floor_ms: round(best),
      floor_p99_ms: round(quantile(samples.floor, 0.99)),
    },
  };
}

/** Loads the state and the last messages, and folds. */
async function loadState(store: Store, session_id: SessionId, at?: number): Promise<void> {
  const loaded = await store.load({ session_id, messages: 20, ...(at === undefined ? {} : { at }) });
  if (loaded === undefined || loaded.messages.length === 0) throw new Error("A session of the benchmark is gone.");
  foldState(loaded);
}

async function loadLatency(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const lengths = quick ? ([100, 400, 1000] as const) : ([100, 1000, 10_000] as const);
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const sessions: SessionId[] = [];
  for (const turns of lengths) {
    const session_id = await createBareSession(store);
    await writeTurns(store, session_id, turns);
    sessions.push(session_id);
  }
  await database.tidy();
  const [short, medium, long] = sessions as [SessionId, SessionId, SessionId];
  const head = (await store.open({ session_id: long }))!.head;
  // Offsets all over the log, none of the first turns: those have no 20 messages before them.
  const past = (run: number): number => 300 + ((run * 7919) % (head - 600));
  const samples = await timed(
    {
      short: () => loadState(store, short),
      medium: () => loadState(store, medium),
      long: () => loadState(store, long),
      past: (run) => loadState(store, long, past(run)),
    },
    { rounds: quick ? 200 : 1000, warmUp: 50 },
  );
  await store.close();
  await database.remove();
  const times = { short: median(samples.short), medium: median(samples.medium), long: median(samples.long), past: median(samples.past) };
  const load = (turns: number, ms: number): Figure => ({
    id: `${engine.name}.load_${turns}`,
    what: `load of the state and 20 messages after ${turns} turns, against ${lengths[0]}`,
    value: round(ms / times.short),
    unit: "x",
    limit: 1.5,
    timing: true,
    details: { ms: round(ms) },
  });
  return [
    {
      id: `${engine.name}.load_ms`,
      what: `load of the state and 20 messages after ${lengths[2]} turns`,
      value: round(times.long),
      unit: "ms",
      limit: engine.limits.loadMs,
      timing: true,
      details: { p99_ms: round(quantile(samples.long, 0.99)) },
    },
    load(lengths[1], times.medium),
    load(lengths[2], times.long),
    {
      id: `${engine.name}.past`,
      what: `state at a past offset of ${lengths[2]} turns, against the head`,
      value: round(times.past / times.long),
      unit: "x",
      limit: 10,
      timing: true,
      details: { ms: round(times.past) },
    },
  ];
}

export async function latency(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const durability of ["full", "relaxed"] as const) {
    if (engine.limits.commitRatio[durability] !== undefined) figures.push(await commitLatency(engine, durability, quick));
  }
  return [...figures, ...(await loadLatency(engine, quick))];
}
