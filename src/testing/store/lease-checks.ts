/** Checks of leases: `claim`, `release`, and what a commit does to them. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionId } from "../../kernel/id.ts";
import type { Claim, Store } from "../../store/port.ts";
import { type StoreCheck, append, asked, check, event, expectError, expectRefusal, ids, message, newSession, queue } from "./fixtures.ts";

const minute = 60_000;

/** A session with a queued turn. */
async function waitingSession(store: Store, at?: number): Promise<SessionId> {
  const session_id = await newSession(store);
  await append(store, session_id, { events: [asked("a")], queue: queue() }, at);
  return session_id;
}

const claimNext = (store: Store, lease_ms = minute): Promise<Claim | undefined> => store.claim({ kind: "next", worker: "w1", lease_ms });
const claimSession = (store: Store, session_id: SessionId, lease_ms = minute): Promise<Claim | undefined> =>
  store.claim({ kind: "session", session_id, worker: "w2", lease_ms });
const renew = (store: Store, session_id: SessionId, epoch: number, lease_ms = minute): Promise<Claim | undefined> =>
  store.claim({ kind: "renew", session_id, epoch, lease_ms });

async function openTurns(store: Store, session_id: SessionId): Promise<unknown> {
  return (await store.load({ session_id }))?.turns.map(({ number, status, attempts }) => [number, status, attempts]);
}

export const leaseChecks: readonly StoreCheck[] = [
  check("a claim raises the epoch and the turn's attempts, and keeps others out", async (store) => {
    const session_id = await waitingSession(store);
    const claim = await claimNext(store);
    deepStrictEqual(
      [claim?.session_id, claim?.epoch, claim?.turn.number, claim?.turn.status, claim?.turn.attempts],
      [session_id, 1, 1, "running", 1],
    );
    deepStrictEqual([await claimNext(store), await claimSession(store, session_id)], [undefined, undefined]);
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
    strictEqual((await store.open({ session_id }))?.epoch, 1);
  }),
  check("nothing to run, nothing to claim", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { events: [message("a", { waiting: true })] });
    deepStrictEqual(
      [await claimNext(store), await claimSession(store, session_id), await claimSession(store, ids.next("session"))],
      [undefined, undefined, undefined],
    );
  }),
  check("who has waited longest comes first", async (store) => {
    const [late, early, middle] = [await waitingSession(store, 3000), await waitingSession(store, 1000), await waitingSession(store, 2000)];
    const order = [await claimNext(store), await claimNext(store), await claimNext(store), await claimNext(store)];
    deepStrictEqual(
      order.map((claim) => claim?.session_id),
      [early, middle, late, undefined],
    );
  }),
  check("of claims at the same time only one is given", async (store) => {
    const session_id = await waitingSession(store);
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimSession(store, session_id)));
    strictEqual(claims.filter((claim) => claim !== undefined).length, 1);
    const sessions = await Promise.all(Array.from({ length: 5 }, () => waitingSession(store)));
    const next = await Promise.all(Array.from({ length: 8 }, () => claimNext(store)));
    const given = next.flatMap((claim) => (claim === undefined ? [] : [claim.session_id]));
    strictEqual(new Set(given).size, given.length, "no session twice");
    ok(given.every((session) => sessions.includes(session)));
  }),
  check("F10 a lease that has run out is taken over, and its holder is fenced", async (store) => {
    const session_id = await waitingSession(store);
    const first = await claimNext(store, 1_000);
    ok(first !== undefined);
    await append(store, session_id, {
      events: [event("turn", {}, { turn: 1 })],
      start_turn: { number: 1, event: 0 },
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
    const session_id = await waitingSession(store);
    await claimNext(store, 40);
    const renewed = await renew(store, session_id, 1);
    deepStrictEqual([renewed?.session_id, renewed?.epoch, renewed?.turn.number, renewed?.turn.attempts], [session_id, 1, 1, 1]);
    await sleep(70);
    strictEqual(await claimNext(store), undefined);
    strictEqual(await renew(store, ids.next("session"), 1), undefined);
  }),
  check("a lease that ran out and that nobody took can still be renewed", async (store) => {
    const session_id = await waitingSession(store);
    await claimNext(store, 5);
    await sleep(25);
    strictEqual((await renew(store, session_id, 1))?.epoch, 1);
    strictEqual(await claimNext(store), undefined);
  }),
  check("a released turn can be claimed at once; an attempt that did not count is taken back", async (store) => {
    const session_id = await waitingSession(store);
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
    const session_id = await waitingSession(store);
    await claimNext(store);
    strictEqual((await append(store, session_id, { events: [asked("b")], queue: queue() })).queued_turn, 2);
    deepStrictEqual((await store.load({ session_id }))?.waiting, [
      { offset: 1, turn: 1 },
      { offset: 2, turn: 2 },
    ]);
  }),
  check("a turn given back for later rests until then", async (store) => {
    const session_id = await waitingSession(store);
    await claimNext(store);
    strictEqual(await store.release({ session_id, epoch: 1, counted: true, retry_in_ms: 3_600_000 }), true);
    deepStrictEqual(
      [await claimNext(store), await claimSession(store, session_id), await renew(store, session_id, 1)],
      [undefined, undefined, undefined],
    );
    const other = await waitingSession(store);
    await claimNext(store);
    strictEqual(await store.release({ session_id: other, epoch: 1, counted: true, retry_in_ms: 20 }), true);
    let claim = await claimNext(store);
    for (; claim === undefined; claim = await claimNext(store)) await sleep(10);
    deepStrictEqual([claim.session_id, claim.epoch], [other, 2]);
  }),
  check("ending the leased turn gives the lease up, and the next one can be claimed", async (store) => {
    const session_id = await waitingSession(store);
    await claimNext(store);
    await append(store, session_id, { events: [event("turn", {}, { turn: 1 })], start_turn: { number: 1, event: 0 }, depends: { epoch: 1 } });
    await append(store, session_id, { events: [asked("b")], queue: queue() });
    strictEqual(await claimNext(store), undefined, "one turn at a time");
    await append(store, session_id, { events: [message("re", { turn: 1 })], end_turns: [1], depends: { epoch: 1 } });
    strictEqual(await renew(store, session_id, 1), undefined);
    const claim = await claimNext(store);
    deepStrictEqual([claim?.epoch, claim?.turn.number], [2, 2]);
  }),
  check("taking a queued turn back leaves the lease of the running one alone", async (store) => {
    const session_id = await waitingSession(store);
    await claimNext(store);
    await append(store, session_id, { events: [event("turn", {}, { turn: 1 })], start_turn: { number: 1, event: 0 } });
    await append(store, session_id, { events: [asked("b")], queue: queue() });
    await append(store, session_id, { dequeue_turns: [2] });
    strictEqual((await renew(store, session_id, 1))?.turn.number, 1);
    strictEqual(await claimSession(store, session_id), undefined);
    await append(store, session_id, { dequeue_turns: [1] });
    strictEqual(await renew(store, session_id, 1), undefined);
  }),
  check("a fence takes the lease away and raises the epoch", async (store) => {
    const session_id = await waitingSession(store);
    await claimNext(store);
    await append(store, session_id, { fence: true });
    strictEqual((await store.open({ session_id }))?.epoch, 2);
    strictEqual(await renew(store, session_id, 1), undefined);
    strictEqual((await claimNext(store))?.epoch, 3);
  }),
  check("one commit can start a turn and end it", async (store) => {
    const session_id = await waitingSession(store);
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
