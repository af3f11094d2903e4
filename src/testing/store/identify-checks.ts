/** Checks of what happens to an anonymous owner whose sessions are given to a customer. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { OwnerId, SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import {
  type StoreCheck,
  append,
  check,
  event,
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

/** An anonymous session with a message, a title, a variable and an entry of its own. */
async function anonymous(store: Store): Promise<{ readonly owner_id: OwnerId; readonly session_id: SessionId }> {
  const owner_id = await newOwner(store);
  const session_id = await newSession(store, { owner_id, create: { open_key: `key of ${owner_id}` }, header: { title: "Before", labels: ["l"] } });
  await append(store, session_id, {
    events: [message("hello"), event("state", { patch: [] })],
    idempotency: { key: "k", body_hash: "b" },
    checkpoint: { n: 1 },
  });
  await write(store, {
    owner: { owner_id, variables: [{ name: "tier", value: 1 }], entries: [{ entry_id: "e", kind: "fact", data: { of: "anonymous" } }] },
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
      entries: [{ entry_id: "e", kind: "fact", data: { of: "anonymous" } }],
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
    const create = { owner_id: ada, agent: "diary", agent_version: 1 };
    const wrong = { commit_id: "c", at: someTime, session: { session_id: ids.next("session"), create, owner_id: bob, events: [event("session")] } };
    strictEqual((await expectError(store.commit(wrong), "input.invalid")).details["path"], "session.owner_id");
  }),

  check("a session is given away as its owner was seen, or not at all", async (store) => {
    const customer = await newOwner(store, "crm-7");
    const { owner_id, session_id } = await anonymous(store);
    const version = (await store.open({ session_id }))?.owner_version ?? -1;
    await write(store, { owner: { owner_id, entries: [{ entry_id: "f", kind: "fact", data: {} }] } });
    const change = { session_id, owner_id: customer, depends: { owner_version: version }, events: [identified] };
    await expectRefusal(store, { session: change }, { reason: "stale_version", version: version + 1 });
    await expectRefusal(
      store,
      { owner: { owner_id: customer, depends: { version: 9 }, name: "Ada" }, session: { ...change, depends: {} } },
      { reason: "stale_version", version: 0 },
    );
    strictEqual((await store.open({ session_id }))?.customer_id, undefined);
    await append(store, session_id, { ...change, depends: { owner_version: version + 1 } });
    // It is the customer's version now.
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
