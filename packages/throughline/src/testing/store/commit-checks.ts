/** Checks of `commit`: written, refused and replayed commits. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { eventIdOf } from "../../kernel/id.ts";
import type { SessionChange } from "../../store/port.ts";
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
  created,
  queue,
  creation,
  fact,
  commitOf,
  write,
  append,
  expectRefusal,
  expectInvalid,
  newOwner,
  newSession,
  offsetsOf,
} from "./fixtures.ts";

const creations: readonly StoreCheck[] = [
  check("one commit creates an owner and its session", async (store) => {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    const result = await write(store, {
      owner: { owner_id, create: { customer_id: "crm-7" }, name: "Ada", metadata: { plan: "gold" }, variables: [{ name: "tier", value: 3 }] },
      session: {
        session_id,
        create: { owner_id, agent: "diary", agent_version: 2, open_key: "room-1" },
        events: [created({ mood: null })],
        header: { labels: ["x"] },
      },
    });
    deepStrictEqual(result, {
      ...{ outcome: "committed", replayed: false, session: { first_offset: 0, head: 0 } },
      left: { state_offset: 0, state_id: result.outcome === "committed" ? result.left?.state_id : "", open_turns: 0 },
    });
    const row = await store.open({ session_id });
    deepStrictEqual(row, {
      ...{
        session_id,
        owner_id,
        owner_version: 1,
        customer_id: "crm-7",
        customer_name: "Ada",
        agent: "diary",
        agent_version: 2,
        mode: "auto",
        title: null,
        metadata: {},
        labels: ["x"],
        consumers: {},
      },
      ...{ created_at: someTime, updated_at: someTime, head: 0, first_offset: 0, state_offset: 0, epoch: 0, version: 1, episode: 1, last_turn: 0 },
    });
    deepStrictEqual(await store.open({ open_key: "room-1" }), row);
    strictEqual(await store.open({ open_key: "room-2" }), undefined);
  }),
  check("a session of an anonymous owner has no customer id", async (store) => {
    const row = await store.open({ session_id: await newSession(store) });
    ok(row !== undefined && !("customer_id" in row));
  }),
  check("creating what exists is refused and names it", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id, create: { open_key: "k" } });
    const create = creation(owner_id);
    await expectRefusal(store, { owner: { owner_id, create: {} } }, { reason: "owner_exists" });
    await expectRefusal(store, { owner: { owner_id: ids.next("owner"), create: { customer_id: "crm-1" } } }, { reason: "owner_exists" });
    await expectRefusal(store, { session: { session_id, create, events: [created()] } }, { reason: "session_exists", session_id });
    const other = { session_id: ids.next("session"), create: { ...create, open_key: "k" }, events: [created()] };
    await expectRefusal(store, { session: other }, { reason: "session_exists", session_id });
    strictEqual(await store.open({ session_id: other.session_id }), undefined);
  }),
  check("a refused session leaves no owner behind", async (store) => {
    const session_id = await newSession(store, { create: { open_key: "k" } });
    const owner_id = ids.next("owner");
    const create = creation(owner_id, { open_key: "k" });
    const parts = {
      owner: { owner_id, create: { customer_id: "crm-9" } },
      session: { session_id: ids.next("session"), create, events: [created()] },
    };
    deepStrictEqual(await store.commit(commitOf(parts)), { outcome: "refused", reason: "session_exists", session_id });
    strictEqual((await store.list({ of: "customers", customer_id: "crm-9" })).total, 0);
  }),
  check("what does not exist is refused", async (store) => {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    await expectRefusal(store, { owner: { owner_id, name: "Ada" } }, { reason: "owner_missing" });
    await expectRefusal(store, { session: { session_id, events: [message("hi")] } }, { reason: "session_missing" });
    const create = creation(owner_id);
    await expectRefusal(store, { session: { session_id, create, events: [created()] } }, { reason: "owner_missing" });
  }),
];

const events: readonly StoreCheck[] = [
  sessionCheck("D16 an event reads back as it was written, whatever its text", async (store, session_id) => {
    const data = { z: 1, a: { "": "NUL \u0000, half a pair \ud800, 😀, \u2028", list: [null, true, -0.5, 1e21] }, "10": 1, "9": 2, __proto: [] };
    await append(store, session_id, { events: [event("custom", data, { version: 7, metadata: { note: "\u0000" }, source: "customer_ui" })] });
    const read = await store.read({ session_id, min_offset: 1 });
    const expected = {
      session_id,
      offset: 1,
      id: eventIdOf(session_id, 1),
      kind: "custom",
      source: "customer_ui",
      trace_id: trace,
      created_at: someTime,
      version: 7,
      data,
      metadata: { note: "\u0000" },
    };
    deepStrictEqual(read?.events, [expected]);
    strictEqual(JSON.stringify(read?.events[0]?.data), JSON.stringify(data));
    deepStrictEqual(await store.read({ session_id, min_offset: 1 }), read);
  }),
  check("D13 order is by offset even when the clock steps back", async (store) => {
    const session_id = await newSession(store, { at: 5000 });
    await append(store, session_id, { events: [message("late")] }, 9000);
    await append(store, session_id, { events: [message("early")] }, 1000);
    const read = await store.read({ session_id });
    deepStrictEqual(
      read?.events.map((stored) => [stored.offset, stored.created_at]),
      [
        [0, 5000],
        [1, 9000],
        [2, 1000],
      ],
    );
  }),
  sessionCheck("offsets of parallel commits are gapless and unique", async (store, session_id) => {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        append(store, session_id, { events: Array.from({ length: 1 + (index % 3) }, () => message(`m${index}`)) }),
      ),
    );
    const allotted = results.flatMap(({ first_offset, head }) => Array.from({ length: head - first_offset + 1 }, (_, index) => first_offset + index));
    const expected = Array.from({ length: allotted.length }, (_, index) => index + 1);
    deepStrictEqual(
      allotted.toSorted((left, right) => left - right),
      expected,
    );
    deepStrictEqual(await offsetsOf(store, session_id, { min_offset: 1, limit: 1000 }), expected);
  }),
  sessionCheck("a commit without events changes no offset and no time", async (store, session_id) => {
    const result = await append(store, session_id, { header: { title: "Monday" } }, someTime + 5);
    deepStrictEqual(result, { first_offset: 1, head: 0 });
    const row = await store.open({ session_id });
    deepStrictEqual([row?.head, row?.updated_at, row?.title, row?.version], [0, someTime, "Monday", 1]);
  }),
  check("a header changes only where it was given a value", async (store) => {
    const session_id = await newSession(store, { header: { title: "a", metadata: { b: 1 }, labels: ["l"], consumers: { inbox: 4 } } });
    await append(store, session_id, { header: { metadata: {} } });
    await append(store, session_id, { header: { title: null, mode: "manual", episode: 2, agent_version: 5 } });
    const row = await store.open({ session_id });
    deepStrictEqual([row?.title, row?.metadata, row?.labels, row?.consumers], [null, {}, ["l"], { inbox: 4 }]);
    deepStrictEqual([row?.mode, row?.episode, row?.agent_version, row?.version], ["manual", 2, 5, 3]);
    await append(store, session_id, { header: { episode: 3 } });
    strictEqual((await store.open({ session_id }))?.version, 3, "an episode is no change that a caller made");
  }),
  sessionCheck("the state offset follows the last state event", async (store, session_id) => {
    await append(store, session_id, { events: [event("state"), message("m"), event("state"), message("n")] });
    strictEqual((await store.open({ session_id }))?.state_offset, 3);
    await append(store, session_id, { events: [message("o")] });
    strictEqual((await store.open({ session_id }))?.state_offset, 3);
  }),
  sessionCheck("what no store could write is refused with its path", async (store, session_id) => {
    const wrong = [
      [{ events: [event("message", {}, { kind: "letter" as never })] }, "session.events[0].kind"],
      [{ events: [message("a"), event("message", {}, { source: "robot" as never })] }, "session.events[1].source"],
      [{ events: [message("a", { trace_id: "t" as never })] }, "session.events[0].trace_id"],
      [{ events: [message("a", { turn: 1 })] }, "session.events[0].turn"],
      [{ events: [message("a", { turn: "queued" })] }, "session.events[0].turn"],
      [{ events: [message("a")], start_turn: { number: 1, event: 1 } }, "session.start_turn.event"],
      [{ withdraw_from: -1 }, "session.withdraw_from"],
      [{ end_turns: [1, Number.NaN] }, "session.end_turns[1]"],
      [{ dequeue_turns: [0] }, "session.dequeue_turns[0]"],
      [{ depends: { epoch: 0.5 } }, "session.depends.epoch"],
      [{ header: { mode: "paused" as never } }, "session.header.mode"],
      [{ header: { title: 5 as never } }, "session.header.title"],
      [{ header: { metadata: ["m"] as never } }, "session.header.metadata"],
      [{ header: { labels: "l" as never } }, "session.header.labels"],
      [{ header: { consumers: null as never } }, "session.header.consumers"],
      [{ events: [event("state")], checkpoint: "{}" as never }, "session.checkpoint"],
    ] as const;
    for (const [change, path] of wrong) {
      const error = await expectInvalid(store, { session: { session_id, ...change } });
      strictEqual(error.details["path"], path);
    }
    const owner_id = await newOwner(store);
    const wrongOwners = [
      [{ name: 5 as never }, "owner.name"],
      [{ metadata: "m" as never }, "owner.metadata"],
      [{ entries: [fact("e", "d" as never)] }, "owner.entries[0].data"],
    ] as const;
    for (const [change, path] of wrongOwners) {
      const error = await expectInvalid(store, { owner: { owner_id, ...change } });
      strictEqual(error.details["path"], path);
    }
    await expectInvalid(store, {});
    await expectInvalid(store, { at: Number.NaN, session: { session_id } });
    deepStrictEqual(await offsetsOf(store, session_id), [0]);
  }),
];

const dependence: readonly StoreCheck[] = [
  sessionCheck("a commit whose ground has moved is refused and says where it is now", async (store, session_id) => {
    await append(store, session_id, { events: [event("state"), message("a")], header: { title: "t", episode: 4 }, fence: true });
    const events = [message("late")];
    await expectRefusal(store, { session: { session_id, events, depends: { epoch: 0 } } }, { reason: "fenced", epoch: 1 });
    await expectRefusal(store, { session: { session_id, events, depends: { base: 0 } } }, { reason: "stale_base", state_offset: 1 });
    await expectRefusal(store, { session: { session_id, events, depends: { head: 1 } } }, { reason: "stale_head", head: 2 });
    await expectRefusal(store, { session: { session_id, events, depends: { version: 0 } } }, { reason: "stale_version", version: 1 });
    await expectRefusal(store, { session: { session_id, events, depends: { episode: 1 } } }, { reason: "stale_episode", episode: 4 });
    await append(store, session_id, { events, depends: { epoch: 1, base: 1, head: 2, version: 1, episode: 4 } });
  }),
  sessionCheck("of commits on one base only one is accepted", async (store, session_id) => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => store.commit(commitOf({ session: { session_id, events: [event("state")], depends: { base: 0 } } }))),
    );
    strictEqual(results.filter(({ outcome }) => outcome === "committed").length, 1);
    deepStrictEqual(await offsetsOf(store, session_id), [0, 1]);
  }),
  check("a stale owner part keeps the session part from being written too", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const session_id = await newSession(store, { owner_id });
    await write(store, { owner: { owner_id, name: "Ada" } });
    const session = { session_id, events: [message("a")] };
    await expectRefusal(store, { owner: { owner_id, depends: { version: 0 }, name: "Eve" }, session }, { reason: "stale_version", version: 1 });
    await expectRefusal(store, { owner: { owner_id, name: "Eve" }, session: { ...session, depends: { epoch: 9 } } }, { reason: "fenced", epoch: 0 });
    strictEqual((await store.list({ of: "customers" })).items[0]?.name, "Ada");
  }),
  sessionCheck("a commit sent again gives its first result, even when its ground has moved", async (store, session_id) => {
    const commit = commitOf({
      session: {
        session_id,
        events: [asked("a")],
        queue: queue({ limit: 1 }),
        depends: { base: 0, epoch: 0 },
        idempotency: { key: "k", body_hash: "b" },
      },
    });
    const first = await store.commit(commit);
    const session = { first_offset: 1, head: 1, queued_turn: 1 };
    ok(first.outcome === "committed");
    const { state_id = "" } = first.left ?? {};
    deepStrictEqual(first, { outcome: "committed", replayed: false, session, left: { state_offset: 0, state_id, open_turns: 1 } });
    const again = { outcome: "committed", replayed: true, session };
    await append(store, session_id, { events: [event("state")], fence: true });
    deepStrictEqual(await store.commit(commit), again);
    deepStrictEqual(await offsetsOf(store, session_id), [0, 1, 2]);
  }),
  sessionCheck("a commit tells how it left the session: where its state is, and how many turns are open", async (store, session_id) => {
    const left = async (change: Omit<SessionChange, "session_id">): Promise<unknown> => {
      const result = await store.commit(commitOf({ session: { session_id, ...change } }));
      const { state_offset, open_turns } = (result.outcome === "committed" ? result.left : undefined) ?? {};
      return { state_offset, open_turns };
    };
    deepStrictEqual(await left({ events: [event("state"), event("custom")] }), { state_offset: 1, open_turns: 0 });
    deepStrictEqual(await left({ events: [asked("a")], queue: queue() }), { state_offset: 1, open_turns: 1 });
    deepStrictEqual(await left({ events: [asked("b")], queue: queue() }), { state_offset: 1, open_turns: 1 });
    const claim = await store.claim({ kind: "session", session_id, worker: "w", lease_ms: 60_000 });
    deepStrictEqual(await left({ events: [asked("c"), event("state")], queue: queue() }), { state_offset: 6, open_turns: 2 });
    deepStrictEqual(await left({ end_turns: [1, 9], depends: { epoch: claim?.epoch ?? -1 } }), { state_offset: 6, open_turns: 1 });
    deepStrictEqual(await left({ dequeue_turns: [2, 1] }), { state_offset: 6, open_turns: 0 });
    deepStrictEqual(await left({ events: [asked("d")], queue: queue(), end_turns: ["queued"] }), { state_offset: 6, open_turns: 0 });
    deepStrictEqual(await left({ header: { mode: "manual" } }), { state_offset: 6, open_turns: 0 });
    deepStrictEqual(await left({ events: [asked("e")], queue: queue() }), { state_offset: 6, open_turns: 0 });
  }),
  sessionCheck("a commit sent again is recognized however far the log has moved on, and after retention", async (store, session_id) => {
    const idempotency = { key: "k", body_hash: "b" };
    const commit = commitOf({ session: { session_id, events: [asked("a")], queue: queue(), end_turns: ["queued"], idempotency } });
    const result = await store.commit(commit);
    ok(result.outcome === "committed");
    const { left: _left, ...first } = result;
    for (let batch = 0; batch < 11; batch++) await append(store, session_id, { events: Array.from({ length: 100 }, () => event("custom")) });
    deepStrictEqual(await store.commit(commit), { ...first, replayed: true });
    const head = (await store.open({ session_id }))?.head ?? 0;
    await append(store, session_id, { cut: { first_offset: head, state: {} } });
    deepStrictEqual(await store.commit(commit), { ...first, replayed: true });
    const again = { session_id, events: [event("custom")], idempotency };
    await expectRefusal(store, { session: again }, { reason: "key_used", offset: 1, body_hash: "b", queued_turn: 1 });
  }),
  check("a commit sent many times at once is written once", async (store) => {
    const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
    const commit = commitOf({
      owner: { owner_id, create: { customer_id: "crm-1" }, variables: [{ name: "a", value: 1 }] },
      session: { session_id, create: creation(owner_id, { open_key: "k" }), events: [created(), asked("a")], queue: queue() },
    });
    const results = await Promise.all(Array.from({ length: 6 }, () => store.commit(commit)));
    strictEqual(results.filter((result) => result.outcome === "committed" && !result.replayed).length, 1);
    for (const result of results) deepStrictEqual(result.outcome === "committed" && result.session, { first_offset: 0, head: 1, queued_turn: 1 });
    strictEqual((await store.list({ of: "customers" })).items[0]?.variables.version, 1);
  }),
  check("an owner's commit sent again changes nothing", async (store) => {
    const owner_id = await newOwner(store, "crm-1");
    const commit = commitOf({ owner: { owner_id, name: "Ada", entries: [fact("e")] } });
    deepStrictEqual(await store.commit(commit), { outcome: "committed", replayed: false });
    deepStrictEqual(await store.commit(commit), { outcome: "committed", replayed: true });
    strictEqual((await store.entries({ owner_id })).length, 1);
  }),
  check("an idempotency key is used once per session, and leads to the last event of its commit", async (store) => {
    const [session_id, other] = [await newSession(store), await newSession(store)];
    const idempotency = { key: "m-1", body_hash: "hash" };
    await append(store, session_id, { events: [event("session"), asked("a")], queue: queue(), idempotency });
    const again = {
      session_id,
      events: [asked("b")],
      queue: queue({ limit: 0 }),
      idempotency: { ...idempotency, body_hash: "other" },
      depends: { epoch: 9 },
    };
    await expectRefusal(store, { session: again }, { reason: "key_used", offset: 2, body_hash: "hash", queued_turn: 1 });
    await append(store, other, { events: [asked("a")], queue: queue(), idempotency });
    const nothing = { key: "n-1", body_hash: "nothing" };
    await append(store, other, { idempotency: nothing });
    await append(store, other, { events: [event("custom"), event("status")], idempotency: { key: "n-2", body_hash: "two" } });
    const used = (key: string) => ({
      session: { session_id: other, idempotency: { key, body_hash: "x" }, depends: { head: Number.MAX_SAFE_INTEGER } },
    });
    await expectRefusal(store, used("n-1"), { reason: "key_used", offset: 1, body_hash: "nothing", queued_turn: 1 });
    await expectRefusal(store, used("n-2"), { reason: "key_used", offset: 3, body_hash: "two" });
    await expectRefusal(store, used("n-3"), { reason: "stale_head", head: 3 });
  }),
  check("concurrent opens with one key give one session", async (store) => {
    const attempts = Array.from({ length: 6 }, async () => {
      const [owner_id, session_id] = [ids.next("owner"), ids.next("session")];
      const create = creation(owner_id, { open_key: "room" });
      return store.commit(commitOf({ owner: { owner_id, create: {} }, session: { session_id, create, events: [created()] } }));
    });
    const results = await Promise.all(attempts);
    strictEqual(results.filter(({ outcome }) => outcome === "committed").length, 1);
    const row = await store.open({ open_key: "room" });
    for (const result of results)
      if (result.outcome === "refused") deepStrictEqual(result, { outcome: "refused", reason: "session_exists", session_id: row?.session_id });
  }),
];

export const commitChecks: readonly StoreCheck[] = [...creations, ...events, ...dependence];
