/** Checks of variables: their times and marks, what they were, and those of a session or an agent alone. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import { type OwnerChange, type Store, type VariablesQuery, type VariablesRow, agentOwnerId, sessionOwnerId } from "../../store/port.ts";
import {
  type StoreCheck,
  append,
  check,
  commitOf,
  created,
  expectError,
  expectRefusal,
  ids,
  message,
  newOwner,
  newSession,
  someTime,
  variables,
  write,
} from "./fixtures.ts";

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
    await expectError(store.commit(commitOf({ owner: { owner_id, checked: [{ name: "", stale: true }] } })), "input.invalid");
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

/** What a turn of a session begins with. */
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
    const create = { owner_id, agent: "diary", agent_version: 1 };
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
  check("what belongs to a session or an agent alone is no customer, and has no sessions", async (store) => {
    const session_id = await newSession(store);
    const own = sessionOwnerId(session_id);
    await expectError(store.commit(commitOf({ owner: { owner_id: own, create: { customer_id: "crm-1" } } })), "input.invalid");
    const create = { owner_id: agentOwnerId("diary"), agent: "diary", agent_version: 1 };
    await expectError(store.commit(commitOf({ session: { session_id: ids.next("session"), create, events: [created()] } })), "input.invalid");
    await expectError(store.commit(commitOf({ session: { session_id, owner_id: own } })), "input.invalid");
  }),
];

export const variableChecks: readonly StoreCheck[] = [...marks, ...scopes];
