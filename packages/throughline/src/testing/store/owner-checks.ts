/** Checks of an owner's data: variables, memory entries, and their merge when an anonymous owner is identified. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import {
  agentOwnerId,
  type EntriesRequest,
  type EntryRow,
  type OwnerChange,
  sessionOwnerId,
  type Store,
  type VariablesQuery,
  type VariablesRow,
} from "../../store/port.ts";
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
  fact,
  variables,
  write,
  append,
  expectRefusal,
  expectError,
  expectInvalid,
  newOwner,
  newSession,
} from "./fixtures.ts";

/** Creates an anonymous session with a message, a title, a variable and an entry. */
async function anonymous(store: Store): Promise<{ readonly owner_id: OwnerId; readonly session_id: SessionId }> {
  const owner_id = await newOwner(store);
  const session_id = await newSession(store, { owner_id, create: { open_key: `key of ${owner_id}` }, header: { title: "Before", labels: ["l"] } });
  await append(store, session_id, {
    events: [message("hello"), event("state", { patch: [] })],
    idempotency: { key: "k", body_hash: "b" },
    checkpoint: { n: 1 },
  });
  await write(store, {
    owner: { owner_id, variables: [{ name: "tier", value: 1 }], entries: [fact("e", { of: "anonymous" })] },
  });
  return { owner_id, session_id };
}

const identified = event("session", { type: "identified", customer_id: "crm-7" }, { source: "system" });

export const identifyChecks: readonly StoreCheck[] = [
  check("a session that is given to a customer is theirs, with all that was written before", async (store) => {
    const customer = await newOwner(store, "crm-7");
    await write(store, { owner: { owner_id: customer, name: "Ada", variables: [{ name: "plan", value: "gold" }] } });
    const { owner_id, session_id } = await anonymous(store);
    const other = await newSession(store, { owner_id });
    const before = await store.read({ session_id });
    await append(store, session_id, { owner_id: customer, events: [identified] });

    const loaded = await store.load({ session_id });
    ok(loaded !== undefined, "the session is gone");
    const { session, base, variables, messages } = loaded;
    deepStrictEqual(
      [session.owner_id, session.customer_id, session.customer_name, session.title, session.labels, session.epoch],
      [customer, "crm-7", "Ada", "Before", ["l"], 0],
    );
    deepStrictEqual([base.state, variables.values, messages.length], [{ n: 1 }, { plan: "gold" }, 1]);
    deepStrictEqual((await store.read({ session_id }))?.events.slice(0, -1), before?.events);
    deepStrictEqual((await store.open({ session_id: other }))?.customer_id, "crm-7");
    deepStrictEqual((await store.open({ open_key: `key of ${owner_id}` }))?.session_id, session_id);
    strictEqual((await store.list({ of: "sessions", owner_id: customer })).total, 2);
    strictEqual((await store.list({ of: "sessions", owner_id: customer, labels: ["l"] })).total, 1);

    strictEqual((await store.list({ of: "sessions", owner_id })).total, 0);
    deepStrictEqual(await store.entries({ owner_id }), []);
    await expectRefusal(store, { owner: { owner_id, name: "Nobody" } }, { reason: "owner_missing" });
    await expectRefusal(
      store,
      { session: { session_id, events: [message("again")], idempotency: { key: "k", body_hash: "c" } } },
      { reason: "key_used", offset: 2, body_hash: "b" },
    );
    await append(store, other, { events: [message("still here")], header: { title: "After" } });
    strictEqual((await store.open({ session_id: other }))?.title, "After");
  }),

  check("one commit creates the customer, gives it a session and writes what it carries", async (store) => {
    const { session_id } = await anonymous(store);
    const owner_version = (await store.open({ session_id }))?.owner_version ?? -1;
    const customer = ids.next("owner");
    const owner = {
      owner_id: customer,
      create: { customer_id: "crm-9" },
      variables: [{ name: "tier", value: 1 }],
      entries: [fact("e", { of: "anonymous" })],
    };
    await write(store, { owner, session: { session_id, owner_id: customer, depends: { owner_version }, events: [identified] } });
    deepStrictEqual((await store.load({ session_id }))?.variables, variables(1, { tier: 1 }));
    deepStrictEqual(await store.entries({ owner_id: customer }), [
      { version: 1, entry_id: "e", kind: "fact", data: { of: "anonymous" }, created_at: someTime },
    ]);
    const [row] = (await store.list({ of: "customers", customer_id: "crm-9" })).items;
    deepStrictEqual([row?.owner_id, row?.version], [customer, 1]);
  }),

  check("only an anonymous session is given away, and only to a customer who is there", async (store) => {
    const [ada, bob] = [await newOwner(store, "ada"), await newOwner(store, "bob")];
    const { owner_id, session_id } = await anonymous(store);
    const stranger = await newOwner(store);
    const events = [identified];
    for (const to of [ids.next("owner"), stranger, owner_id])
      await expectRefusal(store, { session: { session_id, owner_id: to, events } }, { reason: "owner_missing" });
    await expectRefusal(store, { session: { session_id: ids.next("session"), owner_id: ada, events } }, { reason: "session_missing" });
    await append(store, session_id, { owner_id: ada, events });
    for (const to of [ada, bob])
      await expectRefusal(store, { session: { session_id, owner_id: to, events } }, { reason: "not_anonymous", owner_id: ada });
    const create = creation(ada);
    const wrong = { commit_id: "c", at: someTime, session: { session_id: ids.next("session"), create, owner_id: bob, events: [event("session")] } };
    strictEqual((await expectError(store.commit(wrong), "input.invalid")).details["path"], "session.owner_id");
  }),

  check("a session is given away as its owner was seen, or not at all", async (store) => {
    const customer = await newOwner(store, "crm-7");
    const { owner_id, session_id } = await anonymous(store);
    const version = (await store.open({ session_id }))?.owner_version ?? -1;
    await write(store, { owner: { owner_id, entries: [fact("f")] } });
    const change = { session_id, owner_id: customer, depends: { owner_version: version }, events: [identified] };
    await expectRefusal(store, { session: change }, { reason: "stale_version", version: version + 1 });
    await expectRefusal(
      store,
      { owner: { owner_id: customer, depends: { version: 9 }, name: "Ada" }, session: { ...change, depends: {} } },
      { reason: "stale_version", version: 0 },
    );
    strictEqual((await store.open({ session_id }))?.customer_id, undefined);
    await append(store, session_id, { ...change, depends: { owner_version: version + 1 } });
    // This is now the customer's version.
    await append(store, session_id, { events: [message("x")], depends: { owner_version: 0 } });
    await expectRefusal(store, { session: { session_id, depends: { owner_version: 1 } } }, { reason: "stale_version", version: 0 });
  }),

  check("of two who identify a session at once, one does", async (store) => {
    const owners = await Promise.all(["ada", "bob", "cem"].map((customer) => newOwner(store, customer)));
    const { session_id } = await anonymous(store);
    const results = await Promise.all(
      owners.map((owner_id) =>
        store.commit({ commit_id: ids.next("commit"), at: someTime, session: { session_id, owner_id, events: [identified] } }),
      ),
    );
    const done = owners.filter((_owner, index) => results[index]?.outcome === "committed");
    strictEqual(done.length, 1);
    strictEqual((await store.open({ session_id }))?.owner_id, done[0]);
    deepStrictEqual(
      results.flatMap((result) => (result.outcome === "refused" ? [result] : [])),
      [1, 2].map(() => ({ outcome: "refused", reason: "not_anonymous", owner_id: done[0] })),
    );
  }),

  check("a lease and an open turn outlive the change of owner", async (store) => {
    const customer = await newOwner(store, "crm-7");
    const { session_id } = await anonymous(store);
    const trace_id = ids.trace();
    await append(store, session_id, { events: [message("hi", { turn: "queued", waiting: true })], queue: { cause: "message", trace_id } });
    const claim = await store.claim({ kind: "session", session_id, worker: "w", lease_ms: 60_000 });
    await append(store, session_id, { owner_id: customer, events: [identified] });
    await append(store, session_id, { depends: { epoch: claim?.epoch ?? -1 }, events: [event("turn", {}, { turn: 1 })], end_turns: [1] });
    deepStrictEqual((await store.load({ session_id }))?.turns, []);
  }),

  check("erasing the customer erases the sessions that were given to them", async (store) => {
    const customer = await newOwner(store, "crm-7");
    const { session_id } = await anonymous(store);
    await append(store, session_id, { owner_id: customer, events: [identified] });
    strictEqual((await store.erase({ owner_id: customer })).sessions, 1);
    strictEqual(await store.open({ session_id }), undefined);
    strictEqual((await store.list({ of: "customers" })).total, 0);
  }),
];

const set = (
  store: Store,
  owner_id: OwnerId,
  values: Readonly<Record<string, unknown>>,
  { at = someTime, ...rest }: Partial<OwnerChange> & { readonly at?: number } = {},
): Promise<unknown> =>
  write(store, {
    at,
    owner: { owner_id, variables: Object.entries(values).map(([name, value]) => ({ name, value: value as never })), ...rest },
  });

async function find(store: Store, owner_id: OwnerId, query: Partial<VariablesQuery> = {}): Promise<VariablesRow | undefined> {
  const page = await store.list({ of: "variables", owner_id, ...query });
  deepStrictEqual([page.next_cursor, page.total, page.items.length <= 1], [null, page.items.length, true]);
  return page.items[0];
}

const marks: readonly StoreCheck[] = [
  check("a variable says when it was set or looked at, and whether it could not be", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id });
    await set(store, owner_id, { a: 1, b: 2 }, { at: 10 });
    await set(store, owner_id, { b: 3, c: null }, { at: 20 });
    const first = { version: 2, values: { a: 1, b: 3, c: null }, checked: { a: 10, b: 20, c: 20 }, stale: [] };
    deepStrictEqual((await store.load({ session_id }))?.variables, first);
    const checked = [
      { name: "a", stale: false },
      { name: "b", stale: true },
      { name: "never", stale: true },
    ];
    await write(store, { at: 30, owner: { owner_id, checked } });
    const second = { ...first, checked: { a: 30, b: 20, c: 20 }, stale: ["b"] };
    deepStrictEqual((await store.load({ session_id }))?.variables, second);
    const [customer] = (await store.list({ of: "customers" })).items;
    deepStrictEqual([customer?.variables, customer?.version], [second, 2], "looking raises no version");
    await write(store, {
      at: 40,
      owner: {
        owner_id,
        depends: { version: 2 },
        checked: [
          { name: "b", stale: false },
          { name: "c", stale: true },
        ],
      },
    });
    deepStrictEqual(await find(store, owner_id), { ...first, checked: { a: 30, b: 40, c: 20 }, stale: ["c"] });
    await set(store, owner_id, { c: null, b: undefined }, { at: 50 });
    deepStrictEqual(await find(store, owner_id), { version: 3, values: { a: 1, c: null }, checked: { a: 30, c: 50 }, stale: [] });
    await write(store, { at: 60, owner: { owner_id, checked: [{ name: "b", stale: true }] } });
    deepStrictEqual((await find(store, owner_id))?.stale, [], "what is unset has no mark");
  }),
  check("a variable that is set and looked at in one commit is set first", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    await set(
      store,
      owner_id,
      { a: 1 },
      {
        at: 10,
        checked: [
          { name: "a", stale: false },
          { name: "a", stale: true },
        ],
      },
    );
    deepStrictEqual(await find(store, owner_id), { version: 1, values: { a: 1 }, checked: { a: 10 }, stale: ["a"] });
    await expectInvalid(store, { owner: { owner_id, checked: [{ name: "", stale: true }] } });
  }),
  check("variables are read as they were, at a version or a time", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    deepStrictEqual([await find(store, owner_id), await find(store, ids.next("owner"))], [variables(0), undefined]);
    await set(store, owner_id, { a: 1, b: "é\u0000" }, { at: 10 });
    await set(store, owner_id, { a: undefined }, { at: 20 });
    await set(store, owner_id, { a: { deep: [2] }, c: true }, { at: 20 });
    await set(store, owner_id, { b: undefined }, { at: 40 });
    const then: readonly VariablesRow[] = [
      variables(0),
      variables(1, { a: 1, b: "é\u0000" }, 10),
      variables(2, { b: "é\u0000" }, 10),
      { version: 3, values: { a: { deep: [2] }, b: "é\u0000", c: true }, checked: { a: 20, b: 10, c: 20 }, stale: [] },
      variables(4, { a: { deep: [2] }, c: true }, 20),
    ];
    for (const [version, row] of then.entries()) deepStrictEqual(await find(store, owner_id, { version }), row);
    for (const [at, version] of [
      [9, 0],
      [10, 1],
      [19, 1],
      [20, 3],
      [39, 3],
      [40, 4],
      [someTime, 4],
    ] as const)
      deepStrictEqual(await find(store, owner_id, { at }), then[version], `at ${at}`);
    deepStrictEqual(await find(store, owner_id, { at: 39, version: 2 }), then[2]);
    deepStrictEqual(await find(store, owner_id, { at: 10, version: 2 }), then[1]);
    deepStrictEqual(await find(store, owner_id), then[4]);
    deepStrictEqual([await find(store, owner_id, { version: 5 }), await find(store, owner_id, { version: 5_000_000_000 })], [undefined, undefined]);
    for (const query of [{ version: -1 }, { at: 0.5 }, { owner_id: "" as OwnerId }])
      await expectError(store.list({ of: "variables", owner_id, ...query }), "input.invalid");
    await expectError(store.list({ of: "variables", owner_id, cursor: "x" }), "cursor.invalid");
  }),
];

/** Returns the variables with which a turn of a session starts. */
async function scopesOf(store: Store, session_id: SessionId): Promise<readonly (VariablesRow | undefined)[]> {
  const loaded = await store.load({ session_id });
  ok(loaded !== undefined);
  return [loaded.variables, loaded.session_variables, loaded.agent_variables];
}

const scopes: readonly StoreCheck[] = [
  check("a load brings the variables of the customer, of the session and of the agent", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const [session_id, other] = [await newSession(store, { owner_id }), await newSession(store, { owner_id, create: { agent: "other" } })];
    deepStrictEqual(await scopesOf(store, session_id), [variables(0), variables(0), variables(0)]);
    await set(store, sessionOwnerId(session_id), { name: "session" }, { at: 1, create: {} });
    await set(store, agentOwnerId("diary"), { name: "agent", more: 1 }, { at: 2, create: {} });
    await set(store, owner_id, { name: "customer" }, { at: 3 });
    await set(store, agentOwnerId("diary"), { more: undefined }, { at: 4 });
    const [customer, agent] = [variables(1, { name: "customer" }, 3), variables(2, { name: "agent" }, 2)];
    deepStrictEqual(await scopesOf(store, session_id), [customer, variables(1, { name: "session" }, 1), agent]);
    deepStrictEqual(await scopesOf(store, other), [customer, variables(0), variables(0)]);
    deepStrictEqual(await find(store, sessionOwnerId(session_id)), variables(1, { name: "session" }, 1));
    await expectRefusal(store, { owner: { owner_id: agentOwnerId("diary"), create: {} } }, { reason: "owner_exists" });
    await expectRefusal(store, { owner: { owner_id: sessionOwnerId(other), name: "x" } }, { reason: "owner_missing" });
    deepStrictEqual(
      (await store.list({ of: "customers" })).items.map((row) => row.customer_id),
      ["crm-1"],
    );
  }),
  check("what a session alone has comes and goes with it", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = ids.next("session");
    const own = sessionOwnerId(session_id);
    const owner: OwnerChange = { owner_id: own, create: {}, variables: [{ name: "a", value: 1 }] };
    await expectRefusal(store, { owner }, { reason: "session_missing" });
    const create = creation(owner_id);
    await write(store, { owner, session: { session_id, create, events: [created()] } });
    const kept = await newSession(store, { owner_id });
    await set(store, sessionOwnerId(kept), { a: 2 }, { create: {} });
    deepStrictEqual((await scopesOf(store, session_id))[1], variables(1, { a: 1 }));
    await store.erase({ session_id });
    deepStrictEqual([await find(store, own), (await scopesOf(store, kept))[1]], [undefined, variables(1, { a: 2 })]);
    await expectRefusal(store, { owner }, { reason: "session_missing" });
    await expectRefusal(store, { owner: { owner_id: own, name: "late" } }, { reason: "owner_missing" });
    await write(store, { session: { session_id, create, events: [created()] } });
    deepStrictEqual((await scopesOf(store, session_id))[1], variables(0));
    await write(store, { owner: { ...owner, variables: [{ name: "b", value: 3 }] } });
    deepStrictEqual((await scopesOf(store, session_id))[1], variables(1, { b: 3 }));
    await store.erase({ owner_id });
    deepStrictEqual([await find(store, own), await find(store, sessionOwnerId(kept))], [undefined, undefined]);
  }),
  check("what a session alone has stays with it when its customer is named, and goes with an anonymous owner", async (store) => {
    const [session_id, gone] = [await newSession(store), await newSession(store)];
    for (const one of [session_id, gone]) await set(store, sessionOwnerId(one), { a: 1 }, { create: {} });
    const owner_id = await newOwner(store, "crm-1");
    await append(store, session_id, { owner_id, events: [message("it is me")] });
    deepStrictEqual(await scopesOf(store, session_id), [variables(0), variables(1, { a: 1 }), variables(0)]);
    await store.erase({ session_id: gone });
    strictEqual(await find(store, sessionOwnerId(gone)), undefined);
    const fork = await newSession(store, { owner_id, create: { fork: { session_id, at: 0 } } });
    deepStrictEqual((await scopesOf(store, fork))[1], variables(0), "a fork has what its commit gives it");
    await store.erase({ session_id });
    deepStrictEqual([await find(store, sessionOwnerId(session_id)), (await store.read({ session_id: fork }))?.events.length], [undefined, 2]);
  }),
  sessionCheck("what belongs to a session or an agent alone is no customer, and has no sessions", async (store, session_id) => {
    const own = sessionOwnerId(session_id);
    await expectInvalid(store, { owner: { owner_id: own, create: { customer_id: "crm-1" } } });
    const create = creation(agentOwnerId("diary"));
    await expectInvalid(store, { session: { session_id: ids.next("session"), create, events: [created()] } });
    await expectInvalid(store, { session: { session_id, owner_id: own } });
  }),
];

export const variableChecks: readonly StoreCheck[] = [...marks, ...scopes];

/** Returns a write of an entry whose data is its number. Null removes the entry. */
const put = (entry_id: string, number: number | null, kind = "fact") => ({ entry_id, kind, data: number === null ? null : { number } });

/** Returns version, id and number of each row of an owner's memory. */
const numbers = (rows: readonly EntryRow[]): readonly unknown[] =>
  rows.map(({ version, entry_id, data }) => [version, entry_id, data && data["number"]]);

const remembered = async (store: Store, owner_id: OwnerId): Promise<readonly unknown[]> => numbers(await store.entries({ owner_id }));

/** Checks of entries: every version of existing entries in order, and only the removal of removed ones. */
export const memoryChecks: readonly StoreCheck[] = [
  check("memory entries are read by version, kind and id, in pages from either end", async (store) => {
    const [owner_id, other] = [await newOwner(store), await newOwner(store)];
    await write(store, {
      at: 5,
      owner: {
        owner_id,
        entries: [fact("a", { text: "x" }), { entry_id: "b", kind: "arc", data: {} }],
      },
    });
    await write(store, { at: 6, owner: { owner_id, entries: [fact("a", { text: "y" })] } });
    await write(store, { owner: { owner_id: other, entries: [fact("c")] } });
    const all = await store.entries({ owner_id });
    deepStrictEqual(all, [
      { version: 1, entry_id: "a", kind: "fact", data: { text: "x" }, created_at: 5 },
      { version: 2, entry_id: "b", kind: "arc", data: {}, created_at: 5 },
      { version: 3, entry_id: "a", kind: "fact", data: { text: "y" }, created_at: 6 },
    ]);
    const read = async (request: Omit<EntriesRequest, "owner_id">): Promise<readonly number[]> =>
      (await store.entries({ owner_id, ...request })).map(({ version }) => version);
    await write(store, { at: 7, owner: { owner_id, entries: [{ entry_id: "d", kind: "profile", data: {} }] } });
    const kinds = ["fact", "profile"];
    for (const [request, versions] of [
      [{ min_version: 3 }, [3, 4]],
      [{ min_version: 2, max_version: 3 }, [2, 3]],
      [{ min_version: 99 }, []],
      [{ limit: 2 }, [1, 2]],
      [{ limit: 2, newest: true }, [3, 4]],
      [{ limit: 2, newest: true, max_version: 2 }, [1, 2]],
      [{ kinds: ["fact"] }, [1, 3]],
      [{ kinds, limit: 2 }, [1, 3]],
      [{ kinds: ["fact", "fact", "arc"], min_version: 2 }, [2, 3]],
      [{ kinds, limit: 2, newest: true }, [3, 4]],
      [{ kinds: ["other"] }, []],
      [{ kinds: [] }, []],
      [{ entry_id: "a" }, [1, 3]],
      [{ entry_id: "a", kinds: ["arc", "fact"], limit: 1 }, [1]],
      [{ entry_id: "a", kinds: ["arc"] }, []],
      [{ entry_id: "c" }, []],
    ] as const)
      deepStrictEqual(await read(request), versions, JSON.stringify(request));
    for (const request of [{}, { kinds: ["fact"] }, { entry_id: "a" }])
      deepStrictEqual(await store.entries({ owner_id: ids.next("owner"), ...request }), []);
    for (const request of [{ limit: 0 }, { limit: 10_001 }, { min_version: -1 }, { kinds: [1 as never] }])
      await expectError(store.entries({ owner_id, ...request }), "input.invalid");
  }),
  check("an entry keeps all that it was, and one that is removed nothing", async (store) => {
    const [owner_id, other] = [await newOwner(store), await newOwner(store)];
    const entries = [put("a", 1), put("b", 2), put("a", 3)];
    await write(store, { owner: { owner_id, entries } });
    await write(store, { owner: { owner_id: other, entries } });
    deepStrictEqual(numbers(await store.entries({ owner_id, entry_id: "a" })), [
      [1, "a", 1],
      [3, "a", 3],
    ]);
    await write(store, { at: someTime + 1, owner: { owner_id, entries: [put("a", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [4, "a", null],
    ]);
    deepStrictEqual(await store.entries({ owner_id, entry_id: "a", kinds: ["fact"] }), [
      { version: 4, entry_id: "a", kind: "fact", data: null, created_at: someTime + 1 },
    ]);
    deepStrictEqual(
      await remembered(store, other),
      [
        [1, "a", 1],
        [2, "b", 2],
        [3, "a", 3],
      ],
      "another owner's memory is another one's",
    );
    await write(store, { owner: { owner_id, entries: [put("a", null), put("c", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [5, "a", null],
      [6, "c", null],
    ]);
    await write(store, { owner: { owner_id, entries: [put("a", 7)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [2, "b", 2],
      [5, "a", null],
      [6, "c", null],
      [7, "a", 7],
    ]);
  }),
  check("the entries of one commit are written one after the other", async (store) => {
    const owner_id = await newOwner(store);
    await write(store, { owner: { owner_id, entries: [put("a", 1), put("b", 2), put("a", null), put("a", 4), put("b", null)] } });
    deepStrictEqual(await remembered(store, owner_id), [
      [3, "a", null],
      [4, "a", 4],
      [5, "b", null],
    ]);
    await write(store, { owner: { owner_id, entries: [put("d", 6)] } });
    deepStrictEqual((await remembered(store, owner_id)).at(-1), [6, "d", 6]);
  }),
  check("entries are written with a session and records, or none of it is", async (store) => {
    const owner_id = await newOwner(store);
    const session_id = await newSession(store, { owner_id });
    const parts = (number: number, version: number) => ({
      owner: { owner_id, depends: { version }, entries: [put("a", number)] },
      session: { session_id, events: [message(`m${number}`)] },
      records: [{ kind: "answer", key: "k", data: { number }, depends: { version: number - 1 }, owner_id }],
    });
    await write(store, parts(1, 0));
    await expectRefusal(store, parts(2, 0), { reason: "stale_version", version: 1 });
    await expectRefusal(store, parts(5, 1), { reason: "stale_record", kind: "answer", key: "k", version: 1 });
    deepStrictEqual(await remembered(store, owner_id), [[1, "a", 1]]);
    await write(store, parts(2, 1));
    deepStrictEqual(await remembered(store, owner_id), [
      [1, "a", 1],
      [2, "a", 2],
    ]);
    deepStrictEqual(
      (await store.list({ of: "records", kind: "answer" })).items.map(({ data }) => data),
      [{ number: 2 }],
    );
    strictEqual((await store.open({ session_id }))?.head, 2);
    strictEqual((await store.open({ session_id }))?.owner_version, 2);
  }),
  check("of many who rest on one version of a memory one writes to it", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const commits = Array.from({ length: 5 }, (_, number) => ({
      ...{ commit_id: ids.next("commit"), at: someTime },
      owner: { owner_id, depends: { version: 0 }, entries: [put("a", number)] },
    }));
    const results = await Promise.all(commits.map((commit) => store.commit(commit)));
    deepStrictEqual(results.map(({ outcome }) => outcome).toSorted(), ["committed", "refused", "refused", "refused", "refused"]);
    strictEqual((await store.entries({ owner_id })).length, 1);
  }),
  sessionCheck("entries that belong to a session alone go with it", async (store, session_id) => {
    const owner_id = sessionOwnerId(session_id);
    await write(store, { owner: { owner_id, create: {}, entries: [put("a", 1)] } });
    deepStrictEqual(await remembered(store, owner_id), [[1, "a", 1]]);
    await store.erase({ session_id });
    deepStrictEqual(await remembered(store, owner_id), []);
  }),
];
