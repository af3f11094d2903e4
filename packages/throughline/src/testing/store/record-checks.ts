/** Checks of records, which the service stores, and of redaction, which replaces an event's data in place. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { systemClock } from "../../kernel/clock.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { RecordChange, RecordQuery, RecordRow, Store, StoredEvent } from "../../store/port.ts";
import {
  type StoreCheck,
  ids,
  someTime,
  check,
  sessionCheck,
  event,
  message,
  created,
  creation,
  commitOf,
  write,
  append,
  forkOf,
  forked,
  pagesOf,
  expectRefusal,
  expectError,
  expectInvalid,
  newOwner,
  newSession,
  offsetsOf,
} from "./fixtures.ts";

const kind = "job";

/** Returns a write of a record. */
const put = (key: string, data: JsonObject | null, rest: Partial<RecordChange> = {}): RecordChange => ({ kind, key, data, ...rest });

const find = async (store: Store, key: string, of = kind): Promise<RecordRow | undefined> =>
  (await store.list({ of: "records", kind: of, key })).items[0];

const keysOf = async (store: Store, query: Partial<RecordQuery> = {}): Promise<readonly string[]> =>
  (await store.list({ of: "records", kind, ...query })).items.map(({ key }) => key);

const stale = (key: string, version: number) => ({ reason: "stale_record", kind, key, version }) as const;

const writing: readonly StoreCheck[] = [
  check("a record is created, replaced and removed, with nothing left of what it was", async (store) => {
    const data = { text: "é\u0000😀 'quoted'", empty: "", n: 1.5, list: [null, { a: true }] };
    await write(store, { records: [put("a", data)] });
    deepStrictEqual(await find(store, "a"), { kind, key: "a", version: 1, data, created_at: someTime, updated_at: someTime });
    const expires_at = systemClock.now() + 60_000;
    await write(store, { at: someTime + 5, records: [put("a", { n: 2 }, { expires_at }), put("a", {}, { kind: "other" })] });
    const second = { kind, key: "a", version: 2, data: { n: 2 }, created_at: someTime, updated_at: someTime + 5 };
    deepStrictEqual(await find(store, "a"), { ...second, expires_at });
    await write(store, { at: someTime + 5, records: [put("a", { n: 2 })] });
    deepStrictEqual(await find(store, "a"), { ...second, version: 3 });
    await write(store, { records: [put("a", null), put("never", null)] });
    deepStrictEqual(await store.list({ of: "records", kind }), { items: [], next_cursor: null, total: 0 });
    strictEqual((await find(store, "a", "other"))?.version, 1);
    await write(store, { at: someTime + 9, records: [put("a", {}, { depends: { version: 0 } })] });
    deepStrictEqual(await find(store, "a"), { kind, key: "a", version: 1, data: {}, created_at: someTime + 9, updated_at: someTime + 9 });
  }),
  sessionCheck("a record's version decides who writes it, and with it the rest of the commit", async (store, session_id) => {
    await write(store, { records: [put("a", { n: 1 }, { depends: { version: 0 } })] });
    const session = { session_id, events: [message("not written")] };
    const other = put("b", {});
    await expectRefusal(store, { session, records: [other, put("a", {}, { depends: { version: 0 } })] }, stale("a", 1));
    await expectRefusal(store, { session, records: [other, put("a", {}, { depends: { version: 2 } })] }, stale("a", 1));
    await expectRefusal(store, { records: [other, put("a", null, { depends: { version: 7 } })] }, stale("a", 1));
    await expectRefusal(store, { records: [put("c", {}, { depends: { version: 3_000_000_000 } }), other] }, stale("c", 0));
    deepStrictEqual(await keysOf(store), ["a"]);
    await write(store, { session, records: [other, put("a", { n: 2 }, { depends: { version: 1 } })] });
    deepStrictEqual([await keysOf(store), (await find(store, "a"))?.version, await offsetsOf(store, session_id)], [["a", "b"], 2, [0, 1]]);
    await write(store, { records: [put("a", null, { depends: { version: 2 } })] });
    await expectRefusal(store, { records: [put("a", null, { depends: { version: 2 } })] }, stale("a", 0));
  }),
  check("a refused commit writes no record, and an owner, a session and records are written together", async (store) => {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    const records = [put("o", { n: 1 }, { owner_id }), put("s", { n: 2 }, { session_id })];
    const create = creation(owner_id);
    const all = { owner: { owner_id, create: {} }, session: { session_id, create, events: [created()] }, records };
    await expectRefusal(store, { ...all, session: { ...all.session, depends: { epoch: 1 } } }, { reason: "fenced", epoch: 0 });
    await expectRefusal(store, { records: records.slice(0, 1) }, { reason: "owner_missing" });
    await expectRefusal(store, { owner: all.owner, records: records.slice(1) }, { reason: "session_missing" });
    deepStrictEqual(await keysOf(store), []);
    await write(store, all);
    deepStrictEqual([await keysOf(store), (await find(store, "o"))?.data, (await find(store, "s"))?.data], [["o", "s"], { n: 1 }, { n: 2 }]);
  }),
  check("a commit of records that is sent again writes nothing, also one that removed them", async (store) => {
    const first = commitOf({ records: [put("a", { n: 1 }), put("b", {})] });
    deepStrictEqual(await store.commit(first), { outcome: "committed", replayed: false });
    deepStrictEqual(await store.commit(first), { outcome: "committed", replayed: true });
    strictEqual((await find(store, "a"))?.version, 1);
    const counted = commitOf({ records: [put("a", { n: 2 }, { depends: { version: 1 } })] });
    await store.commit(counted);
    deepStrictEqual(await store.commit(counted), { outcome: "committed", replayed: true });
    const removal = commitOf({ records: [put("a", null, { depends: { version: 2 } })] });
    deepStrictEqual(
      [await store.commit(removal), await store.commit(removal)].map((result) => result.outcome === "committed" && result.replayed),
      [false, true],
    );
    const session_id = await newSession(store);
    const both = commitOf({ session: { session_id, events: [message("a")] }, records: [put("c", {})] });
    await store.commit(both);
    await write(store, { records: [put("c", { newer: true })] });
    deepStrictEqual(await store.commit(both), { outcome: "committed", replayed: true, session: { first_offset: 1, head: 1 } });
    deepStrictEqual((await find(store, "c"))?.data, { newer: true });
  }),
  check("a record that has expired is found by nobody, and its name is free", async (store) => {
    const soon = systemClock.now() + 150;
    await write(store, { records: [put("gone", {}, { expires_at: 1 }), put("soon", {}, { expires_at: soon }), put("stays", {})] });
    deepStrictEqual(await keysOf(store), ["soon", "stays"]);
    while (systemClock.now() <= soon) await systemClock.sleep(20);
    deepStrictEqual([await keysOf(store), (await store.list({ of: "records", kind, limit: 1 })).total], [["stays"], 1]);
    strictEqual(await find(store, "soon"), undefined);
    await write(store, { at: someTime + 1, records: [put("soon", { again: true }, { depends: { version: 0 } })] });
    deepStrictEqual(await find(store, "soon"), {
      ...{ kind, key: "soon", version: 1, data: { again: true } },
      ...{ created_at: someTime + 1, updated_at: someTime + 1 },
    });
    // Many more than one removal handles.
    const many = Array.from({ length: 40 }, (_, index) => put(`old-${index}`, {}, { expires_at: 2 }));
    await write(store, { records: many });
    for (let n = 0; n < 3; n++) await write(store, { records: [put("soon", { n })] });
    deepStrictEqual(await keysOf(store), ["soon", "stays"]);
  }),
  check("a record is kept so long at least from when it is written, whatever time its writer has set", async (store) => {
    const before = systemClock.now();
    await write(store, {
      records: [
        put("gone", {}, { keep_ms: 0 }),
        put("kept", {}, { expires_at: 1, keep_ms: 60_000 }),
        put("later", {}, { expires_at: 4e12, keep_ms: 1 }),
      ],
    });
    deepStrictEqual(await keysOf(store), ["kept", "later"]);
    strictEqual((await find(store, "later"))?.expires_at, 4e12);
    const end = (await find(store, "kept"))?.expires_at ?? 0;
    ok(end >= before + 60_000 && end <= systemClock.now() + 60_000, `kept until ${end}`);
  }),
  check("what no store could keep as a record is refused", async (store) => {
    for (const change of [
      { kind: "" },
      { kind: "k".repeat(41) },
      { key: "" },
      { key: "k".repeat(201) },
      { key: "a\u0000" },
      { key: "\ud800" },
      { data: [] as never },
      { data: "text" as never },
      { depends: { version: -1 } },
      { expires_at: 1.5 },
      { keep_ms: -1 },
      { owner_id: "" as never },
    ])
      await expectInvalid(store, { records: [put("a", {}, change)] });
    await expectInvalid(store, { records: [put("a", {}), put("a", {})] });
    await expectInvalid(store, { records: [] });
    await expectError(store.list({ of: "records", kind: "" }), "input.invalid");
    strictEqual((await store.list({ of: "records", kind })).total, 0);
  }),
];

const listing: readonly StoreCheck[] = [
  check("records are listed by key, by code points, a page at a time", async (store) => {
    const keys = ["A", "B", "a", "a/1", "a/1/x", "a/2", "a0", "b", "é", "\ud7ff", "\uffff", "😀", "\u{10ffff}"];
    await write(store, { records: keys.toReversed().map((key) => put(key, {})) });
    await write(store, { records: [put("a/3", {}, { kind: "another" })] });
    deepStrictEqual(await keysOf(store), keys);
    for (const order of ["asc", "desc"] as const) {
      const pages = await pagesOf(store, { of: "records", kind, order, limit: 4 });
      for (const { total } of pages) strictEqual(total, keys.length);
      const found = pages.flatMap(({ items }) => items.map(({ key }) => key));
      deepStrictEqual(found, order === "asc" ? keys : keys.toReversed());
    }
    const { next_cursor } = await store.list({ of: "records", kind, limit: 1 });
    ok(next_cursor !== null);
    await expectError(store.list({ of: "records", kind, order: "desc", cursor: next_cursor }), "cursor.invalid");
    await expectError(store.list({ of: "sessions", cursor: next_cursor }), "cursor.invalid");
  }),
  check("records are found by the session that they go with", async (store) => {
    const [one, other] = [await newSession(store), await newSession(store)];
    const of = (key: string, session_id: typeof one): RecordChange => put(key, {}, { session_id });
    await write(store, { records: [of("b", one), of("a", one), of("c", other), put("d", {}), { ...of("e", one), kind: "other" }] });
    deepStrictEqual(await keysOf(store, { session_id: one }), ["a", "b"]);
    deepStrictEqual(await keysOf(store, { session_id: one, prefix: "b" }), ["b"]);
    const { next_cursor, total } = await store.list({ of: "records", kind, session_id: one, limit: 1 });
    deepStrictEqual([await keysOf(store, { session_id: one, ...(next_cursor === null ? {} : { cursor: next_cursor }) }), total], [["b"], 2]);
    await write(store, { records: [put("a", null)] });
    deepStrictEqual(await keysOf(store, { session_id: one }), ["b"]);
    const { items } = await store.list({ of: "records", kind, session_id: "ses_00000000000000000000000000" as typeof one });
    deepStrictEqual(items, []);
    await expectError(store.list({ of: "records", kind, session_id: "" as typeof one }), "input.invalid");
  }),
  check("records are found by what their keys begin with", async (store) => {
    const keys = ["%", "a", "a%b", "a/1", "a/2", "a0", "a_b", "\ud7ff", "\ue000", "\u{10ffff}", "\u{10ffff}x"];
    await write(store, { records: keys.map((key) => put(key, {})) });
    for (const prefix of ["", "a", "a/", "a%", "a_", "\ud7ff", "\ue000", "\u{10ffff}", "\u{10ffff}x", "z", "A", "\ud800", "a\u0000"]) {
      const expected = keys.filter((key) => key.startsWith(prefix));
      deepStrictEqual([...(await keysOf(store, { prefix }))].toSorted(), expected.toSorted(), JSON.stringify(prefix));
      strictEqual((await store.list({ of: "records", kind, prefix, limit: 1 })).total, expected.length);
    }
    deepStrictEqual(await keysOf(store, { prefix: "a", key: "a/1" }), ["a/1"]);
    deepStrictEqual(await keysOf(store, { prefix: "b", key: "a/1" }), []);
    const page = await store.list({ of: "records", kind, prefix: "a", limit: 2 });
    deepStrictEqual(await keysOf(store, { prefix: "a", ...(page.next_cursor === null ? {} : { cursor: page.next_cursor }) }), [
      "a/1",
      "a/2",
      "a0",
      "a_b",
    ]);
  }),
];

const belonging: readonly StoreCheck[] = [
  check("records go with the session or the owner that they belong to", async (store) => {
    const [ada, bob] = [await newOwner(store, "crm-1"), await newOwner(store, "crm-2")];
    const [doomed, kept] = [await newSession(store, { owner_id: ada }), await newSession(store, { owner_id: ada })];
    await write(store, {
      records: [
        put("nobody", {}),
        put("ada", {}, { owner_id: ada }),
        put("bob", {}, { owner_id: bob }),
        put("doomed", {}, { session_id: doomed }),
        put("kept", {}, { session_id: kept }),
        put("both", {}, { session_id: doomed, owner_id: bob }),
      ],
    });
    // The last change of a record decides its owner.
    await write(store, { records: [put("moved", {}, { session_id: doomed })] });
    await write(store, { records: [put("moved", {})] });
    await store.erase({ session_id: doomed });
    deepStrictEqual(await keysOf(store), ["ada", "bob", "kept", "moved", "nobody"]);
    await write(store, { records: [put("doomed", {}, { depends: { version: 0 } })] });
    await expectRefusal(store, { records: [put("late", {}, { session_id: doomed })] }, { reason: "session_missing" });
    await store.erase({ owner_id: ada });
    deepStrictEqual(await keysOf(store), ["bob", "doomed", "moved", "nobody"]);
    await expectRefusal(store, { records: [put("late", {}, { owner_id: ada })] }, { reason: "owner_missing" });
  }),
  check("records of an anonymous owner go with its last session, or over to the customer", async (store) => {
    const [first, second] = [await newOwner(store), await newOwner(store)];
    const [gone, given] = [await newSession(store, { owner_id: first }), await newSession(store, { owner_id: second })];
    await write(store, { records: [put("gone", {}, { owner_id: first }), put("given", { n: 1 }, { owner_id: second })] });
    await write(store, { records: [put("session", { n: 2 }, { session_id: given })] });
    await store.erase({ session_id: gone });
    const owner_id = await newOwner(store, "crm-1");
    await write(store, { session: { session_id: given, owner_id }, records: [put("now", { n: 3 }, { owner_id: second })] });
    deepStrictEqual(
      (await store.list({ of: "records", kind })).items.map(({ key, data }) => [key, data]),
      [
        ["given", { n: 1 }],
        ["now", { n: 3 }],
        ["session", { n: 2 }],
      ],
    );
    await append(store, given, { events: [message("still there")] });
    await store.erase({ owner_id });
    deepStrictEqual(await keysOf(store), []);
  }),
];

export const recordChecks: readonly StoreCheck[] = [...writing, ...listing, ...belonging];

const gone: JsonObject = { role: "user", parts: [], redacted: true };

/** Returns every event of the session's log, withdrawn or not. */
async function logOf(store: Store, session_id: SessionId): Promise<readonly StoredEvent[]> {
  return (await store.read({ session_id, withdrawn: true }))?.events ?? [];
}

/** Returns the offsets of redacted events. */
const redactedIn = async (store: Store, session_id: SessionId): Promise<readonly number[]> =>
  (await logOf(store, session_id)).filter(({ data }) => data["redacted"] === true).map(({ offset }) => offset);

const fork = (store: Store, parent: SessionId, at: number): Promise<SessionId> =>
  forkOf(store, parent, { at, events: [forked(at), message("its own")] });

/** Creates a log of four events: 0 created, then three messages with metadata. */
async function threeMessages(store: Store): Promise<SessionId> {
  const session_id = await newSession(store, { owner_id: await newOwner(store) });
  await append(store, session_id, { events: ["a", "b", "c"].map((text) => message(text, { metadata: { note: text } })) });
  return session_id;
}

/** Checks of redaction: it happens in place, affects all sessions that share the event, and can be repeated. */
export const redactionChecks: readonly StoreCheck[] = [
  check("a redacted event is what it was but for its data and metadata", async (store) => {
    const session_id = await threeMessages(store);
    const before = await logOf(store, session_id);
    await append(store, session_id, { redact: [{ offset: 2, data: gone }] });
    const expected = before.map(({ metadata, ...rest }) =>
      rest.offset === 2 ? { ...rest, data: gone } : { ...rest, ...(metadata && { metadata }) },
    );
    deepStrictEqual(await logOf(store, session_id), expected);
    const loaded = await store.load({ session_id });
    deepStrictEqual(loaded?.messages, expected.slice(1));
    deepStrictEqual([loaded.session.head, loaded.session.version, loaded.session.state_offset], [3, 0, 0]);
  }),
  check("what the log does not hold is passed over, and what was redacted is redacted again", async (store) => {
    const session_id = await threeMessages(store);
    const redact = [4, 99, 3_000_000_000, 1].map((offset) => ({ offset, data: gone }));
    await append(store, session_id, { redact, events: [message("d")] });
    deepStrictEqual(await redactedIn(store, session_id), [1], "the commit's own events were not there before it");
    await append(store, session_id, { redact });
    deepStrictEqual(await redactedIn(store, session_id), [1, 4]);
    await append(store, session_id, { redact: [...redact, { offset: 1, data: { ...gone, last: true } }] });
    strictEqual((await logOf(store, session_id))[1]?.data["last"], true, "the last of several counts");
    await append(store, session_id, { cut: { first_offset: 3, state: {} } });
    await append(store, session_id, {
      redact: [
        { offset: 2, data: gone },
        { offset: 3, data: gone },
      ],
    });
    deepStrictEqual(await redactedIn(store, session_id), [3, 4]);
  }),
  check("what was withdrawn is redacted too, and stays withdrawn", async (store) => {
    const session_id = await threeMessages(store);
    await append(store, session_id, { events: [event("session", { type: "withdrawn", from: 2 })], withdraw_from: 2 });
    await append(store, session_id, { redact: [{ offset: 3, data: gone }] });
    deepStrictEqual(await redactedIn(store, session_id), [3]);
    deepStrictEqual(
      (await store.read({ session_id }))?.events.map(({ offset }) => offset),
      [0, 1, 4],
    );
  }),
  check("a refused commit redacts nothing, and one that creates a session cannot redact", async (store) => {
    const session_id = await threeMessages(store);
    const redact = [{ offset: 1, data: gone }];
    await expectRefusal(store, { session: { session_id, redact, depends: { head: 2 } } }, { reason: "stale_head", head: 3 });
    deepStrictEqual(await redactedIn(store, session_id), []);
    await expectError(append(store, session_id, { redact: [{ offset: -1, data: gone }] }), "input.invalid");
    await expectError(append(store, session_id, { redact: [{ offset: 1, data: null as never }] }), "input.invalid");
    const [other, owner_id] = [ids.next("session"), await newOwner(store)];
    const create = creation(owner_id);
    await expectError(append(store, other, { create, events: [created()], redact }), "input.invalid");
  }),
  check("whoever shares a redacted event sees it so, whichever session it was redacted in", async (store) => {
    const parent = await threeMessages(store);
    const [first, second] = [await fork(store, parent, 2), await fork(store, parent, 3)];
    const third = await fork(store, first, 4);
    await append(store, first, { redact: [1, 3, 4].map((offset) => ({ offset, data: gone })) });
    deepStrictEqual(await redactedIn(store, parent), [1]);
    deepStrictEqual(await redactedIn(store, first), [1, 3, 4]);
    deepStrictEqual(await redactedIn(store, second), [1], "the first fork's own events are not the second one's");
    deepStrictEqual(await redactedIn(store, third), [1, 3, 4]);
    await append(store, parent, { redact: [{ offset: 3, data: gone }] });
    deepStrictEqual(await redactedIn(store, second), [1, 3]);
    ok((await logOf(store, third)).every(({ offset, metadata }) => offset !== 1 || metadata === undefined));
  }),
  check("what a deleted session wrote is redacted for those who share it", async (store) => {
    const parent = await threeMessages(store);
    const [first, second] = [await fork(store, parent, 3), await fork(store, parent, 2)];
    await store.erase({ session_id: parent });
    await append(store, first, {
      redact: [
        { offset: 2, data: gone },
        { offset: 3, data: gone },
      ],
    });
    deepStrictEqual(await redactedIn(store, first), [2, 3]);
    deepStrictEqual(await redactedIn(store, second), [2]);
  }),
  check("a session that was given to a customer is redacted as any other, and whoever waits is told of the commit", async (store) => {
    const session_id = await threeMessages(store);
    const customer = await newOwner(store, "crm-1");
    await append(store, session_id, { owner_id: customer, events: [event("session", { type: "identified" })] });
    const heard = store.watch(session_id, 4, AbortSignal.timeout(5_000));
    await append(store, session_id, { redact: [{ offset: 1, data: gone }], events: [event("session", { type: "redacted", offsets: [1] })] });
    strictEqual(await heard, 5);
    deepStrictEqual(await redactedIn(store, session_id), [1]);
  }),
];
