/** Checks of turns and waiting messages in commits, of urgent turns, and of handovers. */
import { present } from "../../kernel/json.ts";
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type SessionId, turnIdOf } from "../../kernel/id.ts";
import type { Handover, SessionQuery, Store } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  someTime,
  check,
  sessionCheck,
  trace,
  event,
  message,
  asked,
  queue,
  started,
  write,
  append,
  ask,
  claimNext,
  claimSession,
  pagesOf,
  expectRefusal,
  expectError,
  expectInvalid,
  newOwner,
  newSession,
} from "./fixtures.ts";

async function waitingOf(store: Store, session_id: Parameters<typeof append>[1]): Promise<unknown> {
  return (await store.load({ session_id, messages: 0 }))?.waiting;
}

export const turnChecks: readonly StoreCheck[] = [
  sessionCheck("a message queues a turn, later ones join it", async (store, session_id) => {
    const first = ids.trace();
    deepStrictEqual(await ask(store, session_id, "a", { trace_id: first }), {
      first_offset: 1,
      head: 1,
      queued_turn: 1,
    });
    strictEqual((await append(store, session_id, { events: [asked("b"), message("c", { waiting: true })], queue: queue() })).queued_turn, 1);
    const loaded = await store.load({ session_id });
    deepStrictEqual(
      loaded?.waiting,
      [1, 2, 3].map((offset) => ({ offset, turn: 1 })),
    );
    deepStrictEqual(loaded?.turns, [
      {
        number: 1,
        turn_id: turnIdOf(session_id, 1),
        session_id,
        trace_id: first,
        cause: "message",
        status: "queued",
        attempts: 0,
        created_at: someTime,
      },
    ]);
    deepStrictEqual(
      loaded?.messages.map((stored) => [stored.turn_id, stored.trace_id]),
      [
        [turnIdOf(session_id, 1), first],
        [turnIdOf(session_id, 1), first],
        [undefined, trace],
      ],
    );
    strictEqual(loaded?.session.last_turn, 1);
  }),
  check("in manual mode messages keep waiting until a turn takes them up", async (store) => {
    const session_id = await newSession(store, { header: { mode: "manual" } });
    const result = await ask(store, session_id, "a", { trace_id: trace });
    deepStrictEqual(result, { first_offset: 1, head: 1 });
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1 }]);
    const [stored] = (await store.load({ session_id }))?.messages ?? [];
    deepStrictEqual([stored?.trace_id, stored?.turn_id], [trace, undefined]);
    strictEqual((await append(store, session_id, { header: { mode: "auto" }, queue: queue({ cause: "resume" }) })).queued_turn, 1);
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1, turn: 1 }]);
  }),
  sessionCheck("a switch to manual in the same commit queues nothing", async (store, session_id) => {
    strictEqual((await append(store, session_id, { events: [asked("a")], queue: queue(), header: { mode: "manual" } })).queued_turn, undefined);
  }),
  sessionCheck("too many waiting messages refuse another", async (store, session_id) => {
    await append(store, session_id, { events: [asked("a"), asked("b")], queue: queue({ limit: 2 }) });
    await expectRefusal(
      store,
      { session: { session_id, events: [asked("c")], queue: queue({ limit: 2 }) } },
      { reason: "too_many_waiting", waiting: 2 },
    );
    await ask(store, session_id, "c", { limit: 3 });
  }),
  sessionCheck("what is said to people is not counted with what waits in turns", async (store, session_id) => {
    await append(store, session_id, { header: { mode: "manual" } });
    for (const text of ["a", "b", "c"]) await ask(store, session_id, text, { limit: 2 });
    await append(store, session_id, { header: { mode: "auto" } });
    await ask(store, session_id, "d", { limit: 2 });
    await expectRefusal(
      store,
      { session: { session_id, events: [asked("e")], queue: queue({ limit: 2 }) } },
      { reason: "too_many_waiting", waiting: 4 },
    );
  }),
  sessionCheck("a turn runs and ends, and its messages wait no longer", async (store, session_id) => {
    await ask(store, session_id);
    await append(store, session_id, {
      events: [event("status", {}, { turn: 1 }), event("turn", { type: "started" }, { turn: 1 })],
      start_turn: { number: 1, event: 1 },
    });
    await ask(store, session_id, "b", { cause: "retry" });
    const running = await store.load({ session_id });
    deepStrictEqual(
      running?.turns.map((turn) => [turn.number, turn.status, turn.started_offset, turn.cause]),
      [
        [1, "running", 3, "message"],
        [2, "queued", undefined, "retry"],
      ],
    );
    deepStrictEqual(
      running?.journal.map(({ offset }) => offset),
      [3],
    );
    await append(store, session_id, {
      events: [message("re", { turn: 1, source: "ai_agent" }), event("turn", { type: "ended" }, { turn: 1 })],
      end_turns: [1],
    });
    const ended = await store.load({ session_id });
    deepStrictEqual([ended?.turns.map(({ number }) => number), ended?.waiting, ended?.journal], [[2], [{ offset: 4, turn: 2 }], []]);
    deepStrictEqual(
      (await store.list({ of: "turns", session_id, status: "ended" })).items.map((turn) => [turn.number, turn.ended_offset]),
      [[1, 6]],
    );
  }),
  sessionCheck("a turn that ends without an answer gives its messages to the next", async (store, session_id) => {
    await ask(store, session_id);
    await append(store, session_id, { ...started(1) });
    const result = await append(store, session_id, { events: [asked("b")], queue: queue(), dequeue_turns: [1], fence: true });
    strictEqual(result.queued_turn, 2);
    deepStrictEqual(await waitingOf(store, session_id), [
      { offset: 1, turn: 2 },
      { offset: 3, turn: 2 },
    ]);
    await append(store, session_id, { dequeue_turns: [2], header: { mode: "manual" } });
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1 }, { offset: 3 }]);
  }),
  sessionCheck("a turn that has ended stays as it is", async (store, session_id) => {
    await ask(store, session_id);
    await append(store, session_id, { events: [message("re", { turn: 1 })], end_turns: [1] });
    await append(store, session_id, { ...started(1), end_turns: [1, 7] });
    const [turn] = (await store.list({ of: "turns", session_id })).items;
    deepStrictEqual([turn?.status, turn?.ended_offset, turn?.started_offset], ["ended", 2, undefined]);
  }),
];

async function asking(store: Store, urgent: boolean, at: number, agent = "diary"): Promise<SessionId> {
  const session_id = await newSession(store, { create: { agent, agent_version: 1 } });
  await ask(store, session_id, "a", urgent ? { at, urgent: true } : { at });
  return session_id;
}

const urgentTurns = async (store: Store, session_id: SessionId): Promise<unknown> =>
  (await store.load({ session_id }))?.turns.map(({ number, status, urgent }) => [number, status, urgent ?? false]);

export const urgentChecks: readonly StoreCheck[] = [
  check("an urgent turn is claimed before all that are not, and of several the one that was queued first", async (store) => {
    const calm = await asking(store, false, 1000);
    const [late, early] = [await asking(store, true, 3000), await asking(store, true, 2000)];
    const order = [await claimNext(store), await claimNext(store), await claimNext(store), await claimNext(store)];
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
    strictEqual(await claimNext(store, { urgent: true }), undefined);
    const urgent = await asking(store, true, 2000);
    strictEqual(await claimNext(store, { urgent: true, agents: { shop: 1 } }), undefined);
    strictEqual((await claimNext(store, { urgent: true, agents: { diary: 1 } }))?.session_id, urgent);
    strictEqual(await claimNext(store, { urgent: true }), undefined);
    strictEqual((await claimNext(store))?.session_id, calm);
  }),
  check("a queued turn that an urgent message joins is urgent, and stays so", async (store) => {
    await asking(store, false, 1000);
    const session_id = await asking(store, false, 2000);
    strictEqual((await ask(store, session_id, "a", { urgent: true })).queued_turn, 1);
    strictEqual((await ask(store, session_id)).queued_turn, 1);
    deepStrictEqual(await urgentTurns(store, session_id), [[1, "queued", true]]);
    const claimed = await claimNext(store);
    deepStrictEqual([claimed?.session_id, claimed?.turn.urgent], [session_id, true]);
  }),
  check("a turn that an urgent one waits behind is urgent with it; one that comes after them is not", async (store) => {
    await asking(store, false, 1000);
    const session_id = await asking(store, false, 2000);
    const first = await claimSession(store, session_id);
    strictEqual((await ask(store, session_id, "a", { urgent: true })).queued_turn, 2);
    deepStrictEqual(await urgentTurns(store, session_id), [
      [1, "running", true],
      [2, "queued", true],
    ]);
    strictEqual(await store.release({ session_id, epoch: first?.epoch ?? 0, counted: true }), true);
    strictEqual((await claimNext(store, { urgent: true }))?.turn.number, 1);
    await append(store, session_id, { end_turns: [1] });
    strictEqual((await claimNext(store, { urgent: true }))?.turn.number, 2);
    await append(store, session_id, { events: [asked("a")], queue: queue(), end_turns: [2] });
    deepStrictEqual(await urgentTurns(store, session_id), [[3, "queued", false]]);
    strictEqual(await claimNext(store, { urgent: true }), undefined);
  }),
  check("an urgent turn is listed as one, also when it has ended", async (store) => {
    const session_id = await asking(store, true, 1000);
    await append(store, session_id, { events: [asked("a")], queue: queue(), end_turns: [1] });
    const listed = await store.list({ of: "turns", session_id, order: "asc" });
    deepStrictEqual(
      listed.items.map((turn) => [turn.number, turn.status, turn.urgent]),
      [
        [1, "ended", true],
        [2, "queued", undefined],
      ],
    );
  }),
  sessionCheck("with people nothing is queued, and nothing is urgent", async (store, session_id) => {
    await append(store, session_id, { header: { mode: "manual" } });
    strictEqual((await ask(store, session_id, "a", { urgent: true })).queued_turn, undefined);
    await append(store, session_id, { header: { mode: "auto" } });
    await append(store, session_id, { events: [message("b")], queue: queue() });
    deepStrictEqual(await urgentTurns(store, session_id), [[1, "queued", false]]);
  }),
  check("urgent is true, or nothing", async (store) => {
    const session_id = ids.next("session");
    for (const urgent of [false, 1, "true", null]) {
      const given = { urgent: urgent as unknown as true };
      await expectError(append(store, session_id, { queue: queue(given) }), "input.invalid");
      await expectError(claimNext(store, given), "input.invalid");
    }
  }),
];

const give = (store: Store, session_id: SessionId, handover: Handover): Promise<unknown> => append(store, session_id, { header: { handover } });

const idsOf = async (store: Store, query: Omit<SessionQuery, "of"> & { readonly order?: "asc" | "desc" }): Promise<readonly SessionId[]> =>
  (await store.list({ of: "sessions", ...query })).items.map(({ session_id }) => session_id);

/** Returns all sessions of a queue, two per page. */
async function queueOf(store: Store, handover: Handover["status"], order: "asc" | "desc"): Promise<readonly SessionId[]> {
  const pages = await pagesOf(store, { of: "sessions", by: "handover", handover, order, limit: 2 });
  return pages.flatMap(({ items }) => items.map(({ session_id }) => session_id));
}

export const handoverChecks: readonly StoreCheck[] = [
  check("a hand-over is in the header, whole, and raises its version", async (store) => {
    const session_id = await newSession(store, { owner_id: await newOwner(store, "crm-1") });
    strictEqual("handover" in ((await store.open({ session_id })) ?? {}), false);
    const first: Handover = { status: "waiting", since: someTime, reason: "é\u0000😀", alert: 3 };
    await give(store, session_id, first);
    const row = await store.open({ session_id });
    deepStrictEqual([row?.handover, row?.version, row?.mode], [first, 1, "auto"]);
    const second: Handover = { status: "assigned", since: someTime, operator: "ann é😀" };
    await append(store, session_id, { header: { handover: second, mode: "manual" }, depends: { version: 1 } });
    const loaded = await store.load({ session_id });
    deepStrictEqual([loaded?.session.handover, loaded?.session.version, loaded?.session.mode], [second, 2, "manual"]);
    await append(store, session_id, { header: { title: "kept" } });
    deepStrictEqual((await store.list({ of: "sessions" })).items[0]?.handover, second);
    const fork = await newSession(store, { owner_id: row?.owner_id ?? (await newOwner(store)), create: { fork: { session_id, at: 0 } } });
    strictEqual((await store.open({ session_id: fork }))?.handover, undefined);
  }),
  check("sessions are found by where their hand-over stands, and by who has taken them up", async (store) => {
    const [one, two, three, four] = [await newSession(store), await newSession(store), await newSession(store), await newSession(store)];
    await give(store, one, { status: "waiting", since: 5 });
    await give(store, two, { status: "assigned", since: 4, operator: "ann" });
    await give(store, three, { status: "assigned", since: 3, operator: "ben" });
    deepStrictEqual(await idsOf(store, { handover: "waiting" }), [one]);
    deepStrictEqual(await idsOf(store, { handover: "assigned" }), [two, three]);
    deepStrictEqual(await idsOf(store, { handover: "resolved" }), []);
    deepStrictEqual(await idsOf(store, { operator: "ann" }), [two]);
    deepStrictEqual(await idsOf(store, { operator: "Ann" }), []);
    deepStrictEqual(await idsOf(store, { handover: "waiting", operator: "ann" }), []);
    await give(store, two, { status: "resolved", since: 4, operator: "ann" });
    await give(store, four, { status: "assigned", since: 1, operator: "ann" });
    deepStrictEqual([await idsOf(store, { operator: "ann" }), await idsOf(store, { handover: "assigned", operator: "ann" })], [[two, four], [four]]);
    await give(store, four, { status: "waiting", since: 1 });
    deepStrictEqual([await idsOf(store, { operator: "ann" }), await idsOf(store, { handover: "waiting" })], [[two], [one, four]]);
    await store.erase({ session_id: four });
    deepStrictEqual(await store.list({ of: "sessions", handover: "waiting", by: "handover" }), {
      ...{ items: [await store.open({ session_id: one })], next_cursor: null, total: 1 },
    });
  }),
  check("a queue begins with the highest alert, then with who was handed over first", async (store) => {
    const given: readonly (readonly [number, number?])[] = [[50], [40, 1], [30], [60, 1000], [30], [20, 2], [10, 2], [someTime], [0]];
    const sessions: SessionId[] = [];
    for (const [since, alert] of given) {
      const session_id = await newSession(store);
      await give(store, session_id, { status: "waiting", since, ...present({ alert }) });
      sessions.push(session_id);
    }
    const expected = [3, 6, 5, 1, 8, 2, 4, 0, 7].map((index) => sessions[index]);
    deepStrictEqual(await queueOf(store, "waiting", "asc"), expected);
    deepStrictEqual(await queueOf(store, "waiting", "desc"), expected.toReversed());
    deepStrictEqual(await idsOf(store, { handover: "waiting" }), sessions);
    for (const [index, session_id] of sessions.entries()) {
      const [since, alert] = given[index] ?? [0];
      await give(store, session_id, { status: "resolved", since, ...present({ alert }) });
    }
    deepStrictEqual(
      await queueOf(store, "resolved", "desc"),
      [7, 3, 0, 1, 4, 2, 5, 6, 8].map((index) => sessions[index]),
    );
    deepStrictEqual(await queueOf(store, "waiting", "asc"), []);
  }),
  sessionCheck("a hand-over that says nothing is refused", async (store, session_id) => {
    const sound: Handover = { status: "waiting", since: 1 };
    for (const change of [
      { status: "gone" as never },
      { since: -1 },
      { since: 2 ** 50 },
      { operator: "" },
      { operator: "o".repeat(201) },
      { reason: "r".repeat(501) },
      { reason: 5 as never },
      { alert: 0 },
      { alert: 1001 },
    ])
      await expectInvalid(store, { session: { session_id, header: { handover: { ...sound, ...change } } } });
    await expectError(store.list({ of: "sessions", by: "handover" }), "input.invalid");
    await expectError(store.list({ of: "sessions", handover: "gone" as never }), "input.invalid");
    await write(store, { session: { session_id, header: { handover: sound } } });
    const page = await store.list({ of: "sessions", by: "handover", handover: "waiting", limit: 1 });
    deepStrictEqual([page.items.length, page.next_cursor], [1, null]);
  }),
];
