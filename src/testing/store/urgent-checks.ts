/** Checks of urgent turns: they skip the queue. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import type { Claim, ClaimRequest, SessionChange, Store } from "../../store/port.ts";
import { type StoreCheck, append, asked, check, expectError, ids, message, newSession, queue } from "./fixtures.ts";

type Next = Extract<ClaimRequest, { kind: "next" }>;

const minute = 60_000;
const next = (store: Store, only: Pick<Next, "urgent" | "agents"> = {}): Promise<Claim | undefined> =>
  store.claim({ kind: "next", worker: "w1", lease_ms: minute, ...only });
const claim = (store: Store, session_id: SessionId): Promise<Claim | undefined> =>
  store.claim({ kind: "session", session_id, worker: "w1", lease_ms: minute });

/** A message at a time, urgent or not, with the turn that answers it. */
const ask = (urgent: boolean): Pick<SessionChange, "events" | "queue"> => ({
  events: [asked("a")],
  queue: queue(urgent ? { urgent: true } : {}),
});

async function asking(store: Store, urgent: boolean, at: number, agent = "diary"): Promise<SessionId> {
  const session_id = await newSession(store, { create: { agent, agent_version: 1 } });
  await append(store, session_id, ask(urgent), at);
  return session_id;
}

const openTurns = async (store: Store, session_id: SessionId): Promise<unknown> =>
  (await store.load({ session_id }))?.turns.map(({ number, status, urgent }) => [number, status, urgent ?? false]);

export const urgentChecks: readonly StoreCheck[] = [
  check("an urgent turn is claimed before all that are not, and of several the one that was queued first", async (store) => {
    const calm = await asking(store, false, 1000);
    const [late, early] = [await asking(store, true, 3000), await asking(store, true, 2000)];
    const order = [await next(store), await next(store), await next(store), await next(store)];
    deepStrictEqual(
      order.map((one) => [one?.session_id, one?.turn.urgent]),
      [
        [early, true],
        [late, true],
        [calm, undefined],
        [undefined, undefined],
      ],
    );
  }),
  check("who asks for urgent turns is given no other", async (store) => {
    const calm = await asking(store, false, 1000);
    strictEqual(await next(store, { urgent: true }), undefined);
    const urgent = await asking(store, true, 2000);
    strictEqual(await next(store, { urgent: true, agents: { shop: 1 } }), undefined);
    strictEqual((await next(store, { urgent: true, agents: { diary: 1 } }))?.session_id, urgent);
    strictEqual(await next(store, { urgent: true }), undefined);
    strictEqual((await next(store))?.session_id, calm);
  }),
  check("a queued turn that an urgent message joins is urgent, and stays so", async (store) => {
    await asking(store, false, 1000);
    const session_id = await asking(store, false, 2000);
    strictEqual((await append(store, session_id, ask(true))).queued_turn, 1);
    strictEqual((await append(store, session_id, ask(false))).queued_turn, 1);
    deepStrictEqual(await openTurns(store, session_id), [[1, "queued", true]]);
    const claimed = await next(store);
    deepStrictEqual([claimed?.session_id, claimed?.turn.urgent], [session_id, true]);
  }),
  check("a turn that an urgent one waits behind is urgent with it; one that comes after them is not", async (store) => {
    await asking(store, false, 1000);
    const session_id = await asking(store, false, 2000);
    const first = await claim(store, session_id);
    strictEqual((await append(store, session_id, ask(true))).queued_turn, 2);
    deepStrictEqual(await openTurns(store, session_id), [
      [1, "running", true],
      [2, "queued", true],
    ]);
    strictEqual(await store.release({ session_id, epoch: first?.epoch ?? 0, counted: true }), true);
    strictEqual((await next(store, { urgent: true }))?.turn.number, 1);
    await append(store, session_id, { end_turns: [1] });
    strictEqual((await next(store, { urgent: true }))?.turn.number, 2);
    await append(store, session_id, { ...ask(false), end_turns: [2] });
    deepStrictEqual(await openTurns(store, session_id), [[3, "queued", false]]);
    strictEqual(await next(store, { urgent: true }), undefined);
  }),
  check("an urgent turn is listed as one, also when it has ended", async (store) => {
    const session_id = await asking(store, true, 1000);
    await append(store, session_id, { ...ask(false), end_turns: [1] });
    const listed = await store.list({ of: "turns", session_id, order: "asc" });
    deepStrictEqual(
      listed.items.map((turn) => [turn.number, turn.status, turn.urgent]),
      [
        [1, "ended", true],
        [2, "queued", undefined],
      ],
    );
  }),
  check("with people nothing is queued, and nothing is urgent", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { header: { mode: "manual" } });
    strictEqual((await append(store, session_id, ask(true))).queued_turn, undefined);
    await append(store, session_id, { header: { mode: "auto" } });
    await append(store, session_id, { events: [message("b")], queue: queue() });
    deepStrictEqual(await openTurns(store, session_id), [[1, "queued", false]]);
  }),
  check("urgent is true, or nothing", async (store) => {
    const session_id = ids.next("session");
    for (const urgent of [false, 1, "true", null]) {
      const given = { urgent: urgent as unknown as true };
      await expectError(append(store, session_id, { queue: queue(given) }), "input.invalid");
      await expectError(next(store, given), "input.invalid");
    }
  }),
];
