/** Checks of redaction: an event's data is replaced where it stands, and nothing else is. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Store, StoredEvent } from "../../store/port.ts";
import { type StoreCheck, append, check, created, event, expectError, expectRefusal, ids, message, newOwner, newSession, write } from "./fixtures.ts";

const gone: JsonObject = { role: "user", parts: [], redacted: true };

/** Every event that the session's log holds, withdrawn or not. */
async function logOf(store: Store, session_id: SessionId): Promise<readonly StoredEvent[]> {
  return (await store.read({ session_id, withdrawn: true }))?.events ?? [];
}

/** Offsets of the events that hold nothing any more. */
const redactedIn = async (store: Store, session_id: SessionId): Promise<readonly number[]> =>
  (await logOf(store, session_id)).filter(({ data }) => data["redacted"] === true).map(({ offset }) => offset);

async function fork(store: Store, parent: SessionId, at: number): Promise<SessionId> {
  const session_id = ids.next("session");
  const row = await store.open({ session_id: parent });
  ok(row !== undefined);
  const create = { owner_id: row.owner_id, agent: row.agent, agent_version: row.agent_version, fork: { session_id: parent, at } };
  await write(store, { session: { session_id, create, events: [event("session", { type: "forked", at }), message("its own")] } });
  return session_id;
}

/** A log of four events: 0 created, then three messages with metadata. */
async function threeMessages(store: Store): Promise<SessionId> {
  const session_id = await newSession(store, { owner_id: await newOwner(store) });
  await append(store, session_id, { events: ["a", "b", "c"].map((text) => message(text, { metadata: { note: text } })) });
  return session_id;
}

/** Redaction: in place, for all who share the event, and as often as one likes. */
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
    const create = { owner_id, agent: "diary", agent_version: 1 };
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
