/** Crash kit: requirements for a store after its process was killed. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Commit, CommitResult, Committed, NewEvent, Store, StoredEvent } from "../../store/port.ts";
import { type Chooser, createChooser } from "../test-clock.ts";
import { ids, event, message, asked, created, queue, fact, commitOf, write, append, ask, pagesOf, newOwner, newSession } from "./fixtures.ts";
import type { MortalStore } from "./store-process.ts";

/** Options of {@link storeCrashChecks}. */
export interface StoreCrashOptions {
  /** Whether acknowledged writes survive the process. Default true. If false, the store must be empty after a crash. */
  readonly survives?: boolean;
  /** Number of kills during writes. Default 6. */
  readonly kills?: number;
  /** Lease of a dead worker in milliseconds. It must be longer than opening the store takes. Default 1,500. */
  readonly leaseMs?: number;
  /** Seed for the moments of the kills. The same seed gives the same moments. Default 1. */
  readonly seed?: number;
}

/** One requirement for the state after a crash. */
export interface StoreCrashCheck {
  readonly name: string;
  /** `open` opens the database under test, initially empty, as a store that can be killed. {@link storeProcess} does this. */
  readonly run: (open: () => Promise<MortalStore>) => Promise<void>;
}

/** Returns the value of a call, or undefined if the store died before it responded. */
async function unlessDead<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (ThroughlineError.is(error, "store.unreachable", "store.closed")) return undefined;
    throw error;
  }
}

/** Opens a store, runs `live` with it, and ends the process in any case. */
async function life<Result>(open: () => Promise<MortalStore>, live: (store: MortalStore) => Promise<Result>): Promise<Result> {
  const store = await open();
  try {
    return await live(store);
  } finally {
    await store.kill();
  }
}

/** Writes a series of commits during which the store dies. */
async function burst(store: MortalStore, record: CrashRecord, choose: Chooser): Promise<void> {
  const size = choose.integer(3, 8);
  const ending = choose.one(["before", "after", "whenever"] as const);
  if (ending !== "whenever") await store.doom(choose.integer(1, size), ending);
  const calls = Array.from({ length: size }, async () => {
    const commit = record.next(choose);
    const result = await unlessDead(store.commit(commit));
    if (result !== undefined) record.acknowledge(commit, result);
  });
  if (ending === "whenever") {
    await sleep(choose.integer(0, 4));
    await store.kill();
  }
  await Promise.all(calls);
}

async function killedWhileWriting(open: () => Promise<MortalStore>, kills: number, seed: number): Promise<void> {
  const choose = createChooser(seed);
  const record = await life(open, CrashRecord.begin);
  for (let kill = 0; kill <= kills; kill++) {
    await life(open, async (store) => {
      await record.check(store);
      if (kill < kills) await burst(store, record, choose);
    });
  }
}

async function lostAnswer(open: () => Promise<MortalStore>): Promise<void> {
  const session = await life(open, (store) => newSession(store));
  const asking = commitOf({
    session: { session_id: session, events: [asked("a")], queue: queue(), idempotency: { key: "k", body_hash: "b" }, depends: { head: 0 } },
  });
  await life(open, async (store) => {
    await store.doom(1, "after");
    strictEqual(await unlessDead(store.commit(asking)), undefined, "The store lives on after the moment of its death.");
  });
  const expected = { outcome: "committed", replayed: true, session: { first_offset: 1, head: 1, queued_turn: 1 } };
  await life(open, async (store) => {
    const result = await store.commit(asking);
    deepStrictEqual(result, expected, "A commit that was done, and is sent again after a crash, must give its first result.");
    const again = { ...asking.session, session_id: session, depends: {} };
    deepStrictEqual(await store.commit(commitOf({ session: again })), {
      outcome: "refused",
      reason: "key_used",
      offset: 1,
      body_hash: "b",
      queued_turn: 1,
    });
  });
  await life(open, async (store) => deepStrictEqual(await store.commit(asking), expected));
}

async function leaseOfTheDead(open: () => Promise<MortalStore>, lease_ms: number): Promise<void> {
  const { session_id, claim, until } = await life(open, async (store) => {
    const session_id = await newSession(store);
    await ask(store, session_id);
    const until = systemClock.monotonic() + lease_ms;
    return { session_id, until, claim: await store.claim({ kind: "session", session_id, worker: "the dead", lease_ms }) };
  });
  ok(claim !== undefined, "A turn that waits cannot be claimed.");
  await life(open, async (store) => {
    const take = (): ReturnType<Store["claim"]> => store.claim({ kind: "session", session_id, worker: "the heir", lease_ms: 60_000 });
    if (systemClock.monotonic() < until - lease_ms / 10)
      strictEqual(await take(), undefined, "A lease that was given must hold, also after a crash.");
    await sleep(Math.max(0, until - systemClock.monotonic()) + 50);
    const heir = await take();
    deepStrictEqual(
      [heir?.epoch, heir?.turn.number, heir?.turn.attempts],
      [claim.epoch + 1, claim.turn.number, 2],
      "The lease must run out, and its epoch be on record.",
    );
    const late = commitOf({ session: { session_id, events: [message("late")], depends: { epoch: claim.epoch } } });
    deepStrictEqual(await store.commit(late), { outcome: "refused", reason: "fenced", epoch: claim.epoch + 1 });
  });
}

async function givenBack(open: () => Promise<MortalStore>): Promise<void> {
  const session_id = await life(open, async (store) => {
    const session_id = await newSession(store);
    await ask(store, session_id);
    const claim = await store.claim({ kind: "next", worker: "w", lease_ms: 600_000 });
    ok(claim !== undefined);
    strictEqual(await store.release({ session_id, epoch: claim.epoch, counted: false }), true);
    return session_id;
  });
  await life(open, async (store) => {
    const claim = await store.claim({ kind: "session", session_id, worker: "w", lease_ms: 600_000 });
    deepStrictEqual([claim?.epoch, claim?.turn.attempts], [2, 1], "A lease that was given back is free, also after a crash.");
  });
}

/** Checks that nothing of the erased data can be found. */
async function expectGone(store: Store, ids: Awaited<ReturnType<typeof toErase>>): Promise<void> {
  const { owner_id, session_id } = ids;
  const found = [
    (await store.load({ session_id })) ?? (await store.read({ session_id })),
    (await store.list({ of: "sessions", owner_id })).total,
    (await store.list({ of: "customers", customer_id: ids.customer_id })).total,
    (await store.entries({ owner_id })).length,
  ];
  deepStrictEqual(found, [undefined, 0, 0, 0], "What is erased must stay erased.");
}

async function toErase(store: Store): Promise<{
  readonly owner_id: Awaited<ReturnType<typeof newOwner>>;
  readonly session_id: Awaited<ReturnType<typeof newSession>>;
  readonly customer_id: string;
  readonly head: number;
}> {
  const customer_id = "crm-doomed";
  const owner_id = await newOwner(store, customer_id);
  const session_id = await newSession(store, { owner_id });
  await write(store, { owner: { owner_id, entries: [fact("e")] } });
  const { head } = await append(store, session_id, { events: Array.from({ length: 40 }, (_, number) => message(`m${number}`)) });
  await append(store, session_id, { events: [event("state")], checkpoint: {} });
  return { owner_id, session_id, customer_id, head: head + 1 };
}

async function erased(open: () => Promise<MortalStore>): Promise<void> {
  const ids = await life(open, async (store) => {
    const ids = await toErase(store);
    strictEqual((await store.erase({ owner_id: ids.owner_id })).sessions, 1);
    return ids;
  });
  await life(open, (store) => expectGone(store, ids));
}

async function killedWhileErasing(open: () => Promise<MortalStore>, seed: number): Promise<void> {
  const choose = createChooser(seed);
  const ids = await life(open, async (store) => {
    const ids = await toErase(store);
    const erasing = unlessDead(store.erase({ owner_id: ids.owner_id }));
    await sleep(choose.integer(0, 3));
    await store.kill();
    await erasing;
    return ids;
  });
  await life(open, async (store) => {
    const page = await store.read({ session_id: ids.session_id, limit: 1000 });
    // Before the erasure starts, all data exists. After it has started, none is visible, and the rest is removed without another call.
    if (page !== undefined) strictEqual(page.events.length, ids.head + 1, "A session is erased whole or not at all.");
    await store.erase({ owner_id: ids.owner_id });
    await expectGone(store, ids);
  });
}

async function forgotten(open: () => Promise<MortalStore>): Promise<void> {
  const session_id = await life(open, async (store) => newSession(store, { owner_id: await newOwner(store, "crm-1") }));
  await life(open, async (store) => {
    const found = [await store.open({ session_id }), (await store.list({ of: "sessions" })).total, (await store.list({ of: "customers" })).total];
    deepStrictEqual(found, [undefined, 0, 0], "A store that forgets must forget all.");
    await newSession(store, { owner_id: await newOwner(store, "crm-1") });
  });
}

/**
 * Returns the checks of crashes. Each opens the store several times, kills it, and inspects it in the next process. Acknowledged writes must exist,
 * no write may be partial, and offsets must have no gaps. A retried commit must return its first result. Leases must hold and expire.
 *
 * ```ts
 * const open = () => storeProcess({ module: new URL("./my-store.ts", import.meta.url), name: "openMyStore", with: [path] });
 * for (const { name, run } of storeCrashChecks()) test(name, () => run(open));
 * ```
 */
export function storeCrashChecks(options: StoreCrashOptions = {}): readonly StoreCrashCheck[] {
  const { survives = true, kills = 6, leaseMs = 1500, seed = 1 } = options;
  if (!survives) return [{ name: "a store that forgets is empty after a crash, and works", run: forgotten }];
  return [
    {
      name: "a store that is killed while it writes has all that it acknowledged, and nothing by half",
      run: (open) => killedWhileWriting(open, kills, seed),
    },
    { name: "a commit whose answer died gives its first result when it is sent again", run: lostAnswer },
    { name: "the lease of a dead worker holds, runs out, and fences", run: (open) => leaseOfTheDead(open, leaseMs) },
    { name: "a lease that was given back stays free", run: givenBack },
    { name: "what is erased stays erased", run: erased },
    { name: "a store that is killed while it erases has the session whole or not at all", run: (open) => killedWhileErasing(open, seed) },
  ];
}

/** A commit that was sent. Its response is known, or was lost with the store. */
interface Deed {
  readonly number: number;
  readonly commit: Commit;
  readonly size: number;
  answer: NonNullable<Committed["session"]> | undefined;
}

/** Commits sent to a store over several processes, and the data that it must have. Every commit writes to five tables, so that a partial write is detected. */
class CrashRecord {
  readonly #session: SessionId;
  readonly #owner: OwnerId;
  readonly #deeds: Deed[] = [];

  private constructor(session: SessionId, owner: OwnerId) {
    this.#session = session;
    this.#owner = owner;
  }

  /** Creates the session to write to. */
  static async begin(this: void, store: Store): Promise<CrashRecord> {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    await write(store, {
      owner: { owner_id, create: { customer_id: "crm-crash" } },
      session: { session_id, create: { owner_id, agent: "crash", agent_version: 1 }, events: [created()] },
    });
    return new CrashRecord(session_id, owner_id);
  }

  /** Returns the next commit. It has no dependencies, so it cannot be refused. */
  next(choose: Chooser): Commit {
    const number = this.#deeds.length + 1;
    const messages = choose.integer(1, 4);
    const events: readonly NewEvent[] = [
      ...Array.from({ length: messages }, (_, part) => message("x".repeat(choose.integer(0, 3000)), { metadata: { number, part } })),
      event("state", { count: number }, { metadata: { number, part: messages } }),
    ];
    const commit = commitOf({
      owner: {
        owner_id: this.#owner,
        variables: [{ name: `v${number}`, value: number }],
        entries: [{ entry_id: `e${number}`, kind: "fact", data: { number } }],
      },
      records: [{ kind: "deed", key: String(number), data: { number }, owner_id: this.#owner }],
      session: {
        session_id: this.#session,
        events,
        header: { consumers: { last: number } },
        idempotency: { key: `k${number}`, body_hash: "b" },
        ...(choose.chance(0.2) ? { checkpoint: { count: number } } : {}),
      },
    });
    this.#deeds.push({ number, commit, size: events.length, answer: undefined });
    return commit;
  }

  acknowledge(commit: Commit, result: CommitResult): void {
    const deed = this.#deeds.find((candidate) => candidate.commit === commit);
    ok(deed !== undefined);
    ok(result.outcome === "committed", `A commit that depends on nothing was refused: ${JSON.stringify(result)}`);
    strictEqual(result.replayed, false);
    deed.answer = result.session;
  }

  /** Compares the stored data with the acknowledged commits, then retries commits without a response. */
  async check(store: Store): Promise<void> {
    const there = await this.#checkWhole(store);
    for (const deed of this.#deeds) {
      const result = await store.commit(deed.commit);
      ok(result.outcome === "committed", `Commit ${deed.number}, sent again after the crash, was refused: ${JSON.stringify(result)}`);
      const was = deed.answer === undefined ? "got no answer before the crash" : "was acknowledged before the crash";
      strictEqual(result.replayed, there.has(deed.number), `Commit ${deed.number} ${was}; sent again, it must be written once.`);
      if (deed.answer !== undefined) deepStrictEqual(result.session, deed.answer, `Commit ${deed.number}, sent again, must give its first result.`);
      deed.answer = result.session;
    }
    await this.#checkWhole(store);
  }

  /** Checks that all acknowledged commits exist, and that every commit is in all tables or in none. Returns the existing commits. */
  async #checkWhole(store: Store): Promise<ReadonlySet<number>> {
    const log = await this.#log(store);
    const there = new Set(log.slice(1).map(({ metadata }) => Number(metadata?.["number"])));
    for (const deed of this.#deeds) {
      const first = deed.answer?.first_offset ?? log.find(({ metadata }) => metadata?.["number"] === deed.number)?.offset;
      if (deed.answer !== undefined) ok(there.has(deed.number), `Commit ${deed.number} was acknowledged, and is not in the log.`);
      if (first === undefined) continue;
      const own = log.slice(first, first + deed.size).map(({ metadata, data }) => ({ metadata, data }));
      const expected = deed.commit.session?.events?.map(({ metadata, data }) => ({ metadata, data }));
      deepStrictEqual(own, expected, `Commit ${deed.number} is not whole in the log.`);
    }
    const sizes = this.#deeds.filter(({ number }) => there.has(number)).reduce((sum, { size }) => sum + size, 1);
    strictEqual(log.length, sizes, "There is more in the log than was written.");
    await this.#checkTables(store, there);
    return there;
  }

  async #log(store: Store): Promise<readonly StoredEvent[]> {
    const log: StoredEvent[] = [];
    for (;;) {
      const page = await store.read({ session_id: this.#session, min_offset: log.length, limit: 1000 });
      ok(page !== undefined, "The session that was acknowledged is not there.");
      for (const stored of page.events) {
        strictEqual(stored.offset, log.length, "The offsets have a gap.");
        log.push(stored);
      }
      if (log.length > page.head) return log;
      ok(page.events.length > 0, `The head is ${page.head}, and the log ends at ${log.length - 1}.`);
    }
  }

  async #records(store: Store): Promise<readonly number[]> {
    const pages = await pagesOf(store, { of: "records", kind: "deed" });
    const found = pages.flatMap(({ items }) => items.map(({ data }) => Number(data["number"])));
    return found.toSorted((left, right) => left - right);
  }

  /** Checks that header, variables, memory, records and state have exactly the commits of the log. */
  async #checkTables(store: Store, there: ReadonlySet<number>): Promise<void> {
    const loaded = await store.load({ session_id: this.#session, messages: 1 });
    const numbers = [...there].toSorted((left, right) => left - right);
    const entries = (await store.entries({ owner_id: this.#owner, limit: 10_000 })).map(({ entry_id }) => Number(entry_id.slice(1)));
    deepStrictEqual(
      {
        version: loaded?.session.version,
        variables: Object.values(loaded?.variables.values ?? {}).toSorted((left, right) => Number(left) - Number(right)),
        entries: entries.toSorted((left, right) => left - right),
        records: await this.#records(store),
      },
      { version: numbers.length, variables: numbers, entries: numbers, records: numbers },
      "A commit is in one table and not in another.",
    );
  }
}
