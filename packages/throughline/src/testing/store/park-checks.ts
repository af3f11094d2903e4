/** Checks of waiting turns (`park`, `wake`, and other changes to a turn without a worker), and of turns that make progress (`progress`). */
import { present } from "../../kernel/json.ts";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionId } from "../../kernel/id.ts";
import type { SessionChange, Store } from "../../store/port.ts";
import {
  type StoreCheck,
  someTime,
  check,
  sessionCheck,
  event,
  message,
  asked,
  queue,
  started,
  commitOf,
  append,
  ask,
  forkOf,
  minute,
  claimNext,
  claimSession,
  renew,
  openTurns,
  expectRefusal,
  expectInvalid,
  newOwner,
  newSession,
} from "./fixtures.ts";

/** Milliseconds for which a turn is parked when a check waits for it. */
const shortly = 60;

/** Creates a session whose first turn runs at epoch 1 and started at offset 2. */
async function runningSession(store: Store): Promise<SessionId> {
  const session_id = await newSession(store);
  await ask(store, session_id);
  strictEqual((await claimSession(store, session_id))?.epoch, 1);
  const begun = event("turn", { type: "started" }, { turn: 1 });
  await append(store, session_id, { events: [begun], start_turn: { number: 1, event: 0 }, depends: { epoch: 1 } });
  return session_id;
}

/** Returns the change with which a worker parks its turn. */
const parked = (until?: number): Omit<SessionChange, "session_id"> => ({
  events: [event("turn", { type: "paused" }, { turn: 1 })],
  depends: { epoch: 1 },
  park: { turn: 1, ...present({ until }) },
});

async function parkedSession(store: Store, until?: number): Promise<SessionId> {
  const session_id = await runningSession(store);
  await append(store, session_id, parked(until));
  return session_id;
}

/** Checks that no worker can claim anything. */
async function expectNothing(store: Store, session_id: SessionId): Promise<void> {
  deepStrictEqual([await claimNext(store), await claimSession(store, session_id)], [undefined, undefined]);
}

export const parkChecks: readonly StoreCheck[] = [
  check("a parked turn is claimed by nobody, and nobody holds its lease", async (store) => {
    const session_id = await parkedSession(store);
    await expectNothing(store, session_id);
    strictEqual(await renew(store, session_id, 1), undefined);
    strictEqual(await store.release({ session_id, epoch: 1, counted: true }), false);
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 0]]);
    deepStrictEqual((await store.load({ session_id }))?.waiting, [{ offset: 1, turn: 1 }], "it still answers its message");
    await sleep(shortly);
    await expectNothing(store, session_id);
  }),
  check("a turn that is parked until a time can be claimed then, and its attempts are counted anew", async (store) => {
    const session_id = await parkedSession(store, someTime + shortly);
    await expectNothing(store, session_id);
    await sleep(shortly + 40);
    const claim = await claimNext(store);
    deepStrictEqual(
      [claim?.session_id, claim?.epoch, claim?.turn.number, claim?.turn.attempts, claim?.turn.started_offset],
      [session_id, 2, 1, 1, 2],
    );
  }),
  check("how long a turn is parked is measured from its commit's time, whatever the store's clock says", async (store) => {
    const session_id = await runningSession(store);
    await append(store, session_id, parked(5000 + minute), 5000);
    await expectNothing(store, session_id);
    const other = await runningSession(store);
    const late = 8_000_000_000_000_000;
    await append(store, other, parked(late - 1), late);
    strictEqual((await claimNext(store))?.session_id, other, "a time that is over is now");
    await append(store, other, { park: { turn: 1, until: Number.MAX_SAFE_INTEGER }, depends: { epoch: 2 } }, 0);
    await expectNothing(store, other);
  }),
  check("a parked turn can be claimed as soon as a commit wakes it", async (store) => {
    const session_id = await parkedSession(store);
    const { first_offset } = await append(store, session_id, { events: [event("turn", { type: "decided" }, { turn: 1 })], wake: true });
    strictEqual((await claimSession(store, session_id))?.epoch, 2);
    const loaded = await store.load({ session_id });
    deepStrictEqual(
      loaded?.journal.map(({ offset, data }) => [offset, data["type"]]),
      [
        [2, "started"],
        [3, "paused"],
        [first_offset, "decided"],
      ],
    );
  }),
  check("waking takes no lease away, and a session without a turn is none the worse for it", async (store) => {
    const idle = await newSession(store);
    await append(store, idle, { wake: true });
    const session_id = await runningSession(store);
    await append(store, session_id, { wake: true });
    await expectNothing(store, session_id);
    strictEqual((await renew(store, session_id, 1))?.epoch, 1);
    await ask(store, idle);
    strictEqual((await claimNext(store))?.session_id, idle);
  }),
  check("a turn that was given back for later can be woken too", async (store) => {
    const session_id = await runningSession(store);
    await store.release({ session_id, epoch: 1, counted: true, retry_in_ms: minute });
    await expectNothing(store, session_id);
    await append(store, session_id, { wake: true });
    deepStrictEqual((await claimNext(store))?.turn.attempts, 2);
  }),
  check("a park is written with its events, or not at all", async (store) => {
    const session_id = await runningSession(store);
    await append(store, session_id, { fence: true });
    await expectRefusal(store, { session: { session_id, ...parked() } }, { reason: "fenced", epoch: 2 });
    strictEqual((await claimNext(store))?.epoch, 3);
    await expectRefusal(store, { session: { session_id, ...parked(), depends: { epoch: 3, head: 1 } } }, { reason: "stale_head", head: 2 });
    await expectNothing(store, session_id);
    strictEqual((await renew(store, session_id, 3))?.turn.attempts, 2);
  }),
  check("a commit that parks is written once, however often it is sent", async (store) => {
    const session_id = await runningSession(store);
    const commit = commitOf({ session: { session_id, ...parked() } });
    await store.commit(commit);
    await append(store, session_id, { wake: true });
    strictEqual((await claimSession(store, session_id))?.epoch, 2);
    const again = await store.commit(commit);
    ok(again.outcome === "committed" && again.replayed);
    strictEqual((await renew(store, session_id, 2))?.epoch, 2, "the lease that was taken since is kept");
  }),
  sessionCheck("only the running turn can be parked", async (store, session_id) => {
    await append(store, session_id, { events: [asked("a")], queue: queue(), park: { turn: 1 } });
    strictEqual((await claimNext(store))?.turn.number, 1, "a queued turn waits for no one");
    await append(store, session_id, { events: [asked("b")], queue: queue(), park: { turn: 2 } });
    await append(store, session_id, { park: { turn: 7 } });
    strictEqual((await renew(store, session_id, 1))?.turn.number, 1);
    await append(store, session_id, { events: [message("re", { turn: 1 })], end_turns: [1], park: { turn: 1 }, depends: { epoch: 1 } });
    strictEqual((await claimNext(store))?.turn.number, 2, "a turn that ends is not parked");
  }),
  check("what is queued behind a parked turn does not run before it", async (store) => {
    const session_id = await parkedSession(store);
    strictEqual((await ask(store, session_id, "b")).queued_turn, 2);
    await expectNothing(store, session_id);
    await append(store, session_id, { events: [asked("c")], queue: queue(), wake: true });
    const claim = await claimNext(store);
    deepStrictEqual([claim?.turn.number, claim?.turn.attempts], [1, 1]);
    await append(store, session_id, { end_turns: [1], depends: { epoch: 2 } });
    strictEqual((await claimNext(store))?.turn.number, 2);
  }),
  check("ending a parked turn, or fencing it, gives the park up", async (store) => {
    const stopped = await parkedSession(store);
    await ask(store, stopped, "b");
    await append(store, stopped, { events: [event("turn", { type: "ended" }, { turn: 1 })], end_turns: [1], fence: true });
    strictEqual((await claimNext(store))?.turn.number, 2);
    const dequeued = await parkedSession(store);
    await append(store, dequeued, { dequeue_turns: [1] });
    deepStrictEqual((await store.load({ session_id: dequeued }))?.waiting, [{ offset: 1 }]);
    await append(store, dequeued, { queue: queue() });
    strictEqual((await claimSession(store, dequeued))?.turn.number, 2);
    const fenced = await parkedSession(store);
    await append(store, fenced, { fence: true });
    deepStrictEqual((await claimSession(store, fenced))?.turn.number, 1);
  }),
  check("a parked turn is withdrawn like any other that runs", async (store) => {
    const session_id = await parkedSession(store);
    await append(store, session_id, { events: [event("session", {}, { source: "system" })], withdraw_from: 1, end_turns: [1], fence: true });
    deepStrictEqual([await openTurns(store, session_id), (await store.load({ session_id }))?.waiting], [[], []]);
    await ask(store, session_id, "b");
    strictEqual((await claimNext(store))?.turn.number, 2);
  }),
  check("a fork of a session whose turn is parked is free at once", async (store) => {
    const owner_id = await newOwner(store);
    const session_id = await newSession(store, { owner_id });
    await ask(store, session_id);
    await claimSession(store, session_id);
    await append(store, session_id, { ...started(1) });
    await append(store, session_id, parked());
    const fork = await forkOf(store, session_id, { at: 3 });
    deepStrictEqual(await openTurns(store, fork), []);
    await ask(store, fork, "b");
    strictEqual((await claimNext(store))?.session_id, fork);
    await expectNothing(store, session_id);
  }),
  check("a session whose turn is parked is in use, and can be erased", async (store) => {
    const session_id = await parkedSession(store);
    const { sessions } = await store.erase({ session_id, head: 3 });
    strictEqual(sessions, 0, "a turn of it has not ended");
    strictEqual((await store.erase({ session_id })).sessions, 1);
    deepStrictEqual([await claimNext(store), await store.open({ session_id })], [undefined, undefined]);
  }),
  check("a running turn that has got further counts its attempts from 1 again, under its epoch", async (store) => {
    const session_id = await runningSession(store);
    await append(store, session_id, { progress: 1, depends: { epoch: 1 } });
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
    await store.release({ session_id, epoch: 1, counted: true });
    await claimSession(store, session_id);
    await expectRefusal(store, { session: { session_id, progress: 1, depends: { epoch: 1 } } }, { reason: "fenced", epoch: 2 });
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 2]], "a refused commit changes nothing");
    await append(store, session_id, { progress: 1, depends: { epoch: 2 } });
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
    strictEqual((await renew(store, session_id, 2))?.turn.attempts, 1, "the lease is kept");
    await store.release({ session_id, epoch: 2, counted: true });
    strictEqual((await claimSession(store, session_id))?.turn.attempts, 2);
  }),
  check("a turn that does not run gets no further, and nothing is counted up", async (store) => {
    const session_id = await runningSession(store);
    await ask(store, session_id, "b");
    await store.release({ session_id, epoch: 1, counted: true });
    await claimSession(store, session_id);
    await append(store, session_id, { progress: 2 });
    await append(store, session_id, { progress: 7 });
    const before = [
      [1, "running", 2],
      [2, "queued", 0],
    ];
    deepStrictEqual(await openTurns(store, session_id), before);
    await append(store, session_id, { end_turns: [1], progress: 1, depends: { epoch: 2 } });
    strictEqual((await store.list({ of: "turns", session_id, limit: 1 })).items[0]?.attempts, 2, "a turn that ends is not counted anew");
    await append(store, session_id, { progress: 2 });
    deepStrictEqual(await openTurns(store, session_id), [[2, "queued", 0]]);
    const parkedAt = await parkedSession(store);
    await append(store, parkedAt, { progress: 1 });
    deepStrictEqual(await openTurns(store, parkedAt), [[1, "running", 0]]);
    await append(store, parkedAt, { wake: true });
    await claimSession(store, parkedAt);
    await append(store, parkedAt, { progress: 1, park: { turn: 1 }, depends: { epoch: 2 } });
    deepStrictEqual(await openTurns(store, parkedAt), [[1, "running", 0]], "parked in the same commit");
    for (const progress of [0, 1.5, Number.NaN]) await expectInvalid(store, { session: { session_id, progress } });
  }),
  check("a turn is parked by its number, until a time in whole milliseconds", async (store) => {
    const session_id = await runningSession(store);
    for (const park of [{ turn: 0 }, { turn: 1.5 }, { turn: 1, until: -1 }, { turn: 1, until: 0.5 }, { turn: 1, until: Number.NaN }])
      await expectInvalid(store, { session: { session_id, park } });
    deepStrictEqual(await openTurns(store, session_id), [[1, "running", 1]]);
  }),
];
