import { describe, expect, test } from "vitest";
import { type MemoryImage, type MemoryStore, type SessionId, type Store, openMemoryStore } from "../../packages/throughline/src/store.ts";
import { append, asked, event, message, newOwner, newSession, queue, write } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { checkStoreAgainstModel } from "../../packages/throughline/src/testing.ts";

/** What is written of a store, as a text, and read again. */
const copied = (store: MemoryStore): MemoryStore => openMemoryStore({ image: JSON.parse(JSON.stringify(store.image())) as MemoryImage });

/** A store that goes through its image before every second call. */
function copying(): Store {
  let [store, calls] = [openMemoryStore(), 0];
  const fresh = (): MemoryStore => {
    if (++calls % 2 === 0) store = copied(store);
    return store;
  };
  return {
    ...store,
    open: (selector) => fresh().open(selector),
    load: (request) => fresh().load(request),
    read: (request) => fresh().read(request),
    appends: (request) => fresh().appends(request),
    list: (query) => fresh().list(query),
    entries: (request) => fresh().entries(request),
    commit: (commit) => fresh().commit(commit),
    claim: (request) => fresh().claim(request),
    release: (request) => fresh().release(request),
    erase: (target) => fresh().erase(target),
    close: () => store.close(),
  };
}

const fork = async (store: Store, session_id: SessionId, at: number): Promise<SessionId> => {
  const row = await store.open({ session_id });
  return newSession(store, { owner_id: row!.owner_id, create: { fork: { session_id, at } }, state: {} });
};

describe("the image of a store in memory", () => {
  test.each([11, 12, 13])("goes on where the store was, whatever was called, seed %i", async (seed) => {
    await checkStoreAgainstModel(async () => copying(), { seed, commands: 80 });
  });

  test("is the image of the store that it makes, too", async () => {
    const store = openMemoryStore();
    const owner_id = await newOwner(store, "crm-7");
    await write(store, { owner: { owner_id, variables: [{ name: "__proto__", value: 1 }], entries: [{ entry_id: "e", kind: "fact", data: null }] } });
    const session_id = await newSession(store, { owner_id, create: { open_key: "k" } });
    await append(store, session_id, { events: [asked("a")], queue: queue(), idempotency: { key: "k", body_hash: "h" } });
    await store.claim({ kind: "next", worker: "w", lease_ms: 1000 });
    await append(store, session_id, { events: [event("state", {})], checkpoint: { a: 1 }, withdraw_from: 1 });
    await fork(store, session_id, 1);
    expect(copied(store).image()).toEqual(store.image());
  });

  test("has only what somebody can still read", async () => {
    const store = openMemoryStore();
    const owner_id = await newOwner(store, "crm-7");
    const session_id = await newSession(store, { owner_id, create: { open_key: "word-key" }, header: { title: "word-title" } });
    for (const word of ["word-1", "word-2", "word-3", "word-4", "word-5"]) await append(store, session_id, { events: [message(word)] });
    // Between what the two forks show of the session there is something that neither shows.
    const early = await fork(store, session_id, 1);
    const late = await fork(store, session_id, 4);
    await append(store, late, { events: [message("word-late")] });
    await append(store, late, { cut: { first_offset: 4, state: {} } });
    await store.erase({ session_id });
    const again = copied(store);
    expect([...new Set(JSON.stringify(again.image()).match(/word-\w+/g))].toSorted()).toEqual(["word-1", "word-4", "word-late"]);
    for (const id of [early, late]) {
      expect(await again.load({ session_id: id })).toEqual(await store.load({ session_id: id }));
      const min_offset = id === late ? 4 : 0;
      expect(await again.read({ session_id: id, min_offset })).toEqual(await store.read({ session_id: id, min_offset }));
    }
    expect((await again.open({ session_id: early }))?.origin).toEqual({ session_id: null, at: 1 });
  });

  test("of another version is refused, and a closed store has none", async () => {
    const store = openMemoryStore();
    expect(() => openMemoryStore({ image: { ...store.image(), version: 1 } })).toThrow(expect.objectContaining({ code: "store.corrupt" }));
    await store.close();
    expect(() => store.image()).toThrow(expect.objectContaining({ code: "store.closed" }));
  });
});
