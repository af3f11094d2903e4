/** Checks of what a commit does to turns and to the messages that wait for them. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { turnIdOf } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import { type StoreCheck, append, asked, check, event, expectRefusal, ids, message, newSession, queue, someTime, trace } from "./fixtures.ts";

async function waitingOf(store: Store, session_id: Parameters<typeof append>[1]): Promise<unknown> {
  return (await store.load({ session_id, messages: 0 }))?.waiting;
}

export const turnChecks: readonly StoreCheck[] = [
  check("a message queues a turn, later ones join it", async (store) => {
    const session_id = await newSession(store);
    const first = ids.trace();
    deepStrictEqual(await append(store, session_id, { events: [asked("a")], queue: queue({ trace_id: first }) }), {
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
    const result = await append(store, session_id, { events: [asked("a")], queue: queue({ trace_id: trace }) });
    deepStrictEqual(result, { first_offset: 1, head: 1 });
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1 }]);
    const [stored] = (await store.load({ session_id }))?.messages ?? [];
    deepStrictEqual([stored?.trace_id, stored?.turn_id], [trace, undefined]);
    strictEqual((await append(store, session_id, { header: { mode: "auto" }, queue: queue({ cause: "resume" }) })).queued_turn, 1);
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1, turn: 1 }]);
  }),
  check("a switch to manual in the same commit queues nothing", async (store) => {
    const session_id = await newSession(store);
    strictEqual((await append(store, session_id, { events: [asked("a")], queue: queue(), header: { mode: "manual" } })).queued_turn, undefined);
  }),
  check("too many waiting messages refuse another", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a"), asked("b")], queue: queue({ limit: 2 }) });
    await expectRefusal(
      store,
      { session: { session_id, events: [asked("c")], queue: queue({ limit: 2 }) } },
      { reason: "too_many_waiting", waiting: 2 },
    );
    await append(store, session_id, { events: [asked("c")], queue: queue({ limit: 3 }) });
  }),
  check("what is said to people is not counted with what waits in turns", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { header: { mode: "manual" } });
    for (const text of ["a", "b", "c"]) await append(store, session_id, { events: [asked(text)], queue: queue({ limit: 2 }) });
    await append(store, session_id, { header: { mode: "auto" } });
    await append(store, session_id, { events: [asked("d")], queue: queue({ limit: 2 }) });
    await expectRefusal(
      store,
      { session: { session_id, events: [asked("e")], queue: queue({ limit: 2 }) } },
      { reason: "too_many_waiting", waiting: 4 },
    );
  }),
  check("a turn runs and ends, and its messages wait no longer", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    await append(store, session_id, {
      events: [event("status", {}, { turn: 1 }), event("turn", { type: "started" }, { turn: 1 })],
      start_turn: { number: 1, event: 1 },
    });
    await append(store, session_id, { events: [asked("b")], queue: queue({ cause: "retry" }) });
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
  check("a turn that ends without an answer gives its messages to the next", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    await append(store, session_id, { events: [event("turn", {}, { turn: 1 })], start_turn: { number: 1, event: 0 } });
    const result = await append(store, session_id, { events: [asked("b")], queue: queue(), dequeue_turns: [1], fence: true });
    strictEqual(result.queued_turn, 2);
    deepStrictEqual(await waitingOf(store, session_id), [
      { offset: 1, turn: 2 },
      { offset: 3, turn: 2 },
    ]);
    await append(store, session_id, { dequeue_turns: [2], header: { mode: "manual" } });
    deepStrictEqual(await waitingOf(store, session_id), [{ offset: 1 }, { offset: 3 }]);
  }),
  check("a turn that has ended stays as it is", async (store) => {
    const session_id = await newSession(store);
    await append(store, session_id, { events: [asked("a")], queue: queue() });
    await append(store, session_id, { events: [message("re", { turn: 1 })], end_turns: [1] });
    await append(store, session_id, { events: [event("turn", {}, { turn: 1 })], start_turn: { number: 1, event: 0 }, end_turns: [1, 7] });
    const [turn] = (await store.list({ of: "turns", session_id })).items;
    deepStrictEqual([turn?.status, turn?.ended_offset, turn?.started_offset], ["ended", 2, undefined]);
  }),
];
