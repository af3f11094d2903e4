/** Checks of forks: the data that they share with their origin, and the data that they do not. */
import { present } from "../../kernel/json.ts";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type SessionId, eventIdOf, turnIdOf } from "../../kernel/id.ts";
import { type LoadedSession, type NewEvent, type SessionChange, type Store, type StoredEvent, deepestFork } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  someTime,
  check,
  sessionCheck,
  trace,
  event,
  message,
  created,
  queue,
  creation,
  commitOf,
  write,
  append,
  ask,
  forkOf,
  forked,
  claimSession,
  expectRefusal,
  expectError,
  expectInvalid,
  newOwner,
  newSession,
  offsetsOf,
} from "./fixtures.ts";

const patch = (n: number): NewEvent => event("state", { patch: [{ op: "replace", path: "/n", value: n }] }, { source: "system" });

/** Creates a log of two turns: 0 created, 1 question, 2 started, 3 patch, 4 reply and end, 5 question, 6 started, 7 patch, 8 end. */
async function twoTurns(store: Store): Promise<SessionId> {
  const session_id = await newSession(store, { state: { n: 0 }, header: { title: "first", labels: ["a"], metadata: { external_id: "x" } } });
  for (const turn of [1, 2]) {
    await ask(store, session_id, `question ${turn}`);
    const claim = await claimSession(store, session_id);
    const started = event("turn", { type: "started" }, { turn });
    await append(store, session_id, { events: [started], start_turn: { number: turn, event: 0 }, depends: { epoch: claim?.epoch ?? -1 } });
    const end = event("message", { role: "assistant", parts: [{ type: "text", text: `answer ${turn}` }] }, { turn });
    await append(store, session_id, { events: [{ ...patch(turn), turn }, end], end_turns: [turn], fence: true });
  }
  return session_id;
}

const textsOf = (events: readonly StoredEvent[]): readonly unknown[] =>
  events.map(({ data }) => (data["parts"] as readonly { readonly text: string }[])[0]?.text);

const loadedAt = async (store: Store, session_id: SessionId, at?: number): Promise<LoadedSession> => {
  const loaded = await store.load({ session_id, ...present({ at }) });
  ok(loaded !== undefined);
  return loaded;
};

/** Returns a view of a log without its ids. */
const shared = ({ base, patches, messages }: LoadedSession): unknown => ({
  base,
  patches,
  messages: messages.map(({ session_id: _s, origin: _o, id: _i, turn_id: _t, ...rest }) => rest),
});

const sharing: readonly StoreCheck[] = [
  check("a fork has the events up to its offset as its own, and its own after them", async (store) => {
    const parent = await twoTurns(store);
    const before = (await store.read({ session_id: parent }))?.events ?? [];
    const child = await forkOf(store, parent, { at: 4 });
    await append(store, child, { events: [message("mine")] });
    await append(store, parent, { events: [message("theirs")] });
    const events = (await store.read({ session_id: child }))?.events ?? [];
    const expected = before.slice(0, 5).map((one) => ({
      ...one,
      session_id: child,
      origin: parent,
      id: eventIdOf(child, one.offset),
      ...(one.turn_id === undefined ? {} : { turn_id: turnIdOf(child, 1) }),
    }));
    deepStrictEqual(events.slice(0, 5), expected);
    deepStrictEqual(
      events.slice(5).map(({ offset, kind, origin, session_id }) => ({ offset, kind, origin, session_id })),
      [
        { offset: 5, kind: "session", origin: undefined, session_id: child },
        { offset: 6, kind: "message", origin: undefined, session_id: child },
      ],
    );
    deepStrictEqual(textsOf((await loadedAt(store, child)).messages), ["question 1", "answer 1", "mine"]);
    deepStrictEqual(textsOf((await loadedAt(store, parent)).messages), ["question 1", "answer 1", "question 2", "answer 2", "theirs"]);
  }),
  check("a fork's header is its own: auto and idle, without key, title, labels and metadata", async (store) => {
    const parent = await twoTurns(store);
    await append(store, parent, { events: [], header: { mode: "manual", episode: 3, consumers: { inbox: 2 } } });
    const of = await store.open({ session_id: parent });
    const child = await forkOf(store, parent, { at: 6, header: { episode: 2 } });
    deepStrictEqual(await store.open({ session_id: child }), {
      ...{ session_id: child, owner_id: of?.owner_id, owner_version: of?.owner_version, origin: { session_id: parent, at: 6 } },
      ...{ agent: "diary", agent_version: 1, mode: "auto", title: null, metadata: {}, labels: [], consumers: {} },
      ...{ created_at: someTime, updated_at: someTime, head: 7, first_offset: 0, state_offset: 3, epoch: 0, version: 0, episode: 2, last_turn: 2 },
    });
    const { turns, waiting, journal } = await loadedAt(store, child);
    deepStrictEqual({ turns, waiting, journal }, { turns: [], waiting: [], journal: [] });
    deepStrictEqual(await store.open({ session_id: parent }), of);
    strictEqual(await claimSession(store, child), undefined);
  }),
  check("every view of the shared part is the parent's", async (store) => {
    const parent = await twoTurns(store);
    await append(store, parent, { events: [patch(7)], checkpoint: { n: 7 } });
    await append(store, parent, { events: [patch(8)] });
    const child = await forkOf(store, parent);
    for (let at = 0; at <= 10; at++) deepStrictEqual(shared(await loadedAt(store, child, at)), shared(await loadedAt(store, parent, at)), `at ${at}`);
    deepStrictEqual((await loadedAt(store, child)).base, { offset: 9, state: { n: 7 }, bytes: 7 });
    await append(store, parent, { events: [patch(9)], checkpoint: { n: 9 } });
    await append(store, child, { events: [], checkpoint: { n: 8 } });
    deepStrictEqual((await loadedAt(store, child)).base, { offset: 10, state: { n: 8 }, bytes: 7 });
    await append(store, child, { events: [patch(20)], checkpoint: { n: 20 } });
    deepStrictEqual((await loadedAt(store, child)).base, { offset: 12, state: { n: 20 }, bytes: 8 });
    deepStrictEqual((await loadedAt(store, parent)).base, { offset: 11, state: { n: 9 }, bytes: 7 });
  }),
  check("pages, kinds and traces of a read go over a fork as over any log", async (store) => {
    const parent = await twoTurns(store);
    const middle = await forkOf(store, parent, { at: 6 });
    await append(store, middle, { events: [message("b"), message("c")] });
    const child = await forkOf(store, middle, { at: 8 });
    const trace_id = ids.trace();
    await append(store, child, { events: [message("d", { trace_id })] });
    deepStrictEqual(await offsetsOf(store, child), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const pages: (readonly number[])[] = [];
    for (let next = 0; next <= 10;) {
      const page = await store.read({ session_id: child, min_offset: next, limit: 3 });
      ok(page !== undefined && page.head === 10);
      pages.push(page.events.map(({ offset }) => offset));
      next = page.next_offset;
    }
    deepStrictEqual(pages, [
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
      [9, 10],
    ]);
    deepStrictEqual(await offsetsOf(store, child, { kinds: ["message"], min_offset: 2, max_offset: 9 }), [4, 5, 8]);
    deepStrictEqual(await offsetsOf(store, child, { trace_id }), [10]);
    deepStrictEqual(await offsetsOf(store, child, { trace_id: trace, kinds: ["turn"] }), [2, 6]);
    const origins = (await store.read({ session_id: child }))?.events.map(({ origin }) => origin);
    deepStrictEqual(origins, [...Array<SessionId>(7).fill(parent), middle, middle, undefined, undefined]);
  }),
];

const separation: readonly StoreCheck[] = [
  check("withdrawals count in a fork if they were made before it, or in it", async (store) => {
    const parent = await newSession(store);
    await append(store, parent, { events: [message("a"), message("b")] });
    await append(store, parent, { events: [event("session", { type: "withdrawn", from: 2 })], withdraw_from: 2 });
    await append(store, parent, { events: [message("c")] });
    const [early, late] = [await forkOf(store, parent, { at: 2 }), await forkOf(store, parent, { at: 4 })];
    await append(store, parent, { events: [event("session", { type: "withdrawn", from: 1 })], withdraw_from: 1 });
    const visible = async (session_id: SessionId): Promise<unknown> => textsOf((await loadedAt(store, session_id)).messages);
    deepStrictEqual([await visible(parent), await visible(early), await visible(late)], [[], ["a", "b"], ["a", "c"]]);
    await append(store, late, { events: [event("session", { type: "withdrawn", from: 1 })], withdraw_from: 1 });
    deepStrictEqual([await visible(parent), await visible(early), await visible(late)], [[], ["a", "b"], []]);
    deepStrictEqual(await offsetsOf(store, late), [0, 6]);
    deepStrictEqual(await offsetsOf(store, late, { withdrawn: true }), [0, 1, 2, 3, 4, 5, 6]);
    deepStrictEqual(textsOf((await loadedAt(store, late, 5)).messages), ["a", "c"]);
  }),
  check("a fork's list of turns has those that had begun, as ended, and then its own", async (store) => {
    const parent = await twoTurns(store);
    const child = await forkOf(store, parent, { at: 6 });
    await ask(store, child, "mine");
    const page = await store.list({ of: "turns", session_id: child });
    deepStrictEqual(
      page.items.map(({ number, turn_id, session_id, status, started_offset, ended_offset }) => [
        ...[number, turn_id, session_id, status],
        ...[started_offset, ended_offset],
      ]),
      [
        [1, turnIdOf(child, 1), child, "ended", 2, 4],
        [2, turnIdOf(child, 2), child, "ended", 6, 7],
        [3, turnIdOf(child, 3), child, "queued", undefined, undefined],
      ],
    );
    strictEqual(page.total, 3);
    const numbers = async (query: {
      readonly status?: "ended" | "queued";
      readonly ended_before?: number;
      readonly number?: number;
      readonly limit?: number;
    }) => (await store.list({ of: "turns", session_id: child, order: "desc", ...query })).items.map(({ number }) => number);
    deepStrictEqual(await numbers({ status: "ended" }), [2, 1]);
    deepStrictEqual(await numbers({ status: "queued" }), [3]);
    deepStrictEqual(await numbers({ ended_before: 7, limit: 1 }), [1]);
    deepStrictEqual([await numbers({ number: 2 }), await numbers({ number: 9 })], [[2], []]);
    const early = await forkOf(store, parent, { at: 1 });
    strictEqual((await store.list({ of: "turns", session_id: early })).total, 0);
  }),
  check("an event of a turn that ran where the session was forked from brings its trace", async (store) => {
    const parent = await twoTurns(store);
    const trace_id = ids.trace();
    const end = event("turn", { type: "ended" }, { turn: 2, trace_id });
    const child = await forkOf(store, parent, { at: 6, events: [forked(6), end] });
    const last = (await store.read({ session_id: child, min_offset: 8 }))?.events[0];
    deepStrictEqual([last?.turn_id, last?.trace_id], [turnIdOf(child, 2), trace_id]);
    const without = commitOf({ session: { session_id: child, events: [event("turn", {}, { turn: 2 })] } });
    await expectError(store.commit(without), "input.invalid");
    await expectInvalid(store, { session: { session_id: child, events: [event("turn", {}, { turn: 3, trace_id })] } });
  }),
  sessionCheck("a turn can be queued and ended in one commit, and answers what it took up", async (store, session_id) => {
    await append(store, session_id, { events: [message("a", { waiting: true })] });
    const start = event("turn", { type: "started" }, { turn: "queued" });
    const end = event("turn", { type: "ended" }, { turn: "queued" });
    const start_turn = { number: "queued", event: 0 } as const;
    const result = await append(store, session_id, { events: [start, end], queue: queue(), start_turn, end_turns: ["queued"] });
    deepStrictEqual(result, { first_offset: 2, head: 3, queued_turn: 1 });
    const { turns, waiting } = await loadedAt(store, session_id);
    deepStrictEqual({ turns, waiting }, { turns: [], waiting: [] });
    const [turn] = (await store.list({ of: "turns", session_id })).items;
    deepStrictEqual([turn?.status, turn?.started_offset, turn?.ended_offset], ["ended", 2, 3]);
    await expectInvalid(store, { session: { session_id, end_turns: ["queued"] } });
    await expectInvalid(store, { session: { session_id, events: [start], queue: queue(), start_turn } });
  }),
];

const lineage: readonly StoreCheck[] = [
  check("forks that cannot be are refused and leave nothing", async (store) => {
    const parent = await twoTurns(store);
    const { owner_id, head } = (await store.open({ session_id: parent })) ?? { owner_id: "" as never, head: -1 };
    const other = await newOwner(store, "crm-2");
    const session_id = ids.next("session");
    const change = (at: number, from = parent, owner = owner_id): { readonly session: SessionChange } => ({
      session: { session_id, create: creation(owner, { fork: { session_id: from, at } }), events: [forked(at)] },
    });
    await expectRefusal(store, change(0, ids.next("session")), { reason: "origin_missing" });
    await expectRefusal(store, change(head + 1), { reason: "origin_out_of_range", first_offset: 0, head });
    await expectRefusal(store, change(1, parent, other), { reason: "stale_owner", owner_id });
    await expectRefusal(store, change(1, parent, ids.next("owner")), { reason: "stale_owner", owner_id });
    strictEqual(await store.open({ session_id }), undefined);
    await expectInvalid(store, change(-1));
    await expectInvalid(store, change(0.5));
  }),
  check("a fork that is sent again is the first one, and its key is its own", async (store) => {
    const parent = await newSession(store, { create: { open_key: "k" } });
    const { owner_id } = (await store.open({ session_id: parent })) ?? { owner_id: "" as never };
    const session_id = ids.next("session");
    const create = creation(owner_id, { open_key: "l", fork: { session_id: parent, at: 0 } });
    const commit = commitOf({ session: { session_id, create, events: [forked(0)] } });
    const session = { first_offset: 1, head: 1 };
    deepStrictEqual(await store.commit(commit), { outcome: "committed", replayed: false, session, left: { state_offset: 0, open_turns: 0 } });
    deepStrictEqual(await store.commit(commit), { outcome: "committed", replayed: true, session });
    strictEqual((await store.open({ open_key: "l" }))?.session_id, session_id);
    strictEqual((await store.open({ open_key: "k" }))?.session_id, parent);
    const second = { session: { session_id: ids.next("session"), create, events: [forked(0)] } };
    deepStrictEqual(await store.commit(commitOf(second)), { outcome: "refused", reason: "session_exists", session_id });
  }),
  check(`a chain of ${deepestFork} forks is one log, and the next fork of it is refused`, async (store) => {
    const first = await newSession(store, { state: { n: 0 } });
    let last = first;
    for (let n = 1; n <= deepestFork; n++) {
      await append(store, last, { events: [message(`m${n}`), patch(n)] });
      last = await forkOf(store, last);
    }
    const loaded = await store.load({ session_id: last, messages: 1000 });
    deepStrictEqual(
      textsOf(loaded?.messages ?? []),
      Array.from({ length: deepestFork }, (_, index) => `m${index + 1}`),
    );
    strictEqual(loaded?.patches.length, deepestFork);
    const { head, owner_id } = (await store.open({ session_id: last })) ?? { head: -1, owner_id: "" as never };
    deepStrictEqual(
      await offsetsOf(store, last, { limit: 1000 }),
      Array.from({ length: head + 1 }, (_, offset) => offset),
    );
    const session_id = ids.next("session");
    const create = (at: number): SessionChange => ({
      session_id,
      create: creation(owner_id, { fork: { session_id: last, at } }),
      events: [forked(at)],
    });
    await expectRefusal(store, { session: create(head) }, { reason: "fork_too_deep", depth: deepestFork });
    // At an earlier offset of the same log, the chain is shorter.
    await write(store, { session: create(head - 1) });
  }),
  check("forks are listed by what they were forked from, also when that is deleted", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const parent = await newSession(store, { owner_id, state: { n: 1 } });
    await append(store, parent, { events: [message("a"), patch(2), message("b")] });
    const [one, two] = [await forkOf(store, parent, { at: 2 }), await forkOf(store, parent)];
    const below = await forkOf(store, one);
    const forksOf = async (origin: SessionId): Promise<unknown> => (await store.list({ of: "sessions", origin })).items.map((row) => row.session_id);
    deepStrictEqual([await forksOf(parent), await forksOf(one), await forksOf(two)], [[one, two], [below], []]);
    const before = [shared(await loadedAt(store, below)), shared(await loadedAt(store, two))];
    await store.erase({ session_id: parent });
    deepStrictEqual([shared(await loadedAt(store, below)), shared(await loadedAt(store, two))], before);
    deepStrictEqual((await store.open({ session_id: one }))?.origin, { session_id: null, at: 2 });
    deepStrictEqual((await store.open({ session_id: below }))?.origin, { session_id: one, at: 3 });
    deepStrictEqual(
      (await store.read({ session_id: one }))?.events.map(({ origin }) => origin),
      [null, null, null, undefined],
    );
    deepStrictEqual(await forksOf(parent), []);
    await write(store, { session: { session_id: parent, create: creation(owner_id), events: [created()] } });
    deepStrictEqual((await store.open({ session_id: one }))?.origin, { session_id: null, at: 2 });
  }),
  check("erasing an owner takes a session and all its forks", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const parent = await newSession(store, { owner_id });
    const child = await forkOf(store, parent);
    strictEqual((await store.erase({ owner_id })).sessions, 2);
    deepStrictEqual([await store.open({ session_id: parent }), await store.open({ session_id: child })], [undefined, undefined]);
  }),
];

export const forkChecks: readonly StoreCheck[] = [...sharing, ...separation, ...lineage];
