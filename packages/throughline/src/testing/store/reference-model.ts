/** Model-based check: random commands run on a store and on the reference model, and every result must be the same. */
import { present } from "../../kernel/json.ts";
import { deepStrictEqual } from "node:assert/strict";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId, TraceId } from "../../kernel/id.ts";
import { openMemoryStore } from "../../store/in-memory/in-memory-store.ts";
import type { Store } from "../../store/port.ts";
import { type Chooser, createChooser } from "../test-clock.ts";
import { type Command, commandFrom, firstCommands, recordKinds, scopeOwners, type World } from "./random-commands.ts";

/** Options of {@link checkStoreAgainstModel}. */
export interface StoreModelOptions {
  /** Seed of the commands. The same seed gives the same commands. */
  readonly seed: number;
  /** Number of commands. Default 100. */
  readonly commands?: number;
  /** Receives the model's results of each command, to inspect the coverage of a run. */
  readonly onOutcomes?: (outcomes: readonly unknown[]) => void;
}

/** Returns the outcome of a call as plain data: its value, or its error's code. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await call };
  } catch (error) {
    if (ThroughlineError.is(error)) return { error: error.code, details: error.details };
    throw error;
  }
}

/** Returns all visible data of a session. */
async function seenOf(store: Store, session_id: SessionId, at: number | undefined): Promise<unknown> {
  return [
    await outcomeOf(store.load({ session_id, messages: 4, ...present({ at }) })),
    await outcomeOf(store.read({ session_id, limit: 1000, withdrawn: true })),
    await outcomeOf(store.read({ session_id, limit: 3, kinds: ["message", "tool"] })),
    await outcomeOf(store.list({ of: "turns", session_id })),
    await outcomeOf(store.list({ of: "sessions", origin: session_id })),
  ];
}

async function compare(world: World, stores: readonly [model: Store, store: Store], choose: Chooser): Promise<void> {
  const session_id = choose.one(world.sessions);
  const at = choose.chance(0.5) ? undefined : choose.integer(0, 12);
  const [expected, seen] = await Promise.all(stores.map((store) => seenOf(store, session_id, at)));
  deepStrictEqual(seen, expected);
}

/** Compares all tables at the end. */
async function compareAll(world: World, stores: readonly [model: Store, store: Store]): Promise<void> {
  const all = async (store: Store): Promise<unknown> => [
    await store.list({ of: "sessions" }),
    await store.list({ of: "customers", order: "desc" }),
    await Promise.all(recordKinds.map((kind) => store.list({ of: "records", kind, order: "desc" }))),
    await Promise.all([...world.owners, ...scopeOwners(world)].map((owner_id) => store.list({ of: "variables", owner_id }))),
    await Promise.all(
      world.owners.flatMap((owner_id) => [
        store.entries({ owner_id, min_version: 2 }),
        store.entries({ owner_id, entry_id: "e", max_version: 5 }),
        store.entries({ owner_id, kinds: ["fact"], limit: 2, newest: true }),
      ]),
    ),
    await Promise.all(world.sessions.map((session_id) => seenOf(store, session_id, undefined))),
    // Positions may have gaps, and commits of several sessions that are sent at once may be in any order.
    (await store.appends({ limit: 1000 })).appends
      .map(({ position: _position, ...places }) => places)
      .toSorted((one, other) => (one.session_id < other.session_id ? -1 : Number(one.session_id > other.session_id))),
  ];
  const [expected, seen] = await Promise.all(stores.map(all));
  deepStrictEqual(seen, expected);
}

/** Creates a world with a few fixed names, so that commands collide. */
function smallWorld(): World {
  const body = (n: number): string => n.toString().padStart(26, "0");
  const numbers = [1, 2, 3, 4];
  return {
    sessions: [...numbers, 5, 6, 7, 8, 9].map((n) => `ses_${body(n)}` as SessionId),
    owners: numbers.slice(1).map((n) => `own_${body(n)}` as World["owners"][number]),
    traces: numbers.map((n) => n.toString(16).padStart(32, "0") as TraceId),
    past: [],
  };
}

/**
 * Runs random commands on the store from `open`, which must be empty, and on the reference model. They include commits of all shapes, replays, used
 * keys, withdrawals, checkpoints, leases, erasures, and loads of the past. Rejects at the first difference with the seed and the commands so far.
 * Leases last an hour, so the store's clock does not matter.
 */
export async function checkStoreAgainstModel(open: () => Promise<Store>, options: StoreModelOptions): Promise<void> {
  const { seed, commands = 100 } = options;
  const choose = createChooser(seed);
  const world = smallWorld();
  const [model, store] = [openMemoryStore(), await open()];
  const done: Command[] = [];
  try {
    const first = firstCommands(choose, world);
    for (let step = 0; step < commands; step++) {
      const command = first[step] ?? commandFrom(choose, world);
      done.push(command);
      const expected = await Promise.all(command.calls.map((call) => outcomeOf(call(model))));
      const seen = await Promise.all(command.calls.map((call) => outcomeOf(call(store))));
      deepStrictEqual(seen, expected);
      options.onOutcomes?.(expected);
      await compare(world, [model, store], choose);
    }
    await compareAll(world, [model, store]);
  } catch (error) {
    const story = done.map(({ name }) => `  ${name}`).join("\n");
    throw new Error(
      `The store differs from the model (seed ${seed}, command ${done.length}): ${error instanceof Error ? error.message : String(error)}\n${story}`,
      { cause: error },
    );
  } finally {
    await Promise.all([model.close(), store.close()]);
  }
}
