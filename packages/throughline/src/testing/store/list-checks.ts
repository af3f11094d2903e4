/** Checks of `list`, `erase` and `migrate`, and of texts that exceed the row size of some databases. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { Erased, SessionQuery, Store } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  someTime,
  check,
  sessionCheck,
  event,
  message,
  asked,
  created,
  queue,
  creation,
  fact,
  variables,
  write,
  append,
  ask,
  started,
  claimSession,
  forkOf,
  pagesOf,
  expectRefusal,
  expectError,
  newOwner,
  newSession,
} from "./fixtures.ts";

async function idsOf(store: Store, query: Omit<SessionQuery, "of">): Promise<readonly SessionId[]> {
  return (await store.list({ of: "sessions", ...query })).items.map(({ session_id }) => session_id);
}

const lists: readonly StoreCheck[] = [
  check("B18 B28 sessions are found by what they have, all of it", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const both = await newSession(store, { owner_id, header: { labels: ["x", "y", "x"], metadata: { external_id: "ticket-1" } } });
    const one = await newSession(store, { create: { agent: "other" }, header: { labels: ["x"], mode: "manual" } });
    const none = await newSession(store, { header: { metadata: { external_id: 5 } } });
    deepStrictEqual(await idsOf(store, {}), [both, one, none]);
    deepStrictEqual(await idsOf(store, { labels: ["x", "y"] }), [both]);
    deepStrictEqual(await idsOf(store, { labels: ["x"] }), [both, one]);
    deepStrictEqual(await idsOf(store, { labels: [] }), [both, one, none]);
    deepStrictEqual(await idsOf(store, { without_labels: ["y"] }), [one, none]);
    deepStrictEqual(await idsOf(store, { without_labels: ["x", "q"] }), [none]);
    deepStrictEqual(await idsOf(store, { labels: ["x"], without_labels: ["y"] }), [one]);
    deepStrictEqual(await idsOf(store, { external_id: "ticket-1" }), [both]);
    deepStrictEqual(await idsOf(store, { external_id: "5" }), []);
    deepStrictEqual(await idsOf(store, { agent: "other" }), [one]);
    deepStrictEqual(await idsOf(store, { owner_id }), [both]);
    deepStrictEqual(await idsOf(store, { mode: "manual" }), [one]);
    deepStrictEqual(await idsOf(store, { mode: "auto", labels: ["y"], agent: "diary", owner_id, external_id: "ticket-1" }), [both]);
    await append(store, both, { header: { labels: ["z"], metadata: {} } });
    deepStrictEqual(
      [await idsOf(store, { labels: ["x"] }), await idsOf(store, { labels: ["z"] }), await idsOf(store, { external_id: "ticket-1" })],
      [[one], [both], []],
    );
  }),
  check("B20 pages follow each other without a gap or a repetition", async (store) => {
    const sessions: SessionId[] = [];
    for (let n = 0; n < 5; n++) sessions.push(await newSession(store));
    for (const order of ["asc", "desc"] as const) {
      const pages = await pagesOf(store, { of: "sessions", limit: 2, order });
      deepStrictEqual(
        pages.map(({ items, total }) => [items.length, total]),
        [2, 2, 1].map((length) => [length, 5]),
      );
      const found = pages.flatMap(({ items }) => items.map(({ session_id }) => session_id));
      deepStrictEqual(found, order === "asc" ? sessions : sessions.toReversed());
    }
    strictEqual((await store.list({ of: "sessions", limit: 5 })).next_cursor, null);
  }),
  check("a page is not moved by what is created or erased meanwhile", async (store) => {
    const sessions = [await newSession(store), await newSession(store), await newSession(store)];
    const first = await store.list({ of: "sessions", limit: 1 });
    ok(first.next_cursor !== null && sessions[0] !== undefined);
    await store.erase({ session_id: sessions[0] });
    const rest = await store.list({ of: "sessions", cursor: first.next_cursor });
    deepStrictEqual(
      rest.items.map(({ session_id }) => session_id),
      sessions.slice(1),
    );
  }),
  check("B21 a cursor that was not handed out is refused", async (store) => {
    await newSession(store);
    await newSession(store);
    const { next_cursor } = await store.list({ of: "sessions", limit: 1 });
    ok(next_cursor !== null);
    for (const cursor of [
      "garbage",
      "",
      "é",
      next_cursor.slice(1),
      `${next_cursor}=`,
      Buffer.from("sessions asc 0").toString("base64url"),
      5 as never,
    ]) {
      await expectError(store.list({ of: "sessions", cursor }), "cursor.invalid");
    }
    await expectError(store.list({ of: "customers", cursor: next_cursor }), "cursor.invalid");
    await expectError(store.list({ of: "sessions", order: "desc", cursor: next_cursor }), "cursor.invalid");
  }),
  check("a page has from 1 to 100 items", async (store) => {
    for (const limit of [0, 101, -1, 1.5, Number.NaN]) await expectError(store.list({ of: "sessions", limit }), "input.invalid");
    await expectError(store.list({ of: "events" as never }), "input.invalid");
    await expectError(store.list({ of: "sessions", order: "up" as never }), "input.invalid");
    deepStrictEqual(await store.list({ of: "sessions" }), { items: [], next_cursor: null, total: 0 });
  }),
  check("customers are listed with their variables, anonymous owners are not", async (store) => {
    await newOwner(store);
    const ada = await newOwner(store, "crm-1");
    const bob = await newOwner(store, "crm-2");
    await write(store, { owner: { owner_id: ada, name: "Ada", metadata: { plan: "gold" }, variables: [{ name: "tier", value: 1 }] } });
    await write(store, { owner: { owner_id: bob, variables: [{ name: "tier", value: 2 }] } });
    await write(store, { owner: { owner_id: bob, variables: [{ name: "tier", value: undefined }] } });
    const expected = [
      {
        owner_id: ada,
        customer_id: "crm-1",
        name: "Ada",
        metadata: { plan: "gold" },
        variables: variables(1, { tier: 1 }),
        created_at: someTime,
        version: 1,
      },
      { owner_id: bob, customer_id: "crm-2", name: null, metadata: {}, variables: variables(2), created_at: someTime, version: 2 },
    ];
    deepStrictEqual(await store.list({ of: "customers" }), { items: expected, next_cursor: null, total: 2 });
    deepStrictEqual((await store.list({ of: "customers", customer_id: "crm-2" })).items, expected.slice(1));
    deepStrictEqual(await store.list({ of: "customers", customer_id: "crm-3" }), { items: [], next_cursor: null, total: 0 });
    await write(store, { owner: { owner_id: ada, name: null } });
    strictEqual((await store.list({ of: "customers", limit: 1 })).items[0]?.name, null);
  }),
  check("only sessions with a turn that was claimed and has not ended are listed as running", async (store) => {
    const [idle, queued, running, done] = [await newSession(store), await newSession(store), await newSession(store), await newSession(store)];
    for (const session_id of [running, done]) {
      await ask(store, session_id);
      await claimSession(store, session_id);
    }
    await ask(store, queued);
    await append(store, done, { end_turns: [1], depends: { epoch: 1 } });
    deepStrictEqual(await idsOf(store, { running: true }), [running]);
    deepStrictEqual(await idsOf(store, { running: true, agent: "other" }), []);
    await append(store, running, { park: { turn: 1 }, depends: { epoch: 1 } });
    deepStrictEqual(await idsOf(store, { running: true }), [running], "a parked turn has not ended");
    const fork = await forkOf(store, running);
    deepStrictEqual(await idsOf(store, { running: true }), [running], "a fork does not inherit the turn");
    deepStrictEqual(await idsOf(store, {}), [idle, queued, running, done, fork]);
    await expectError(store.list({ of: "sessions", running: false as never }), "input.invalid");
  }),
  check("the ends of several logs are what reading each of them shows", async (store) => {
    const parent = await newSession(store);
    await append(store, parent, { events: [message("one"), event("custom"), message("two"), event("tool"), message("three")] });
    const fork = await forkOf(store, parent, { at: 3 });
    await append(store, fork, { events: [message("four")] });
    const deep = await forkOf(store, fork);
    await append(store, deep, { withdraw_from: 3, events: [event("session", { type: "withdrawn" })] });
    await append(store, parent, { redact: [{ offset: 5, data: { parts: [] } }] });
    const waiting = await newSession(store);
    await ask(store, waiting);
    await claimSession(store, waiting);
    const steps = Array.from({ length: 120 }, (_, index) => event("turn", { type: "step", index }, { turn: 1 }));
    await append(store, waiting, { ...started(1), depends: { epoch: 1 } });
    await append(store, waiting, { events: [...steps, event("status", {}, { turn: 1 })], park: { turn: 1 }, depends: { epoch: 1 } });
    const ended = await newSession(store);
    await ask(store, ended);
    await claimSession(store, ended);
    await append(store, ended, { ...started(1), end_turns: [1], depends: { epoch: 1 } });
    const empty = await newSession(store);
    const gone = await newSession(store);
    await store.erase({ session_id: gone });
    const sessions = [waiting, deep, fork, parent, ended, empty];
    for (const messages of [1, 2, 100]) {
      const { items, next_cursor, total } = await store.list({ of: "tails", session_ids: [...sessions, gone, waiting], messages });
      deepStrictEqual([next_cursor, total, items.map(({ session_id }) => session_id)], [null, sessions.length, sessions]);
      for (const tail of items) {
        const { session_id } = tail;
        const said = (await store.read({ session_id, kinds: ["message"] }))?.events ?? [];
        const journal = (await store.load({ session_id }))?.journal ?? [];
        deepStrictEqual(tail, { session_id, messages: said.slice(-messages), journal: journal.slice(-100) });
      }
      deepStrictEqual(
        (await store.list({ of: "tails", session_ids: sessions, messages, messages_only: true })).items,
        items.map((tail) => ({ ...tail, journal: [] })),
      );
    }
    deepStrictEqual(
      (await store.list({ of: "tails", session_ids: [deep, waiting], messages: 100 })).items.map(({ messages, journal }) => [
        messages.map(({ offset }) => offset),
        journal.length,
      ]),
      [
        [[1], 0],
        [[1], 100],
      ],
    );
    for (const session_ids of [[], Array<SessionId>(101).fill(empty), "x" as never])
      await expectError(store.list({ of: "tails", session_ids, messages: 1 }), "input.invalid");
    for (const messages of [0, 101, 1.5]) await expectError(store.list({ of: "tails", session_ids: [empty], messages }), "input.invalid");
    await expectError(store.list({ of: "tails", session_ids: [empty], messages: 1, messages_only: false as never }), "input.invalid");
    await expectError(store.list({ of: "tails", session_ids: [empty], messages: 1, cursor: "x" }), "cursor.invalid");
  }),
  sessionCheck("turns are listed by number and status", async (store, session_id) => {
    for (let n = 1; n <= 12; n++) {
      await ask(store, session_id);
      if (n < 12) await append(store, session_id, { end_turns: [n] });
    }
    const numbers = async (query: object): Promise<readonly number[]> =>
      (await store.list({ of: "turns", session_id, ...query })).items.map((turn) => turn.number);
    deepStrictEqual(await numbers({ order: "desc", limit: 3 }), [12, 11, 10]);
    deepStrictEqual(
      [await numbers({ status: "queued" }), (await numbers({ status: "ended" })).length, await numbers({ status: "running" })],
      [[12], 11, []],
    );
    const page = await store.list({ of: "turns", session_id, limit: 10 });
    deepStrictEqual(
      (await store.list({ of: "turns", session_id, cursor: page.next_cursor ?? "" })).items.map((turn) => turn.number),
      [11, 12],
    );
    strictEqual((await store.list({ of: "turns", session_id: ids.next("session") })).total, 0);
  }),
  check("sessions are listed by the time of their last event", async (store) => {
    const sessions = [];
    for (const at of [10, 20, 30]) {
      const session_id = await newSession(store);
      await append(store, session_id, { events: [message("a")] }, someTime + at);
      sessions.push(session_id);
    }
    const listed = async (query: object): Promise<readonly SessionId[]> =>
      (await store.list({ of: "sessions", ...query })).items.map(({ session_id }) => session_id);
    deepStrictEqual(await listed({ updated_from: someTime + 20 }), sessions.slice(1));
    deepStrictEqual(await listed({ updated_before: someTime + 20 }), sessions.slice(0, 1));
    deepStrictEqual(await listed({ updated_from: someTime + 20, updated_before: someTime + 30 }), sessions.slice(1, 2));
    await expectError(store.list({ of: "sessions", updated_from: -1 }), "input.invalid");
  }),
  check("open turns are listed with the workers that hold them", async (store) => {
    const [held, waiting, idle] = [await newSession(store), await newSession(store), await newSession(store)];
    await ask(store, held);
    await ask(store, waiting);
    await ask(store, idle);
    await append(store, idle, { dequeue_turns: [1] });
    await store.claim({ kind: "session", session_id: held, worker: "w7", lease_ms: 60_000 });
    await ask(store, held);
    const { items, total } = await store.list({ of: "open_turns" });
    deepStrictEqual(
      items.map(({ session_id, agent, number, status, attempts, worker }) => [session_id, agent, number, status, attempts, worker]),
      [
        [held, "diary", 1, "running", 1, "w7"],
        [waiting, "diary", 1, "queued", 0, undefined],
      ],
    );
    strictEqual(total, 2);
    strictEqual(typeof items[0]?.until, "number");
    strictEqual(items[1]?.until, undefined);
    const page = await store.list({ of: "open_turns", limit: 1 });
    const next = await store.list({ of: "open_turns", limit: 1, cursor: page.next_cursor ?? "" });
    deepStrictEqual([page.items[0]?.session_id, next.items[0]?.session_id, next.next_cursor], [held, waiting, null]);
    deepStrictEqual(
      (await store.list({ of: "open_turns", held: true })).items.map(({ session_id }) => session_id),
      [held],
    );
    await store.erase({ session_id: held });
    deepStrictEqual(
      (await store.list({ of: "open_turns" })).items.map(({ session_id }) => session_id),
      [waiting],
    );
  }),
];

/** Creates a session with data in every table. */
async function fullSession(store: Store, owner_id: Awaited<ReturnType<typeof newOwner>>): Promise<SessionId> {
  const session_id = await newSession(store, { owner_id, header: { labels: ["l"], metadata: { external_id: "x" } } });
  await append(store, session_id, {
    events: [asked("a"), event("state")],
    queue: queue(),
    checkpoint: { n: 1 },
    idempotency: { key: "k", body_hash: "b" },
  });
  await append(store, session_id, { events: [message("b"), event("session")], withdraw_from: 2 });
  return session_id;
}

/** Checks a receipt: it has the job, its times and its counts. */
function expectReceipt(erased: Erased, counts: { readonly sessions: number; readonly events: number }): void {
  const { erasure_id, requested_at, finished_at, ...rest } = erased;
  ok(typeof erasure_id === "string" && erasure_id !== "");
  ok(Number.isSafeInteger(requested_at) && Number.isSafeInteger(finished_at) && Number(finished_at) >= Number(requested_at));
  deepStrictEqual(rest, counts);
}

const erasures: readonly StoreCheck[] = [
  check("B23 an erased session is gone, and others are not", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const [doomed, kept] = [await fullSession(store, owner_id), await fullSession(store, owner_id)];
    const before = await store.load({ session_id: kept });
    expectReceipt(await store.erase({ session_id: doomed }), { sessions: 1, events: 5 });
    deepStrictEqual(
      [await store.open({ session_id: doomed }), await store.load({ session_id: doomed }), await store.read({ session_id: doomed })],
      [undefined, undefined, undefined],
    );
    await expectRefusal(store, { session: { session_id: doomed, events: [message("a")] } }, { reason: "session_missing" });
    deepStrictEqual(await store.load({ session_id: kept }), before);
    deepStrictEqual(await store.erase({ session_id: doomed }), { sessions: 0, events: 0 });
    strictEqual((await store.list({ of: "customers" })).total, 1);
  }),
  check("an erased session's id and keys can be used again, as if it had never been", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await fullSession(store, owner_id);
    await store.erase({ session_id });
    await write(store, { session: { session_id, create: creation(owner_id), events: [created({ n: 0 })] } });
    const loaded = await store.load({ session_id });
    deepStrictEqual(
      [loaded?.base, loaded?.messages, loaded?.waiting, loaded?.turns, loaded?.session.labels],
      [{ offset: 0, state: { n: 0 }, bytes: 7 }, [], [], [], []],
    );
    await append(store, session_id, {
      events: [asked("a"), event("status"), event("status")],
      queue: queue(),
      idempotency: { key: "k", body_hash: "b" },
    });
    strictEqual((await store.read({ session_id }))?.events.length, 4, "nothing is withdrawn any more");
  }),
  check("B26 erasing an owner takes all of its sessions and only those", async (store) => {
    const [owner_id, other] = [await newOwner(store, "crm-1"), await newOwner(store, "crm-2")];
    const doomed = [await fullSession(store, owner_id), await fullSession(store, owner_id)];
    const kept = await fullSession(store, other);
    await write(store, {
      owner: { owner_id, name: "Ada", variables: [{ name: "v", value: 1 }], entries: [fact("e")] },
    });
    expectReceipt(await store.erase({ owner_id }), { sessions: 2, events: 10 });
    expectReceipt((await store.list({ of: "erasures" })).items.at(-1) ?? { sessions: 0, events: 0 }, { sessions: 2, events: 10 });
    deepStrictEqual(await idsOf(store, {}), [kept]);
    deepStrictEqual(
      (await store.list({ of: "customers" })).items.map(({ customer_id }) => customer_id),
      ["crm-2"],
    );
    deepStrictEqual(await store.entries({ owner_id }), []);
    await expectRefusal(store, { owner: { owner_id, name: "Ada" } }, { reason: "owner_missing" });
    await expectRefusal(store, { session: { session_id: doomed[0] ?? kept, fence: true } }, { reason: "session_missing" });
    await write(store, { owner: { owner_id, create: { customer_id: "crm-1" } } });
    const [again] = (await store.list({ of: "customers", customer_id: "crm-1" })).items;
    deepStrictEqual([again?.variables, again?.name, again?.version], [variables(0), null, 0]);
  }),
  check("an owner that is erased again gives the receipt of its erasure", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    await fullSession(store, owner_id);
    const receipt = await store.erase({ owner_id });
    expectReceipt(receipt, { sessions: 1, events: 5 });
    deepStrictEqual([await store.erase({ owner_id }), await store.erase({ owner_id })], [receipt, receipt]);
    strictEqual((await store.list({ of: "erasures" })).total, 1);
    const anonymous = await newOwner(store);
    const last = await store.erase({ session_id: await fullSession(store, anonymous) });
    deepStrictEqual(await store.erase({ owner_id: anonymous }), last, "its last session took it with it");
    const kept = await newOwner(store, "crm-2");
    await store.erase({ session_id: await fullSession(store, kept) });
    expectReceipt(await store.erase({ owner_id: kept }), { sessions: 0, events: 0 });
  }),
  check("a receipt that is kept for a time is gone after it, and others stay", async (store) => {
    const [owner_id, other] = [await newOwner(store, "crm-1"), await newOwner(store, "crm-2")];
    await fullSession(store, owner_id);
    expectReceipt(await store.erase({ owner_id, keep_ms: 0 }), { sessions: 1, events: 5 });
    deepStrictEqual(await store.erase({ owner_id }), { sessions: 0, events: 0 });
    strictEqual((await store.list({ of: "erasures" })).total, 0);
    const kept = await store.erase({ owner_id: other, keep_ms: 86_400_000 });
    deepStrictEqual(await store.erase({ owner_id: other, keep_ms: 0 }), kept, "the first one counts");
    deepStrictEqual((await store.list({ of: "erasures" })).items, [kept]);
    await expectError(store.erase({ owner_id, keep_ms: -1 }), "input.invalid");
  }),
  check("what is to be erased only at its head stays when something came, waits or runs", async (store) => {
    const session_id = await newSession(store, { owner_id: await newOwner(store, "crm-1") });
    const none = { sessions: 0, events: 0 };
    const headNow = async (): Promise<number> => (await store.open({ session_id }))?.head ?? -1;
    const before = await headNow();
    await ask(store, session_id);
    deepStrictEqual(await store.erase({ session_id, head: before }), none);
    deepStrictEqual(await store.erase({ session_id, head: await headNow() }), none, "a message waits");
    await append(store, session_id, { end_turns: [1] });
    deepStrictEqual(await store.erase({ session_id, head: before }), none);
    strictEqual((await store.list({ of: "erasures" })).total, 0);
    const head = await headNow();
    const all = await store.load({ session_id });
    strictEqual(all?.session.head, head);
    expectReceipt(await store.erase({ session_id, head }), { sessions: 1, events: head + 1 });
    strictEqual(await store.open({ session_id }), undefined);
    deepStrictEqual(await store.erase({ session_id, head }), none);
    const lonely = await newSession(store, { owner_id: await newOwner(store) });
    deepStrictEqual(await store.erase({ session_id: lonely, head: 7 }), none);
    expectReceipt(await store.erase({ session_id: lonely, head: 0 }), { sessions: 1, events: 1 });
    await expectError(store.erase({ session_id, head: -1 }), "input.invalid");
  }),
  check("an anonymous owner goes with its last session", async (store) => {
    const owner_id = await newOwner(store);
    const [first, second] = [await newSession(store, { owner_id }), await newSession(store, { owner_id })];
    await write(store, { owner: { owner_id, entries: [fact("e")] } });
    await store.erase({ session_id: first });
    strictEqual((await store.entries({ owner_id })).length, 1);
    await store.erase({ session_id: second });
    deepStrictEqual(await store.entries({ owner_id }), []);
    await expectRefusal(store, { owner: { owner_id, name: "x" } }, { reason: "owner_missing" });
  }),
];

const migrations: readonly StoreCheck[] = [
  check("a store that is open is up to date", async (store) => {
    const { from, to, engine = "unnamed" } = await store.migrate();
    ok(to >= 1);
    strictEqual(from, to);
    ok(engine !== "", "An engine that is named has a name.");
  }),
];

export const listChecks: readonly StoreCheck[] = [...lists, ...erasures, ...migrations];

/** Returns an object of more than 2 MB, with characters of two and four bytes. `name` makes it distinct. */
const large = (name: string): JsonObject => ({ name, text: `${name} ${"é🌱".repeat(400_000)}` });

/** Compares values without printing megabytes. */
const same = (found: unknown, expected: unknown, what: string): void => strictEqual(JSON.stringify(found) === JSON.stringify(expected), true, what);

const checkpointed = async (store: Store, session_id: SessionId, name: string): Promise<number> =>
  (await append(store, session_id, { events: [event("state", { patch: [] })], checkpoint: large(name) })).head;

export const largeChecks: readonly StoreCheck[] = [
  check("a state of more than 2 MB is kept in events and checkpoints, in the past and in forks", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id, state: large("first") });
    same((await store.load({ session_id }))?.base.state, large("first"), "the state that it was created with");
    const one = await checkpointed(store, session_id, "one");
    const two = await checkpointed(store, session_id, "two");
    const { head: patched } = await append(store, session_id, {
      events: [event("state", { patch: [{ op: "add", path: "/a", value: large("a") }] })],
    });
    const loaded = await store.load({ session_id });
    same(loaded?.base.state, large("two"), "the newest checkpoint");
    same(
      loaded?.patches.map(({ data }) => data),
      [{ patch: [{ op: "add", path: "/a", value: large("a") }] }],
      "the patch after it",
    );
    same((await store.load({ session_id, at: one }))?.base.state, large("one"), "an earlier checkpoint");
    same(
      (await store.read({ session_id, min_offset: patched }))?.events[0]?.data,
      { patch: [{ op: "add", path: "/a", value: large("a") }] },
      "a page",
    );
    const fork = await forkOf(store, session_id, { at: two });
    await append(store, session_id, { cut: { first_offset: two, state: large("one") } });
    same((await store.load({ session_id: fork }))?.base.state, large("two"), "the fork's state");
    await store.erase({ session_id });
    same((await store.load({ session_id: fork }))?.base.state, large("two"), "the fork's state after the erasure of its origin");
  }),
  sessionCheck("a message of more than 2 MB and its metadata are kept, and replaced when it is redacted", async (store, session_id) => {
    const { head } = await append(store, session_id, { events: [message("a", { data: large("data"), metadata: large("metadata") })] });
    const [read] = (await store.read({ session_id, min_offset: head }))?.events ?? [];
    same([read?.data, read?.metadata], [large("data"), large("metadata")], "as it was written");
    same((await store.load({ session_id }))?.messages.at(-1)?.data, large("data"), "as it is loaded");
    await append(store, session_id, { redact: [{ offset: head, data: large("redacted") }] });
    const [redacted] = (await store.read({ session_id, min_offset: head }))?.events ?? [];
    same([redacted?.data, redacted?.metadata], [large("redacted"), undefined], "redacted");
    await append(store, session_id, { redact: [{ offset: head, data: {} }] });
    deepStrictEqual((await store.read({ session_id, min_offset: head }))?.events[0]?.data, {});
  }),
  check("memory, variables and records of more than 2 MB are kept, replaced and removed", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const kind = "report";
    for (const name of ["one", "two"]) {
      await write(store, {
        owner: { owner_id, entries: [fact("fact", large(name))], variables: [{ name: "v", value: large(name) }] },
        records: [{ kind, key: "k", data: large(name), owner_id }],
      });
    }
    same(
      (await store.entries({ owner_id })).map(({ data }) => data),
      [large("one"), large("two")],
      "entries",
    );
    const variables = async (version?: number): Promise<unknown> =>
      (await store.list({ of: "variables", owner_id, ...present({ version }) })).items[0]?.values["v"];
    same([await variables(1), await variables()], [large("one"), large("two")], "variables");
    same(
      (await store.list({ of: "records", kind })).items.map(({ data }) => data),
      [large("two")],
      "records",
    );
    await write(store, {
      owner: { owner_id, entries: [fact("fact", null)], variables: [{ name: "v", value: undefined }] },
      records: [{ kind, key: "k", data: null }],
    });
    deepStrictEqual(
      (await store.entries({ owner_id })).map(({ data }) => data),
      [null],
    );
    deepStrictEqual([await variables(), (await store.list({ of: "records", kind })).total], [undefined, 0]);
    same(await variables(2), large("two"), "a variable's past");
  }),
  check("entries of very many kinds are read together, in order", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const kinds = Array.from({ length: 130 }, (_, index) => `kind-${index}`);
    await write(store, { owner: { owner_id, entries: kinds.map((kind) => ({ entry_id: kind, kind, data: { kind } })) } });
    const found = async (newest: boolean): Promise<unknown> =>
      (await store.entries({ owner_id, kinds: kinds.toReversed(), limit: 3, ...(newest ? { newest } : {}) })).map((entry) => entry.kind);
    deepStrictEqual([await found(false), await found(true)], [kinds.slice(0, 3), kinds.slice(-3)]);
    strictEqual((await store.entries({ owner_id, kinds })).length, kinds.length);
    const labels = Array.from({ length: 130 }, (_, index) => `label-${index}`);
    const session_id = await newSession(store, { owner_id });
    await append(store, session_id, { header: { labels } });
    const total = async (query: { readonly labels?: readonly string[]; readonly without_labels?: readonly string[] }): Promise<number> =>
      (await store.list({ of: "sessions", ...query })).total;
    deepStrictEqual(
      [
        await total({ labels }),
        await total({ labels: [...labels, "other"] }),
        await total({ without_labels: labels }),
        await total({ without_labels: ["other"] }),
      ],
      [1, 0, 0, 1],
    );
  }),
];
