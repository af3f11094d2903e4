/** Checks of what a session's header says of people who take it up. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import type { Handover, SessionQuery, Store } from "../../store/port.ts";
import { type StoreCheck, append, check, commitOf, expectError, newOwner, newSession, someTime, write } from "./fixtures.ts";

const give = (store: Store, session_id: SessionId, handover: Handover): Promise<unknown> => append(store, session_id, { header: { handover } });

const idsOf = async (store: Store, query: Omit<SessionQuery, "of"> & { readonly order?: "asc" | "desc" }): Promise<readonly SessionId[]> =>
  (await store.list({ of: "sessions", ...query })).items.map(({ session_id }) => session_id);

/** All sessions of a queue, two at a time. */
async function queueOf(store: Store, handover: Handover["status"], order: "asc" | "desc"): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ of: "sessions", by: "handover", handover, order, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items.map(({ session_id }) => session_id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
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
      await give(store, session_id, { status: "waiting", since, ...(alert === undefined ? {} : { alert }) });
      sessions.push(session_id);
    }
    const expected = [3, 6, 5, 1, 8, 2, 4, 0, 7].map((index) => sessions[index]);
    deepStrictEqual(await queueOf(store, "waiting", "asc"), expected);
    deepStrictEqual(await queueOf(store, "waiting", "desc"), expected.toReversed());
    deepStrictEqual(await idsOf(store, { handover: "waiting" }), sessions);
    for (const [index, session_id] of sessions.entries()) {
      const [since, alert] = given[index] ?? [0];
      await give(store, session_id, { status: "resolved", since, ...(alert === undefined ? {} : { alert }) });
    }
    deepStrictEqual(
      await queueOf(store, "resolved", "desc"),
      [7, 3, 0, 1, 4, 2, 5, 6, 8].map((index) => sessions[index]),
    );
    deepStrictEqual(await queueOf(store, "waiting", "asc"), []);
  }),
  check("a hand-over that says nothing is refused", async (store) => {
    const session_id = await newSession(store);
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
      await expectError(store.commit(commitOf({ session: { session_id, header: { handover: { ...sound, ...change } } } })), "input.invalid");
    await expectError(store.list({ of: "sessions", by: "handover" }), "input.invalid");
    await expectError(store.list({ of: "sessions", handover: "gone" as never }), "input.invalid");
    await write(store, { session: { session_id, header: { handover: sound } } });
    const page = await store.list({ of: "sessions", by: "handover", handover: "waiting", limit: 1 });
    deepStrictEqual([page.items.length, page.next_cursor], [1, null]);
  }),
];
