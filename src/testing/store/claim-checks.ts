/** Checks of claims by workers that run only some agents, or older versions of them. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import type { Claim, Store } from "../../store/port.ts";
import { type StoreCheck, append, asked, check, expectError, ids, newSession, queue } from "./fixtures.ts";

type Agents = Readonly<Record<string, number>>;

/** A session of agent `agent` with a queued turn, whose state was written by version `version`. */
async function waitingSession(store: Store, agent: string, version: number): Promise<SessionId> {
  const session_id = await newSession(store, { create: { agent, agent_version: version } });
  await append(store, session_id, { events: [asked("a")], queue: queue() });
  return session_id;
}

const next = (store: Store, agents?: Agents): Promise<Claim | undefined> =>
  store.claim({ kind: "next", worker: "w1", lease_ms: 60_000, ...(agents === undefined ? {} : { agents }) });
const claim = (store: Store, session_id: SessionId, agents?: Agents): Promise<Claim | undefined> =>
  store.claim({ kind: "session", session_id, worker: "w1", lease_ms: 60_000, ...(agents === undefined ? {} : { agents }) });

export const claimChecks: readonly StoreCheck[] = [
  check("a worker is given only sessions of agents that it runs", async (store) => {
    const diary = await waitingSession(store, "diary", 1);
    const shop = await waitingSession(store, "shop", 1);
    deepStrictEqual(
      [await next(store, {}), await next(store, { other: 9 }), await claim(store, diary, { shop: 1 })],
      [undefined, undefined, undefined],
    );
    strictEqual((await next(store, { shop: 1 }))?.session_id, shop);
    strictEqual(await next(store, { shop: 1 }), undefined);
    strictEqual((await claim(store, diary, { shop: 1, diary: 1 }))?.session_id, diary);
  }),
  check("a worker with an older definition leaves the session, its epoch and its attempts alone", async (store) => {
    const session_id = await waitingSession(store, "diary", 3);
    deepStrictEqual([await next(store, { diary: 2 }), await claim(store, session_id, { diary: 2 })], [undefined, undefined]);
    strictEqual((await store.open({ session_id }))?.epoch, 0);
    deepStrictEqual(
      (await store.load({ session_id }))?.turns.map(({ status, attempts }) => [status, attempts]),
      [["queued", 0]],
    );
    const claimed = await next(store, { diary: 3 });
    deepStrictEqual([claimed?.session_id, claimed?.turn.attempts], [session_id, 1]);
  }),
  check("a newer definition may take an older session, and who names no agents any", async (store) => {
    const session_id = await waitingSession(store, "diary", 1);
    strictEqual((await next(store, { diary: 2_147_483_647 }))?.session_id, session_id);
    const other = await waitingSession(store, "shop", 7);
    strictEqual((await next(store))?.session_id, other);
  }),
  check("names of agents are compared as they are", async (store) => {
    const names = ["constructor", "__proto__", "it's", 'a "b"', "a.b", "Ä", "a", "A", "%"];
    for (const name of names) {
      const session_id = await waitingSession(store, name, 1);
      const others: Agents = Object.fromEntries(names.filter((other) => other !== name).map((other) => [other, 5]));
      strictEqual(await claim(store, session_id, others), undefined, name);
      strictEqual(await claim(store, session_id, {}), undefined, name);
      strictEqual((await claim(store, session_id, Object.fromEntries([[name, 1]])))?.session_id, session_id, name);
    }
  }),
  check("of many claims only those of able workers are given, each once", async (store) => {
    const sessions = await Promise.all(Array.from({ length: 6 }, (_, index) => waitingSession(store, index % 2 === 0 ? "diary" : "shop", 1)));
    const given = await Promise.all(Array.from({ length: 12 }, (_, index) => next(store, index % 2 === 0 ? { diary: 1 } : { diary: 1, lamp: 1 })));
    const taken = given.flatMap((one) => (one === undefined ? [] : [one.session_id]));
    deepStrictEqual(taken.toSorted(), sessions.filter((_, index) => index % 2 === 0).toSorted());
  }),
  check("versions of agents are whole numbers from 1", async (store) => {
    const session_id = ids.next("session");
    for (const version of [0, -1, 1.5, Number.NaN, "1"]) {
      await expectError(store.claim({ kind: "next", worker: "w", lease_ms: 1, agents: { a: version as number } }), "input.invalid");
      await expectError(claim(store, session_id, { a: version as number }), "input.invalid");
    }
    for (const agents of [[], "a", null]) {
      await expectError(store.claim({ kind: "next", worker: "w", lease_ms: 1, agents: agents as unknown as Agents }), "input.invalid");
    }
  }),
];
