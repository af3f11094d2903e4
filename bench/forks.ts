/** What a fork costs: bytes, whatever the length of what it goes on from, and what reading at the end of a long chain of forks takes. */
import { openStore } from "../packages/throughline/src/index.ts";
import { createIds, type SessionId } from "../packages/throughline/src/kernel/id.ts";
import { newEvent } from "../packages/throughline/src/session/new-event.ts";
import { foldState } from "../packages/throughline/src/session/fold.ts";
import { deepestFork, type Store } from "../packages/throughline/src/store/port.ts";
import { writeTurns } from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, round, timed } from "./figures.ts";
import { benchTrace, createBareSession } from "./session.ts";

const ids = createIds();

/** Forks a session at its head. */
export async function forkBare(store: Store, session_id: SessionId): Promise<SessionId> {
  const parent = await store.open({ session_id });
  if (parent === undefined) throw new Error("A session of the benchmark is gone.");
  const fork = ids.next("session");
  const { owner_id, head: at } = parent;
  const create = { owner_id, agent: "bench", agent_version: 1, fork: { session_id, at } };
  const event = newEvent("session", "system", { type: "forked", at }, { trace_id: benchTrace });
  const result = await store.commit({ commit_id: ids.next("commit"), at: 1, session: { session_id: fork, create, events: [event] } });
  if (result.outcome === "refused") throw new Error(`A fork of the benchmark was refused: ${result.reason}.`);
  return fork;
}

const forksCounted = 200;

/** Bytes of a fork of a session of so many turns. */
async function bytesOfFork(engine: Engine, turns: number): Promise<number> {
  const database = await engine.create();
  const open = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await openStore(database.location, { durability: "relaxed" });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  try {
    const session_id = await open(async (store) => {
      const made = await createBareSession(store);
      await writeTurns(store, made, turns);
      return made;
    });
    const forkMany = (): Promise<void> =>
      open(async (store) => {
        for (let count = 0; count < forksCounted; count++) await forkBare(store, session_id);
      });
    // The first forks also fill tables that were nearly empty, and bring what a database keeps beside a table once it has some pages.
    await forkMany();
    const before = await database.bytes();
    await forkMany();
    return ((await database.bytes()) - before) / forksCounted;
  } finally {
    await database.remove();
  }
}

/** A load at the end of the longest chain, against one of a session with the same log and one that is short. */
async function depth(engine: Engine, quick: boolean): Promise<Figure> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed" });
  const plain = await createBareSession(store);
  let deep = await createBareSession(store);
  const say = async (session_id: SessionId, text: string): Promise<void> => {
    const parts = [{ type: "text", text }] as const;
    const message = newEvent("message", "human_agent", { role: "assistant", parts }, { trace_id: benchTrace });
    const patch = [{ op: "replace", path: "/turns", value: text.length }] as const;
    const state = newEvent("state", "system", { patch, writer: { type: "input" }, definition: 1 }, { trace_id: benchTrace });
    await store.commit({ commit_id: ids.next("commit"), at: 1, session: { session_id, events: [message, state] } });
  };
  for (let count = 0; count < deepestFork; count++) {
    await say(plain, `message ${count}`);
    await say(deep, `message ${count}`);
    deep = await forkBare(store, deep);
  }
  const load = async (session_id: SessionId): Promise<void> => {
    const loaded = await store.load({ session_id, messages: 20 });
    if (loaded === undefined || loaded.messages.length !== 20 || loaded.patches.length !== deepestFork)
      throw new Error("A log of the benchmark is wrong.");
    foldState(loaded);
  };
  const samples = await timed({ deep: () => load(deep), plain: () => load(plain) }, { rounds: quick ? 200 : 1000, warmUp: 50 });
  await store.close();
  await database.remove();
  const [mine, best] = [median(samples.deep), median(samples.plain)];
  return {
    id: `${engine.name}.fork_depth`,
    what: `load at the end of ${deepestFork} forks against one of a session with the same log`,
    value: round(mine / best),
    unit: "x",
    limit: 2,
    timing: true,
    details: { ms: round(mine), plain_ms: round(best) },
  };
}

export async function forks(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const [short, long] = [await bytesOfFork(engine, 10), await bytesOfFork(engine, quick ? 200 : 1000)];
  const bytes: Figure = {
    id: `${engine.name}.fork_bytes`,
    what: `bytes of a fork of a long session, one of ${forksCounted}`,
    value: round(long),
    unit: "bytes",
    limit: 1000,
    timing: false,
    details: { of_10_turns: round(short), [quick ? "of_200_turns" : "of_1000_turns"]: round(long) },
  };
  const flat: Figure = {
    id: `${engine.name}.fork_flat`,
    what: "difference between a fork of a long session and one of a short one: 200 forks round to whole pages of tables and indexes",
    value: round(Math.abs(long - short)),
    unit: "bytes",
    // A page more or less of each table and index is chance, more on a busy server; a copy of the log would be a thousand bytes a turn.
    limit: (10 * 8192) / forksCounted,
    timing: false,
  };
  return [bytes, flat, await depth(engine, quick)];
}
