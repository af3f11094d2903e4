/** What encryption at rest costs: the same work on an encrypted and on a plain database, taking turns. */
import { openStore } from "../packages/throughline/src/index.ts";
import { systemRandom } from "../packages/throughline/src/kernel/random.ts";
import { commitsOfTurn, converse, turnBytes, writeTurns } from "./conversation.ts";
import type { Engine } from "./engine.ts";
import { type Figure, median, round, timed } from "./figures.ts";
import { createBareSession } from "./session.ts";

const encryption = { keys: [{ id: "bench", key: systemRandom.bytes(32) }] };

/** Marginal bytes of a turn. */
async function bytesOfTurn(engine: Engine, encrypted: boolean, [low, high]: readonly [number, number]): Promise<number> {
  const database = await engine.create();
  const store = await openStore(database.location, { durability: "relaxed", ...(encrypted ? { encryption } : {}) });
  const conversation = await converse(store);
  await conversation.turns(low);
  await database.tidy();
  const before = await database.bytes();
  await conversation.turns(high - low);
  await database.tidy();
  const after = await database.bytes();
  await conversation.close();
  await store.close();
  await database.remove();
  return (after - before) / (high - low);
}

async function times(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const databases = [await engine.create(), await engine.create()] as const;
  const stores = [
    await openStore(databases[0].location, { durability: "relaxed" }),
    await openStore(databases[1].location, { durability: "relaxed", encryption }),
  ] as const;
  const events = ((await commitsOfTurn()).at(-1)?.events ?? []).map((event) => ({ ...event, turn: 1 }));
  const [plain, encrypted] = await Promise.all(
    stores.map(async (store) => {
      const written = await createBareSession(store, { turn: true });
      const read = await createBareSession(store);
      await writeTurns(store, read, 100);
      return { written, read };
    }),
  );
  if (plain === undefined || encrypted === undefined) throw new Error("A session of the benchmark is gone.");
  const rounds = { rounds: quick ? 100 : 1000, warmUp: 50 };
  const commits = await timed(
    {
      plain: (run) => stores[0].commit({ commit_id: `c${run}`, at: run, session: { session_id: plain.written, events } }),
      encrypted: (run) => stores[1].commit({ commit_id: `c${run}`, at: run, session: { session_id: encrypted.written, events } }),
    },
    rounds,
  );
  const loads = await timed(
    { plain: () => stores[0].load({ session_id: plain.read }), encrypted: () => stores[1].load({ session_id: encrypted.read }) },
    rounds,
  );
  for (const store of stores) await store.close();
  for (const database of databases) await database.remove();
  const figure = (what: "commit" | "load", samples: typeof loads): Figure => ({
    id: `${engine.name}.encrypted_${what}`,
    what: `median ${what} (relaxed) of an encrypted database against a plain one`,
    value: round(median(samples.encrypted) / median(samples.plain)),
    unit: "x",
    timing: true,
    details: { ms: round(median(samples.encrypted)), plain_ms: round(median(samples.plain)) },
  });
  return [figure("commit", commits), figure("load", loads)];
}

export async function encryptionCost(engine: Engine, quick: boolean): Promise<readonly Figure[]> {
  const marks = quick ? ([50, 150] as const) : ([100, 1000] as const);
  const [plain, encrypted] = [await bytesOfTurn(engine, false, marks), await bytesOfTurn(engine, true, marks)];
  return [
    {
      id: `${engine.name}.encrypted_bytes`,
      what: `bytes per turn of ${turnBytes} bytes of text in an encrypted database against a plain one`,
      value: round(encrypted / plain),
      unit: "x",
      timing: false,
      details: { bytes_per_turn: Math.round(encrypted), plain_bytes_per_turn: Math.round(plain) },
    },
    ...(await times(engine, quick)),
  ];
}
