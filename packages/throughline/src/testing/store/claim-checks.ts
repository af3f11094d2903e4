/** Checks of claims and leases: which worker may take a session's turns, for how long, and how commits affect this. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  check,
  sessionCheck,
  event,
  message,
  started,
  append,
  ask,
  minute,
  claimNext,
  claimSession,
  renew,
  openTurns,
  expectRefusal,
  expectError,
  newSession,
  someTime,
} from "./fixtures.ts";

type Agents = Readonly<Record<string, number>>;

/** Creates a session of agent `agent` with a queued turn. Version `version` wrote its state. */
async function waitingSession(store: Store, agent: string, version: number): Promise<SessionId> {
  const session_id = await newSession(store, { create: { agent, agent_version: version } });
  await ask(store, session_id);
  return session_id;
}

/** Creates a session with a turn queued at a time. */
async function queuedSession(store: Store, at = someTime, urgent = false): Promise<SessionId> {
  const session_id = await newSession(store);
  await ask(store, session_id, "a", urgent ? { at, urgent: true } : { at });
  return session_id;
}

/** Claims sessions one after another until none is left, and returns them. */
async function claimAll(store: Store): Promise<readonly SessionId[]> {
  const sessions: SessionId[] = [];
  for (let claim = await claimNext(store); claim !== undefined; claim = await claimNext(store)) sessions.push(claim.session_id);
  return sessions;
}

const shortly = 60;

/** Creates sessions with queued turns. The first session's turn was queued last. */
async function queuedTurns(store: Store): Promise<readonly [SessionId, SessionId, SessionId, SessionId, SessionId]> {
  const at = (time: number): Promise<SessionId> => queuedSession(store, time);
  return [await at(5000), await at(4000), await at(3000), await at(2000), await at(1000)];
}

async function park(store: Store, session_id: SessionId, wait_ms?: number): Promise<void> {
  await claimSession(store, session_id);
  const until = wait_ms === undefined ? {} : { until: 6000 + wait_ms };
  await append(store, session_id, { park: { turn: 1, ...until }, depends: { epoch: 1 } }, 6000);
}

async function giveBack(store: Store, session_id: SessionId, retry_in_ms: number): Promise<void> {
  await claimSession(store, session_id);
  await store.release({ session_id, epoch: 1, counted: true, retry_in_ms });
}

export const claimChecks: readonly StoreCheck[] = [
  check("turns that are leased, parked or given back for later are passed over", async (store) => {
    const [leased, parked, back, forever, ready] = await queuedTurns(store);
    await claimSession(store, leased);
    await park(store, parked, minute);
    await park(store, forever);
    await giveBack(store, back, minute);
    deepStrictEqual(await claimAll(store), [ready]);
    await append(store, forever, { wake: true });
    deepStrictEqual(await claimAll(store), [forever]);
  }),
  check("turns whose lease or wait is over keep their place in the queue", async (store) => {
    const [leased, parked, back, forever, ready] = await queuedTurns(store);
    const urgent = await queuedSession(store, 9000, true);
    await claimSession(store, urgent, { lease_ms: shortly });
    await claimSession(store, leased, { lease_ms: shortly });
    strictEqual((await renew(store, leased, 1, shortly))?.epoch, 1);
    await park(store, parked, shortly);
    await park(store, forever);
    await giveBack(store, back, shortly);
    await sleep(shortly + 40);
    deepStrictEqual(await claimAll(store), [urgent, ready, back, parked, leased]);
  }),
  check("of several agents' turns the one that was queued first is given out first", async (store) => {
    const order: SessionId[] = [];
    for (const [at, [agent, version]] of [["shop", 2] as const, ["diary", 1] as const, ["shop", 1] as const, ["diary", 3] as const].entries()) {
      const session_id = await newSession(store, { create: { agent, agent_version: version } });
      await ask(store, session_id, "a", { at: 1000 + at });
      order.push(session_id);
    }
    deepStrictEqual((await claimNext(store, { agents: { shop: 1, diary: 3 } }))?.session_id, order[1]);
    deepStrictEqual(await claimAll(store), [order[0], order[2], order[3]]);
  }),
  check("a turn whose session a newer definition has written since it was queued is given to that one only", async (store) => {
    const session_id = await waitingSession(store, "diary", 1);
    await append(store, session_id, { events: [event("state", { patch: [] })], header: { agent_version: 2 } });
    strictEqual(await claimNext(store, { agents: { diary: 1 } }), undefined);
    strictEqual((await claimNext(store, { agents: { diary: 2 } }))?.session_id, session_id);
  }),
  check("the turn that comes after one that has ended can be claimed, and keeps its own time", async (store) => {
    const session_id = await queuedSession(store, 1000);
    strictEqual((await claimNext(store))?.session_id, session_id);
    await ask(store, session_id, "b", { at: 3000 });
    const other = await queuedSession(store, 2000);
    await append(store, session_id, { end_turns: [1], depends: { epoch: 1 } }, 4000);
    deepStrictEqual(await claimAll(store), [other, session_id]);
  }),
  check("a worker is given only sessions of agents that it runs", async (store) => {
    const diary = await waitingSession(store, "diary", 1);
    const shop = await waitingSession(store, "shop", 1);
    deepStrictEqual(
      [
        await claimNext(store, { agents: {} }),
        await claimNext(store, { agents: { other: 9 } }),
        await claimSession(store, diary, { agents: { shop: 1 } }),
      ],
      [undefined, undefined, undefined],
    );
    strictEqual((await claimNext(store, { agents: { shop: 1 } }))?.session_id, shop);
    strictEqual(await claimNext(store, { agents: { shop: 1 } }), undefined);
    strictEqual((await claimSession(store, diary, { agents: { shop: 1, diary: 1 } }))?.session_id, diary);
  }),
  check("a worker with an older definition leaves the session, its epoch and its attempts alone", async (store) => {
    const session_id = await waitingSession(store, "diary", 3);
    deepStrictEqual(
      [await claimNext(store, { agents: { diary: 2 } }), await claimSession(store, session_id, { agents: { diary: 2 } })],
      [undefined, undefined],
    );
    strictEqual((await store.open({ session_id }))?.epoch, 0);
    deepStrictEqual(
      (await store.load({ session_id }))?.turns.map(({ status, attempts }) => [status, attempts]),
      [["queued", 0]],
    );
    const claimed = await claimNext(store, { agents: { diary: 3 } });
    deepStrictEqual([claimed?.session_id, claimed?.turn.attempts], [session_id, 1]);
  }),
  check("a newer definition may take an older session, and who names no agents any", async (store) => {
    const session_id = await waitingSession(store, "diary", 1);
    strictEqual((await claimNext(store, { agents: { diary: 2_147_483_647 } }))?.session_id, session_id);
    const other = await waitingSession(store, "shop", 7);
    strictEqual((await claimNext(store))?.session_id, other);
  }),
  check("names of agents are compared as they are", async (store) => {
    const names = ["constructor", "__proto__", "it's", 'a "b"', "a.b", "Ä", "a", "A", "%"];
    for (const name of names) {
      const session_id = await waitingSession(store, name, 1);
      const others: Agents = Object.fromEntries(names.filter((other) => other !== name).map((other) => [other, 5]));
      strictEqual(await claimSession(store, session_id, { agents: others }), undefined, name);
      strictEqual(await claimSession(store, session_id, { agents: {} }), undefined, name);
      strictEqual((await claimSession(store, session_id, { agents: Object.fromEntries([[name, 1]]) }))?.session_id, session_id, name);
    }
  }),
  check("of many claims only those of able workers are given, each once", async (store) => {
    const sessions = await Promise.all(Array.from({ length: 6 }, (_, index) => waitingSession(store, index % 2 === 0 ? "diary" : "shop", 1)));
    const given = await Promise.all(
      Array.from({ length: 12 }, (_, index) => claimNext(store, { agents: index % 2 === 0 ? { diary: 1 } : { diary: 1, lamp: 1 } })),
    );
    const taken = given.flatMap((one) => (one === undefined ? [] : [one.session_id]));
    deepStrictEqual(taken.toSorted(), sessions.filter((_, index) => index % 2 === 0).toSorted());
  }),
  check("versions of agents are whole numbers from 1", async (store) => {
    const session_id = ids.next("session");
    for (const version of [0, -1, 1.5, Number.NaN, "1"]) {
      await expectError(store.claim({ kind: "next", worker: "w", lease_ms: 1, agents: { a: version as number } }), "input.invalid");
      await expectError(claimSession(store, session_id, { agents: { a: version as number } }), "input.invalid");
    }
    for (const agents of [[], "a", null]) {
      await expectError(store.claim({ kind: "next", worker: "w", lease_ms: 1, agents: agents as unknown as Agents }), "input.invalid");
    }
  }),
];

export const leaseChecks: readonly StoreCheck[] = [
  check("a claim raises the epoch and the turn's attempts, and keeps others out", async (store) => {
    const session_id = await queuedSession(store);
    const claim = await claimNext(store);
    deepStrictEqual(
      [claim?.session_id, claim?.epoch, claim?.turn.number, claim?.turn.status, claim?.turn.attempts],
      [session_id, 1, 1, "running", 1],
    );
    deepStrictEqual([await claimNext(store), await claimSession(store, session_id)], [undefined, undefined]);
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
    strictEqual((await store.open({ session_id }))?.epoch, 1);
  }),
  sessionCheck("nothing to run, nothing to claim", async (store, session_id) => {
    await append(store, session_id, { events: [message("a", { waiting: true })] });
    deepStrictEqual(
      [await claimNext(store), await claimSession(store, session_id), await claimSession(store, ids.next("session"))],
      [undefined, undefined, undefined],
    );
  }),
  check("who has waited longest comes first", async (store) => {
    const [late, early, middle] = [await queuedSession(store, 3000), await queuedSession(store, 1000), await queuedSession(store, 2000)];
    const order = [await claimNext(store), await claimNext(store), await claimNext(store), await claimNext(store)];
    deepStrictEqual(
      order.map((claim) => claim?.session_id),
      [early, middle, late, undefined],
    );
  }),
  check("of claims at the same time only one is given", async (store) => {
    const session_id = await queuedSession(store);
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimSession(store, session_id)));
    strictEqual(claims.filter((claim) => claim !== undefined).length, 1);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => queuedSession(store)));
    const next = await Promise.all(Array.from({ length: 8 }, () => claimNext(store)));
    const given = next.flatMap((claim) => (claim === undefined ? [] : [claim.session_id]));
    strictEqual(new Set(given).size, given.length, "no session twice");
    ok(given.every((session) => sessions.includes(session)));
  }),
  check("F10 a lease that has run out is taken over, and its holder is fenced", async (store) => {
    const session_id = await queuedSession(store);
    const first = await claimNext(store, { lease_ms: 1_000 });
    ok(first !== undefined);
    await append(store, session_id, {
      ...started(1),
      depends: { epoch: first.epoch },
    });
    strictEqual(await claimNext(store), undefined);
    await sleep(1_100);
    const second = await claimNext(store);
    deepStrictEqual([second?.epoch, second?.turn.status, second?.turn.attempts, second?.turn.started_offset], [2, "running", 2, 2]);
    await expectRefusal(
      store,
      { session: { session_id, events: [message("late", { turn: 1 })], depends: { epoch: first.epoch } } },
      { reason: "fenced", epoch: 2 },
    );
    deepStrictEqual([await renew(store, session_id, 1), await store.release({ session_id, epoch: 1, counted: true })], [undefined, false]);
  }),
  check("a renewed lease is kept, with its epoch and attempts", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store, { lease_ms: 40 });
    const renewed = await renew(store, session_id, 1);
    deepStrictEqual([renewed?.session_id, renewed?.epoch, renewed?.turn.number, renewed?.turn.attempts], [session_id, 1, 1, 1]);
    await sleep(70);
    strictEqual(await claimNext(store), undefined);
    strictEqual(await renew(store, ids.next("session"), 1), undefined);
  }),
  check("a lease that ran out and that nobody took can still be renewed", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store, { lease_ms: 5 });
    await sleep(25);
    strictEqual((await renew(store, session_id, 1))?.epoch, 1);
    strictEqual(await claimNext(store), undefined);
  }),
  check("a released turn can be claimed at once; an attempt that did not count is taken back", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    strictEqual(await store.release({ session_id, epoch: 1, counted: false }), true);
    strictEqual(await store.release({ session_id, epoch: 1, counted: false }), false);
    strictEqual(await renew(store, session_id, 1), undefined);
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 0]]);
    deepStrictEqual((await claimSession(store, session_id))?.turn.attempts, 1);
    strictEqual(await store.release({ session_id, epoch: 2, counted: true }), true);
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
  }),
  check("a message that comes after the claim is for the next turn", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    strictEqual((await ask(store, session_id, "b")).queued_turn, 2);
    deepStrictEqual((await store.load({ session_id }))?.waiting, [
      { offset: 1, turn: 1 },
      { offset: 2, turn: 2 },
    ]);
  }),
  check("a turn given back for later rests until then", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    strictEqual(await store.release({ session_id, epoch: 1, counted: true, retry_in_ms: 3_600_000 }), true);
    deepStrictEqual(
      [await claimNext(store), await claimSession(store, session_id), await renew(store, session_id, 1)],
      [undefined, undefined, undefined],
    );
    const other = await queuedSession(store);
    await claimNext(store);
    strictEqual(await store.release({ session_id: other, epoch: 1, counted: true, retry_in_ms: 20 }), true);
    let claim = await claimNext(store);
    for (; claim === undefined; claim = await claimNext(store)) await sleep(10);
    deepStrictEqual([claim.session_id, claim.epoch], [other, 2]);
  }),
  check("ending the leased turn gives the lease up, and the next one can be claimed", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    await append(store, session_id, { ...started(1), depends: { epoch: 1 } });
    await ask(store, session_id, "b");
    strictEqual(await claimNext(store), undefined, "one turn at a time");
    await append(store, session_id, { events: [message("re", { turn: 1 })], end_turns: [1], depends: { epoch: 1 } });
    strictEqual(await renew(store, session_id, 1), undefined);
    const claim = await claimNext(store);
    deepStrictEqual([claim?.epoch, claim?.turn.number], [2, 2]);
  }),
  check("taking a queued turn back leaves the lease of the running one alone", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    await append(store, session_id, { ...started(1) });
    await ask(store, session_id, "b");
    await append(store, session_id, { dequeue_turns: [2] });
    strictEqual((await renew(store, session_id, 1))?.turn.number, 1);
    strictEqual(await claimSession(store, session_id), undefined);
    await append(store, session_id, { dequeue_turns: [1] });
    strictEqual(await renew(store, session_id, 1), undefined);
  }),
  check("a fence takes the lease away and raises the epoch", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    await append(store, session_id, { fence: true });
    strictEqual((await store.open({ session_id }))?.epoch, 2);
    strictEqual(await renew(store, session_id, 1), undefined);
    strictEqual((await claimNext(store))?.epoch, 3);
  }),
  check("one commit can start a turn and end it", async (store) => {
    const session_id = await queuedSession(store);
    await claimNext(store);
    await append(store, session_id, {
      events: [event("turn", {}, { turn: 1 }), message("re", { turn: 1 })],
      start_turn: { number: 1, event: 0 },
      end_turns: [1],
    });
    const [turn] = (await store.list({ of: "turns", session_id })).items;
    deepStrictEqual([turn?.status, turn?.started_offset, turn?.ended_offset], ["ended", 2, 3]);
    strictEqual(await claimNext(store), undefined);
  }),
  check("a lease is measured in whole milliseconds", async (store) => {
    for (const lease_ms of [0, -1, 0.5, Number.NaN]) await expectError(store.claim({ kind: "next", worker: "w", lease_ms }), "input.invalid");
    await expectError(store.claim({ kind: "next", worker: "", lease_ms: 1 }), "input.invalid");
  }),
];
