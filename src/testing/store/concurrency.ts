/** The concurrency kit: several stores on one database write at the same time. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import { type StoreCheck, append, asked, commitOf, event, ids, message, newSession, queue } from "./fixtures.ts";
import { type Arena, type Loss, type Race, countOf, look, newArena, races } from "./races.ts";

/** How the concurrency kit runs. */
export interface StoreConcurrencyOptions {
  /** How many stores are opened on the database; 2 by default. 1 if only one may have it open: then all writers share that. */
  readonly stores?: number;
  /** Pairs of writers in each check; 10 by default. */
  readonly pairs?: number;
}

/** How many pairs to run on one session. */
export interface StorePairsOptions {
  /** How many stores are opened on the database, of which each pair takes two in turn; 2 by default, 1 if only one may have it open. */
  readonly stores?: number;
  /** 500 by default. */
  readonly pairs?: number;
  /** Called after every pair. */
  readonly onPair?: (done: number) => void;
}

/** What came of the pairs. */
export interface StorePairsReport {
  readonly pairs: number;
  /** Events in the session's log. */
  readonly events: number;
  /** How often each refusal occurred; `none` counts pairs without a loser. */
  readonly losses: Readonly<Partial<Record<Loss | "none", number>>>;
}

async function withStores<Result>(open: () => Promise<Store>, count: number, work: (stores: readonly Store[]) => Promise<Result>): Promise<Result> {
  const stores: Store[] = [];
  try {
    // One after the other: opening many at once is a check of its own.
    for (let number = 0; number < count; number++) stores.push(await open());
    return await work(stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

/** Two of the stores, others each time; the same one twice if there is only one. */
function writersOf(stores: readonly Store[], number: number): readonly [Store, Store] {
  const first = number % stores.length;
  const step = 1 + (Math.floor(number / stores.length) % Math.max(1, stores.length - 1));
  return [stores[first] as Store, stores[(first + step) % stores.length] as Store];
}

/** The whole log, page by page: every offset is there once. */
async function checkOffsets(store: Store, session_id: SessionId, head: number): Promise<void> {
  let next = 0;
  while (next <= head) {
    const page = await store.read({ session_id, min_offset: next, limit: 1000, withdrawn: true });
    ok(page !== undefined && page.events.length > 0, `Nothing can be read from offset ${next}, and the head is ${head}.`);
    for (const stored of page.events) strictEqual(stored.offset, next++, "The offsets have a gap.");
  }
  strictEqual(next, head + 1, "The log goes on behind its head.");
}

async function runPairs(
  stores: readonly Store[],
  options: { readonly arena: Arena; readonly pairs: number; readonly of: readonly Race[]; readonly onPair?: StorePairsOptions["onPair"] },
): Promise<StorePairsReport> {
  const { arena, pairs, of, onPair } = options;
  const losses: Partial<Record<Loss | "none", number>> = {};
  for (let number = 0; number < pairs; number++) {
    const race = of[number % of.length] as Race;
    const writers = writersOf(stores, Math.floor(number / of.length));
    await look({ writers, arena });
    const loss = await race({ writers, number, arena });
    losses[loss] = (losses[loss] ?? 0) + 1;
    onPair?.(number + 1);
  }
  await look({ writers: writersOf(stores, 0), arena });
  await checkOffsets(stores[0] as Store, arena.session_id, arena.known.head);
  return { pairs, events: arena.known.head + 1, losses };
}

/**
 * Runs pairs of writers on one session: both read the same, and both write at once. Where they depend on the same thing (base, version, epoch,
 * episode, head, a key, a place in the queue, a turn, …) one must win and the other be told so in the declared way; nothing that was
 * acknowledged may be lost, and offsets have no gap. Rejects at the first pair that went wrong. With `open` from {@link storeProcess} the
 * writers are in different processes.
 */
export async function checkStorePairs(open: () => Promise<Store>, options: StorePairsOptions = {}): Promise<StorePairsReport> {
  const { stores: count = 2, pairs = 500, onPair } = options;
  return withStores(open, count, async (stores) => {
    const arena = await newArena(stores[0] as Store);
    return runPairs(stores, { arena, pairs, of: Object.values(races), ...(onPair === undefined ? {} : { onPair }) });
  });
}

/** Counts up by one, and retries while another writer was faster. */
async function countUp(store: Store, session_id: SessionId): Promise<void> {
  for (;;) {
    const loaded = await store.load({ session_id, messages: 0 });
    ok(loaded !== undefined);
    const count = countOf(loaded) + 1;
    const result = await store.commit(
      commitOf({ session: { session_id, events: [event("state", { count })], depends: { base: loaded.session.state_offset } } }),
    );
    if (result.outcome === "committed") return;
    strictEqual(result.reason, "stale_base");
  }
}

async function counting(stores: readonly Store[], pairs: number): Promise<void> {
  const { session_id } = await newArena(stores[0] as Store);
  const writers = [...stores, ...stores];
  await Promise.all(
    writers.map(async (store) => {
      for (let number = 0; number < pairs; number++) await countUp(store, session_id);
    }),
  );
  const total = writers.length * pairs;
  for (const store of stores) {
    const loaded = await store.load({ session_id });
    strictEqual(loaded && countOf(loaded), total, "An update was lost.");
  }
  await checkOffsets(stores[0] as Store, session_id, total);
}

/** Follows a log by reading and waiting until it has seen `last`. */
async function follow(store: Store, session_id: SessionId, last: number): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let next = 0; next <= last;) {
    await store.watch(session_id, next - 1, AbortSignal.timeout(30_000));
    const page = await store.read({ session_id, min_offset: next, limit: 7 });
    ok(page !== undefined);
    seen.push(...page.events.map(({ offset }) => offset));
    next = page.next_offset;
  }
  return seen;
}

async function following(stores: readonly Store[], pairs: number): Promise<void> {
  const session_id = await newSession(stores[0] as Store);
  const last = 2 * pairs * stores.length;
  const readers = stores.map((store) => follow(store, session_id, last));
  await Promise.all(
    stores.map(async (store) => {
      for (let number = 0; number < pairs; number++) await append(store, session_id, { events: [message("a"), message("b")] });
    }),
  );
  const expected = Array.from({ length: last + 1 }, (_, offset) => offset);
  for (const seen of await Promise.all(readers)) deepStrictEqual(seen, expected, "A reader must see each event once, and in order.");
}

async function working(stores: readonly Store[], pairs: number): Promise<void> {
  const sessions: SessionId[] = [];
  for (let number = 0; number < pairs; number++) {
    const session_id = await newSession(stores[0] as Store);
    await append(stores[0] as Store, session_id, { events: [asked("a")], queue: queue() });
    sessions.push(session_id);
  }
  const taken: SessionId[] = [];
  const work = async (store: Store, worker: string): Promise<void> => {
    for (;;) {
      const claim = await store.claim({ kind: "next", worker, lease_ms: 600_000 });
      if (claim === undefined) return;
      taken.push(claim.session_id);
    }
  };
  await Promise.all([...stores, ...stores].map((store, number) => work(store, `w${number}`)));
  deepStrictEqual(taken.toSorted(), sessions.toSorted(), "Every turn is given to one worker, and to one only.");
}

async function erasing(stores: readonly Store[]): Promise<void> {
  const { owner_id, session_id } = await newArena(stores[0] as Store);
  const writes = [...stores, ...stores].map((store) => store.commit(commitOf({ session: { session_id, events: [message("late")] } })));
  const [erased] = await Promise.all([(stores.at(-1) as Store).erase({ owner_id }), ...writes]);
  strictEqual(erased.sessions, 1);
  for (const store of stores) {
    strictEqual(await store.open({ session_id }), undefined, "What is erased must be gone for everybody.");
    deepStrictEqual(await store.commit(commitOf({ session: { session_id, events: [message("later")] } })), {
      outcome: "refused",
      reason: "session_missing",
    });
  }
  strictEqual((await (stores[0] as Store).list({ of: "sessions", owner_id })).total, 0);
  const again = ids.next("owner");
  strictEqual((await (stores[0] as Store).commit(commitOf({ owner: { owner_id: again, create: {} } }))).outcome, "committed");
}

/**
 * The checks of what writers do to each other. Each opens the database, which is empty the first time, as often as `stores` says. With `open`
 * from {@link storeProcess} every store is in a process of its own.
 *
 * ```ts
 * for (const { name, run } of storeConcurrencyChecks()) test(name, () => run(() => openMyStore(path)));
 * ```
 */
export function storeConcurrencyChecks(options: StoreConcurrencyOptions = {}): readonly StoreCheck[] {
  const { stores: count = 2, pairs = 10 } = options;
  const check = (name: string, body: (stores: readonly Store[]) => Promise<unknown>): StoreCheck => ({
    name,
    run: async (open) => void (await withStores(open, count, body)),
  });
  return [
    ...Object.entries(races).map(([name, race]) =>
      check(`two writers race for ${name}`, async (stores) => runPairs(stores, { arena: await newArena(stores[0] as Store), pairs, of: [race] })),
    ),
    check("two writers race for everything on one session", async (stores) =>
      runPairs(stores, {
        arena: await newArena(stores[0] as Store),
        pairs: Math.max(pairs, 2 * Object.keys(races).length),
        of: Object.values(races),
      }),
    ),
    check("writers that count one number together lose nothing", (stores) => counting(stores, pairs)),
    check("readers see each event once and in order while others write", (stores) => following(stores, pairs)),
    check("workers that look for work together share it", (stores) => working(stores, pairs)),
    check("what is erased while others write is gone for all of them", erasing),
  ];
}
