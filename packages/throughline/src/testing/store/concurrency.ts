/** Concurrency kit: several stores on one database at the same time, and pairs of writers race on one session. */
import { present } from "../../kernel/json.ts";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { systemClock } from "../../kernel/clock.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { AppendRow, Claim, CommitResult, Committed, LoadedSession, Refusal, SessionChange, Store } from "../../store/port.ts";
import { type StoreCheck, ids, event, message, asked, created, queue, type Parts, commitOf, append, newSession } from "./fixtures.ts";

/** Options of {@link storeConcurrencyChecks}. */
export interface StoreConcurrencyOptions {
  /** Number of stores opened on the database. Default 2. Use 1 if only one may be open; all writers then share it. */
  readonly stores?: number;
  /** Pairs of writers per check. Default 10. */
  readonly pairs?: number;
}

/** Options of {@link checkStorePairs}. */
export interface StorePairsOptions {
  /** Number of stores opened on the database, of which each pair uses two. Default 2. Use 1 if only one may be open. */
  readonly stores?: number;
  /** Default 500. */
  readonly pairs?: number;
  /** Called after every pair. */
  readonly onPair?: (done: number) => void;
}

/** Result of the pairs. */
export interface StorePairsReport {
  readonly pairs: number;
  /** Number of events in the session's log. */
  readonly events: number;
  /** Number of occurrences of each refusal. `none` counts pairs without a loser. */
  readonly losses: Readonly<Partial<Record<Loss | "none", number>>>;
}

/** At least one store. */
type Stores = readonly [Store, ...Store[]];

async function withStores<Result>(open: () => Promise<Store>, count: number, work: (stores: Stores) => Promise<Result>): Promise<Result> {
  const stores: [Store, ...Store[]] = [await open()];
  try {
    // Opened one after another, since opening many at once is a separate check.
    while (stores.length < count) stores.push(await open());
    return await work(stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}

/** Returns two of the stores, different ones each time. With a single store, returns it twice. */
function writersOf(stores: Stores, number: number): readonly [Store, Store] {
  const first = number % stores.length;
  const step = 1 + (Math.floor(number / stores.length) % Math.max(1, stores.length - 1));
  return [stores[first] as Store, stores[(first + step) % stores.length] as Store];
}

/** Reads the whole log page by page and checks that every offset occurs once. */
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
  stores: Stores,
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
  await checkOffsets(stores[0], arena.session_id, arena.known.head);
  return { pairs, events: arena.known.head + 1, losses };
}

/**
 * Runs pairs of writers on one session. Both read the same data and write at the same time. If they depend on the same thing (base, version, epoch,
 * episode, head, a key, a place in the queue, a turn, …), one must win. The other must get the declared refusal. No acknowledged write may be lost,
 * and offsets must have no gaps. Rejects at the first pair that violates this. With `open` from {@link storeProcess}, the writers run in different
 * processes.
 */
export async function checkStorePairs(open: () => Promise<Store>, options: StorePairsOptions = {}): Promise<StorePairsReport> {
  const { stores: count = 2, pairs = 500, onPair } = options;
  return withStores(open, count, async (stores) => {
    const arena = await newArena(stores[0]);
    return runPairs(stores, { arena, pairs, of: Object.values(races), ...present({ onPair }) });
  });
}

/** Increments the count, and retries while another writer is faster. */
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

async function counting(stores: Stores, pairs: number): Promise<void> {
  const { session_id } = await newArena(stores[0]);
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
  await checkOffsets(stores[0], session_id, total);
}

/** Follows a log by reading and waiting until `last`. */
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

async function following(stores: Stores, pairs: number): Promise<void> {
  const session_id = await newSession(stores[0]);
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

/** Milliseconds after which a reader of all sessions reads again without news, and after which it gives up. */
const [rereadMs, longestFollowMs] = [500, 60_000];

/** Reads the commits of all sessions as they come, until `total`. */
async function followAll(store: Store, total: number): Promise<readonly AppendRow[]> {
  const seen: AppendRow[] = [];
  const until = systemClock.monotonic() + longestFollowMs;
  let news = Promise.withResolvers<void>();
  const stop = await store.watchAppends(() => news.resolve());
  try {
    while (seen.length < total && systemClock.monotonic() < until) {
      news = Promise.withResolvers();
      const { appends } = await store.appends({ after: seen.at(-1)?.position ?? 0, limit: 7 });
      seen.push(...appends);
      if (appends.length === 0) await Promise.race([news.promise, systemClock.sleep(rereadMs)]);
    }
    return seen;
  } finally {
    stop();
  }
}

/** Every writer appends to sessions of its own and to a common one, while readers of all sessions follow. */
async function followingAll(stores: Stores, pairs: number): Promise<void> {
  const common = await newSession(stores[0]);
  const writers = [...stores, ...stores];
  const total = 1 + writers.length * (1 + 2 * pairs);
  const readers = stores.map((store) => followAll(store, total));
  await Promise.all(
    writers.map(async (store) => {
      const own = await newSession(store);
      for (let number = 0; number < pairs; number++)
        await Promise.all([append(store, own, { events: [message("a")] }), append(store, common, { events: [message("a"), message("b")] })]);
    }),
  );
  const seen = await Promise.all(readers);
  for (const appends of seen) {
    deepStrictEqual(appends, seen[0], "Readers must see the commits of all sessions in one order.");
    const next = new Map<SessionId, number>();
    for (const { session_id, first_offset, head } of appends) {
      strictEqual(first_offset, next.get(session_id) ?? 0, "A reader of all sessions must see each commit once, and those of a session in order.");
      next.set(session_id, head + 1);
    }
    strictEqual(appends.length, total, "A reader of all sessions must see every commit.");
  }
}

async function working(stores: Stores, pairs: number): Promise<void> {
  const sessions: SessionId[] = [];
  for (let number = 0; number < pairs; number++) {
    const session_id = await newSession(stores[0]);
    await append(stores[0], session_id, { events: [asked("a")], queue: queue() });
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

async function erasing(stores: Stores): Promise<void> {
  const { owner_id, session_id } = await newArena(stores[0]);
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
  strictEqual((await stores[0].list({ of: "sessions", owner_id })).total, 0);
  const again = ids.next("owner");
  strictEqual((await stores[0].commit(commitOf({ owner: { owner_id: again, create: {} } }))).outcome, "committed");
}

/**
 * Returns the checks of concurrent writers. Each opens the database, which is initially empty, as often as `stores` says. With `open` from {@link
 * storeProcess}, every store runs in a separate process.
 *
 * ```ts
 * for (const { name, run } of storeConcurrencyChecks()) test(name, () => run(() => openMyStore(path)));
 * ```
 */
export function storeConcurrencyChecks(options: StoreConcurrencyOptions = {}): readonly StoreCheck[] {
  const { stores: count = 2, pairs = 10 } = options;
  const check = (name: string, body: (stores: Stores) => Promise<unknown>): StoreCheck => ({
    name,
    run: async (open) => void (await withStores(open, count, body)),
  });
  return [
    ...Object.entries(races).map(([name, race]) =>
      check(`two writers race for ${name}`, async (stores) => runPairs(stores, { arena: await newArena(stores[0]), pairs, of: [race] })),
    ),
    check("two writers race for everything on one session", async (stores) =>
      runPairs(stores, {
        arena: await newArena(stores[0]),
        pairs: Math.max(pairs, 2 * Object.keys(races).length),
        of: Object.values(races),
      }),
    ),
    check("writers that count one number together lose nothing", (stores) => counting(stores, pairs)),
    check("readers see each event once and in order while others write", (stores) => following(stores, pairs)),
    check("readers of all sessions see each commit once while others write", (stores) => followingAll(stores, pairs)),
    check("a commit is told to readers of all sessions in all processes", async (stores) => {
      const session_id = await newSession(stores[0]);
      const heard = stores.map(() => Promise.withResolvers<void>());
      const stops = await Promise.all(stores.map((store, index) => store.watchAppends(() => heard[index]?.resolve())));
      await append(stores[0], session_id, { events: [message("a")] });
      await allHeard(heard, "A store was not told of a commit.").finally(() => stops.forEach((stop) => stop()));
    }),
    check("workers that look for work together share it", (stores) => working(stores, pairs)),
    check("what is erased while others write is gone for all of them", erasing),
    check("an erasure is told in all processes", async (stores) => {
      const [eraser] = stores;
      const heard = stores.map(() => Promise.withResolvers<void>());
      const stops = await Promise.all(stores.map((store, index) => store.watchErasures(() => heard[index]?.resolve())));
      await eraser.erase({ session_id: await newSession(eraser) });
      await allHeard(heard, "A store was not told of an erasure.").finally(() => stops.forEach((stop) => stop()));
    }),
  ];
}

/** Milliseconds until the kit gives up on a notification. Stores promise 2 seconds for erasures; a busy machine gets more. */
const longestTellMs = 15_000;

/** Resolves when all stores were told. Rejects with `problem` if one was not. */
async function allHeard(heard: readonly PromiseWithResolvers<void>[], problem: string): Promise<void> {
  const limit = AbortSignal.timeout(longestTellMs);
  limit.addEventListener("abort", () => heard.forEach(({ reject }) => reject(new Error(problem))));
  await Promise.all(heard.map(({ promise }) => promise));
}

/** A contested session with its expected values. Each race updates them by its writes. */
interface Arena {
  readonly session_id: SessionId;
  readonly owner_id: OwnerId;
  readonly customer_id: string;
  readonly known: {
    head: number;
    state_offset: number;
    /** Count in the state. */
    count: number;
    version: number;
    epoch: number;
    episode: number;
    last_turn: number;
    /** Versions of the owner and of its variables. */
    owner_version: number;
  };
}

/** One pair of writers, with separate stores or a shared one. */
interface Pair {
  readonly writers: readonly [Store, Store];
  /** Different for every pair of a session. */
  readonly number: number;
  readonly arena: Arena;
}

/** Result for the loser: the reason of the refusal, or that the commit was replayed, or that there was nothing to claim or release. */
type Loss = Refusal["reason"] | "replayed" | "not_claimed" | "not_released";

/** Runs one pair. Returns `"none"` for pairs without a loser. Rejects if the outcome violates the contract. */
type Race = (pair: Pair) => Promise<Loss | "none">;

/** Returns the count in the state. */
const countOf = ({ base, patches }: LoadedSession): number => Number((patches.at(-1)?.data ?? base.state)["count"]);

/** Both writers read the session, and both must see all earlier writes. */
async function look({ writers, arena }: Pick<Pair, "writers" | "arena">): Promise<void> {
  for (const loaded of await Promise.all(writers.map((store) => store.load({ session_id: arena.session_id, messages: 1 })))) {
    ok(loaded !== undefined, "The session is not there.");
    const { head, state_offset, version, epoch, episode, last_turn } = loaded.session;
    const seen = { head, state_offset, count: countOf(loaded), version, epoch, episode, last_turn, owner_version: loaded.variables.version };
    deepStrictEqual(seen, arena.known, "What a writer reads is not what was acknowledged.");
  }
}

type Writer = 0 | 1;
type Won = NonNullable<Committed["session"]> & { readonly writer: Writer };

/** Both commit at the same time. One commit must be accepted, and the other refused with exactly this refusal. */
async function oneWins(pair: Pair, parts: (writer: Writer) => Parts, refusal: (won: Won) => Refusal): Promise<Loss> {
  const results = await Promise.all(pair.writers.map((store, writer) => store.commit(commitOf(parts(writer as Writer)))));
  const writer = results[1]?.outcome === "committed" ? 1 : 0;
  const [winner, loser] = writer === 1 ? [results[1], results[0]] : results;
  const told = (): string => `Of two writers one must win: ${JSON.stringify(results)}`;
  ok(winner?.outcome === "committed" && loser?.outcome === "refused", told());
  const { first_offset = 0, head = 0 } = winner.session ?? {};
  const expected: CommitResult = { outcome: "refused", ...refusal({ writer, ...winner.session, first_offset, head }) };
  deepStrictEqual(loser, expected, "The loser must be told why.");
  if (winner.session !== undefined && parts(writer).session?.session_id === pair.arena.session_id) {
    strictEqual(first_offset, pair.arena.known.head + 1, "The offsets have a gap, or one was given twice.");
    pair.arena.known.head = head;
  }
  return expected.reason;
}

/** Two changes of the session race, and one wins. */
const raceFor =
  (change: (pair: Pair, writer: Writer) => Omit<SessionChange, "session_id">, after: (arena: Arena, won: Won, pair: Pair) => Refusal): Race =>
  (pair) => {
    const { session_id } = pair.arena;
    return oneWins(
      pair,
      (writer) => ({ session: { session_id, ...change(pair, writer) } }),
      (won) => after(pair.arena, won, pair),
    );
  };

const textOf = ({ number }: Pair, writer: number): string => `pair ${number}, writer ${writer}`;

/** Number of state events between checkpoints, so that loading stays cheap. */
const checkpointEvery = 50;

const base = raceFor(
  ({ arena: { known } }) => ({
    events: [event("state", { count: known.count + 1 })],
    depends: { base: known.state_offset },
    ...((known.count + 1) % checkpointEvery === 0 ? { checkpoint: { count: known.count + 1 } } : {}),
  }),
  ({ known }, { first_offset }) => {
    known.count += 1;
    known.state_offset = first_offset;
    return { reason: "stale_base", state_offset: first_offset };
  },
);

const version = raceFor(
  ({ arena: { known } }, writer) => ({ header: { consumers: { [`writer_${writer}`]: known.version } }, depends: { version: known.version } }),
  ({ known }) => ({ reason: "stale_version", version: ++known.version }),
);

const epoch = raceFor(
  (pair, writer) => ({ events: [message(textOf(pair, writer))], fence: true, depends: { epoch: pair.arena.known.epoch } }),
  ({ known }) => ({ reason: "fenced", epoch: ++known.epoch }),
);

const episode = raceFor(
  ({ arena: { known } }) => ({ events: [event("session")], header: { episode: known.episode + 1 }, depends: { episode: known.episode } }),
  ({ known }) => ({ reason: "stale_episode", episode: ++known.episode }),
);

const head = raceFor(
  (pair, writer) => ({ events: [message(textOf(pair, writer))], depends: { head: pair.arena.known.head } }),
  (_arena, won) => ({ reason: "stale_head", head: won.head }),
);

const key = raceFor(
  (pair, writer) => ({
    events: [event("status"), message(textOf(pair, writer))],
    idempotency: { key: `pair-${pair.number}`, body_hash: `writer-${writer}` },
  }),
  (_arena, won) => ({ reason: "key_used", offset: won.head, body_hash: `writer-${won.writer}` }),
);

/** Two messages compete for the last waiting place. Afterwards the turn is ended. */
const waiting: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const loss = await raceFor(
    (_pair, writer) => ({ events: [asked(textOf(pair, writer))], queue: queue({ limit: 1 }) }),
    (_arena, won) => {
      strictEqual(won.queued_turn, ++known.last_turn);
      return { reason: "too_many_waiting", waiting: 1 };
    },
  )(pair);
  await mustCommit(pair.writers[0], { session: { session_id, dequeue_turns: [known.last_turn], withdraw_from: known.head } });
  return loss;
};

async function mustCommit(store: Store, parts: Parts): Promise<void> {
  const result = await store.commit(commitOf(parts));
  ok(result.outcome === "committed", `A commit that nothing stands against was refused: ${JSON.stringify(result)}`);
}

/** Both send the same commit. It must be written once, and both must get the same result. */
const commitId: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const commit = commitOf({ session: { session_id, events: [message(textOf(pair, 0))], depends: { head: known.head } } });
  const results = await Promise.all(pair.writers.map((store) => store.commit(commit)));
  const session = { first_offset: known.head + 1, head: known.head + 1 };
  const replays = results.filter((result) => result.outcome === "committed" && result.replayed);
  strictEqual(replays.length, 1, `One commit that is sent twice at once is written once: ${JSON.stringify(results)}`);
  for (const result of results) deepStrictEqual(result.outcome === "committed" && result.session, session);
  known.head += 1;
  return "replayed";
};

/** Neither commit has dependencies. Both must be accepted, one after the other. */
const appends: Race = async (pair) => {
  const { session_id, known } = pair.arena;
  const results = await Promise.all(
    pair.writers.map((store, writer) =>
      store.commit(commitOf({ session: { session_id, events: [message(textOf(pair, writer)), ...(writer === 1 ? [event("status")] : [])] } })),
    ),
  );
  const offsets = results.flatMap((result) => {
    ok(result.outcome === "committed" && result.session !== undefined, `What depends on nothing was refused: ${JSON.stringify(result)}`);
    const { first_offset: first, head: last } = result.session;
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const expected = [1, 2, 3].map((step) => known.head + step);
  deepStrictEqual(
    offsets.toSorted((left, right) => left - right),
    expected,
    "The offsets have a gap, or one was given twice.",
  );
  known.head += 3;
  return "none";
};

const variables: Race = ({ arena, writers, number }) =>
  oneWins(
    { arena, writers, number },
    (writer) => ({
      owner: {
        owner_id: arena.owner_id,
        depends: { version: arena.known.owner_version },
        variables: [{ name: "count", value: arena.known.owner_version + 1 }, ...(writer === 1 ? [{ name: "second", value: number }] : [])],
      },
    }),
    () => ({ reason: "stale_version", version: ++arena.known.owner_version }),
  );

/** Both open a session with the same key. */
const openKey: Race = (pair) => {
  const sessions = [ids.next("session"), ids.next("session")] as const;
  const create = { owner_id: pair.arena.owner_id, agent: "race", agent_version: 1, open_key: `${pair.arena.session_id}-${pair.number}` };
  return oneWins(
    pair,
    (writer) => ({ session: { session_id: sessions[writer], create, events: [created()] } }),
    (won) => ({ reason: "session_exists", session_id: sessions[won.writer] }),
  );
};

/** Both create a customer with the same id. */
const customer: Race = (pair) => {
  const customer_id = `${pair.arena.customer_id}-${pair.number}`;
  const owners = [ids.next("owner"), ids.next("owner")] as const;
  return oneWins(
    pair,
    (writer) => ({ owner: { owner_id: owners[writer], create: { customer_id } } }),
    () => ({ reason: "owner_exists" }),
  );
};

async function claimed({ writers, arena }: Pair): Promise<{ readonly claim: Claim; readonly holder: Store; readonly other: Store }> {
  const { session_id, known } = arena;
  const claims = await Promise.all(writers.map((store, n) => store.claim({ kind: "session", session_id, worker: `w${n}`, lease_ms: 600_000 })));
  const [claim, second] = claims[0] === undefined ? [claims[1], claims[0]] : claims;
  ok(claim !== undefined && second === undefined, `Of two workers one must get the turn: ${JSON.stringify(claims)}`);
  deepStrictEqual([claim.epoch, claim.turn.number, claim.turn.attempts], [++known.epoch, known.last_turn, 1]);
  const [holder, other] = claims[0] === undefined ? [writers[1], writers[0]] : writers;
  return { claim, holder, other };
}

async function queued({ writers, arena: { session_id, known } }: Pair): Promise<void> {
  await mustCommit(writers[0], { session: { session_id, events: [asked("for a worker")], queue: queue() } });
  known.head += 1;
  known.last_turn += 1;
}

/** Both claim the turn and then end it. The one without the lease must be fenced. */
const claim: Race = async (pair) => {
  await queued(pair);
  const { claim: held, holder, other } = await claimed(pair);
  const { session_id, known } = pair.arena;
  const ending = (epoch: number): Parts => ({
    session: { session_id, events: [event("turn", {}, { turn: held.turn.number })], end_turns: [held.turn.number], depends: { epoch } },
  });
  const [kept, late] = await Promise.all([holder.commit(commitOf(ending(held.epoch))), other.commit(commitOf(ending(held.epoch - 1)))]);
  known.head += 1;
  ok(kept.outcome === "committed" && !kept.replayed);
  deepStrictEqual(kept.session, { first_offset: known.head, head: known.head });
  deepStrictEqual(late, { outcome: "refused", reason: "fenced", epoch: held.epoch });
  return "not_claimed";
};

/** Both release the same lease. It must be released once. */
const release: Race = async (pair) => {
  await queued(pair);
  const { claim: held } = await claimed(pair);
  const { session_id } = pair.arena;
  const given = await Promise.all(pair.writers.map((store) => store.release({ session_id, epoch: held.epoch, counted: false })));
  strictEqual(given.filter((done) => done).length, 1, "A lease is given back once.");
  await mustCommit(pair.writers[0], { session: { session_id, end_turns: [held.turn.number] } });
  return "not_released";
};

/** Both assign an anonymous session, each to a different customer. */
const identity: Race = async (pair) => {
  const [anonymous, session_id] = [ids.next("owner"), ids.next("session")];
  const customers = [ids.next("owner"), ids.next("owner")] as const;
  const [store] = pair.writers;
  const create = { owner_id: anonymous, agent: "race", agent_version: 1 };
  await mustCommit(store, { owner: { owner_id: anonymous, create: {} }, session: { session_id, create, events: [created()] } });
  for (const owner_id of customers) await mustCommit(store, { owner: { owner_id, create: { customer_id: `race-${owner_id}` } } });
  let winner = anonymous;
  const loss = await oneWins(
    pair,
    (writer) => ({ session: { session_id, owner_id: customers[writer] } }),
    (won) => {
      winner = customers[won.writer];
      return { reason: "not_anonymous", owner_id: winner };
    },
  );
  for (const reader of pair.writers) strictEqual((await reader.open({ session_id }))?.owner_id, winner);
  return loss;
};

/** Both cut the beginning of a log. */
const retention: Race = async (pair) => {
  const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
  const create = { owner_id, agent: "race", agent_version: 1 };
  const events = [created(), message("one"), message("two"), message("three")];
  await mustCommit(pair.writers[0], { owner: { owner_id, create: {} }, session: { session_id, create, events } });
  return oneWins(
    pair,
    () => ({ session: { session_id, cut: { first_offset: 2, state: {} } } }),
    () => ({ reason: "cut_out_of_range", first_offset: 2, last_offset: 3 }),
  );
};

/** Both write the same record, which exists or not. */
const record =
  (version: 0 | 1): Race =>
  async (pair) => {
    const [kind, key] = ["race", `${pair.arena.session_id}-${pair.number}`];
    const [store] = pair.writers;
    if (version === 1) await mustCommit(store, { records: [{ kind, key, data: {} }] });
    let winner = -1;
    const loss = await oneWins(
      pair,
      (writer) => ({ records: [{ kind, key, data: { writer }, depends: { version } }] }),
      (won) => {
        winner = won.writer;
        return { reason: "stale_record", kind, key, version: version + 1 };
      },
    );
    for (const reader of pair.writers) {
      const [row] = (await reader.list({ of: "records", kind, key })).items;
      deepStrictEqual([row?.version, row?.data], [version + 1, { writer: winner }]);
    }
    return loss;
  };

/** All races, by contested item. */
const races: Readonly<Record<string, Race>> = {
  "the base of a patch": base,
  "the version of the header": version,
  "the epoch": epoch,
  "the episode": episode,
  "the head": head,
  "an idempotency key": key,
  "the last place in the queue": waiting,
  "one commit, sent twice": commitId,
  "the next offset": appends,
  "the version of an owner": variables,
  "the key of a new session": openKey,
  "the id of a new customer": customer,
  "a turn to run": claim,
  "a lease to give back": release,
  "the owner of an anonymous session": identity,
  "where a log begins": retention,
  "a record": record(1),
  "the key of a new record": record(0),
};

/** Creates a contested session with a new customer. */
async function newArena(store: Store): Promise<Arena> {
  const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
  const customer_id = `race-${session_id}`;
  await mustCommit(store, {
    owner: { owner_id, create: { customer_id } },
    session: { session_id, create: { owner_id, agent: "race", agent_version: 1 }, events: [created({ count: 0 })] },
  });
  const known = { head: 0, state_offset: 0, count: 0, version: 0, epoch: 0, episode: 1, last_turn: 0, owner_version: 0 };
  return { session_id, owner_id, customer_id, known };
}
